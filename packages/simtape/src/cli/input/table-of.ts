import { type RowsOf, rowsOf } from "../../export/row-source.ts";
import type { Recording } from "../../model/recording.ts";
import { UsageError } from "../run/failure.ts";
import { allFormats } from "./formats.ts";
import { matching } from "./glob.ts";

/** Throws `UsageError` when there is no such set or channel, or none is named and the recording is about several. */
export async function tableOf(
  recording: Recording,
  { set, channel }: { readonly set?: string; readonly channel?: string },
): Promise<RowsOf> {
  const named = channel === undefined ? undefined : channelCalled(recording, channel);
  try {
    return await rowsOf(recording, { set, channel: named, things: thingsOfAll });
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

/** Names of sets that recordings of any format are about. */
export async function thingsOfAll(): Promise<readonly string[]> {
  const all = await Promise.all(allFormats().map(async ({ traits }) => (await traits?.())?.showing?.things ?? []));
  return all.flat();
}

/** The name of the channel that is called so, or that the glob matches. Throws `UsageError` for none, and for several. */
export function channelCalled(recording: Recording, wanted: string): string {
  const isMatch = matching([wanted]);
  const exact = recording.channels.find(({ name }) => name === wanted);
  const found = exact === undefined ? recording.channels.filter(({ name }) => isMatch(name)) : [exact];
  const [channel] = found;
  const names = (found.length > 1 ? found : recording.channels).map(({ name }) => name).join(", ");
  if (channel === undefined) throw new UsageError(`no channel is called ${wanted}; there are: ${names}`);
  if (found.length > 1) throw new UsageError(`a table is of one channel, and ${wanted} matches several: ${names}`);
  return channel.name;
}
