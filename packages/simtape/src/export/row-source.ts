import { LayoutError } from "../bytes/error.ts";
import type { Recording } from "../model/recording.ts";
import type { Channel } from "../model/values/value.ts";

/** What rows are asked of. */
export interface RowsAsked {
  readonly set?: string | undefined;
  readonly channel?: string | undefined;
  /** Names of sets that recordings of other formats are about: one that was converted may have them. */
  readonly things?: (() => Promise<readonly string[]>) | undefined;
}

/** What rows are made of. */
export interface RowsOf {
  readonly of: string | Channel;
  readonly name: string;
  /** Payloads of a channel that did not decode, in so many readings of it, the one for the columns among them. */
  undecodable(readings: number): number;
}

/**
 * The set or channel that is named, else the set that the recording is about, else its only channel. Throws `RangeError`
 * when there is no such channel, or none is named and the recording is about several.
 */
export async function rowsOf(recording: Recording, { set, channel, things }: RowsAsked): Promise<RowsOf> {
  if (set !== undefined && channel !== undefined) throw new TypeError("set and channel do not go together");
  if (channel !== undefined) return ofChannel(recording.channel(channel));
  const name = set ?? (await mainSet(recording, things));
  if (name !== null) return { of: name, name, undecodable: () => 0 };
  const [only, ...others] = recording.channels;
  if (only !== undefined && others.length === 0) return ofChannel(only);
  const sets = [...(await setsOf(recording))];
  const channels = recording.channels.map((one) => one.name);
  throw new RangeError(
    `say which set or channel (--set, --channel); there are the sets ${sets.join(", ") || "(none)"} and the channels ${channels.join(", ") || "(none)"}`,
  );
}

/** Every set that is there at the start or the end, the one that the recording is about first; then every channel. */
export async function rowsIn(recording: Recording): Promise<readonly string[]> {
  const { showing } = await recording.traits();
  const wanted = showing?.things ?? [];
  const met = [...(await setsOf(recording))].filter((name) => !name.startsWith("."));
  const first = wanted.filter((name) => met.includes(name));
  const sets = [...first, ...met.filter((name) => !first.includes(name))];
  return [...sets, ...recording.channels.map(({ name }) => name).filter((name) => !sets.includes(name))];
}

/** What a recording is about, at its start or at its end; one that was converted, as the format that it came from says. */
async function mainSet(recording: Recording, things: RowsAsked["things"]): Promise<string | null> {
  const { showing } = await recording.traits();
  const met = await setsOf(recording, showing?.things);
  const shown = [...(showing?.things ?? []), ...((await things?.()) ?? [])].find((name) => met.has(name));
  if (shown !== undefined) return shown;
  return met.size === 1 ? [...met][0]! : null;
}

/** Sets that are there at the start, and unless the one wanted most is among them, those at the end. */
async function setsOf(recording: Recording, wanted: readonly string[] = []): Promise<Set<string>> {
  const { start, end } = await recording.timeline();
  const met = new Set<string>();
  for (const at of [start, end]) {
    for (const [name, { ids }] of (await recording.state(at)).sets) if (ids.length > 0) met.add(name);
    if (wanted[0] !== undefined && met.has(wanted[0])) break;
  }
  return met;
}

/** A channel whose payloads are counted that do not decode. */
function ofChannel(channel: Channel): RowsOf {
  let count = 0;
  const decode: Channel["schema"]["decode"] = (payload, context) => {
    try {
      return channel.schema.decode(payload, context);
    } catch (error) {
      if (error instanceof LayoutError) count++;
      throw error;
    }
  };
  return {
    of: { ...channel, schema: { name: channel.schema.name, decode } },
    name: channel.name,
    undecodable: (readings) => Math.round(count / readings),
  };
}
