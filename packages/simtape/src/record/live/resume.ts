import { FLAG_FINISHED, uuidBytes, uuidText } from "../../formats/hcrp/layout/framing.ts";
import { worldVersionBytes } from "../../formats/hcrp/write/profile.ts";
import { RecordingError } from "../../model/error.ts";
import type { Existing } from "./existing.ts";
import type { RecorderOptions } from "./recorder-options.ts";

/** Of an id (HCRP spec §12). */
const LONGEST_ID = 128;

/** `run-2` for `run`; the name stays within the length of an id (HCRP spec §12). */
export function numbered(id: string, number: number): string {
  const suffix = `-${number}`;
  const start = id.lastIndexOf("/") + 1;
  return `${id.slice(0, Math.min(id.length, start + LONGEST_ID - suffix.length))}${suffix}`;
}

/** Throws `RecordingError` when it is over, or of another world (HCRP spec §8.6). */
export function checkResumable({ reader }: Existing, options: RecorderOptions): void {
  const { head } = reader.preamble;
  const refuse = (message: string): never => {
    throw new RecordingError("unsupported", `${options.id} cannot be gone on with: ${message}`, {
      format: "hcrp",
    });
  };
  if ((head.flags & FLAG_FINISHED) !== 0) refuse("it is finished; begin a new recording");
  const { worldId, worldVersion } = options;
  if (worldId !== undefined && uuidText(uuidBytes(worldId)) !== head.worldId)
    refuse(`world: expected ${head.worldId}, found ${worldId}`);
  const version = worldVersion === undefined ? null : worldVersionBytes(worldVersion);
  if (version?.some((byte, i) => byte !== head.worldVersion[i]))
    refuse("it is of another version of the world; begin a new recording");
}
