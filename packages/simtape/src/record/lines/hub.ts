import type { SinkBundle } from "../../io/sink/sink.ts";
import { problemIn, tell, withKnownFields } from "../../model/shape.ts";
import type { LiveTarget } from "../events/live-target.ts";
import { RingTarget } from "../events/ring-target.ts";
import type { Outcome } from "../live/recorder-options.ts";
import type { Recorder } from "../live/recorder.ts";
import { Ring } from "../live/ring.ts";
import { type JsonLine, RATE } from "./commands.ts";
import { type Begin, type End, HUB_LINES, type HubLine, type RingLine, type Save } from "./hub-lines.ts";
import { type HeaderOptions, LineProtocol } from "./line-protocol.ts";
import { LineSplitter, type TOO_LONG } from "./lines.ts";
import { parseLine } from "./parse.ts";

/** Something that a hub reports, to its operator and to the sender: one of the members is there. */
export interface HubEvent {
  readonly rec: string | null;
  /** A line was dropped, or a recording: why. */
  readonly error?: string;
  readonly began?: true;
  readonly ended?: { readonly outcome: Outcome; readonly ticks: number; readonly bytes: number };
  /** The run was shorter than its sender wanted, and is thrown away. */
  readonly discarded?: { readonly ticks: number };
  readonly saved?: { readonly as: string; readonly ticks: number };
}

export interface HubOptions {
  /** Begins the recording of a run. Rejects when there is one of that id. */
  readonly open: (id: string, header: HeaderOptions) => Promise<Recorder>;
  /** Removes a recording that was just made. */
  readonly remove: (id: string) => Promise<void>;
  /** Where a ring is saved. */
  readonly save: (as: string) => SinkBundle;
  /** Called with everything that happens. */
  readonly report?: ((event: HubEvent) => void) | undefined;
  /** Stops waiting for room. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds of a clock that is never set; for tests. */
  readonly now?: (() => number) | undefined;
}

/** How much a hub has done. */
export interface HubCounts {
  lines: number;
  /** Lines that could not be taken. */
  skipped: number;
  /** Fields, and lines, that are not known, and were passed over. */
  unknown: number;
  /** Answers that were dropped, because their senders did not read them; the giver of the answers counts. */
  unread: number;
  recordings: number;
  discarded: number;
  clips: number;
  failed: number;
}

/** One recording, or one ring, that lines go into. */
interface Run {
  readonly id: string;
  readonly lines: LineProtocol<LiveTarget>;
  readonly least: number;
  recorder: Recorder | null;
  ring: Ring | null;
  /** Who sends it; null: that connection is gone. */
  sender: HubSender | null;
  leftAt: number;
  /** Clips that wait for their end, or for the store. */
  saving: number;
}

/** Milliseconds that a run waits for its sender to come back. */
const SENDER_TIMEOUT = 30_000;
/** Recordings that are being closed at once; with more the senders wait. */
const MOST_CLOSING = 64;
/** Clips of one ring that wait at once. */
const MOST_SAVING = 64;
/** Ticks of a ring unless its sender says otherwise: five minutes. */
const RING_TICKS = 6000;

/**
 * Many senders and many recordings in one process (docs/line-protocol.md, "A hub"). It is made for running unattended: a
 * bad line is dropped, counted and reported, and never ends a recording.
 */
export class Hub {
  readonly #options: HubOptions;
  readonly #now: () => number;
  readonly #runs = new Map<string, Run>();
  readonly #closing = new Set<Promise<void>>();
  readonly counts: HubCounts = {
    lines: 0,
    skipped: 0,
    unknown: 0,
    unread: 0,
    recordings: 0,
    discarded: 0,
    clips: 0,
    failed: 0,
  };

