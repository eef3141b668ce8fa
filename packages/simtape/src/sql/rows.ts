import type { Table, TableOptions } from "../model/query/table.ts";
import type { TableBatch, TableColumn } from "../model/query/table-cells.ts";
import type { Recording } from "../model/recording.ts";
import type { Channel } from "../model/values/value.ts";
import type { SqlBatch, SqlCells, SqlColumn, SqlKind, SqlRows } from "./kinds.ts";
import { freeName, safeName } from "./names.ts";
import { rangeOf, type Wanted, wants } from "./wanted.ts";

/** An open recording with the name that its rows have. */
export interface NamedRecording {
  readonly name: string;
  readonly recording: Recording;
}

/** Columns that rows of every set and channel begin with. */
export const RECORDING: SqlColumn = { name: "recording", kind: "recording", unit: null };
export const TIME: SqlColumn = { name: "time", kind: "f64", unit: "s" };
export const UTC: SqlColumn = { name: "utc", kind: "instant", unit: null };

const SECOND = 1e9;
const AXES = "xyzw";

/**
 * Rows of a set, one for each thing at each recorded moment. Null: the recording has no such set. With `wanted.columns`
 * the columns that are found in the range; a column that only other times have is not among them.
 */
export async function setRows(of: NamedRecording, wantedSet: string, wanted: Wanted): Promise<SqlRows | null> {
  const { recording } = of;
  const epoch = await epochOf(recording);
  const range = rangeOf(wanted, epoch);
  if (range.start !== undefined && range.end !== undefined && range.start >= range.end) return emptySet(of, wantedSet);
  const { signal } = wanted;
  const { start: first } = await recording.timeline();
  // at the first moment: the state at a later one may take a reading of all before it
  const { sets } = await recording.state(first, { signal });
  const words = (await recording.traits()).words?.sets ?? {};
  const isNamed = (one: string): boolean => isCalled(one, wantedSet);
  const name =
    [...sets.keys()].find(isNamed) ??
    Object.keys(words).find((one) => isNamed(one) || isNamed(words[one]![1])) ??
    [...(await recording.state(Math.max(first, range.start ?? first), { signal })).sets.keys()].find(isNamed) ??
    wantedSet;
  const early = sets.get(name);
  const met = Array.from(early?.columns ?? [], ([column, { width }]) => ({ column, width })).flatMap(
    ({ column, width }) =>
      Array.from({ length: width }, (_, k) => (width === 1 ? column : `${column}.${AXES[k] ?? k}`)),
  );
  const columns = columnsFor(wanted, met, [RECORDING.name, TIME.name, UTC.name, "id"]);
  const ids = wanted.ids?.map(({ id }) => id);
  const isEarly = wanted.isEarly === true;
  let table = await tableOrNull(recording, name, { ...range, signal, columns, ids, isEarly });
  const isTextual = table?.columns[1]?.kind === "string";
  if (table === null && ids !== undefined)
    table = await tableOrNull(recording, name, { ...range, signal, columns, isEarly });
  // numbers may be equal to texts that are written in another way
  else if (isTextual && wanted.ids?.some(({ isText }) => !isText) === true)
    table = await tableOrNull(recording, name, { ...range, signal, columns, isEarly });
  return table === null ? null : rowsOfTable(of, table, epoch, wanted);
}

/** Messages of a channel that its columns are learned from, beside those that are read. */
const SAMPLE = 1000;

/**
 * Rows of a channel: one for each message, or for each item of those that are lists. Its columns are those of its first
 * messages and of those that are read; with `wanted.isLearnedWhole` those of all messages.
 */
export async function channelRows(of: NamedRecording, channel: Channel, wanted: Wanted): Promise<SqlRows> {
  const { recording } = of;
  const epoch = await epochOf(recording);
  const { signal } = wanted;
  const range = rangeOf(wanted, epoch);
  const isAll = range.start === undefined && range.end === undefined;
  const isNone = range.start !== undefined && range.end !== undefined && range.start >= range.end;
  const sample = wanted.isLearnedWhole === true ? Number.POSITIVE_INFINITY : isAll ? 0 : SAMPLE;
  const table =
    wanted.isEarly === true
      ? await earlyTable(recording, channel, { ...range, sample: SAMPLE, isEarly: true, signal }, wanted)
      : await recording.table(channel, { ...range, sample, signal });
  const rows = rowsOfTable(of, table, epoch, wanted);
  return { ...rows, isChannel: true, ...(isNone ? { batches: nothing } : {}) };
}

