import type { RecordingEvent } from "../model/query/event.ts";
import { jsonOf } from "../model/query/value-text.ts";
import type { Finding } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { TableData, TableList } from "../model/query/table-cells.ts";
import type { Value } from "../model/values/value.ts";
import type { SqlBatch, SqlCells, SqlColumn, SqlKind, SqlRows } from "./kinds.ts";
import { epochOf, inUtc, type NamedRecording, RECORDING, TIME, UTC } from "./rows.ts";
import { rangeOf, type Wanted, wants } from "./wanted.ts";

/** Tables that every recording has. */
export const FACTS = ["recordings", "channels", "events", "findings"] as const;
export type Fact = (typeof FACTS)[number];

const SECOND = 1e9;

const column = (name: string, kind: SqlKind = "string", unit: string | null = null): SqlColumn => ({
  name,
  kind,
  unit,
});

/** Their columns. */
export const FACT_COLUMNS: Readonly<Record<Fact, readonly SqlColumn[]>> = {
  recordings: [
    RECORDING,
    column("file"),
    column("format"),
    column("version"),
    column("start", "f64", "s"),
    column("end", "f64", "s"),
    column("epoch", "instant"),
    column("duration", "f64", "s"),
    column("messages", "whole"),
    column("bytes", "whole"),
    column("tags", "string[]"),
    column("metadata"),
  ],
  channels: [
    RECORDING,
    column("channel"),
    column("table"),
    column("schema"),
    column("messages", "whole"),
    column("bytes", "whole"),
    column("first", "f64", "s"),
    column("last", "f64", "s"),
    column("metadata"),
  ],
  events: [
    RECORDING,
    TIME,
    UTC,
    column("kind"),
    column("text"),
    column("who", "string[]"),
    column("ids", "string[]"),
    column("channel"),
    column("sequence", "whole"),
    column("value"),
  ],
  findings: [
    RECORDING,
    column("code"),
    column("severity"),
    column("message"),
    column("offset", "whole"),
    column("length", "whole"),
    TIME,
  ],
};

export function isFact(name: string): name is Fact {
  return (FACTS as readonly string[]).includes(name);
}

/** What the rows of `recordings` have beside what the recording itself states. */
export interface Described {
  readonly file: string;
  readonly tags: readonly string[];
  /** The table of each channel, by its id. */
  readonly tables: readonly string[];
  /** Cells of further columns of `recordings`, which are texts. */
  readonly more?: Readonly<Record<string, string | null>>;
}

/** A cell of such a table; undefined: it is not known. */
export type Cell = Value | undefined;

/** The columns that are wanted of such a table. `more`: names of further columns of `recordings`. */
export function factColumns(fact: Fact, wanted: Wanted, more: readonly string[]): SqlColumn[] {
  const own = FACT_COLUMNS[fact];
  const all = fact === "recordings" ? [...own, ...more.map((name) => column(name))] : own;
  return all.filter(({ name }) => wants(wanted, name));
}

/** The rows of a table that every recording has. */
export function factRows(of: NamedRecording, fact: Fact, described: Described, wanted: Wanted): SqlRows {
  const columns = factColumns(fact, wanted, Object.keys(described.more ?? {}));
  const batches = async function* (): AsyncGenerator<SqlBatch> {
    const given = fact === "events" ? eventBatches(of, wanted) : oneBatch(of, fact, described, wanted);
    for await (const rows of given) if (rows.length > 0) yield factBatch(columns, rows);
  };
  return { columns, batches };
}

/** Rows of findings of a recording that does not open. */
export function findingBatch(
  name: string,
  findings: readonly Finding[],
  wanted: Wanted,
): { columns: SqlColumn[]; batch: SqlBatch } {
  const columns = FACT_COLUMNS.findings.filter((one) => wants(wanted, one.name));
  return { columns, batch: factBatch(columns, findingRows(name, findings)) };
}

type Row = Readonly<Record<string, Cell>>;

async function* oneBatch(of: NamedRecording, fact: Fact, described: Described, wanted: Wanted): AsyncGenerator<Row[]> {
  if (fact === "recordings") yield [await recordingRow(of, described, wanted)];
  if (fact === "channels") yield await channelRows(of, described, wanted);
  if (fact === "findings") {
    await readAll(of.recording, wanted.signal);
    yield findingRows(of.name, of.recording.findings);
  }
}

