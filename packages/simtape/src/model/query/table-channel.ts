import { LayoutError } from "../../bytes/error.ts";
import type { Reader } from "../reader.ts";
import type { Query } from "../messages/batch-query.ts";
import type { Time, TimeRange } from "../values/time.ts";
import type { Traits } from "../traits.ts";
import { isUnit } from "../values/units.ts";
import type { Channel, Value } from "../values/value.ts";
import { LateColumnError } from "./late-column.ts";
import { RowBuilder, type TableBatch, type TableColumn, type RowSource } from "./table-cells.ts";
import { Fields, isAtOrBelow } from "./table-fields.ts";

const TIME: TableColumn = { name: "time", unit: "ns", kind: "f64" };
const SEQUENCE: TableColumn = { name: "sequence", unit: null, kind: "f64" };
/** Place in the message's list. */
const RECORD: TableColumn = { name: "record", unit: null, kind: "u32" };
const OWN = [TIME.name, SEQUENCE.name, RECORD.name];

/** What is asked of a channel. */
export interface ChannelRows extends TimeRange {
  readonly columns: readonly string[] | null;
  /** Messages beside those of the range that columns are learned from, from the first on; `Infinity`: all. */
  readonly sample: number;
  /** Columns are those of the sample and of as many messages of the range; rows that do not fit them fail. */
  readonly isEarly: boolean;
  readonly signal: AbortSignal | undefined;
  readonly traits: Traits;
}

/** Payload bytes of a sample, at most and about. */
const SAMPLE_BYTES = 1 << 20;

/** Meets the values of a channel once; gives its columns and what makes rows of it. Throws `RangeError` for a column that is not there. */
export async function channelRows(reader: Reader, channel: Channel, asked: ChannelRows): Promise<RowSource> {
  const { start, end, sample, isEarly, signal } = asked;
  const query = { start, end, signal, channels: [channel] };
  const names = asked.columns === null ? null : pathsOf(asked.columns);
  const fields = new Fields(names);
  let isListed = false;
  const own = (): TableColumn[] => [TIME, SEQUENCE, ...(isListed ? [RECORD] : [])];
  const meet = (value: Value): void => {
    if (Array.isArray(value)) isListed = true;
    for (const item of itemsOf(value)) fields.meet(item);
  };
  const whole = { signal, channels: [channel] };
  if (sample > 0) for await (const value of firstOf(reader, channel, whole, sample)) meet(value);
  const isAll = start === undefined && end === undefined;
  if (isEarly) for await (const value of firstOf(reader, channel, query, isAll ? 0 : sample)) meet(value);
  else if (sample !== Number.POSITIVE_INFINITY)
    for await (const batch of reader.batches(query)) {
      for (let i = 0; i < batch.length; i++) meet(decoded(channel, batch.payload(i), batch.context));
    }
  const found = fields.settle(OWN, own().length);
  const lacking = names?.find((name) => !found.some((column) => isAtOrBelow(pathOf(column.name), name)));
  if (lacking !== undefined) {
    const all = await channelRows(reader, channel, { ...asked, columns: null });
    const there = all.columns.map(({ name }) => name).join(", ");
    throw new RangeError(`no column ${JSON.stringify(lacking)}; there are: ${there}`);
  }
  const { traits } = asked;
  const noted = await notedUnits(reader, sample > 0 ? whole : query);
  const unitOf = ({ name, kind, items }: TableColumn): string | null =>
    traits.unitOf?.(name) ?? ((items ?? kind) === "string" ? null : noted(nameOf(name)));
  const columns = [...own(), ...found.map((column) => ({ ...column, unit: unitOf(column) }))];
  return {
    columns,
    axes: traits.axesOf?.(channel.name) ?? null,
    batches: () => rowsOf(reader, channel, query, columns, fields, isListed, isEarly),
  };
}

/** Messages that are looked at for what the format notes on their fields, and fields of each, at most. */
const NOTED_MESSAGES = 16;
const NOTED_FIELDS = 4096;

