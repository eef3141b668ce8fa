/** A thread of `simtape sql`: opens the recordings that it is given, and sends the rows of tables. */
import { parentPort, workerData } from "node:worker_threads";
import { RecordingError } from "../../model/error.ts";
import type { SqlColumn } from "../../sql/kinds.ts";
import { partsOf } from "../../sql/rows-once.ts";
import { isOfRecording, describedOf } from "../../sql/source.ts";
import { useFormatModules } from "../input/formats.ts";
import type { ReadOptions } from "../input/recordings.ts";
import { sourceCalled } from "../input/sql-sources.ts";
import { begin, findingsSoFar } from "../run/ending.ts";
import { AHEAD, type FromRows, packed, packedFailure, type ToRows } from "./rows-wire.ts";

/** What a thread is started with. */
export interface RowsGiven {
  readonly read: ReadOptions;
  readonly formatModules: readonly string[];
}

const { read, formatModules } = workerData as RowsGiven;
begin();
const ready = useFormatModules(formatModules.flatMap((path) => ["--format-module", path]));

/** A recording that is being read. */
interface Reading {
  readonly controller: AbortController;
  /** Batches that may be sent. */
  left: number;
  /** Called when there are more. */
  wake: () => void;
}
const readings = new Map<number, Reading>();

parentPort!.on("message", (message: ToRows) => {
  const { number } = message;
  if (message.how === "read") {
    void sent(message).catch((error: unknown) =>
      say({ number, how: "fault", text: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
    return;
  }
  const reading = readings.get(number);
  if (reading === undefined) return;
  if (message.how === "leave") reading.controller.abort();
  else reading.left++;
  reading.wake();
});

function say(message: FromRows, moved: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, moved);
}

async function sent({ number, source, tables, more }: ToRows & { readonly how: "read" }): Promise<void> {
  const reading: Reading = { controller: new AbortController(), left: AHEAD, wake: () => undefined };
  readings.set(number, reading);
  const path = source.file!;
  try {
    await ready;
    await readInto(number, reading, { number, how: "read", source, tables, more });
    say({ number, how: "end", findings: findingsSoFar(path) });
  } catch (error) {
    if (reading.controller.signal.aborted) return;
    if (!isOfRecording(error)) throw error;
    const failure = RecordingError.from(error, "recording");
    if (!RecordingError.is(failure)) throw error;
    say({ number, how: "failed", failure: packedFailure(failure), findings: findingsSoFar(path) });
  } finally {
    readings.delete(number);
  }
}

async function readInto(
  number: number,
  reading: Reading,
  { source, tables, more }: ToRows & { readonly how: "read" },
): Promise<void> {
  const { signal } = reading.controller;
  const recording = await sourceCalled(source.name, source.file!, read).open(signal);
  try {
    say({ number, how: "open" });
    const described = describedOf(source, more);
    for (const [table, { name, wanted }] of tables.entries()) {
      say({ number, how: "table", table });
      let columns: readonly SqlColumn[] = [];
      for await (const part of partsOf({ name: source.name, recording }, name, described, { ...wanted, signal })) {
        if (part.how === "columns") ({ columns } = part);
        if (part.how !== "rows") {
          say({ number, ...part });
          continue;
        }
        const { batch } = part;
        while (reading.left <= 0 && !signal.aborted) await new Promise<void>((wake) => (reading.wake = wake));
        signal.throwIfAborted();
        reading.left--;
        const { cells, moved } = packed(batch, columns);
        say({ number, how: "rows", length: batch.length, cells }, moved);
      }
    }
  } finally {
    await recording.close();
  }
}
