import type { Opened } from "../../protocol.ts";
import { Origin } from "./origin.ts";

const ORIGINS = new WeakMap<Opened, Origin>();

/** Where the zero of scenes of a recording is: the same for all of them, so that a camera's place means the same. */
export function originOf(opened: Opened): Origin {
  const origin = ORIGINS.get(opened) ?? new Origin();
  ORIGINS.set(opened, origin);
  return origin;
}

/** Takes note that the same recording was opened once more, as all of what was its head. */
export function keepOrigin(opened: Opened, origin: Origin): void {
  ORIGINS.set(opened, origin);
}
