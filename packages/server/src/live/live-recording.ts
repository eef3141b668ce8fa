import { type HeaderOptions, LineError, LineProtocol, type ReportLine } from "simtape/serving";
import { type Outcome, type Recorder, record } from "simtape/record";
import { RecordingError, type Store, StoreError } from "simtape";
import { Problem } from "../http/problem.ts";
import type { Sender } from "./sender.ts";

/** What one has to do with the rest of the node. */
export interface Surroundings {
  readonly store: Store;
  /** Puts it into the catalog and takes it for this node, when the first line has come. Throws `Problem`. */
  begin(id: string, sender: Sender, started: Date | null): Promise<void>;
  /** A review begins. Throws `Problem`. */
  report(recording: string, report: LiveReport, sender: Sender): Promise<void>;
}

/** What a sender reports of a subject, and at which second of the recording. */
export interface LiveReport extends ReportLine {
  readonly at: number;
}

/** What a sender is answered. */
export interface Report {
  readonly recording: string;
  readonly page: string;
  /** `open`: it goes on when the sender comes again. */
  readonly outcome: Outcome;
  readonly seconds: number;
  readonly committedSeconds: number;
  readonly bytes: number;
  readonly lines: number;
  readonly skipped: number;
  readonly dropped: Readonly<Record<string, number>>;
}

/** Ticks of a recording in a second. */
const RATE = 20;
/** Milliseconds after which what came is to be read by all. */
const COMMIT_EVERY = 750;
const COMMIT_BYTES = 256 << 10;
const BUFFER = 8 << 20;
/** Milliseconds without a byte after which a sender gives way to another. */
const GIVES_WAY = 10_000;

/** One recording that is made of the lines of one sender after another. */
export class LiveRecording {
  readonly id: string;
  readonly #surroundings: Surroundings;
  readonly #lines: LineProtocol;
  readonly #stop = new AbortController();
  /** Reports that no review is of yet. */
  readonly #reports: LiveReport[] = [];
  #sender: Sender | null = null;
  /** Wall clock of this process, milliseconds. */
  #heard = performance.now();
  #told = { seconds: -1, bytes: -1 };
  #recordingId: string;