async function recordingRow(
  { name, recording }: NamedRecording,
  { file, tags, more }: Described,
  wanted: Wanted,
): Promise<Row> {
  const { format, version, bytes, metadata } = recording.info;
  const { start, end } = await recording.timeline();
  // counting may read the whole recording
  const statistics = wants(wanted, "messages") ? await recording.statistics(wanted.signal) : [];
  return {
    ...{ recording: name, file, format, version, start: start / SECOND, end: end / SECOND },
    epoch: await epochOf(recording),
    duration: (end - start) / SECOND,
    messages: statistics.reduce((sum, { messages }) => sum + messages, 0),
    ...{ bytes, tags, metadata: jsonOf(metadata) },
    ...more,
  };
}

async function channelRows({ name, recording }: NamedRecording, { tables }: Described, wanted: Wanted): Promise<Row[]> {
  const isCounted = ["messages", "bytes", "first", "last"].some((one) => wants(wanted, one));
  const statistics = isCounted ? await recording.statistics(wanted.signal) : [];
  const seconds = (time: number | null | undefined): number | null => (time == null ? null : time / SECOND);
  return recording.channels.map((channel) => {
    const found = statistics[channel.id];
    return {
      ...{ recording: name, channel: channel.name, table: tables[channel.id]!, schema: channel.schema.name },
      ...{ messages: found?.messages ?? null, bytes: found?.bytes ?? null },
      ...{ first: seconds(found?.first), last: seconds(found?.last), metadata: jsonOf(channel.metadata) },
    };
  });
}

/** Findings that reading every message gives. */
async function readAll(recording: Recording, signal: AbortSignal | undefined): Promise<void> {
  for await (const batch of recording.batches({ signal })) if (batch.length < 0) break;
}

function findingRows(name: string, findings: readonly Finding[]): Row[] {
  return findings.map(({ code, severity, message, offset, length, time }) => ({
    ...{ recording: name, code, severity, message, offset: offset ?? null, length: length ?? null },
    time: time === undefined ? null : time / SECOND,
  }));
}

async function* eventBatches({ name, recording }: NamedRecording, wanted: Wanted): AsyncGenerator<Row[]> {
  const epoch = await epochOf(recording);
  const { signal } = wanted;
  const range = rangeOf(wanted, epoch);
  const kinds = wanted.kinds === null ? undefined : wanted.kinds;
  const withValue = wants(wanted, "value");
  for await (const events of recording.events({ ...range, kinds, signal })) {
    const utc = inUtc(
      Float64Array.from(events, ({ time }) => time),
      epoch,
    );
    yield events.map((event, k) =>
      eventRow(name, event, utc.valid === null ? (utc.data[k] as number) : null, withValue),
    );
  }
}

function eventRow(name: string, event: RecordingEvent, utc: number | null, withValue: boolean): Row {
  const { time, kind, text, who, channel, sequence, value } = event;
  return {
    ...{ recording: name, time: time / SECOND, utc, kind, text },
    who: who.map(({ id, label }) => (label === "" ? String(id) : label)),
    ids: who.map(({ set, id }) => (set === null ? String(id) : `${set}/${id}`)),
    ...{ channel, sequence, value: withValue ? jsonOf(value) : null },
  };
}

/** Rows of such a table as cells. */
export function factBatch(columns: readonly SqlColumn[], rows: readonly Row[]): SqlBatch {
  return { length: rows.length, cells: columns.map((one) => cellsOf(one, rows)) };
}

function cellsOf({ name, kind }: SqlColumn, rows: readonly Row[]): SqlCells {
  const valid = Uint8Array.from(rows, (row) => (row[name] == null ? 0 : 1));
  const blank: Value = kind.endsWith("[]") ? [] : isText(kind) ? "" : 0;
  const values = rows.map((row) => row[name] ?? blank);
  const data: TableData =
    kind.endsWith("[]") || isText(kind)
      ? (values as readonly string[] | readonly TableList[])
      : Float64Array.from(values as number[]);
  return { data, valid };
}

function isText(kind: SqlKind): boolean {
  return kind === "string" || kind === "recording";
}
