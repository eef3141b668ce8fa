/** A thread of `simtape find --where`: opens the recordings that it is given, and asks them. */
import { parentPort, workerData } from "node:worker_threads";
import type { Finding } from "../../model/error.ts";
import { useFormatModules } from "../input/formats.ts";
import type { ReadOptions } from "../input/recordings.ts";
import { sourceCalled } from "../input/sql-sources.ts";
import { begin, findingsSoFar } from "../run/ending.ts";
import type { FromThread, ToThread } from "../run/threads.ts";
import { type Asked, type Found, lookInto } from "./look.ts";

/** What a thread is started with. */
export interface ThreadGiven {
  readonly asked: Asked;
  readonly read: ReadOptions;
  readonly formatModules: readonly string[];
}

/** What it gives for a recording: what was found in it, and the findings of its reading. */
export interface ThreadFound {
  readonly found: Found;
  readonly findings: readonly Finding[];
}

const { asked, read, formatModules } = workerData as ThreadGiven;
begin();
const ready = useFormatModules(formatModules.flatMap((path) => ["--format-module", path]));

parentPort!.on("message", (message: ToThread<string>) => {
  const { number, task: path } = message;
  void looked(path).then(
    (answer) => parentPort!.postMessage({ number, answer } satisfies FromThread<ThreadFound>),
    (error: unknown) =>
      parentPort!.postMessage({
        number,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      } satisfies FromThread<ThreadFound>),
  );
});

async function looked(path: string): Promise<ThreadFound> {
  await ready;
  const found = await lookInto(() => sourceCalled(path, path, read).open(), asked);
  return { found, findings: findingsSoFar(path) };
}
