import { setTimeout } from "node:timers/promises";
import { SourceError } from "simtape";
import { type Feed, Mirror, recordInto, type TakeStatus } from "simtape/live";
import { type Recorder, record } from "simtape/record";
import { shownUrl } from "simtape/serving";
import type { Context } from "../context.ts";
import { newId } from "../ids.ts";
import { OPERATOR } from "../people/person.ts";
import { FOLDER, Leases } from "./leases.ts";

/** A program that a node records. */
export interface ProgramFeed {
  readonly kind: string;
  readonly address: string;
  readonly feed: Feed;
}

/** How the recording of a program goes. */
export interface ProgramState {
  readonly kind: string;
  /** Without secrets. */
  readonly address: string;
  /** `waiting`: it is tried again later; `away`: the connection broke, and the recording continues when it is back. */
  readonly phase: "waiting" | "connecting" | "recording" | "away";
  /** Id of the recording that is being made. */
  readonly recording: string | null;
  readonly messages: number;
  readonly bytes: number;
  readonly gaps: number;
  /** Why it is not recorded now. */
  readonly problem: string | null;
}

/** Ticks in a second of a recording. */
const RATE = 20;
/** Milliseconds after which what arrived is committed, so that all can read it. */
const COMMIT_EVERY = 750;
const COMMIT_BYTES = 256 << 10;
const BUFFER = 16 << 20;
/** Milliseconds between two looks at a recording: its lease is renewed, and its progress noted. */
const LOOK_EVERY = 1500;
/** Milliseconds after which a program that cannot be reached, or has ended, is tried again. */
const AGAIN = 5000;
/** Milliseconds that the store has to take the last of a recording. */
const LAST = 30_000;

/**
 * Records running programs into the library for as long as the node runs: a recording for each run of a program. A
 * program that is away for a moment leaves a gap; after `liveSilence` seconds its recording ends.
 */
export class Programs {
  readonly #programs: readonly Program[];
  readonly #stop = new AbortController();
  #running: readonly Promise<void>[] = [];

