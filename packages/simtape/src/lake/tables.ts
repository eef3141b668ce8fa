import type { Axes } from "../model/axes/axes.ts";
import { Fold } from "../model/fold.ts";
import { statesOf } from "../model/query/table-set.ts";
import type { Recording } from "../model/recording.ts";
import type { Time } from "../model/values/time.ts";
import { type Fact, factRows } from "../sql/facts.ts";
import type { SqlRows } from "../sql/kinds.ts";
import { freeName } from "../sql/names.ts";
import { epochOf, rowsOfTable } from "../sql/rows.ts";
import { channelTables } from "../sql/tables.ts";
import { EVERYTHING } from "../sql/wanted.ts";
import { channelTable, setTable } from "./layout.ts";

/** What of a recording is in a lake. Everything is optional. */
export interface LakeContent {
  /** Names of sets, which may be none; absent: all that the recording has, at any time. */
  readonly sets?: readonly string[] | undefined;
  /** Rows of sets every so many nanoseconds; absent: at each recorded moment. */
  readonly every?: Time | undefined;
  /** Whether there is a table for each channel; false by default. */
  readonly channels?: boolean | undefined;
}

/** Rows of a recording for a table of a lake. */
export interface LakeRows {
  readonly table: string;
  readonly rows: SqlRows;
  readonly axes: Axes | null;
}

/** A recording as a lake names it. */
export interface LakeSubject {
  readonly id: string;
  /** In `recordings.file`. */
  readonly file: string;
  readonly tags: readonly string[];
  readonly recording: Recording;
}

/**
 * The tables of a recording one after the other, each to be read before the next: facts, sets, channels; findings last, as
 * reading adds to them. A set that an option names and the recording does not have is no table.
 */
export async function* tablesOf(
  subject: LakeSubject,
  content: LakeContent,
  signal: AbortSignal | undefined,
): AsyncGenerator<LakeRows> {
  const { recording } = subject;
  for (const fact of ["recordings", "channels", "events"] as const) yield factOf(subject, fact, signal);
  const of = { name: subject.id, recording };
  const epoch = await epochOf(recording);
  const taken = new Set<string>();
  const { every } = content;
  const { sets } = content;
  for (const set of sets?.length === 0 ? [] : await setsOf(recording, every, signal)) {
    if (sets !== undefined && !sets.includes(set)) continue;
    const table = await recording.table(set, { every, signal });
    const rows = rowsOfTable(of, table, epoch, { ...EVERYTHING, signal });
    yield { table: freeName(setTable(set), taken), rows, axes: table.axes };
  }
  if (content.channels === true) {
    const names = channelTables(recording);
    for (const channel of recording.channels) {
      const table = await recording.table(channel, { signal });
      const rows = rowsOfTable(of, table, epoch, { ...EVERYTHING, signal });
      yield { table: freeName(channelTable(names[channel.id]!), taken), rows, axes: table.axes };
    }
  }
  yield factOf(subject, "findings", signal);
}

function factOf({ id, file, tags, recording }: LakeSubject, fact: Fact, signal: AbortSignal | undefined): LakeRows {
  const described = { file, tags, tables: channelTables(recording).map(channelTable) };
  const rows = factRows({ name: id, recording }, fact, described, { ...EVERYTHING, signal });
  return { table: fact, rows, axes: null };
}

/** Names of the sets that have rows or columns, in the order in which they appear; reads all of the recording. */
async function setsOf(
  recording: Recording,
  every: Time | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { reader } = recording;
  const source = { reader, fold: new Fold(reader), traits: () => recording.traits() };
  const sets = new Set<string>();
  let shape = -1;
  for await (const state of statesOf(source, { every, signal })) {
    if (state.shape === shape) continue;
    shape = state.shape;
    for (const name of state.sets.keys()) if (!name.startsWith(".")) sets.add(name);
  }
  return [...sets];
}
