import { Observable } from "../observable.ts";

/** Whether the dialog of exports is open. */
export const exportShown: Observable<boolean> = new Observable(false);
