import { LayoutError } from "../../bytes/error.ts";
import type { Recording } from "../../model/recording.ts";
import type { Channel } from "../../model/value.ts";
import { UsageError } from "../run/failure.ts";
import { allFormats } from "./formats.ts";
import { matching } from "./glob.ts";

/** What a table is made of. */
export interface TableOf {
  readonly of: string | Channel;
  readonly name: string;
  /** Payloads of a channel that did not decode, in one reading of it. */
  undecodable(): number;
}

/** Throws `UsageError` when there is no such set or channel, or none is named and the recording is about several. */
export async function tableOf(
  recording: Recording,
  { set, channel }: { readonly set?: string; readonly channel?: string },
): Promise<TableOf> {
  if (channel !== undefined) return channelCalled(recording, channel);
  const name = set ?? (await mainSet(recording));
  if (name === null) {
    const [only, ...others] = recording.channels;
    if (only !== undefined && others.length === 0) return channelCalled(recording, only.name);
    throw new UsageError(`say --set NAME or --channel NAME; there are ${await listed(recording)}`);
  }
  return { of: name, name, undecodable: () => 0 };
}

/** What a recording is about, at its start or at its end; one that was converted, as the format that it came from says. */
async function mainSet(recording: Recording): Promise<string | null> {
  const { showing } = await recording.traits();
  const met = await setsOf(recording, showing?.things);
  const others = await Promise.all(allFormats().map(async ({ traits }) => (await traits?.())?.showing?.things ?? []));
  const shownSet = [...(showing?.things ?? []), ...others.flat()].find((name) => met.has(name));
  if (shownSet !== undefined) return shownSet;
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

/** For people: every set and channel. */
async function listed(recording: Recording): Promise<string> {
  const sets = [...(await setsOf(recording))];
  const channels = recording.channels.map(({ name }) => name);
  return `the sets ${sets.join(", ") || "(none)"} and the channels ${channels.join(", ") || "(none)"}`;
}

function channelCalled(recording: Recording, wanted: string): TableOf {
  const isMatch = matching([wanted]);
  const exact = recording.channels.find(({ name }) => name === wanted);
  const found = exact === undefined ? recording.channels.filter(({ name }) => isMatch(name)) : [exact];
  const [channel] = found;
  const names = (found.length > 1 ? found : recording.channels).map(({ name }) => name).join(", ");
  if (channel === undefined) throw new UsageError(`no channel is called ${wanted}; there are: ${names}`);
  if (found.length > 1) throw new UsageError(`a table is of one channel, and ${wanted} matches several: ${names}`);
  let count = 0;
  const decode: Channel["schema"]["decode"] = (payload, context) => {
    try {
      return channel.schema.decode(payload, context);
    } catch (error) {
      if (error instanceof LayoutError) count++;
      throw error;
    }
  };
  // each payload is decoded once for the columns and once for the rows
  return {
    of: { ...channel, schema: { name: channel.schema.name, decode } },
    name: channel.name,
    undecodable: () => count / 2,
  };
}
