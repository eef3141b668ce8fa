import type { SeriesPath } from "./state/path.ts";
import type { Reader } from "./reader.ts";
import type { StateModel } from "./state/state-model.ts";
import type { ChannelInfo } from "./values/value.ts";

/** What of a recording is folded: all that says what holds, or as much of it as some paths need. */
export interface Scope {
  readonly channels: readonly ChannelInfo[];
  readonly model: StateModel;
  /** Scopes of one recording that have the same key are the same. */
  readonly key: string;
}

/** All of it: messages from which nothing that holds follows are folded, too. */
export function wholeScope({ channels, state }: Reader): Scope {
  return { channels, model: state, key: "" };
}

/** As little as gives what is at these paths. */
export function scopeOf(reader: Reader, paths: readonly SeriesPath[], texts: readonly string[]): Scope {
  // what a model knows of its file is not so of one that is edited
  const narrowed = reader.base === undefined ? reader.state.narrowed?.(paths) : undefined;
  const wanted = new Set(paths.flatMap((path) => channelsOf(reader, path)));
  return {
    channels: reader.channels.filter(({ id }) => wanted.has(id)),
    model: narrowed ?? reader.state,
    key: texts.toSorted().join("\n"),
  };
}

/** As little as gives one set at its moments; null: nothing less than all of it does. */
export function scopeOfSet({ channels, state }: Reader, set: string): Scope | null {
  const listed = state.channelsOfSet?.(set) ?? [];
  // without motion the messages of every channel are moments
  if (listed.length === 0 || state.motion === null) return null;
  const wanted = channels.filter(({ id }) => listed.includes(id) || id === state.motion);
  return { channels: wanted, model: state, key: `set ${set}` };
}

/** Ids of the channels that can change what is at a path, ascending. */
export function channelsOf({ channels, state }: Reader, path: SeriesPath): readonly number[] {
  const listed = state.channelsOf?.(path) ?? null;
  const ids = channels.map(({ id }) => id).filter((id) => state.holds?.(id) !== false);
  return listed === null ? ids : ids.filter((id) => listed.includes(id));
}
