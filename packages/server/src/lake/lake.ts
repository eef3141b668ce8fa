import { open } from "simtape";
import { manifestsIn, recordingId, recordingsIn, removeRecording, updateRecording } from "simtape/lake";
import { fileSpool } from "simtape/node";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import type { Work } from "../jobs/worker.ts";
import { lakeStore } from "./store.ts";

/** Milliseconds between two comparisons that read every manifest. */
const FULL_EVERY = 3_600_000;

type Its = Pick<Context, "query" | "library" | "settings" | "jobs">;

/**
 * Does the job `lake` of a recording: brings its rows in the lake up to date with its file, or removes them when the
 * recording is gone. A recording that is not indexed yet is left to the job that follows its index.
 */
export async function keepInLake({ query, library, settings }: Its, id: string, { signal }: Work): Promise<unknown> {
  const lake = lakeStore(settings);
  if (lake === null) return null;
  const rowOf = () =>
    query.selectFrom("recordings").select(["key", "stamp", "state"]).where("id", "=", id).executeTakeFirst();
  const name = recordingId(id);
  const row = await rowOf();
  if (row === undefined || row.state === "gone")
    return { did: (await removeRecording(lake, name, signal))?.did ?? null };
  if (row.state !== "indexed" && row.state !== "failed") return null;
  const { key, stamp } = row;
  const tags = await query.selectFrom("tags").select("tag").where("recording", "=", id).orderBy("tag").execute();
  const source = {
    ...{ file: key, id: name, stamp, tags: tags.map(({ tag }) => tag) },
    open: () => open(library.bundle(key), { spool: fileSpool(), signal }),
  };
  const { did, rows, bytes, reason } = await updateRecording(lake, source, { signal, spool: fileSpool() });
  if (reason !== null) throw new Error(reason);
  await failpoint("lake/written");
  // it may have been erased or deleted while it was read
  const now = await rowOf();
  if (now === undefined || now.state === "gone") await removeRecording(lake, name, signal);
  return { did, rows, bytes };
}

/**
 * Compares the catalog with the lake, and adds jobs for recordings that are gone, or are not in the lake. Once an hour, and first
 * of all, it reads every manifest, and also finds those of earlier content.
 */
export function lakeSweeper(context: Its): (signal: AbortSignal) => Promise<unknown> {
  const { query, settings, jobs } = context;
  let full = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const lake = lakeStore(settings);
    if (lake === null) return null;
    const isFull = performance.now() - full > FULL_EVERY;
    const there = new Map<string, { readonly file: string; readonly stamp: string } | null>();
    if (isFull) for await (const { recording, origin } of manifestsIn(lake, signal)) there.set(recording, origin);
    else for await (const name of recordingsIn(lake, signal)) there.set(name, null);
    const rows = await query.selectFrom("recordings").select(["id", "key", "stamp", "state"]).execute();
    const wanted: string[] = [];
    for (const { id, key, stamp, state } of rows) {
      const name = recordingId(id);
      const its = there.get(name);
      const isKnown = there.delete(name);
      const isDue = !isKnown || (isFull && (its?.stamp !== stamp || its.file !== key));
      if (state === "gone" ? isKnown : (state === "indexed" || state === "failed") && isDue) wanted.push(id);
    }
    // the rest has no row any more
    for (const name of there.keys()) await removeRecording(lake, name, signal);
    const missing = await jobs.missing("lake", wanted);
    await jobs.addAll("lake", missing);
    if (isFull) full = performance.now();
    return { added: missing.length, removed: there.size };
  };
}