  constructor(context: Context, feeds: readonly ProgramFeed[]) {
    this.#programs = feeds.map((feed, index) => {
      // several of a kind may begin in the same second
      const mark = feeds.findIndex(({ kind }) => kind === feed.kind) === index ? "" : `-${index + 1}`;
      return new Program(context, feed, mark);
    });
  }

  get states(): readonly ProgramState[] {
    return this.#programs.map(({ state }) => state);
  }

  start(): void {
    this.#running = this.#programs.map((program) => program.run(this.#stop.signal));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}

class Program {
  readonly #context: Context;
  readonly #program: ProgramFeed;
  readonly #mark: string;
  readonly #leases: Leases;
  /** What was last said of why it is not recorded. */
  #said: string | null = null;
  #run: OneRun | null = null;

  constructor(context: Context, program: ProgramFeed, mark: string) {
    const { query, jobs, bus } = context;
    this.#context = context;
    this.#program = program;
    this.#mark = mark;
    this.#leases = new Leases(query, jobs, bus, newId());
  }

  get state(): ProgramState {
    const { kind, address } = this.#program;
    const { phase, failure, messages, bytes } = this.#run?.status ?? NOT_RUNNING;
    return {
      ...{ kind, address: shownUrl(address), recording: this.#run?.recording ?? null, messages, bytes },
      ...{
        phase: PHASES[phase],
        gaps: this.#run?.gaps ?? 0,
        problem: phase === "recording" ? null : (failure ?? this.#said),
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#context;
    const { feed } = this.#program;
    while (!signal.aborted) {
      try {
        this.#run = new OneRun(this.#context, this.#leases, this.#program, this.#mark, () => {
          this.#said = null;
        });
        await this.#run.record(signal);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        // a program that is not running is nothing wrong
        if (why !== this.#said) log[error instanceof SourceError ? "warn" : "error"]({ program: feed.name }, why);
        this.#said = why;
      }
      this.#run = null;
      await setTimeout(AGAIN, undefined, { signal }).catch(() => undefined);
    }
  }
}

const NOT_RUNNING: TakeStatus = { phase: "ended", failure: null, messages: 0, bytes: 0, time: 0 };

const PHASES: Readonly<Record<TakeStatus["phase"], ProgramState["phase"]>> = {
  connecting: "connecting",
  recording: "recording",
  reconnecting: "away",
  ended: "waiting",
};

/** One recording of a program. */
class OneRun {
  readonly #context: Context;
  readonly #leases: Leases;
  readonly #program: ProgramFeed;
  readonly #mark: string;
  readonly #begun: () => void;
  readonly #stop = new AbortController();
  #status: TakeStatus = { ...NOT_RUNNING, phase: "connecting" };
  #gaps = 0;
  #recorder: Recorder | null = null;
  /** Id of the recording that is written now. */
  #id = "";
  #noted = -1;
  /** Since when the program is away; null: it is not. Milliseconds of this process. */
  #awaySince: number | null = null;
  #isAbandoned = false;

  /** `begun` is called when the recording begins. */
  constructor(context: Context, leases: Leases, program: ProgramFeed, mark: string, begun: () => void) {
    this.#context = context;
    this.#leases = leases;
    this.#program = program;
    this.#mark = mark;
    this.#begun = begun;
  }

  get status(): TakeStatus {
    return this.#status;
  }

  /** Its id; null: nothing has arrived yet. */
  get recording(): string | null {
    return this.#recorder === null ? null : this.#id;
  }

  /** How often the connection broke. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Until the program has ended or is gone, or the signal comes. Rejects with `SourceError` if it cannot be reached. */
  async record(signal: AbortSignal): Promise<void> {
    const { feed } = this.#program;
    const end = (): void => this.#stop.abort();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    const mirror = new Mirror(feed.format, (epoch) => this.#begin(epoch));
    let looking: Promise<void> = Promise.resolve();
    const looks = setInterval(() => {
      looking = looking.then(() => this.#look());
    }, LOOK_EVERY);
    try {
      const onStatus = (status: TakeStatus): void => this.#hear(status);
      await recordInto(feed, mirror, { signal: this.#stop.signal, onStatus });
    } finally {
      clearInterval(looks);
      signal.removeEventListener("abort", end);
      await looking;
      await mirror.close().catch((error: unknown) => this.#warn(error));
      await this.#end();
    }
  }

  async #begin(epoch: bigint): Promise<Recorder> {
    const { kind, feed } = this.#program;
    const started = new Date(Number(epoch / 1_000_000n));
    const now = new Date().toISOString();
    this.#id = `${kind}-${now.slice(0, 10)}-${now.slice(11, 19).replaceAll(":", "")}${this.#mark}`;
    await this.#leases.begin({ id: this.#id, person: { ...OPERATOR, name: feed.name }, via: "lines", started });
    if (!(await this.#leases.claim(this.#id))) throw new Error(`another node records ${this.#id}`);
    this.#recorder = await record(this.#context.library.store(FOLDER), {
      ...{ id: this.#id, epoch, metadata: { program: feed.name } },
      commit: { every: COMMIT_EVERY, bytes: COMMIT_BYTES },
      buffer: { bytes: BUFFER, policy: "block" },
    });
    this.#begun();
    return this.#recorder;
  }

  #hear(status: TakeStatus): void {
    const { phase } = status;
    if (phase === "reconnecting" && this.#status.phase !== "reconnecting") this.#gaps++;
    this.#status = status;
    if (phase !== "reconnecting") this.#awaySince = null;
    else this.#awaySince ??= performance.now();
    if (this.#awaySince === null) return;
    if (performance.now() - this.#awaySince < this.#context.settings.liveSilence * 1000) return;
    this.#isAbandoned = true;
    this.#stop.abort();
  }

  /** Rejects never: what cannot be noted now is noted at the next look. */
  async #look(): Promise<void> {
    if (this.#recorder === null) return;
    try {
      const { id, failure, committedTick, bytes } = this.#recorder.status;
      if (id !== this.#id) await this.#goOn(id);
      if (failure !== null || !(await this.#leases.renew([id], [id])).has(id)) {
        this.#stop.abort();
        return;
      }
      if (committedTick === this.#noted) return;
      await this.#leases.noteProgress(id, { seconds: committedTick / RATE, bytes });
      this.#noted = committedTick;
    } catch (error) {
      this.#warn(error);
    }
  }

  /** A limit has ended one recording, and another continues it. */
  async #goOn(next: string): Promise<void> {
    const before = this.#id;
    await this.#leases.goOn(before, next);
    this.#id = next;
    await this.#leases.end(before);
  }

  async #end(): Promise<void> {
    const recorder = this.#recorder;
    if (recorder === null) return;
    try {
      await recorder.close({ outcome: this.#isAbandoned ? "abandoned" : "completed", timeout: LAST });
      const { committedTick, bytes } = recorder.status;
      await this.#leases.noteProgress(this.#id, { seconds: committedTick / RATE, bytes });
      await this.#leases.end(this.#id);
    } catch (error) {
      // its lease runs out: it is recovered as that of a node that was killed
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    this.#context.log.warn({ recording: this.#id, error: String(error) }, "recording a program");
  }
}
