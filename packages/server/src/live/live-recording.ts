import { type HeaderOptions, LineError, LineProtocol, type ReportLine } from "simtape/serving";
import { type Outcome, type Recorder, record } from "simtape/record";
import { RecordingError, type Store, StoreError } from "simtape";
import { Problem } from "../problem.ts";
import type { Sender } from "./sender.ts";

/** What a live recording needs from the rest of the node. */
export interface Surroundings {
  readonly store: Store;
  /**
   * Adds the recording to the catalog and takes its lease for this node, when the first line has arrived. Throws
   * `Problem`.
   */
  begin(id: string, sender: Sender, started: Date | null): Promise<void>;
  /** Throws `Problem` for a report that the sender may not make. */
  judge(report: ReportLine, sender: Pick<Sender, "person">): void;
  /** Begins a review. Throws `Problem`. */
  report(recording: string, report: LiveReport, sender: Sender): Promise<void>;
}

/** A report of a sender about a subject, and the second of the recording that it is about. */
export interface LiveReport extends ReportLine {
  readonly at: number;
}

/** The answer to a sender. */
export interface Report {
  readonly recording: string;
  readonly page: string;
  /** `open`: the recording continues when the sender connects again. */
  readonly outcome: Outcome;
  readonly seconds: number;
  readonly committedSeconds: number;
  readonly bytes: number;
  readonly lines: number;
  readonly skipped: number;
  readonly dropped: Readonly<Record<string, number>>;
}

/** Ticks in a second of a recording. */
const RATE = 20;
/** Milliseconds after which received lines are committed, so that all can read them. */
const COMMIT_EVERY = 750;
const COMMIT_BYTES = 256 << 10;
const BUFFER = 8 << 20;
/** Milliseconds without a byte after which another sender may replace a sender. */
const GIVES_WAY = 10_000;

/** One recording, made of the lines of one sender after another. */
export class LiveRecording {
  readonly id: string;
  readonly #surroundings: Surroundings;
  readonly #lines: LineProtocol;
  readonly #stop = new AbortController();
  /** Reports that have no review yet. */
  readonly #reports: LiveReport[] = [];
  #sender: Sender | null = null;
  /** Wall clock of this process, milliseconds. */
  #heard = performance.now();
  #reported = { seconds: -1, bytes: -1 };
  #recordingId: string;

  constructor(id: string, surroundings: Surroundings) {
    this.id = id;
    this.#recordingId = id;
    this.#surroundings = surroundings;
    const skippedNow = (): (() => void) | undefined => (this.#sender?.isLenient === true ? () => undefined : undefined);
    this.#lines = new LineProtocol({
      open: (header) => this.#open(header),
      signal: this.#stop.signal,
      report: (report, at) => {
        try {
          this.#surroundings.judge(report, this.#sender!);
        } catch (error) {
          // treat it like any other bad line
          throw error instanceof Problem ? new RangeError(error.message) : error;
        }
        this.#reports.push({ ...report, at });
      },
      // the present sender decides whether bad lines are skipped
      get skipped() {
        return skippedNow();
      },
    });
  }

  /** The id of the recording that is written now: when a limit has ended the first recording, this is the next one. */
  get recordingId(): string {
    return this.#recordingId;
  }

  get hasBegun(): boolean {
    return this.#lines.recorder !== null;
  }

  get isSending(): boolean {
    return this.#sender !== null;
  }

  /** Milliseconds since the sender last sent something. */
  get silence(): number {
    return this.#sender === null ? performance.now() - this.#heard : 0;
  }

  /** Why the recording cannot continue; null: it can. */
  get failure(): unknown {
    return this.#lines.recorder?.status.failure ?? null;
  }

  /** How the sender has ended the recording. */
  get outcome(): Outcome | null {
    return this.#lines.ended;
  }

  /** Records what a sender sends, until the sender is gone or has ended the recording. Throws `Problem`. */
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

  /** Does what is due; returns the progress when it has changed, else null. */
  poll(): { readonly seconds: number; readonly bytes: number } | null {
    this.#lines.poll();
    const status = this.#lines.recorder?.status;
    if (status === undefined) return null;
    this.#recordingId = status.id;
    const seconds = status.committedTick / RATE;
    if (seconds === this.#reported.seconds && status.bytes === this.#reported.bytes) return null;
    this.#reported = { seconds, bytes: status.bytes };
    return this.#reported;
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

  /** Stops here, so that the recording can continue on another node. */
  async leave(): Promise<void> {
    this.#sender?.stop();
    this.#stop.abort();
    const recorder = this.#lines.recorder;
    if (recorder === null) return;
    this.#lines.settle();
    // the present tick is complete: nothing more is added to it here
    recorder.goTo(recorder.tick + 1);
    await Promise.race([recorder.flush(), new Promise((resolve) => setTimeout(resolve, 3000))]).catch(() => undefined);
    await recorder.abort();
  }

  /** Another recorder has the recording: this one writes no more. */
  async giveUp(): Promise<void> {
    this.#sender?.stop();
    this.#stop.abort();
    await this.#lines.recorder?.abort();
  }

  /**
   * When a review could not be made, the sender gets the error, and the review is tried again when the sender connects
   * again.
   */
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
