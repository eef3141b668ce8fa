import type { SqlSource } from "../../sql/source.ts";
import { isInS3 } from "../input/command-path.ts";
import { formatModules } from "../input/formats.ts";
import { isUrl, type ReadOptions } from "../input/recordings.ts";
import { heed } from "../run/ending.ts";
import { Threads, threadsHere } from "../run/threads.ts";
import type { Asked, Found } from "./look.ts";
import type { ThreadFound, ThreadGiven } from "./thread.ts";

/** Fewer recordings are read on this thread: others would take longer to start. */
const LEAST = 16;

/** Threads that ask recordings. */
export interface LookingThreads {
  /** Recordings that they take at once. */
  readonly room: number;
  look(source: SqlSource): Promise<Found>;
  close(): Promise<void>;
}

/**
 * Threads for many recordings in files of this machine; null where one thread does: for a few, and for what comes over the
 * network, which is waited for.
 */
export function lookInThreads(sources: readonly SqlSource[], asked: Asked, read: ReadOptions): LookingThreads | null {
  const isHere = areHere(sources);
  const count = threadsHere();
  const module = new URL("./thread.js", import.meta.url);
  if (!isHere || sources.length < LEAST || count < 2) return null;
  const given: ThreadGiven = { asked, read: plainOptions(read), formatModules: formatModules() };
  const threads = new Threads<string, ThreadFound>(module, given, count);
  return {
    room: threads.room,
    look: async ({ file }) => {
      const { found, findings } = await threads.do(file!);
      if (findings.length > 0) heed(file!, { findings });
      return found;
    },
    close: () => threads.close(),
  };
}

/** Whether all are files of this machine, which a thread opens by their names. */
export function areHere(sources: readonly Pick<SqlSource, "file">[]): boolean {
  return sources.every(
    ({ file }) => file !== undefined && file !== "-" && !isUrl(file) && !isInS3(file) && !file.endsWith(".json"),
  );
}

/** What the options of a command line have beside is not for another thread. */
export function plainOptions({ budget, given, index, mayUseIndex }: ReadOptions): ReadOptions {
  return {
    ...(budget === undefined ? {} : { budget }),
    ...(given === undefined ? {} : { given }),
    ...(index === undefined ? {} : { index }),
    ...(mayUseIndex === undefined ? {} : { mayUseIndex }),
  };
}
