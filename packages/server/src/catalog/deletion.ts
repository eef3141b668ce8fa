import type { FastifyRequest } from "fastify";
import { FORMATS } from "simtape";
import { formatOfFolder } from "simtape/serving";
import type { Context } from "../context.ts";
import type { FileFact } from "../database/tables.ts";
import { failpoint } from "../failpoint.ts";
import type { Owed } from "../jobs/reconcile.ts";
import { ownerIn } from "../library/uploaded.ts";
import { Audit } from "../people/audit.ts";
import { Companions } from "./companions.ts";
import { markTwins } from "./index/keep.ts";
import { SeekIndexes } from "./index/seek-indexes.ts";
import { othersOf, removeFile, removeWorld } from "./recording-files.ts";

type Needed = Pick<Context, "query" | "library" | "settings">;

/** A recording as it was when its deletion was asked for. */
interface Asked {
  readonly key: string;
  readonly files: readonly FileFact[];
}

/** Notes that a recording is to be deleted, with its files of now, and who asked for it. */
export async function askToDelete({ query }: Needed, request: FastifyRequest, recording: string): Promise<void> {
  await query.transaction().execute(async (within) => {
    await within
      .insertInto("deletions")
      .columns(["recording", "key", "files"])
      .expression((from) => from.selectFrom("recordings").select(["id", "key", "files"]).where("id", "=", recording))
      .onConflict((conflict) =>
        conflict
          .column("recording")
          .doUpdateSet((of) => ({ key: of.ref("excluded.key"), files: of.ref("excluded.files") })),
      )
      .execute();
    await new Audit(within).note(request, { action: "recording deleted", recording });
  });
}

/** Deletions that were asked for and are not done yet. */
export function owedDeletions({ query }: Pick<Context, "query">): Owed {
  return {
    kind: "delete",
    subjects: async () => {
      const rows = await query.selectFrom("deletions").select("recording").execute();
      return rows.map(({ recording }) => recording);
    },
  };
}

/**
 * Deletes a recording whose deletion was asked for: its files, what the server keeps of it, and its row at last. Doing
 * it twice, or again after an interruption, has the effect of doing it once. False: another file has taken the place of
 * the recording, or it is on hold by now; it stays.
 */
export async function deleteAsked(context: Needed, recording: string): Promise<boolean> {
  const { query, library, settings } = context;
  const asked = await query
    .selectFrom("deletions")
    .select(["key", "files"])
    .where("recording", "=", recording)
    .executeTakeFirst();
  if (asked === undefined) return true;
  if (await isKept(context, recording, asked)) return forget(context, recording);
  await new Companions(context).removeAll(recording);
  await failpoint("catalog/companions-deleted");
  await new SeekIndexes(settings).remove(recording);
  await failpoint("catalog/index-deleted");
  const { key, files } = asked;
  for (const other of othersOf(key, files))
    if (!(await isOther(library, other, files))) await removeFile(library, other);
  await failpoint("catalog/others-deleted");
  await removeWorld(library, key);
  await failpoint("catalog/world-deleted");
  if (!(await isOther(library, key, files))) await removeFile(library, key);
  await failpoint("catalog/files-deleted");
  const main = key.slice(key.lastIndexOf("/") + 1);
  if (ownerIn(key) !== null || formatOfFolder(main, FORMATS) !== null)
    await library.removeFolder(key.slice(0, -main.length - 1));
  await failpoint("catalog/folder-deleted");
  for (;;) {
    const isDeleted = await deleteRow(context, recording, asked);
    if (isDeleted !== null) return isDeleted;
  }
}

/** Whether the row belongs to another file by now, or the recording is on hold: then nothing more is deleted. */
async function isKept({ query, library }: Needed, recording: string, { key, files }: Asked): Promise<boolean> {
  const row = await query
    .selectFrom("recordings")
    .leftJoin("holds", "holds.recording", "recordings.id")
    .select(["recordings.key", "recordings.state", "holds.reason"])
    .where("recordings.id", "=", recording)
    .executeTakeFirst();
  if (row === undefined || row.key !== key || row.state === "live" || row.reason !== null) return true;
  return isOther(library, key, files);
}

/** Whether there is a file which is none of those that the recording had. */
async function isOther(library: Context["library"], key: string, files: readonly FileFact[]): Promise<boolean> {
  const name = key.slice(key.lastIndexOf("/") + 1);
  const known = files.find((file) => file.name === name);
  if (known === undefined) return false;
  const opened = await library.open(key);
  if (opened === null) return false;
  await opened.close();
  const { bytes, etag } = opened.file;
  // the etag of an open file begins with that of the list
  return bytes !== known.bytes || !(etag === known.etag || etag.startsWith(`${known.etag}-`));
}

/** False: another file has it; null: it was changed meanwhile, and must be looked at again. */
async function deleteRow(context: Needed, recording: string, { key }: Asked): Promise<boolean | null> {
  const { query, library } = context;
  const row = await query
    .selectFrom("recordings")
    .select(["key", "stamp"])
    .where("id", "=", recording)
    .executeTakeFirst();
  if (row === undefined) return true;
  const opened = row.key === key ? await library.open(key) : null;
  await opened?.close();
  if (row.key !== key || opened !== null) return forget(context, recording);
  return query.transaction().execute(async (within) => {
    const deleted = await within
      .deleteFrom("recordings")
      .where("id", "=", recording)
      .where("key", "=", key)
      .where("stamp", "=", row.stamp)
      .returning("digest")
      .executeTakeFirst();
    if (deleted === undefined) return null;
    await markTwins(within, [deleted.digest]);
    return true;
  });
}

/** Nothing more is deleted. */
async function forget({ query }: Needed, recording: string): Promise<false> {
  await query.deleteFrom("deletions").where("recording", "=", recording).execute();
  return false;
}
