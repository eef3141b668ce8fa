import { Observable } from "../observable.ts";

/** Whether the dialog of videos is open. */
export const videoShown: Observable<boolean> = new Observable(false);

/** Whether the path of the camera is shown in the scene, to be changed. */
export const pathShown: Observable<boolean> = new Observable(false);