  constructor(id: string, surroundings: Surroundings) {
    this.id = id;
    this.#recordingId = id;
    this.#surroundings = surroundings;
    const skippedNow = (): (() => void) | undefined => (this.#sender?.isLenient === true ? () => undefined : undefined);
    this.#lines = new LineProtocol({
      open: (header) => this.#open(header),
      signal: this.#stop.signal,
      report: (report, at) => this.#reports.push({ ...report, at }),
      // whether lines are skipped is for the present sender to say
      get skipped() {
        return skippedNow();
      },
    });
  }

  /** Of the recording that is written now: another one when a limit has ended the first. */
  get recordingId(): string {
    return this.#recordingId;
  }

  get hasBegun(): boolean {
    return this.#lines.recorder !== null;
  }

  get isSending(): boolean {
    return this.#sender !== null;
  }

  /** Milliseconds since the sender was there last. */
  get silence(): number {
    return this.#sender === null ? performance.now() - this.#heard : 0;
  }

  /** Why it cannot go on; null: it can. */
  get failure(): unknown {
    return this.#lines.recorder?.status.failure ?? null;
  }

  /** How the sender has ended it. */
  get outcome(): Outcome | null {
    return this.#lines.ended;
  }

  /** Takes what a sender sends, until it is gone or has ended the recording. Throws `Problem`. */
  async take(sender: Sender): Promise<void> {
    if (this.#sender !== null) {
      if (performance.now() - this.#heard < GIVES_WAY) throw new Problem(409, "another sender is connected");
      this.#sender.stop();
    }
    this.#sender = sender;
    this.#heard = performance.now();
    this.#lines.recorder?.session("rejoin");
    try {
      for await (const bytes of sender.bytes) {
        if (this.#sender !== sender) return;
        this.#heard = performance.now();
        await this.#lines.feed(bytes);
        await this.#sendReports(sender);
        if (this.#lines.ended !== null || this.failure !== null) return;
      }
      if (this.#sender === sender) await this.#lines.finish();
      await this.#sendReports(sender);
    } catch (error) {
      if (this.#sender === sender) this.#lines.turnAway();
      throw problemOf(error);
    } finally {
      if (this.#sender === sender) {
        this.#sender = null;
        this.#heard = performance.now();
        this.#lines.recorder?.commit();
      }
    }
  }

  /** Does what is due; how far it is when that has changed, else null. */
  poll(): { readonly seconds: number; readonly bytes: number } | null {
    this.#lines.poll();
    const status = this.#lines.recorder?.status;
    if (status === undefined) return null;
    this.#recordingId = status.id;
    const seconds = status.committedTick / RATE;
    if (seconds === this.#told.seconds && status.bytes === this.#told.bytes) return null;
    this.#told = { seconds, bytes: status.bytes };
    return this.#told;
  }

  report(): Report {
    const status = this.#lines.recorder?.status;
    return {
      recording: this.#recordingId,
      page: `/r/${this.#recordingId}`,
      outcome: this.#lines.ended ?? "open",
      seconds: (status?.tick ?? 0) / RATE,
      committedSeconds: (status?.committedTick ?? 0) / RATE,
      bytes: status?.bytes ?? 0,
      lines: this.#lines.lines,
      skipped: this.#lines.skipped,
      dropped: status?.dropped ?? {},
    };
  }

  /** Ends the recording. */
  async end(): Promise<void> {
    this.#lines.settle();
    await this.#lines.recorder?.close({ outcome: this.#lines.ended ?? "abandoned", timeout: 30_000 });
    this.#stop.abort();
  }

  /** Stops here, so that it can go on elsewhere. */
  async leave(): Promise<void> {
    this.#sender?.stop();
    this.#stop.abort();
    const recorder = this.#lines.recorder;
    if (recorder === null) return;
    this.#lines.settle();
    // the present tick is over: nothing more of it is taken here
    recorder.goTo(recorder.tick + 1);
    await Promise.race([recorder.flush(), new Promise((resolve) => setTimeout(resolve, 3000))]).catch(() => undefined);
    await recorder.abort();
  }

  /** Another has it: nothing more is written. */
  async giveUp(): Promise<void> {
    this.#sender?.stop();
    this.#stop.abort();
    await this.#lines.recorder?.abort();
  }

  /** One whose review could not be made is tried again when the sender, which hears of it, comes again. */
  async #sendReports(sender: Sender): Promise<void> {
    for (let report = this.#reports[0]; report !== undefined; report = this.#reports[0]) {
      await this.#surroundings.report(this.#recordingId, report, sender);
      this.#reports.shift();
    }
  }

  async #open(header: HeaderOptions): Promise<Recorder> {
    const { epoch } = header;
    const started = new Date(epoch === undefined ? Date.now() : Number(epoch / 1_000_000n));
    await this.#surroundings.begin(this.id, this.#sender!, started);
    return record(this.#surroundings.store, {
      ...header,
      id: this.id,
      resume: true,
      commit: { every: COMMIT_EVERY, bytes: COMMIT_BYTES },
      buffer: { bytes: BUFFER, policy: "block" },
    });
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof LineError) return new Problem(400, error.message, { line: error.line });
  if (RecordingError.is(error)) return new Problem(409, error.message);
  if (error instanceof StoreError && error.code === "conflict")
    return new Problem(409, "another recorder has this recording");
  if (error instanceof StoreError && error.code === "full")
    return new Problem(507, "the disk is full: nothing was written");
  if (error instanceof StoreError) return new Problem(503, "the store of recordings cannot be reached now; try again");
  return error;
}
