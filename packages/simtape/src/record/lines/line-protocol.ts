import { LineSplitter, type TOO_LONG } from "./lines.ts";
import { parseLine } from "./parse.ts";
import { joined, problemIn, type Shape, tell, withKnownFields } from "../../model/shape.ts";
import {
  type EventLine,
  FARTHEST,
  HEADER,
  type Header,
  type JsonLine,
  type Line,
  LINES,
  RATE,
  type ReportLine,
} from "./commands.ts";
import { StateLines } from "./state.ts";
import { bytesOf, WorldLines } from "./world.ts";
import type { Recorder } from "../live/recorder.ts";
import type { Outcome, RecorderOptions } from "../live/recorder-options.ts";

/** A line that cannot be taken: its number, what was expected, and what was found. */
export class LineError extends Error {
  override readonly name = "LineError";
  /** Counted from 1 over all that was sent. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.line = line;
  }
}

/** What the header says of a recording that is about to begin. */
export type HeaderOptions = Pick<
  RecorderOptions,
  "epoch" | "worldId" | "worldVersion" | "dataVersion" | "protocol" | "server" | "metadata"
>;

/** Where lines go: a recorder, or what takes as much of it as it can. */
export type LineTarget = Pick<
  Recorder,
  | "tick"
  | "goTo"
  | "world"
  | "state"
  | "ready"
  | "commit"
  | "poll"
  | "snapshot"
  | "session"
  | "subject"
  | "epoch"
  | "channel"
  | "write"
  | "status"
>;

/** Where lines go, and what becomes of bad ones. Only `open` is required. */
export interface LineProtocolOptions<T extends LineTarget = Recorder> {
  /** Begins the recording, when the first line is there. */
  readonly open: (header: HeaderOptions) => Promise<T>;
  /** Called with each bad line, which is skipped; absent: the first one is thrown. */
  readonly skipped?: ((error: LineError) => void) | undefined;
  /** Called with how many fields of a line are not known; the line is taken without them. Absent: such a line is bad. */
  readonly unknown?: ((fields: number) => void) | undefined;
  /** Called with each report, and the second of the recording at which it was made. Absent: such a line is bad. */
  readonly report?: ((report: ReportLine, seconds: number) => void) | undefined;
  /** `input`, the default: as the lines tell; `real`: as the clock goes, whatever the lines tell. */
  readonly ticks?: "input" | "real" | undefined;
  /** Stops waiting for room. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds of a clock that is never set; for tests. */
  readonly now?: (() => number) | undefined;
}

/** Milliseconds without a line after which a tick is taken for over. */
const TICK_OVER = 1000;
/** Of a tick, for times that are no whole number of them only because of rounding. */
const ROUNDING = 1e-4;

/**
 * Lines of JSON into a recording (docs/line-protocol.md). Lines are taken in order, and each one wholly or not at all.
 * Senders come one after another: the state that the one before has sent still holds.
 */
export class LineProtocol<T extends LineTarget = Recorder> {
  readonly #options: LineProtocolOptions<T>;
  readonly #now: () => number;
  #splitter = new LineSplitter();
  #recorder: T | null = null;
  #world: WorldLines | null = null;
  #states: StateLines | null = null;
  /** What the first line of either kind has decided. */
  #kind: "world" | "states" | null = null;
  #worldId: string | null = null;
  #rate = RATE;
  /** Recorded tick less the sender's; null: none was given yet. */
  #offset: number | null = null;
  #isFirstTick = true;
  #isFirstLine = true;
  #lines = 0;
  #skipped = 0;
  #ended: Outcome | null = null;
  /** Whether anything but ticks was said of the present tick, and when bytes came last. */
  #isTold = false;
  #fedAt = 0;
  /** A tick that was taken for over, NaN: none; the sender may still be in it. */
  #left = Number.NaN;
  #realStart = 0;
  #realTick = 0;

