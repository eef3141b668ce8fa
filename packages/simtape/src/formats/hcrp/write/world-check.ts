import type { Reporter } from "../../../model/error.ts";
import { hexText, uuidBytes, uuidText } from "../layout/framing.ts";
import type { Head } from "../read/preamble.ts";
import { worldVersionBytes } from "./profile.ts";

/** Tells when a recording was not made in this world (spec §3: versions are never interpreted, only compared). */
export function checkWorld(
  { worldId, worldVersion }: Head,
  id: string,
  version: string | Uint8Array | undefined,
  report: Reporter,
): void {
  const wanted = uuidText(uuidBytes(id));
  const tell = (what: string, expected: string, found: string): void => {
    const message = `${what}: expected ${expected}, found ${found}; the recording belongs to another world: show it without this one`;
    report.report({ code: "other-world", severity: "warning", message });
  };
  if (worldId !== wanted) tell("world id", wanted, worldId);
  else if (version !== undefined) {
    const [expected, found] = [hexText(worldVersionBytes(version)), hexText(worldVersion)];
    if (expected !== found) tell("world version", expected, found);
  }
}
