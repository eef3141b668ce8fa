/** The thread of the outlets: it reads, plays and sends, so that requests do not wait for it, and fails alone. */
import { parentPort, workerData } from "node:worker_threads";
import type { OutletPlace } from "simtape/command";
import { openLibrary } from "../library/open.ts";
import type { Settings } from "../settings.ts";
import type { FromOutlets, ToOutlets } from "./messages.ts";
import { Served, WishError } from "./served.ts";

/** Milliseconds between two reports of what the outlets show. */
const REPORT_EVERY = 500;

const settings = workerData as Settings;
const port = parentPort!;
const served: Served[] = [];
let reports: NodeJS.Timeout | undefined;
/** One change after the other. */
let changing: Promise<void> = Promise.resolve();

/** What each shows. */
function report(): void {
  say({ states: served.map(({ state }) => state) });
}

function say(message: FromOutlets): void {
  port.postMessage(message);
}

/** The second of a kind has a number. */
function nameOf({ kind }: OutletPlace, index: number): string {
  const before = settings.into.slice(0, index).filter((one) => one.kind === kind).length;
  return before === 0 ? kind : `${kind}-${before + 1}`;
}

async function started(): Promise<void> {
  const library = await openLibrary(settings);
  for (const [index, place] of settings.into.entries()) {
    const name = nameOf(place, index);
    const onShown = (id: string): void => {
      say({ shown: id, outlet: name });
      // if it makes the thread fail at once, the node knows which it was
      report();
    };
    served.push(await Served.start({ name, place, settings, library, onShown }));
  }
}

async function answered({ number, outlet, wish }: Extract<ToOutlets, { wish: unknown }>): Promise<void> {
  const found = served.find(({ name }) => name === outlet)!;
  try {
    await found.do(wish);
    say({ number, state: found.state });
  } catch (error) {
    if (!(error instanceof WishError)) throw error;
    say({ number, status: error.status, message: error.message });
  }
}

async function taken(message: Exclude<ToOutlets, "stop">): Promise<void> {
  if ("offered" in message) for (const one of served) await one.offer(message.offered);
  else await answered(message);
}

async function stopped(): Promise<void> {
  clearInterval(reports);
  for (const one of served) await one.close();
  port.close();
}

port.on("message", (message: ToOutlets) => {
  changing = changing.then(() => (message === "stop" ? stopped() : taken(message)));
});
try {
  await started();
  say({ ready: served.map(({ state }) => state) });
  reports = setInterval(report, REPORT_EVERY);
} catch (error) {
  say({ refused: error instanceof Error ? error.message : String(error) });
  for (const one of served) await one.close();
  port.close();
}
