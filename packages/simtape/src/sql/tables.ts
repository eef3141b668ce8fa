import type { Recording } from "../model/recording.ts";
import { type Described, FACT_COLUMNS, FACTS, factRows, isFact } from "./facts.ts";
import type { SqlRows } from "./kinds.ts";
import { freeName, safeName } from "./names.ts";
import { channelRows, isCalled, type NamedRecording, setRows } from "./rows.ts";
import type { Wanted } from "./wanted.ts";

/** Columns of tables, by the names of the tables. */
export type Catalogue = ReadonlyMap<string, readonly string[]>;

const AXES = "xyzw";

/**
 * The rows of a recording for a table. Null: it has no such table. A name that a set and a channel share is the set's; the
 * channel is `channel_NAME`, as every channel is.
 */
export async function rowsOf(
  of: NamedRecording,
  table: string,
  described: Omit<Described, "tables"> | null,
  wanted: Wanted,
): Promise<SqlRows | null> {
  const { recording } = of;
  const name = table.toLowerCase();
  if (isFact(name))
    return factRows(
      of,
      name,
      { ...(described ?? { file: of.name, tags: [] }), tables: channelTables(recording) },
      wanted,
    );
  const tables = channelTables(recording);
  const called = recording.channels.filter(
    (channel) => tables[channel.id]!.toLowerCase() === name || isCalled(channel.name, table),
  );
  const isChannel = called.length > 0;
  // a set of the same name is looked for where that is cheap: at the first moment
  if (isChannel && !(await hasSet(recording, table))) return channelRows(of, called[0]!, wanted);
  const rows = await setRows(of, table, wanted);
  if (rows !== null) return rows;
  const explicit = recording.channels.find((channel) => `channel_${tables[channel.id]!}`.toLowerCase() === name);
  return explicit === undefined ? null : channelRows(of, explicit, wanted);
}

async function hasSet(recording: Recording, table: string): Promise<boolean> {
  const { sets } = await recording.state((await recording.timeline()).start);
  return [...sets.keys()].some((set) => isCalled(set, table));
}

/** Names of the tables of channels, by their ids. */
export function channelTables({ channels }: Recording): string[] {
  const taken = new Set<string>(FACTS);
  return channels.map(({ name }) => freeName(safeName(name), taken));
}

/** All tables of a recording; of sets those at its first and last moment, of channels without their columns. */
export async function catalogueOf(recording: Recording): Promise<Catalogue> {
  const found = new Map<string, string[]>(FACTS.map((fact) => [fact, FACT_COLUMNS[fact].map(({ name }) => name)]));
  const { start, end } = await recording.timeline();
  for (const time of start === end ? [start] : [start, end]) {
    for (const [name, { columns }] of (await recording.state(time)).sets) {
      const taken = new Set(["recording", "time", "utc", "id"]);
      const all = new Set(found.get(safeName(name)) ?? ["recording", "time", "utc", "id"]);
      for (const [column, { width }] of columns)
        for (let k = 0; k < width; k++)
          all.add(freeName(safeName(width === 1 ? column : `${column}.${AXES[k] ?? k}`), taken));
      found.set(safeName(name), [...all]);
    }
  }
  for (const table of channelTables(recording))
    if (!found.has(table)) found.set(table, ["recording", "time", "utc", "sequence"]);
    else if (!found.has(`channel_${table}`)) found.set(`channel_${table}`, ["recording", "time", "utc", "sequence"]);
  return found;
}
