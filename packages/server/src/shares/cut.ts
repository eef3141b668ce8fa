import { applyEdits, EditError, FORMATS, open, type SinkBundle, writeEdited } from "simtape";
import { fileSpool } from "simtape/node";
import type { Context } from "../context.ts";
import type { FileFact } from "../database/tables.ts";
import { newId } from "../ids.ts";
import { HopelessError, type Work } from "../jobs/worker.ts";
import { openData } from "../library/data.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Of what is shown of one moment. */
const NANOSECOND = 1;
/** What a copy says of where it comes from: what is outside the range is not to be read in old notes. */
const NOTHING = JSON.stringify({ simtape: "provenance", version: 1, sources: [], operations: [], annotations: [] });

/** Makes the copy of a share of a range or a moment: what lies outside is not in it. */
export async function cutShare({ query, library, settings }: Context, id: string, work: Work): Promise<void> {
  const row = await query
    .selectFrom("shares")
    .innerJoin("recordings", "recordings.id", "shares.recording")
    .select(["shares.first", "shares.last", "shares.state", "shares.revoked", "recordings.key"])
    .where("shares.id", "=", id)
    .executeTakeFirst();
  if (row === undefined || row.state !== "making" || row.revoked !== null) return;
  const { first, last, key } = row;
  const data = await openData(settings);
  const name = key.split("/").at(-1)!;
  // another try has a folder of its own
  const copy = `shares/${id}-${newId()}/${name}`;
  let files: readonly FileFact[];
  try {
    await using recording = await open(library.bundle(key), { spool: fileSpool(), signal: work.signal });
    const writing = await FORMATS.find((format) => format.id === recording.info.format)?.writing?.();
    if (writing === undefined) throw new HopelessError(`${recording.info.format} recordings cannot be cut`);
    const { start } = await recording.timeline();
    const from = Math.max(start, first === null ? start : Math.round(first * 1e9));
    const until = last === null ? undefined : Math.max(Math.round(last * 1e9), from + NANOSECOND);
    const { reader } = await applyEdits(
      recording.reader,
      { version: 1, operations: [{ op: "trim", from, until }] },
      { writing, open: () => Promise.reject(new TypeError("a cut needs no other")), matching: () => () => false },
    );
    const { room } = await recording.traits();
    const names = new Set<string>();
    const sink: SinkBundle = data.sink(copy);
    const noting: SinkBundle = {
      name: sink.name,
      open: (one = name) => {
        names.add(one);
        return sink.open(one);
      },
    };
    await writeEdited(reader, writing, noting, {
      signal: work.signal,
      ...(room === undefined ? {} : { metadata: room.put(NOTHING) }),
    });
    files = await Promise.all([...names].map((one) => factOf(one, copy, data)));
  } catch (error) {
    if (!isUnreadable(error) && !(error instanceof EditError) && !(error instanceof HopelessError)) throw error;
    await query
      .updateTable("shares")
      .set({ state: "failed", error: error.message })
      .where("id", "=", id)
      .where("state", "=", "making")
      .execute();
    throw new HopelessError(error.message);
  }
  await query
    .updateTable("shares")
    .set({ state: "ready", key: copy, files: JSON.stringify(files) })
    .where("id", "=", id)
    .where("state", "=", "making")
    .execute();
}

async function factOf(name: string, key: string, data: Context["library"]): Promise<FileFact> {
  const opened = await data.open(key.slice(0, key.lastIndexOf("/") + 1) + name);
  if (opened === null) throw new HopelessError(`the copy has no ${name}`);
  const { bytes, etag } = opened.file;
  await opened.close();
  return { name, bytes, etag };
}