  constructor(options: LineProtocolOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Null before the first line. */
  get recorder(): T | null {
    return this.#recorder;
  }

  /** Lines up to now, and those of them that were skipped. */
  get lines(): number {
    return this.#lines;
  }
  get skipped(): number {
    return this.#skipped;
  }

  /** Things that found no room in the world. */
  get refused(): number {
    return this.#world?.world.refused ?? 0;
  }

  /** How the sender has ended the recording; what comes behind that is not looked at. */
  get ended(): Outcome | null {
    return this.#ended;
  }

  /** The recorder has what was said of the present tick. */
  settle(): void {
    // lines of the other kind that could not be taken have left nothing
    if (this.#kind === "states") this.#states!.tell();
  }

  /** To be called now and then: what is due is done while no lines come, too. A tick of which no more comes is over. */
  poll(): void {
    const recorder = this.#recorder;
    if (recorder === null) return;
    this.#goToNow();
    if (this.#isTold && this.#now() - this.#fedAt >= TICK_OVER) {
      this.#left = recorder.tick;
      this.#goTo(recorder.tick + 1);
    }
    recorder.poll();
  }

  /** To the tick that it is by the clock; without effect when ticks come with the lines. */
  #goToNow(): void {
    if (this.#options.ticks !== "real" || this.#recorder === null) return;
    this.#goTo(
      Math.max(this.#recorder.tick, this.#realTick + Math.floor(((this.#now() - this.#realStart) * RATE) / 1000)),
    );
  }

  /**
   * More of the input. Resolves when there is room for the next. Throws `LineError` for a bad line, unless they are
   * skipped, and what `open` throws.
   */
  async feed(bytes: Uint8Array): Promise<void> {
    this.#goToNow();
    this.#fedAt = this.#now();
    this.#splitter.push(bytes);
    for (let line = this.#splitter.next(); line !== null && this.#ended === null; line = this.#splitter.next()) {
      this.#lines++;
      try {
        if (this.#recorder === null) await this.#begin(this.#parse(line));
        else this.#take(line);
      } catch (error) {
        this.#judge(error);
      }
      if ((this.#recorder?.ready ?? null) !== null) await this.#waitForRoom(this.#recorder!);
    }
  }

  /**
   * One line that was parsed elsewhere, instead of `feed`; otherwise the same. Its number is the next one. Null: it is
   * done, and there is room.
   */
  give(line: JsonLine): Promise<void> | null {
    if (this.#ended !== null) return null;
    this.#goToNow();
    this.#fedAt = this.#now();
    this.#lines++;
    const recorder = this.#recorder;
    if (recorder === null) return this.#begin(line).catch((error: unknown) => this.#judge(error));
    try {
      this.#do(line);
    } catch (error) {
      this.#judge(error);
    }
    return recorder.ready === null ? null : this.#waitForRoom(recorder);
  }

  /** The sender is turned away: what is left of its input is not looked at. */
  turnAway(): void {
    this.#splitter = new LineSplitter();
    this.#isFirstTick = true;
    this.#isFirstLine = true;
  }

  /** The sender is gone. A last line without an end is taken when it is whole, and else counted as skipped. */
  async finish(): Promise<void> {
    const rest = this.#splitter.rest();
    if (rest !== null && this.#ended === null) {
      this.#lines++;
      try {
        if (this.#recorder === null) await this.#begin(this.#parse(rest));
        else this.#take(rest);
      } catch (error) {
        if (!(error instanceof LineError)) throw error;
        this.#skip(new LineError(error.line, "the input ends within a line"));
      }
    }
    this.turnAway();
  }

  // ── lines ─────────────────────────────────────────────────────────────

  async #begin(line: JsonLine | null): Promise<void> {
    if (line === null) return;
    const header = "simtape" in line ? (this.#checked("", HEADER, line) as Header) : NO_HEADER;
    const { startedAt, worldId, worldVersion, dataVersion, protocol, server, metadata } = header;
    const epoch = startedAt === undefined ? undefined : BigInt(Date.parse(startedAt)) * 1_000_000n;
    this.#recorder = await this.#options.open({
      epoch,
      worldId,
      worldVersion,
      dataVersion,
      protocol,
      server,
      metadata,
    });
    this.#worldId = worldId ?? null;
    this.#realStart = this.#now();
    this.#realTick = this.#recorder.tick;
    this.#do(line);
  }

  #take(bytes: Uint8Array | typeof TOO_LONG): void {
    const line = this.#parse(bytes);
    if (line !== null) this.#do(line);
  }

  /** Null for an empty line. */
  #parse(bytes: Uint8Array | typeof TOO_LONG): JsonLine | null {
    try {
      return parseLine(bytes);
    } catch (error) {
      throw this.#error((error as RangeError).message);
    }
  }

  #do(line: JsonLine): void {
    let key: string | null = null;
    let count = 0;
    for (const own in line) {
      count++;
      if (key === null && LINES.has(own)) key = own;
    }
    if ("simtape" in line) key = "simtape";
    if (key === null && count > 0 && this.#options.unknown !== undefined) {
      this.#options.unknown(count);
      return;
    }
    if (key === null) throw this.#error(`expected one of ${[...LINES.keys()].join(", ")}; found ${keysOf(line)}`);
    const { shape, isWhole, act } = LINES.get(key)!;
    if (count > 1 && !isWhole && this.#options.unknown === undefined)
      throw this.#error(`expected one thing in a line, found ${keysOf(line)}`);
    const told = isWhole ? line : line[key];
    this.#perform(key, act, this.#checked(isWhole ? "" : key, shape, told));
    // of a header alone no tick is over: a hub may be busy with the other recordings that begin
    if (key !== "tick" && key !== "time" && key !== "simtape") this.#isTold = true;
  }

  #perform(key: string, act: Line["act"], told: unknown): void {
    try {
      // what a line does needs no more than a target has
      act(this as unknown as LineProtocol, told);
    } catch (error) {
      // whatever it is, it is this line that cannot be taken
      throw this.#error(`${key}: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#isFirstLine = false;
  }

  /** What a line says, as it is to be taken. */
  #checked(key: string, shape: Shape<unknown>, told: unknown): unknown {
    const problem = problemIn(shape, told);
    if (problem === null) return told;
    const { unknown } = this.#options;
    const known = unknown === undefined ? null : withKnownFields(shape, told);
    if (known !== null) {
      unknown!(known.left);
      return known.value;
    }
    const place = joined(key, problem.path);
    throw this.#error(place === "" ? tell(problem) : `${place}: ${tell(problem)}`);
  }

  #error(message: string): LineError {
    return new LineError(this.#lines, message);
  }

  #judge(error: unknown): void {
    if (!(error instanceof LineError) || this.#options.skipped === undefined) throw error;
    this.#skip(error);
  }

  #skip(error: LineError): void {
    this.#skipped++;
    this.#options.skipped?.(error);
  }

  /** The input stops until the store has taken what waits for it. */
  async #waitForRoom(recorder: LineTarget): Promise<void> {
    const { signal } = this.#options;
    while (recorder.ready !== null && signal?.aborted !== true) {
      recorder.commit();
      let stop = (): void => undefined;
      const stopped = new Promise<void>((resolve) => {
        stop = resolve;
      });
      signal?.addEventListener("abort", stop);
      await Promise.race([recorder.ready, stopped]);
      signal?.removeEventListener("abort", stop);
    }
  }

