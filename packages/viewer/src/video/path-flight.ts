import type { Frame } from "simtape";
import { Observable } from "../observable.ts";
import type { SceneView } from "../scene/scene-view.ts";
import type { Session } from "../session.ts";
import type { CameraPath } from "./path.ts";
import { PathRun } from "./path-run.ts";
import { ratedOf, rateIn } from "./schedule.ts";

/** Whether the camera of the page's scene is on the path. */
export const isFlying: Observable<boolean> = new Observable(false);

/** A part of the rate by which it changes before the player hears of it. */
const NOTED = 0.02;

/**
 * Has the camera of the page's scene on the path, and plays from the first keyframe to the last, as fast as they say;
 * until the function given back is called. Then the user has the camera, where it is. `onOver`: the last keyframe is
 * reached, or the user has taken hold of the scene.
 */
export function fly(session: Session, view: SceneView, path: CameraPath, onOver: () => void): () => void {
  const { keyframes } = path;
  const [start, end] = [keyframes[0]!.time * 1e9, Math.min(keyframes.at(-1)!.time * 1e9, session.bounds.end)];
  const run = new PathRun(path, view.origin.isGeodetic);
  const rated = ratedOf(path);
  let rate = 1;
  let isUnderWay = false;
  const pass = ({ time }: Frame): void => {
    const now = rateIn(rated, time / 1e9);
    if (Math.abs(now / rate - 1) > NOTED) {
      rate = now;
      session.nudge(rate);
    }
    // at its own end a recording does not play any more
    if (!isUnderWay || time < end || (time > end && !session.isPlaying)) return;
    isUnderWay = false;
    session.pause();
    void session.seek(end).then(onOver);
  };
  const removals = new AbortController();
  for (const kind of ["pointerdown", "wheel"] as const)
    view.element.addEventListener(kind, onOver, { signal: removals.signal, passive: true });
  view.ease();
  view.gaze = (time) => run.at(time / 1e9);
  isFlying.set(true);
  if (session.state.value.status.rate < 0) session.setRate(-session.state.value.status.rate);
  const unsubscribe = session.onFrame(pass);
  const begin = async (): Promise<void> => {
    const here = session.time ?? start;
    if (here < start || here >= end) await session.seek(start);
    if (removals.signal.aborted) return;
    isUnderWay = true;
    session.play();
  };
  void begin();
  return () => {
    removals.abort();
    unsubscribe();
    isFlying.set(false);
    if (rate !== 1) session.nudge(1);
    view.gaze = null;
  };
}
