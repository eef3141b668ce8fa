import type { Origin } from "../../model/axes/geodesy.ts";
import type { Recording } from "../../model/recording.ts";
import type { Timeline } from "../../model/values/time.ts";
import type { Lost } from "../../model/writer.ts";
import type { Clock } from "./clock.ts";
import { jsonUpTo } from "./json.ts";

/** Name of the metadata record about the recording. */
export const ABOUT = "simtape";
/** Characters of one member of the recording's metadata that are carried. */
const MOST = 1 << 16;

/** What the metadata record says of a recording, and what is too long for it. */
export function aboutTexts(
  { info }: Recording,
  clock: Clock,
  { epoch }: Timeline,
  origin: Origin,
): { readonly texts: Readonly<Record<string, string>>; readonly lost: readonly Lost[] } {
  const { latitude, longitude, altitude, heading, isSet } = origin;
  const texts: Record<string, string> = {
    format: info.format,
    version: info.version,
    // log time minus this is nanoseconds since the start of the recording
    "log-time-at-0": String(clock.base),
    ...(epoch === null ? {} : { epoch: String(epoch) }),
    ...(isSet ? { origin: JSON.stringify({ latitude, longitude, altitude, heading }) } : {}),
  };
  const lost: Lost[] = [];
  for (const [key, value] of Object.entries(info.metadata)) {
    const text = jsonUpTo(value, MOST);
    if (text !== null) texts[`recording.${key}`] = text;
    else lost.push({ path: `metadata/${key}`, reason: `longer than ${MOST} characters`, count: 1 });
  }
  return { texts, lost };
}