  // ── what lines do ─────────────────────────────────────────────────────

  /** Lets a line have the world; its kind is decided when it was taken. Throws `RangeError` when it is another. */
  withWorld(take: (world: WorldLines) => void): void {
    if (this.#kind === "states") throw new RangeError("the recording is one of states; a world needs one of its own");
    this.#world ??= new WorldLines(this.#recorder!);
    take(this.#world);
    this.#kind = "world";
  }

  /** The same for states. */
  withStates(take: (states: StateLines) => void): void {
    if (this.#kind === "world") throw new RangeError("the recording has a world; states need one of their own");
    this.#states ??= new StateLines(this.#recorder!);
    take(this.#states);
    this.#kind = "states";
  }

  header({ worldId, rate: told, sets }: Header): void {
    if (!this.#isFirstLine) throw new RangeError("the header is the first line");
    if (worldId !== undefined && this.#worldId !== null && worldId !== this.#worldId)
      throw new RangeError(`worldId: expected ${this.#worldId}, found ${worldId}`);
    if (sets !== undefined) this.withStates((states) => states.declare(sets));
    this.#rate = told ?? this.#rate;
  }

  /**
   * `ticks` of the sender's own, at its rate. Its first stands for the tick that is being recorded, unless it goes on
   * where the sender before it was. Throws `RangeError` for one that is over.
   */
  tick(ticks: number, ofSecond: number = this.#rate): void {
    if (this.#options.ticks === "real") return;
    const present = this.#recorder!.tick;
    const told = Math.ceil((ticks * RATE) / ofSecond - ROUNDING);
    if (!Number.isSafeInteger(told)) throw new RangeError(`expected less than 14 million years, found ${ticks}`);
    const known = this.#offset;
    const offset = known === null || (this.#isFirstTick && told + known < present) ? present - told : known;
    const tick = told + offset;
    if (tick - present > FARTHEST) throw new RangeError(`expected at most a day later than before, found ${ticks}`);
    const isLeft = tick === this.#left && tick === present - 1;
    if (tick < present && !isLeft)
      throw new RangeError(`expected ${((present - offset) * ofSecond) / RATE} or later, found ${ticks}`);
    this.#offset = offset;
    this.#isFirstTick = false;
    if (!isLeft) this.#goTo(tick);
  }

  event({ event, value: told, base64: bytes, version: of }: EventLine): void {
    if (told !== undefined && bytes !== undefined) throw new RangeError("expected value or base64, found both");
    const payload = bytes === undefined ? new TextEncoder().encode(JSON.stringify(told) ?? "") : bytesOf(bytes);
    this.#recorder!.write(this.#recorder!.channel(event, of), payload);
  }

  report(report: ReportLine): void {
    if (this.#options.report === undefined)
      throw new RangeError("only a server takes reports; a mark of the kind report stays in the recording");
    this.#options.report(report, this.#recorder!.tick / RATE);
  }

  commit(): void {
    this.settle();
    this.#recorder!.commit();
  }

  reset(): void {
    if (this.#kind === "world") this.#world!.reset();
    if (this.#kind === "states") this.#states!.reset();
  }

  end(outcome: Outcome): void {
    this.#ended = outcome;
  }

  #goTo(tick: number): void {
    if (tick === this.#recorder!.tick) return;
    this.#isTold = false;
    this.settle();
    this.#recorder!.goTo(tick);
  }
}

const NO_HEADER: Header = { simtape: 1 };

function keysOf(line: JsonLine): string {
  const keys = Object.keys(line).map((key) => JSON.stringify(key));
  return keys.length === 0 ? "nothing" : `${keys.slice(0, 8).join(", ")}${keys.length > 8 ? ", …" : ""}`;
}
