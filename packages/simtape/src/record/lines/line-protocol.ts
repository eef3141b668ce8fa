import { joined, problemIn, type Shape, tell, withKnownFields } from "../../model/shape.ts";
import { EventRecorder, roomIn } from "../events/event-recorder.ts";
import type { LiveTarget } from "../events/live-target.ts";
import type { Recorder } from "../live/recorder.ts";
import type { Outcome, RecorderOptions } from "../live/recorder-options.ts";
import {
  type CheckedLine,
  FARTHEST,
  HEADER,
  type Header,
  type JsonLine,
  LINES,
  RATE,
  type ReportLine,
} from "./commands.ts";
import { LineSplitter, type TOO_LONG } from "./lines.ts";
import { parseLine } from "./parse.ts";

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

/** Where lines go, and what becomes of bad ones. Only `open` is required. */
export interface LineProtocolOptions<T extends LiveTarget = Recorder> {
  /** Begins the recording, when the first line is there. */
  readonly open: (header: HeaderOptions) => Promise<T>;
  /** Called with each bad line, which is skipped; absent: the first one is thrown. */
  readonly skipped?: ((error: LineError) => void) | undefined;
  /** Called with how many fields of a line are not known; the line is taken without them. Absent: such a line is bad. */
  readonly unknown?: ((fields: number) => void) | undefined;
  /** Called with each report, and the second of the recording at which it was made. Absent: such a line is bad. */
  readonly report?: ((report: ReportLine, seconds: number) => void) | undefined;
  /** `input`, the default: as the lines say; `real`: as the clock goes, whatever the lines say. */
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
export class LineProtocol<T extends LiveTarget = Recorder> {
  readonly #options: LineProtocolOptions<T>;
  readonly #now: () => number;
  #splitter = new LineSplitter();
  /** Takes the events; null before the first line. */
  #events: EventRecorder<T> | null = null;
  #worldId: string | null = null;
  #rate = RATE;
  /** Recorded tick less the sender's; null: none was given yet. */
  #offset: number | null = null;
  #isFirstTick = true;
  #isFirstLine = true;
  #lines = 0;
  #skipped = 0;
  #ended: Outcome | null = null;
  /** Whether anything but ticks came in the present tick, and when bytes came last. */
  #hasContent = false;
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
    return this.#events?.target ?? null;
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
    return this.#events?.refused ?? 0;
  }

  /** How the sender has ended the recording; what comes behind that is not looked at. */
  get ended(): Outcome | null {
    return this.#ended;
  }

  /** The recorder has what was said of the present tick. */
  settle(): void {
    this.#events?.settle();
  }

  /** What there is goes into the store when the present tick is over; there must be a recorder. */
  commit(): void {
    this.#events!.record({ kind: "commit", value: true });
  }

  /** To be called now and then: what is due is done while no lines come, too. A tick of which no more comes is over. */
  poll(): void {
    const { recorder } = this;
    if (recorder === null) return;
    this.#goToNow();
    if (this.#hasContent && this.#now() - this.#fedAt >= TICK_OVER) {
      this.#left = recorder.tick;
      this.#goTo(recorder.tick + 1);
    }
    recorder.poll();
  }

