import type { TimeRange } from "simtape";
import type { CameraMode } from "../scene/camera/camera-rig.ts";
import { SCENE, sceneSettings, type SceneSettings } from "../scene/panel/settings.ts";
import type { Session } from "../session.ts";
import { thingNamed } from "../subject.ts";

const MODES: readonly CameraMode[] = ["orbit", "follow", "top", "first-person"];
/** The player plays no faster, either way. */
const FASTEST = 64;

/** A rate as it is written; null: it is none. */
export function rateIn(text: string | null): number | null {
  const rate = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(rate) && rate !== 0 && Math.abs(rate) <= FASTEST ? rate : null;
}

/** The seconds of a loop, `10,20`; "whole" for other text, null where none is wanted. */
export function loopIn(text: string | null): TimeRange | "whole" | null {
  if (text === null) return null;
  const [start, end] = text.split(",").map(Number);
  if (start === undefined || end === undefined || !(start < end)) return "whole";
  return { start: Math.round(start * 1e9), end: Math.round(end * 1e9) };
}

/**
 * The camera as it is written: `orbit`, `follow`, `top` or `first-person`, or six numbers, where it is and what it looks
 * at, as the address of a page has them in `scene.camera`. Of anything else nothing.
 */
export function cameraIn(text: string | null): Partial<SceneSettings> {
  const mode = MODES.find((one) => one === text);
  if (mode !== undefined) return { mode };
  const numbers = (text ?? "").split(",").map(Number);
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return {};
  return { camera: { position: numbers.slice(0, 3), target: numbers.slice(3) } };
}

/** Looks at a recording with the camera, and goes along with what is followed unless the camera says otherwise. */
export function lookAs(session: Session, camera: string | null, follow: string | null): void {
  const wanted = { ...(follow === null || follow === "" ? {} : { mode: "follow" as const }), ...cameraIn(camera) };
  if (Object.keys(wanted).length > 0) session.share(SCENE, { ...sceneSettings(session), ...wanted });
}

/** Selects the thing of that name, `set/id`, as soon as it is there, until the function given back is called. */
export function select(session: Session, name: string): () => void {
  const stop = session.onFrame(({ state }) => {
    const thing = thingNamed(state, name);
    if (thing === null) return;
    stop();
    session.select({ kind: "thing", ...thing });
  });
  return stop;
}
