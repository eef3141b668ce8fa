import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Scanner } from "../catalog/scan/scan.ts";
import { UPLOADS } from "../library/uploaded.ts";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import type { Owed } from "../jobs/reconcile.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import { numbered } from "./names.ts";
import { Pieces, type UploadFacts } from "./pieces.ts";

/** Folder in the data folder where pieces are joined to a file. */
const WHOLE = "uploads-whole";
/** Most names that are tried when files of the name exist. */
const MOST_NAMES = 1000;
/** Milliseconds after which an abandoned upload is deleted, and between two checks. */
export const EXPIRES = 24 * 3600_000;
export const LOOK_EVERY = 3600_000;

/**
 * Moves a complete upload into the library, where it replaces no file, and adds it to the catalog without a scan of the
 * library. A second call has no further effect.
 */
export async function placeUpload(
  { library, settings, query, jobs }: Pick<Context, "library" | "settings" | "query" | "jobs">,
  id: string,
  { signal, progress }: Work,
): Promise<{ readonly key: string } | undefined> {
  const pieces = new Pieces(settings);
  const facts = await pieces.facts(id);
  if (facts === null) return undefined;
  const key = (await placedBefore()) ?? (await placed());
  await failpoint("uploads/placed");
  await new Scanner(query, library, jobs).scanFolder(key.slice(0, key.lastIndexOf("/")), signal);
  await pieces.remove(id, true);
  await failpoint("uploads/cleared");
  return { key };

  /** Where an earlier try has put the file; null: nowhere. */
  async function placedBefore(): Promise<string | null> {
    const goal = await pieces.goal(id);
    // the pieces are deleted when the file is placed, not before
    if ((await pieces.received(id)) < facts!.bytes) {
      if (goal === null) throw new PermanentError("the upload is not complete");
      return goal;
    }
    const opened = goal === null ? null : await library.open(goal);
    if (opened === null) return null;
    try {
      const { bytes } = opened.file;
      // a file of this name and size may have appeared meanwhile
      const isIt = bytes === facts!.bytes && (await isSame(pieces.content(id), opened.stream(0, bytes), signal));
      return isIt ? goal : null;
    } finally {
      await opened.close();
    }
  }

  async function placed(): Promise<string> {
    const folder = join(settings.data, WHOLE);
    await mkdir(folder, { recursive: true });
    const whole = join(folder, id);
    // an earlier try was interrupted: its file may be in the library by now, under another name
    await rm(whole, { force: true });
    try {
      await pipeline(
        withProgress(pieces.content(id), facts!.bytes, progress),
        createWriteStream(whole, { mode: 0o600 }),
        {
          signal,
        },
      );
      await failpoint("uploads/assembled");
      for (let number = 1; number <= MOST_NAMES; number++) {
        const goal = numbered(keyOf(facts!, settings.store), number);
        const there = await library.open(goal);
        await there?.close();
        if (there !== null) continue;
        await pieces.setGoal(id, goal);
        await failpoint("uploads/goal-kept");
        if (await library.put(whole, goal)) return goal;
      }
      throw new PermanentError(`there are ${MOST_NAMES} files of that name`);
    } finally {
      await rm(whole, { force: true });
    }
  }
}

/** Uploads that are complete, but not in the library or not cleared away. */
export function owedUploads({ settings }: Pick<Context, "settings">): Owed {
  const pieces = new Pieces(settings);
  return { kind: "upload", subjects: async () => (await pieces.look()).owed };
}

/**
 * Deletes uploads that got no bytes for a day, and the files that an interrupted try has left; never a complete upload.
 */
export async function sweepUploads({ settings }: Pick<Context, "settings">): Promise<void> {
  const pieces = new Pieces(settings);
  for (const id of (await pieces.look(Date.now() - EXPIRES)).idle) await pieces.remove(id, false);
  const folder = join(settings.data, WHOLE);
  for (const name of await readdir(folder).catch((): string[] => []))
    if ((await pieces.facts(name)) === null) await rm(join(folder, name), { force: true });
}

async function isSame(one: AsyncIterable<Uint8Array>, other: Readable, signal: AbortSignal): Promise<boolean> {
  const [first, second] = [createHash("sha256"), createHash("sha256")];
  await pipeline(one, first, { signal });
  await pipeline(other, second, { signal });
  return first.digest().equals(second.digest());
}

/** Passes `bytes` on and reports how many have passed. */
async function* withProgress(
  content: AsyncIterable<Uint8Array>,
  bytes: number,
  progress: Work["progress"],
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const part of content) {
    yield part;
    passed += part.length;
    progress((passed / bytes) * 0.9);
  }
}

/** Names in a bucket may have fewer characters. */
function keyOf({ owner, batch, name }: UploadFacts, store: string): string {
  const parts = name.split("/");
  const usable = store.startsWith("s3://") ? parts.map((part) => part.replace(/[^A-Za-z0-9._-]/g, "_")) : parts;
  return [UPLOADS, owner, batch, ...usable].join("/");
}
