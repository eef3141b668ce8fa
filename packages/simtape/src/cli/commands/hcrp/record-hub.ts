import { mkdir, rm } from "node:fs/promises";
import { journalFile } from "../../../io/node/journal-file.ts";
import { type Store, StoreError } from "../../../io/store/store.ts";
import { storeBundle } from "../../../io/store/store-bundle.ts";
import { Hub, type HubEvent } from "../../../record/lines/hub.ts";
import type { HeaderOptions } from "../../../record/lines/line-protocol.ts";
import { JOURNAL, META } from "../../../record/live/recording-folder.ts";
import { type Recorder, record } from "../../../record/live/recorder.ts";
import type { RecorderOptions } from "../../../record/live/recorder-options.ts";
import { isInS3, storeAt, under } from "../../input/command-path.ts";
import { collectEarly } from "../../run/collect-early.ts";
import { ENDING } from "../../run/ending.ts";
import { EXIT } from "../../run/failure.ts";
import { toJson } from "../../../model/values/json.ts";
import { counted, Output, say } from "../../run/terminal.ts";
import { clock } from "../../input/time.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { doorAt } from "./record-input.ts";
import type { Sender } from "./sender.ts";

/** How a hub records. */
export interface HubCommand {
  readonly input: string;
  readonly token?: string;
  readonly allowOrigin?: readonly string[];
  readonly shared?: boolean;
  readonly journal?: string | boolean;
  readonly json?: boolean;
  /** Of each recording. */
  readonly recorder: Omit<RecorderOptions, "id">;
}

const POLL_EVERY = 250;
/** Dropped lines that are reported one by one. */
const SHOWN = 10;

/** Records what many send, until a signal ends it. Gives the exit code. */
export async function recordMany(folder: string, command: HubCommand): Promise<number> {
  collectEarly();
  const store = storeAt(folder, command.shared);
  const stop = new AbortController();
  const output = new Output();
  const printed = new BoundedLines(
    {
      waiting: () => process.stdout.writableLength,
      write: (line, done) => {
        void output
          .line(line)
          .then(() => output.flush())
          .then(done);
      },
    },
    (dropped) =>
      command.json === true
        ? toJson({ dropped })
        : `${counted(dropped, "line")} not printed: standard output was not read`,
  );
  let shown = 0;
  const hub = new Hub({
    open: (id, header) => openIn(store, folder, id, header, command),
    remove: (id) => removeIn(store, folder, id),
    save: (as) => storeBundle(store, `${as}.hcrp`, { condition: { absent: true } }).sink,
    report: (event) => {
      if (event.error !== undefined && ++shown <= SHOWN) say(`simtape: ${event.rec ?? "a line"}: ${event.error}`);
      else if (shown === SHOWN + 1) say("simtape: more is only counted");
      const line = command.json === true ? toJson(event) : textOf(event, folder);
      if (line !== null) printed.tell(line);
    },
    signal: stop.signal,
  });
  const { token, allowOrigin: origins } = command;
  const door = await doorAt(command.input, stop.signal, { token: token || undefined, origins }, (sender) =>
    take(sender, hub),
  );
  const timer = setInterval(() => hub.poll(), POLL_EVERY);
  await new Promise<void>((resolve) => {
    const end = (signal: NodeJS.Signals): void => {
      if (stop.signal.aborted) process.exit(EXIT.failed);
      say(`simtape: ${signal}: closing ${counted(hub.open, "recording")}; once more gives up what is not committed`);
      stop.abort();
      resolve();
    };
    for (const signal of ENDING) process.on(signal, end);
  });
  door.close();
  clearInterval(timer);
  await hub.close();
  const { counts } = hub;
  await output.line(
    command.json === true
      ? toJson({ counts })
      : `${counted(counts.recordings, "recording")}, ${counts.discarded} discarded, ${counted(counts.clips, "clip")}, ${counted(counts.lines, "line")}`,
  );
  await output.flush();
  if (counts.unknown > 0)
    say(`simtape: ${counted(counts.unknown, "field was", "fields were")} not known, and passed over`);
  if (counts.unread > 0)
    say(`simtape: ${counted(counts.unread, "answer was", "answers were")} dropped: senders did not read them`);
  if (counts.skipped > 0) say(`simtape: ${counted(counts.skipped, "line was", "lines were")} dropped`);
  if (counts.failed > 0) say(`simtape: ${counted(counts.failed, "recording")} failed`);
  return counts.skipped + counts.failed > 0 ? EXIT.lossy : EXIT.done;
}

function take(sender: Sender, hub: Hub): void {
  const own = hub.sender((event) => {
    if (!sender.answer(toJson(event))) hub.counts.unread++;
  });
  void (async () => {
    try {
      for await (const bytes of sender.bytes) await own.feed(bytes);
      await own.finish();
    } finally {
      sender.close();
    }
  })().catch((error: unknown) => say(`simtape: ${sender.name}: ${String(error)}`));
}

async function openIn(
  store: Store,
  folder: string,
  id: string,
  header: HeaderOptions,
  { recorder, journal }: HubCommand,
): Promise<Recorder> {
  if ((await store.head(`${id}/${META}`)) !== null)
    throw new StoreError("conflict", `there is a recording of that name: ${under(folder, id)}`, id);
  const isOnDisk = !isInS3(folder);
  if (isOnDisk) await mkdir(under(folder, id), { recursive: true });
  const mirror = journal === false || !isOnDisk ? undefined : journalFile(under(under(folder, id), JOURNAL));
  return record(store, { ...recorder, ...header, id, journal: mirror, keepsPrevious: isOnDisk });
}

async function removeIn(store: Store, folder: string, id: string): Promise<void> {
  if (!isInS3(folder)) return rm(under(folder, id), { recursive: true, force: true });
  for await (const { key } of store.list(`${id}/`)) await store.delete(key);
}

/** Null: there is nothing to print. */
function textOf({ rec, ended, discarded, saved }: HubEvent, folder: string): string | null {
  if (ended !== undefined)
    return `${under(folder, rec!)}: ${ended.outcome}, ${clock(ended.ticks * 50e6)} (${counted(ended.ticks, "tick")})`;
  if (saved !== undefined)
    return `${under(folder, `${saved.as}.hcrp`)}: clip of ${clock(saved.ticks * 50e6)} of ${rec}`;
  return discarded === undefined ? null : `${rec}: ${counted(discarded.ticks, "tick")}, discarded`;
}
