/**
 * A process that answers statements of SQL, one at a time. The database is native code: its memory is given back, and a
 * statement that does not stop is ended, with the process.
 */
import { setPriority } from "node:os";
import { openLibrary } from "../library/open.ts";
import type { Settings } from "../settings.ts";
import { refusalOf, Statements } from "./answer.ts";
import type { FromProcess, Question, Refusal, ToProcess } from "./question.ts";

/** Requests go before statements. */
const NICE = 10;

let statements: Promise<Statements> | null = null;
let current: { readonly number: number; readonly controller: AbortController } | null = null;

try {
  setPriority(NICE);
} catch {
  // some systems do not allow it
}
// the server has ended
process.on("disconnect", () => process.exit());
process.on("message", (message: ToProcess) => {
  if ("settings" in message) {
    const settings = message.settings as Settings;
    statements = openLibrary(settings).then((library) => new Statements(library, settings));
    statements.catch(() => undefined);
  } else if ("cancel" in message) {
    if (current?.number === message.cancel) current.controller.abort();
  } else void answered(message).then((answer) => process.send!(answer));
});

async function answered({ number, question }: { number: number; question: Question }): Promise<FromProcess> {
  const controller = new AbortController();
  current = { number, controller };
  try {
    return { number, answer: await (await statements!).answer(question, controller.signal) };
  } catch (error) {
    return { number, refusal: refused(error, question, controller.signal) };
  } finally {
    current = null;
  }
}

function refused(error: unknown, question: Question, { aborted }: AbortSignal): Refusal {
  if (aborted) return { status: 499, message: "the request was cancelled", more: {} };
  const known = refusalOf(error, question);
  if (known !== null) return known;
  if ((error as { code?: unknown }).code === "ENOSPC")
    return { status: 507, message: "the disk is full: nothing was written", more: {} };
  return { status: 500, message: error instanceof Error ? (error.stack ?? error.message) : String(error), more: {} };
}
