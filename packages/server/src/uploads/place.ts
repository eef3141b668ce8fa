import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { UPLOADS } from "../catalog/uploaded.ts";
import type { Context } from "../context.ts";
import { HopelessError, type Work } from "../jobs/worker.ts";
import { numbered } from "./names.ts";
import { Pieces, type UploadFacts } from "./pieces.ts";

/** Names that are tried where there is a file already. */
const MOST_NAMES = 1000;
/** Milliseconds after which an upload that nothing came of is taken away, and between two looks. */
export const EXPIRES = 24 * 3600_000;
export const LOOK_EVERY = 3600_000;

/** Puts a whole upload into the library, where it replaces nothing; done twice is as done once. */
export async function placeUpload(
  { library, settings, jobs }: Pick<Context, "library" | "settings" | "jobs">,
  id: string,
  { signal, progress }: Work,
): Promise<{ readonly key: string } | undefined> {
  const pieces = new Pieces(settings);
  const facts = await pieces.facts(id);
  if (facts === null) return undefined;
  if ((await pieces.received(id)) < facts.bytes) throw new HopelessError("not all of it has come");
  const key = (await placedBefore(id)) ?? (await placed());
  await pieces.remove(id, true);
  await jobs.add("scan", "library");
  return { key };

  /** Where an earlier try has put it; null: nowhere. */
  async function placedBefore(upload: string): Promise<string | null> {
    const goal = await pieces.goal(upload);
    const opened = goal === null ? null : await library.open(goal);
    await opened?.close();
    return opened?.file.bytes === facts!.bytes ? goal : null;
  }

  async function placed(): Promise<string> {
    const folder = join(settings.data, "uploads-whole");
    await mkdir(folder, { recursive: true });
    const whole = join(folder, id);
    try {
      await pipeline(told(pieces.content(id), facts!.bytes, progress), createWriteStream(whole, { mode: 0o600 }), {
        signal,
      });
      for (let number = 1; number <= MOST_NAMES; number++) {
        const goal = numbered(keyOf(facts!, settings.store), number);
        const there = await library.open(goal);
        await there?.close();
        if (there !== null) continue;
        await pieces.setGoal(id, goal);
        if (await library.put(whole, goal)) return goal;
      }
      throw new HopelessError(`there are ${MOST_NAMES} files of that name`);
    } finally {
      await rm(whole, { force: true });
    }
  }
}

/** Takes away what nothing has come of for a day. */
export async function sweepUploads({ settings }: Pick<Context, "settings">): Promise<void> {
  const pieces = new Pieces(settings);
  for (const id of await pieces.idleSince(Date.now() - EXPIRES)) await pieces.remove(id, false);
}

/** Says of `bytes` how many have passed. */
async function* told(
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

/** In a bucket names have fewer characters. */
function keyOf({ owner, batch, name }: UploadFacts, store: string): string {
  const parts = name.split("/");
  const usable = store.startsWith("s3://") ? parts.map((part) => part.replace(/[^A-Za-z0-9._-]/g, "_")) : parts;
  return [UPLOADS, owner, batch, ...usable].join("/");
}