/** With the columns that are wanted alone: what others turn out to be does not matter. */
async function earlyTable(
  recording: Recording,
  channel: Channel,
  options: TableOptions,
  { columns, isTried }: Wanted,
): Promise<Table> {
  const table = await recording.table(channel, options);
  const safe = table.columns.map(({ name }) => safeName(name).toLowerCase());
  // a number behind a name: two columns share one safe name
  if (columns === null || new Set(safe).size < safe.length) return table;
  const met = new Set([...safe, RECORDING.name, UTC.name]);
  if (isTried === true && [...columns].some((name) => !met.has(name))) return table;
  const names = table.columns.map(({ name }) => name).filter((_, k) => columns.has(safe[k]!));
  return recording.table(channel, { ...options, columns: names });
}

async function* nothing(): AsyncGenerator<SqlBatch> {}

/** A set of which no time is asked for: columns of its first moment, and no rows. */
async function emptySet(of: NamedRecording, name: string): Promise<SqlRows | null> {
  const rows = await setRows(of, name, { columns: null, spans: null, ids: null, kinds: null });
  return rows === null ? null : { columns: rows.columns, batches: nothing };
}

/** Whether a name of the statement is that of a set or channel: as it is, or as a safe name; case does not matter. */
export function isCalled(own: string, wanted: string): boolean {
  const name = wanted.toLowerCase();
  return own.toLowerCase() === name || safeName(own).toLowerCase() === name;
}

/** Microseconds since 1970 at time 0; null: the file states none. */
export async function epochOf(recording: Recording): Promise<number | null> {
  const { epoch } = await recording.timeline();
  return epoch === null ? null : Number(epoch / 1000n);
}

/**
 * Names of columns to ask for, of those that were met first; undefined: all, as the statement has a name that may be a column
 * of a later time.
 */
function columnsFor({ columns }: Wanted, met: readonly string[], own: readonly string[]): string[] | undefined {
  if (columns === null) return undefined;
  const safe = new Set([...met.map((name) => safeName(name).toLowerCase()), ...own]);
  // a number behind a name: two columns share one safe name
  const isClear = safe.size === met.length + own.length;
  if (!isClear || [...columns].some((name) => !safe.has(name))) return undefined;
  const asked = met.filter((name) => columns.has(safeName(name).toLowerCase()));
  // something that exists, so that the set is looked for
  return asked.length > 0 ? asked : met.slice(0, 1).length > 0 ? met.slice(0, 1) : undefined;
}

/** Null: there is no such set, column or thing. */
async function tableOrNull(
  ...[recording, name, options]: [Recording, ...Parameters<Recording["table"]>]
): Promise<Table | null> {
  return recording.table(name, options).catch((error: unknown) => {
    if (error instanceof RangeError && /^(no set|no column|nothing in) /.test(error.message)) return null;
    throw error;
  });
}

/** The rows of a table as SQL has them: `recording`, time in seconds, `utc`, then the columns under safe names. */
export function rowsOfTable({ name }: NamedRecording, table: Table, epoch: number | null, wanted: Wanted): SqlRows {
  const taken = new Set([RECORDING, TIME, UTC].map((column) => column.name));
  const picked: { column: SqlColumn; place: number }[] = [];
  for (const [place, column] of table.columns.entries()) {
    if (place === 0) continue;
    const safe = freeName(safeName(column.name), taken);
    if (wants(wanted, safe))
      picked.push({ column: { name: safe, kind: kindOf(column, place), unit: column.unit }, place });
  }
  const own = [RECORDING, TIME, UTC].filter((column) => wants(wanted, column.name));
  return {
    columns: [...own, ...picked.map(({ column }) => column)],
    batches: async function* () {
      for await (const batch of table) {
        const cells: SqlCells[] = own.map((column) => ownCells(column, name, batch, epoch));
        for (const { place } of picked) cells.push(batch.columns[place]!);
        yield { length: batch.length, cells };
      }
    },
  };
}

/** Ids, sequences and places in lists are whole numbers. */
function kindOf({ name, kind, items }: TableColumn, place: number): SqlKind {
  if (kind === "list") return `${items ?? "string"}[]`;
  return kind === "f64" && place === 1 && (name === "id" || name === "sequence") ? "whole" : kind;
}

function ownCells(column: SqlColumn, name: string, { length, columns }: TableBatch, epoch: number | null): SqlCells {
  if (column === RECORDING) return { data: new Array<string>(length).fill(name), valid: null };
  const times = columns[0]!.data as Float64Array;
  return column === TIME ? { data: inSeconds(times), valid: null } : inUtc(times, epoch);
}

export function inSeconds(times: Float64Array): Float64Array {
  return times.map((time) => time / SECOND);
}

/** Microseconds since 1970; not valid where the recording states no epoch. */
export function inUtc(times: Float64Array, epoch: number | null): SqlCells {
  if (epoch === null) return { data: new Float64Array(times.length), valid: new Uint8Array(times.length) };
  return { data: times.map((time) => epoch + Math.floor(time / 1000)), valid: null };
}
