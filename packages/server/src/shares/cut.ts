import { applyEdits, EditError, FORMATS, open, type SinkBundle, writeEdited } from "simtape";
import { fileSpool } from "simtape/node";
import { soundly } from "simtape/serving";
import type { Context } from "../context.ts";
import type { FileFact } from "../database/tables.ts";
import { failpoint } from "../failpoint.ts";
import { newId } from "../ids.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import { openData } from "../library/data.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Folder of the data folder that holds copies. */
export const COPIES = "shares";
/** Seconds of the range that is cut for one moment. */
const NANOSECOND = 1;
/** The provenance of a copy: it leaves out old notes, which could show what is outside the range. */
const NOTHING = JSON.stringify({ simtape: "provenance", version: 1, sources: [], operations: [], annotations: [] });

/** Makes the copy for a share of a range or a moment: it contains nothing from outside. */
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
  // every try has a folder of its own
  const copy = `${COPIES}/${id}-${newId()}/${name}`;
  let files: readonly FileFact[];
  try {
    const source = library.bundle(key);
    await using recording = await open(source, { spool: fileSpool(), signal: work.signal });
    const writing = await FORMATS.find((format) => format.id === recording.info.format)?.writing?.();
    if (writing === undefined) throw new PermanentError(`${recording.info.format} recordings cannot be cut`);
    const { start } = await recording.timeline();
    const from = Math.max(start, first === null ? start : Math.round(first * 1e9));
    const until = last === null ? undefined : Math.max(Math.round(last * 1e9), from + NANOSECOND);
    const { reader } = await applyEdits(
      recording.reader,
      { version: 1, operations: [{ op: "trim", from, until }] },
      {
        writing,
        open: () => Promise.reject(new TypeError("a cut reads no other recording")),
        matching: () => () => false,
      },
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
    const metadata = room === undefined ? {} : { metadata: room.put(NOTHING) };
    const { signal } = work;
    const cut = (to: SinkBundle): Promise<unknown> => writeEdited(reader, writing, to, { signal, ...metadata });
    for (const { name: needed, bytes } of recording.reader.needs ?? []) await put(noting, needed, bytes);
    await soundly(recording, source, noting, cut, signal);
    await failpoint("shares/cut");
    files = await Promise.all([...names].map((one) => factOf(one, copy, data)));
  } catch (error) {
    if (!isUnreadable(error) && !(error instanceof EditError) && !(error instanceof PermanentError)) throw error;
    await query
      .updateTable("shares")
      .set({ state: "failed", error: error.message })
      .where("id", "=", id)
      .where("state", "=", "making")
      .execute();
    throw new PermanentError(error.message);
  }
  await query
    .updateTable("shares")
    .set({ state: "ready", key: copy, files: JSON.stringify(files) })
    .where("id", "=", id)
    .where("state", "=", "making")
    .execute();
}

async function put(to: SinkBundle, name: string, bytes: Uint8Array): Promise<void> {
  const sink = await to.open(name);
  await sink.write(bytes);
  await sink.close();
}

async function factOf(name: string, key: string, data: Context["library"]): Promise<FileFact> {
  const opened = await data.open(key.slice(0, key.lastIndexOf("/") + 1) + name);
  if (opened === null) throw new PermanentError(`the copy has no ${name}`);
  const { bytes, etag } = opened.file;
  await opened.close();
  return { name, bytes, etag };
}
