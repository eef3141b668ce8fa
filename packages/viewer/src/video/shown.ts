import { Observable } from "../observable.ts";

/** Whether the dialog of videos is open. */
export const videoShown: Observable<boolean> = new Observable(false);
