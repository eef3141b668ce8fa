/** A thread that reads recordings to answer questions, one at a time, so that a long one does not delay requests. */
import { parentPort, workerData } from "node:worker_threads";
import { openLibrary } from "../library/open.ts";
import type { Settings } from "../settings.ts";
import { answer, refusalOf } from "./answer.ts";
import { OpenedRecordings } from "./opened.ts";
import { type FromThread, type Refusal, TOO_LONG, type ToThread } from "./question.ts";

const settings = workerData as Settings;
const opened = openLibrary(settings).then((library) => new OpenedRecordings(library, settings));
let current: { readonly number: number; readonly controller: AbortController } | null = null;

parentPort!.on("message", (message: ToThread) => {
  if ("cancel" in message) {
    if (current?.number === message.cancel) current.controller.abort();
    return;
  }
  void answered(message).then((answer) =>
    parentPort!.postMessage({ number: message.number, answer } satisfies FromThread),
  );
});

async function answered({ number, asked, question }: Extract<ToThread, { asked: unknown }>): Promise<string | Refusal> {
  const controller = new AbortController();
  current = { number, controller };
  const { signal } = controller;
  try {
    const recordings = await opened;
    parentPort!.postMessage({ number, begins: true } satisfies FromThread);
    return await recordings.with(asked, signal, (recording) => answer(recording, question, signal));
  } catch (error) {
    if (signal.aborted) return { status: 503, message: "reading took too long", more: { code: TOO_LONG } };
    return refusalOf(error) ?? { status: 500, message: String(error), more: {} };
  } finally {
    current = null;
  }
}
