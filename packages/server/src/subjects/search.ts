import type { Context } from "../context.ts";
import { recordingId } from "simtape/lake";
import { lakeStore } from "../lake/store.ts";
import { searchLake } from "../lake/traces.ts";
import { openData } from "../library/data.ts";
import type { Outcome, Remainder } from "./certificate.ts";
import { isInFile, isInRecording } from "./files.ts";
import { type RowTrace, tracesInRows } from "./rows.ts";
import type { Traces } from "./traces.ts";

/** The result of a search of everything. */
export interface Found {
  readonly remains: readonly Remainder[];
  /** Recordings whose content names the subject and that the erasure did not keep on purpose. */
  readonly recordings: readonly string[];
  readonly searched: { readonly columns: number; readonly recordings: number; readonly files: number };
}

/** What the caller already knows. */
export interface Known {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Whether the content of a recording names the subject, by id: such a recording is not read again. */
  readonly contents: Map<string, boolean>;
}

const AGAIN = "Then erase again.";
/** Folders in the data folder that hold the tables, which are searched as tables. */
const DATABASE = "database/";

/**
 * Searches every column of every table, all paths of the library and of the server's own files, the content of each
 * recording and file, and the lake for a subject. Kept recordings are listed as kept, and not read.
 */
export async function search(
  { query, library, settings }: Context,
  traces: Traces,
  request: string,
  { outcomes, contents }: Known,
  signal: AbortSignal,
): Promise<Found> {
  const remains = new Map<string, Remainder>();
  const add = (one: Omit<Remainder, "count">): void => {
    const id = one.id === null ? null : traces.masked(one.id);
    const recording = one.recording === null ? null : traces.masked(one.recording);
    const key = `${one.where}\n${recording ?? id}`;
    remains.set(key, { ...one, id, recording, count: (remains.get(key)?.count ?? 0) + 1 });
  };
  const kept = new Map([...outcomes].filter(([, { did }]) => did === "kept"));
  for (const [recording, { why }] of kept)
    add({ where: "recording", id: recording, recording, why, next: nextFor(why) });
  const columns = await tracesInRows(query, traces, (row) => {
    if (row.table !== "subject_requests" || row.id !== request) add(remainderOf(row, kept));
  });

  const rows = await query.selectFrom("recordings").select(["id", "key", "files", "state"]).execute();
  const named: string[] = [];
  const known = new Set<string>();
  let recordings = 0;
  for (const { id, key, files, state } of rows) {
    const folder = key.slice(0, key.lastIndexOf("/") + 1);
    if (state !== "gone") for (const { name } of files) known.add(folder + name);
    if (state === "gone" || kept.has(id)) continue;
    recordings++;
    let isNamed = contents.get(id);
    if (isNamed === undefined) {
      isNamed = (await isInRecording(library, key, traces, signal)) ?? false;
      for (const { name } of files) isNamed ||= await isInFile(library, folder + name, traces, signal);
      contents.set(id, isNamed);
    }
    if (!isNamed) continue;
    named.push(id);
    const why = "its content names the person";
    add({ where: "recording", id, recording: id, why, next: `Erase with {"deletes": true}, or delete it.` });
  }
  let files = 0;
  const keptFiles = new Set(
    rows
      .filter(({ id }) => kept.has(id))
      .flatMap(({ key, files: own }) => own.map(({ name }) => key.slice(0, key.lastIndexOf("/") + 1) + name)),
  );
  const data = await openData(settings);
  for (const [place, where] of [
    [library, "file"],
    [data, "file of the data"],
  ] as const) {
    for await (const { key } of place.list(signal)) {
      if (place === data && key.startsWith(DATABASE)) continue;
      files++;
      const isOwn = place === library && known.has(key);
      if (place === library && keptFiles.has(key)) continue;
      if (traces.isIn(key))
        add({
          where: `path of a ${where}`,
          id: key,
          recording: null,
          why: "its path contains the name",
          next: `Rename it. ${AGAIN}`,
        });
      if (isOwn || !(await isInFile(place, key, traces, signal))) continue;
      const why = "the server cannot read it as a recording, and it names the person";
      add({ where, id: key, recording: null, why, next: `Change or delete it. ${AGAIN}` });
    }
    for (const folder of await place.folders())
      if (traces.isIn(folder) && !(place === data && folder.startsWith("database")))
        add({
          where: "folder",
          id: folder,
          recording: null,
          why: "its path contains the name, and it is not empty",
          next: `Rename it. ${AGAIN}`,
        });
  }
  const lake = lakeStore(settings);
  if (lake !== null) {
    const skipped = new Set([...kept.keys()].map(recordingId));
    const found = await searchLake(lake, traces, skipped, signal);
    files += found.files;
    for (const { recording, key } of found.traces)
      add({
        where: "lake",
        id: key ?? recording,
        recording: null,
        why: "the data set of the recordings names the person",
        next: AGAIN,
      });
  }
  return { remains: [...remains.values()], recordings: named, searched: { columns, recordings, files } };
}

function nextFor(why: string): string {
  if (why.startsWith("on hold")) return `End the hold. ${AGAIN}`;
  return why.startsWith("cannot be redacted") ? `Erase with {"deletes": true}.` : `Wait for its end. ${AGAIN}`;
}

function remainderOf(
  { table, column, id, recording }: RowTrace,
  kept: ReadonlyMap<string, Outcome>,
): Omit<Remainder, "count"> {
  const of = table === "recordings" ? id : recording;
  const one = { where: `${table}.${column}`, id, recording: of };
  const outcome = kept.get(of ?? "");
  if (outcome !== undefined)
    return { ...one, why: `its recording is kept: ${outcome.why}`, next: nextFor(outcome.why) };
  if (table === "users")
    return { ...one, why: "another account has this name", next: "Check whether it belongs to the same person." };
  return {
    ...one,
    why: "other rows refer to this value, or have it already",
    next: `Change or delete the row. ${AGAIN}`,
  };
}
