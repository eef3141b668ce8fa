import type { Recording } from "../../model/recording.ts";
import type { Channel } from "../../model/values/value.ts";
import { matchingSome } from "./glob.ts";

/** Throws `UsageError` for a glob that matches none. */
export function channelsMatching(recording: Recording, globs: readonly string[]): Channel[] {
  const names = recording.channels.map(({ name }) => name);
  const isMatch = matchingSome(globs, names, "channel");
  return recording.channels.filter(({ name }) => isMatch(name));
}