/**
 * Tells the unit of a member of a channel's values, as the format notes it on the fields of its messages; of a list, the
 * one that all its items have.
 */
async function notedUnits(reader: Reader, query: Query): Promise<(name: string) => string | null> {
  const units = new Map<string, string>();
  const lists = new Map<string, string | null>();
  const find = (name: string): string | null => units.get(name) ?? lists.get(name) ?? null;
  const dissector = await reader.dissector?.();
  if (dissector === undefined) return find;
  for await (const batch of reader.batches(query)) {
    for (let i = 0; i < Math.min(batch.length, NOTED_MESSAGES); i++) {
      for (const { name, note } of dissector.message(batch, i, { most: NOTED_FIELDS }))
        if (note !== null && isUnit(note)) {
          const member = nameOf(name);
          units.set(member, note);
          const list = member.slice(0, Math.max(0, member.lastIndexOf(".")));
          lists.set(list, (lists.has(list) ? lists.get(list) : note) === note ? note : null);
        }
    }
    break;
  }
  return find;
}

/** The name of a column, or of a field, without places in lists: `[3].location.x` and `wheels.2` are of all items alike. */
function nameOf(name: string): string {
  return name.replace(/^\[\d+\]\.?/, "").replace(/\[\d+\]|\.\d+(?=\.|$)/g, "");
}

async function* rowsOf(
  reader: Reader,
  channel: Channel,
  query: Query,
  columns: readonly TableColumn[],
  fields: Fields,
  isListed: boolean,
  isEarly: boolean,
): AsyncGenerator<TableBatch> {
  const rows = new RowBuilder(columns);
  for await (const batch of reader.batches(query)) {
    for (let i = 0; i < batch.length; i++) {
      const value = decoded(channel, batch.payload(i), batch.context);
      const items = itemsOf(value);
      if (isEarly) mustFit(fields, value, isListed, batch.time[i]!);
      for (let k = 0; k < items.length; k++) {
        const row = rows.begin();
        rows.put(0, row, batch.time[i]!);
        rows.put(1, row, batch.sequence[i]!);
        if (isListed && Array.isArray(value)) rows.put(2, row, k);
        fields.fill(rows, row, items[k]!);
        if (rows.isFull) yield rows.take();
      }
    }
  }
  if (!rows.isEmpty) yield rows.take();
}

/** Throws `LateColumnError` for a value that other columns would have to be settled for. */
function mustFit(fields: Fields, value: Value, isListed: boolean, time: Time): void {
  if (Array.isArray(value) && !isListed) throw new LateColumnError(RECORD.name, time);
  for (const item of itemsOf(value)) {
    const late = fields.meetAgain(item);
    if (late !== null) throw new LateColumnError(late, time);
  }
}

/** The first values of a channel, `count` at most. */
async function* firstOf(reader: Reader, channel: Channel, query: Query, count: number): AsyncGenerator<Value> {
  let messages = 0;
  let bytes = 0;
  for await (const batch of reader.batches(query)) {
    for (let i = 0; i < batch.length; i++) {
      if (messages === count || (bytes >= SAMPLE_BYTES && count !== Number.POSITIVE_INFINITY)) return;
      messages++;
      bytes += batch.end[i]! - batch.start[i]!;
      yield decoded(channel, batch.payload(i), batch.context);
    }
  }
}

/** Null for a payload that does not fit: it has a row, and nothing in it. */
function decoded(channel: Channel, payload: Uint8Array, context: unknown): Value {
  try {
    return channel.schema.decode(payload, context);
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

/** A list is a row for each item. */
function itemsOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? (value as readonly Value[]) : [value];
}

/** What is asked for beside the columns that are always there; `value.NAME` is what they leave no name for. */
function pathsOf(columns: readonly string[]): string[] {
  return columns.filter((name) => !OWN.includes(name)).map(pathOf);
}

function pathOf(name: string): string {
  const own = OWN.find((one) => isAtOrBelow(name, `value.${one}`));
  return own === undefined ? name : name.slice("value.".length);
}