  constructor(options: HubOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** A connection, whose lines go to what it begins. `answer` gets what is reported of it. */
  sender(answer: (event: HubEvent) => void = () => undefined): HubSender {
    return new HubSender(this, answer);
  }

  /** Recordings and rings that are open. */
  get open(): number {
    return this.#runs.size;
  }

  /** To be called a few times in a second: what is due is done while no lines come, too. */
  poll(): void {
    for (const run of this.#runs.values()) {
      run.lines.poll();
      const failure = run.recorder?.status.failure ?? null;
      if (failure !== null) {
        this.#drop(run, failure);
      } else if (run.sender === null && this.#now() - run.leftAt >= SENDER_TIMEOUT) {
        void this.#end(run, "abandoned", null, null);
      }
    }
  }

  /** Ends everything that is open; what no line has ended is abandoned. */
  async close(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => this.#end(run, "abandoned", null, null)));
    await Promise.all(this.#closing);
  }

  // ── for senders ───────────────────────────────────────────────────────

  /** The run of that name, for who may send to it. Throws `RangeError`. */
  run(id: string, sender: HubSender): Run {
    const run = this.#runs.get(id);
    if (run === undefined) throw new RangeError(`nothing is recorded as ${id}: begin it first`);
    if (run.sender !== null && run.sender !== sender) throw new RangeError(`another sender has begun ${id}`);
    run.sender = sender;
    return run;
  }

  /** Those of a sender. */
  *runsOf(sender: HubSender): Generator<Run> {
    for (const run of this.#runs.values()) if (run.sender === sender) yield run;
  }

  leave(sender: HubSender): void {
    for (const run of this.runsOf(sender)) {
      run.sender = null;
      run.leftAt = this.#now();
    }
  }

  async begin({ rec, header = {}, least = 0 }: Begin, sender: HubSender): Promise<void> {
    const run = this.#add(rec, least, sender, async (options) => {
      run.recorder = await this.#options.open(rec, options);
      return run.recorder;
    });
    await this.#first(run, header);
    this.#answer(sender, { rec, began: true });
  }

  async ring({ rec, seconds, header = {} }: RingLine, sender: HubSender): Promise<void> {
    const ticks = seconds === undefined ? RING_TICKS : seconds * RATE;
    const run = this.#add(rec, 0, sender, async ({ epoch, worldId, worldVersion, dataVersion }) => {
      run.ring = await Ring.create({ ticks, epoch, worldId, worldVersion, dataVersion });
      return new RingTarget(run.ring);
    });
    await this.#first(run, header);
    this.#answer(sender, { rec, began: true });
  }

  save({ rec, as, tailSeconds = 0, reason = "report" }: Save, sender: HubSender): void {
    const run = this.run(rec, sender);
    const { ring, lines } = run;
    if (ring === null) throw new RangeError(`${rec} is a recording, no ring`);
    if (run.saving >= MOST_SAVING) throw new RangeError(`${MOST_SAVING} clips of ${rec} are being saved already`);
    lines.settle();
    run.saving++;
    const saved = ring
      .save(reason, tailSeconds * RATE, () => this.#options.save(as))
      .then(({ from, until }) => {
        this.counts.clips++;
        this.#answer(sender, { rec, saved: { as, ticks: until - from } });
      })
      .catch((error: unknown) => this.#fail(sender, rec, error))
      .finally(() => {
        run.saving--;
      });
    this.#closes(saved);
  }

  async end({ rec, outcome = "completed", durationMs }: End, sender: HubSender): Promise<void> {
    const ended = this.#end(this.run(rec, sender), outcome, durationMs ?? null, sender);
    if (this.#closing.size >= MOST_CLOSING) await ended;
  }

  // ── within ────────────────────────────────────────────────────────────

  #add(id: string, least: number, sender: HubSender, open: (header: HeaderOptions) => Promise<LiveTarget>): Run {
    if (this.#runs.has(id)) throw new RangeError(`${id} is being recorded already`);
    const lines = new LineProtocol<LiveTarget>({
      open,
      skipped: ({ message }) => this.skip(sender, id, message),
      unknown: (fields) => {
        this.counts.unknown += fields;
      },
      signal: this.#options.signal,
    });
    const run: Run = { id, lines, least, recorder: null, ring: null, sender, leftAt: 0, saving: 0 };
    this.#runs.set(id, run);
    return run;
  }

  /** Opens it. Throws why that cannot be. */
  async #first(run: Run, header: Readonly<Record<string, unknown>>): Promise<void> {
    const skipped = this.counts.skipped;
    try {
      await run.lines.give({ ...header, simtape: 1 });
    } catch (error) {
      this.#runs.delete(run.id);
      throw error;
    }
    if (run.lines.recorder !== null) return;
    // the header was a bad line, and is reported as that
    this.#runs.delete(run.id);
    if (this.counts.skipped === skipped) throw new RangeError(`${run.id} could not be opened`);
  }

  #end(run: Run, outcome: Outcome, durationMs: number | null, sender: HubSender | null): Promise<void> {
    if (!this.#runs.delete(run.id)) return Promise.resolve();
    const ended = this.#finish(run, outcome, durationMs, sender).catch((error: unknown) =>
      this.#fail(sender, run.id, error),
    );
    this.#closes(ended);
    return ended;
  }

  async #finish(
    { id, lines, recorder, ring, least }: Run,
    outcome: Outcome,
    durationMs: number | null,
    sender: HubSender | null,
  ): Promise<void> {
    await ring?.finish();
    if (recorder === null) return;
    lines.settle();
    if (recorder.tick < least) {
      await recorder.abort();
      await this.#options.remove(id);
      this.counts.discarded++;
      this.#answer(sender, { rec: id, discarded: { ticks: recorder.tick } });
      return;
    }
    await recorder.close(durationMs === null ? { outcome } : { outcome, durationMs });
    this.counts.recordings++;
    const { tick: ticks, bytes } = recorder.status;
    this.#answer(sender, { rec: id, ended: { outcome, ticks, bytes } });
  }

  #drop(run: Run, failure: unknown): void {
    this.#runs.delete(run.id);
    this.#fail(run.sender, run.id, failure);
    this.#closes((run.recorder?.abort() ?? Promise.resolve()).catch(() => undefined));
  }

  #closes(work: Promise<void>): void {
    this.#closing.add(work);
    void work.finally(() => this.#closing.delete(work));
  }

  #fail(sender: HubSender | null, rec: string, error: unknown): void {
    this.counts.failed++;
    this.#answer(sender, { rec, error: error instanceof Error ? error.message : String(error) });
  }

  skip(sender: HubSender, rec: string | null, error: string): void {
    this.counts.skipped++;
    this.#answer(sender, { rec, error });
  }

  #answer(sender: HubSender | null, event: HubEvent): void {
    this.#options.report?.(event);
    sender?.answer(event);
  }
}

