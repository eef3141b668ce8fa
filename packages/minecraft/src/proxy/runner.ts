import type { LiveEvent, LiveEventOf } from "simtape/record";
import type { Course } from "../ghosts/course.ts";
import type { Opponents } from "../ghosts/opponents.ts";
import { Passage, type Passed } from "../ghosts/passage.ts";
import type { Point } from "../ghosts/box.ts";
import { type FinishedRun, KeptRun } from "./kept-run.ts";

export interface RunnerOptions {
  readonly course: Course;
  /** The ghosts of the runner; null: its client cannot show ghosts, or not yet. */
  readonly opponents: () => Opponents | null;
  /** Writes a mark into the recording of the world, at the tick of the last event. */
  readonly mark: (event: LiveEvent) => void;
  /** Milliseconds since tick 0 of the world began. */
  readonly elapsed: () => number;
  /** The player has finished. */
  readonly finished: (run: FinishedRun) => void;
}

type Id = LiveEventOf<"join">["value"]["id"];
type Mark = Required<LiveEventOf<"mark">["value"]>;

/** Milliseconds. */
const TICK = 50;
/** What a time may lack of a full tick because of rounding. */
const ROUNDING = 1e-3;

/**
 * One player on a course: its moves show when a run begins, passes checkpoints and ends. A run is marked in the
 * recording of the world, raced against ghosts, and saved when it is finished.
 */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #passage: Passage;
  readonly #run = new KeptRun();
  #at: Point | null = null;
  /** When the run started: milliseconds since tick 0 of the world, and the tick of the world. */
  #startedAt = 0;
  #startTick = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether ghosts are running; they may run longer than the runner. */
  #isRacing = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#passage = new Passage(options.course);
    this.#wait();
  }

  /** Adds an event of the player in the dimension of the course, at that tick. */
  says(event: LiveEvent, tick: number): void {
    this.#run.hear(event, tick);
    if (event.kind !== "join" && event.kind !== "move" && event.kind !== "teleport") return;
    const { id, at } = event.value;
    if (at === undefined) return;
    this.#at = at;
    for (const passed of this.#passage.step(at, event.kind !== "move")) this.#pass(passed, id, tick);
  }

  /**
   * Moves the ghosts to the same time after their start: ticks of a run begin with the run, not with those of the
   * world.
   */
  #advance(): void {
    const opponents = this.#options.opponents();
    const ticks = Math.floor((this.#elapsed + ROUNDING) / TICK);
    if (this.#isRacing && this.#at !== null) opponents?.show(ticks, this.#at);
    else opponents?.hide();
    this.#wait();
  }

  /** Milliseconds until the next tick of the run. */
  #wait(): void {
    clearTimeout(this.#timer);
    const passed = (this.#elapsed + ROUNDING) % TICK;
    this.#timer = setTimeout(() => this.#advance(), Math.ceil(TICK - passed));
  }

  /** Milliseconds of the run. */
  get #elapsed(): number {
    return this.#options.elapsed() - this.#startedAt;
  }

  /** The player has left the dimension of the course, or the game. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#at = null;
    this.#passage.leave();
    this.#giveUp();
  }

  #pass(passed: Passed, id: Id, now: number): void {
    const opponents = this.#options.opponents();
    if (passed === "ready") {
      this.#giveUp();
      opponents?.refresh();
    } else if (passed === "start") {
      this.#startedAt = this.#options.elapsed();
      this.#run.begin(now);
      this.#startTick = now;
      this.#mark(id, "start", "Start", now);
      this.#isRacing = true;
      this.#advance();
    } else if (passed === "finish") {
      const durationMs = Math.round(this.#elapsed);
      this.#mark(id, "end", "Finish", now);
      opponents?.finish(now - this.#startTick);
      const events = this.#run.finish();
      if (events !== null)
        this.#options.finished({ events, durationMs, start: this.#startTick, ticks: now - this.#startTick });
    } else {
      const { checkpoint } = passed;
      this.#mark(id, "checkpoint", `Checkpoint ${checkpoint}`, now);
      opponents?.split(checkpoint, now - this.#startTick);
    }
  }

  #mark(id: Id, kind: Mark["kind"], label: string, tick: number): void {
    const event: LiveEvent = { kind: "mark", value: { id, kind, label } };
    this.#options.mark(event);
    this.#run.mark(event, tick);
  }

  #giveUp(): void {
    this.#isRacing = false;
    this.#run.drop();
    this.#options.opponents()?.hide();
  }
}