  /** To the tick that it is by the clock; without effect when ticks come with the lines. */
  #goToNow(): void {
    if (this.#options.ticks !== "real" || this.#events === null) return;
    const now = this.#realTick + Math.floor(((this.#now() - this.#realStart) * RATE) / 1000);
    this.#goTo(Math.max(this.#events.target.tick, now));
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
        if (this.#events === null) await this.#begin(this.#parse(line));
        else this.#take(line);
      } catch (error) {
        this.#skipOrThrow(error);
      }
      if ((this.recorder?.ready ?? null) !== null) await roomIn(this.recorder!, this.#options.signal);
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
    const { recorder } = this;
    if (recorder === null) return this.#begin(line).catch((error: unknown) => this.#skipOrThrow(error));
    try {
      this.#do(line);
    } catch (error) {
      this.#skipOrThrow(error);
    }
    return recorder.ready === null ? null : roomIn(recorder, this.#options.signal);
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
        if (this.#events === null) await this.#begin(this.#parse(rest));
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
    const options = { epoch, worldId, worldVersion, dataVersion, protocol, server, metadata };
    const recorder = await this.#options.open(options);
    this.#events = new EventRecorder(recorder);
    this.#worldId = worldId ?? null;
    this.#realStart = this.#now();
    this.#realTick = recorder.tick;
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
    const { shape, isWhole } = LINES.get(key)!;
    if (count > 1 && !isWhole && this.#options.unknown === undefined)
      throw this.#error(`expected one thing in a line, found ${keysOf(line)}`);
    const value = this.#checked(isWhole ? "" : key, shape, isWhole ? line : line[key]);
    this.#perform({ kind: key, value } as CheckedLine);
    // of a header alone no tick is over: a hub may be busy with the other recordings that begin
    if (key !== "tick" && key !== "time" && key !== "simtape") this.#hasContent = true;
  }

  #perform(line: CheckedLine): void {
    try {
      this.#record(line);
    } catch (error) {
      // whatever it is, it is this line that cannot be taken
      throw this.#error(`${line.kind}: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#isFirstLine = false;
  }

  #record(line: CheckedLine): void {
    switch (line.kind) {
      case "simtape":
        this.#header(line.value);
        return;
      case "tick":
        this.#tick(line.value, this.#rate);
        return;
      case "time":
        this.#tick(line.value, 1);
        return;
      case "report":
        this.#report(line.value);
        return;
      case "end":
        this.#ended = line.value;
        return;
      default:
        this.#events!.record(line);
    }
  }

  /** What a line says, as it is to be taken. */
  #checked(key: string, shape: Shape<unknown>, value: unknown): unknown {
    const problem = problemIn(shape, value);
    if (problem === null) return value;
    const { unknown } = this.#options;
    const known = unknown === undefined ? null : withKnownFields(shape, value);
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

  #skipOrThrow(error: unknown): void {
    if (!(error instanceof LineError) || this.#options.skipped === undefined) throw error;
    this.#skip(error);
  }

  #skip(error: LineError): void {
    this.#skipped++;
    this.#options.skipped?.(error);
  }

  // ── what lines do ─────────────────────────────────────────────────────

  #header({ worldId, rate, sets }: Header): void {
    if (!this.#isFirstLine) throw new RangeError("the header is the first line");
    if (worldId !== undefined && this.#worldId !== null && worldId !== this.#worldId)
      throw new RangeError(`worldId: expected ${this.#worldId}, found ${worldId}`);
    if (sets !== undefined) this.#events!.record({ kind: "sets", value: sets });
    this.#rate = rate ?? this.#rate;
  }

  /**
   * `ticks` of the sender's own, at its rate. Its first stands for the tick that is being recorded, unless it goes on
   * where the sender before it was. Throws `RangeError` for one that is over.
   */
  #tick(ticks: number, ofSecond: number): void {
    if (this.#options.ticks === "real") return;
    const present = this.#events!.target.tick;
    const given = Math.ceil((ticks * RATE) / ofSecond - ROUNDING);
    if (!Number.isSafeInteger(given)) throw new RangeError(`expected less than 14 million years, found ${ticks}`);
    const known = this.#offset;
    const offset = known === null || (this.#isFirstTick && given + known < present) ? present - given : known;
    const tick = given + offset;
    if (tick - present > FARTHEST) throw new RangeError(`expected at most a day later than before, found ${ticks}`);
    const isLeft = tick === this.#left && tick === present - 1;
    if (tick < present && !isLeft)
      throw new RangeError(`expected ${((present - offset) * ofSecond) / RATE} or later, found ${ticks}`);
    this.#offset = offset;
    this.#isFirstTick = false;
    if (!isLeft) this.#goTo(tick);
  }

  #report(report: ReportLine): void {
    if (this.#options.report === undefined)
      throw new RangeError("only a server takes reports; a mark of the kind report stays in the recording");
    this.#options.report(report, this.#events!.target.tick / RATE);
  }

  #goTo(tick: number): void {
    if (tick === this.#events!.target.tick) return;
    this.#hasContent = false;
    this.#events!.goTo(tick);
  }
}

const NO_HEADER: Header = { simtape: 1 };

function keysOf(line: JsonLine): string {
  const keys = Object.keys(line).map((key) => JSON.stringify(key));
  return keys.length === 0 ? "nothing" : `${keys.slice(0, 8).join(", ")}${keys.length > 8 ? ", …" : ""}`;
}