/** A connection to a hub. Its lines name the recording that they belong to by the key `rec`. */
export class HubSender {
  readonly #hub: Hub;
  readonly #splitter = new LineSplitter();
  readonly answer: (event: HubEvent) => void;

  /** Made by `Hub.sender`. */
  constructor(hub: Hub, answer: (event: HubEvent) => void) {
    this.#hub = hub;
    this.answer = answer;
  }

  /** More of what is sent. Resolves when there is room for the next. */
  async feed(bytes: Uint8Array): Promise<void> {
    this.#splitter.push(bytes);
    for (let line = this.#splitter.next(); line !== null; line = this.#splitter.next()) {
      const taken = this.#take(line);
      if (taken !== null) await taken;
    }
  }

  /** The connection is gone; what it has begun waits for half a minute to be gone on with. */
  async finish(): Promise<void> {
    const rest = this.#splitter.rest();
    if (rest !== null) await this.#take(rest);
    this.#hub.leave(this);
  }

  /** Null: it is done. Most lines are, and a promise for each would be half of what a hub allocates. */
  #take(bytes: Uint8Array | typeof TOO_LONG): Promise<void> | null {
    this.#hub.counts.lines++;
    let named: string | null = null;
    try {
      const line = parseLine(bytes);
      if (line === null) return null;
      named = typeof line["rec"] === "string" ? line["rec"] : null;
      return this.#do(line)?.catch((error: unknown) => this.#skip(named, error)) ?? null;
    } catch (error) {
      this.#skip(named, error);
      return null;
    }
  }

  #skip(named: string | null, error: unknown): void {
    this.#hub.skip(this, named, error instanceof Error ? error.message : String(error));
  }

  #do(line: JsonLine): Promise<void> | null {
    const { rec, ...content } = line;
    for (const key in content)
      if (Object.hasOwn(HUB_LINES, key)) return this.#act(key as HubLine, inFull(key, content[key], rec));
    if (typeof rec === "string") return this.#hub.run(rec, this).lines.give(content);
    if (rec !== undefined) throw new RangeError(tell({ path: "rec", expected: "the name of a recording", found: rec }));
    // what says who speaks is for one recording; here each has a header of its own
    if ("simtape" in content || "token" in content) return null;
    const runs = [...this.#hub.runsOf(this)];
    const isTime = "tick" in content || "time" in content;
    if (!isTime && runs.length !== 1)
      throw new RangeError(`expected "rec", as ${runs.length} recordings of this sender are open`);
    const waits = runs.map(({ lines }) => lines.give(content)).filter((wait) => wait !== null);
    return waits.length === 0 ? null : Promise.all(waits).then(() => undefined);
  }

  async #act(key: HubLine, content: unknown): Promise<void> {
    const shape = HUB_LINES[key];
    const problem = problemIn(shape, content);
    const known = problem === null ? { value: content, left: 0 } : withKnownFields(shape, content);
    if (known === null) throw new RangeError(`${key}: ${problem!.path}: ${tell(problem!)}`);
    this.#hub.counts.unknown += known.left;
    const { value } = known;
    if (key === "begin") await this.#hub.begin(value as Begin, this);
    else if (key === "end") await this.#hub.end(value as End, this);
    else if (key === "ring") await this.#hub.ring(value as RingLine, this);
    else this.#hub.save(value as Save, this);
  }
}

/** `{"rec":"a","end":"completed"}`, as a recorder of one recording has it, means `{"end":{"rec":"a","outcome":"completed"}}`. */
function inFull(key: string, value: unknown, rec: unknown): unknown {
  return key === "end" && typeof value === "string" ? { rec, outcome: value } : value;
}
