import type { Line } from "../capture/capture.ts";
import type { Course } from "../ghosts/course.ts";
import type { Opponents } from "../ghosts/opponents.ts";
import { Passage, type Passed } from "../ghosts/passage.ts";
import type { Point } from "../ghosts/box.ts";
import { type FinishedRun, KeptRun } from "./kept-run.ts";

export interface RunnerOptions {
  readonly course: Course;
  /** What the runner races against; null: its client cannot be shown ghosts, or not yet. */
  readonly opponents: () => Opponents | null;
  /** Writes a mark into the recording of the world, at the tick of what was said last. */
  readonly mark: (line: Line) => void;
  /** The tick that it is now. */
  readonly tick: () => number;
  /** The player has finished. */
  readonly finished: (run: FinishedRun) => void;
}

/**
 * One player on a course: its own moves say when a run begins, passes checkpoints and ends. That is marked in the
 * recording of the world, raced against ghosts, and kept as a run when it was finished.
 */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #passage: Passage;
  readonly #run = new KeptRun();
  #at: Point | null = null;
  #startedAt = 0;
  #startTick = 0;
  /** Whether ghosts are on their way; they may be longer than the runner. */
  #isRacing = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#passage = new Passage(options.course);
  }

  /** A line of the player's own, which was said in the dimension of the course at that tick. */
  says(line: Line, tick: number): void {
    this.#run.hear(line, tick);
    const [word, told] = Object.entries(line)[0] as [string, { id?: number; at?: Point }];
    if (told.at === undefined || told.id === undefined) return;
    this.#at = told.at;
    for (const passed of this.#passage.step(told.at, word !== "move")) this.#pass(passed, told.id, tick);
  }

  /** To be called in each tick. */
  advance(): void {
    const opponents = this.#options.opponents();
    if (this.#isRacing && this.#at !== null) opponents?.show(this.#options.tick() - this.#startTick, this.#at);
    else opponents?.hide();
  }

  /** The player has left the dimension of the course, or the game. */
  leave(): void {
    this.#at = null;
    this.#passage.leave();
    this.#giveUp();
  }

  #pass(passed: Passed, id: number, now: number): void {
    const opponents = this.#options.opponents();
    if (passed === "ready") {
      this.#giveUp();
      opponents?.refresh();
    } else if (passed === "start") {
      this.#startedAt = performance.now();
      this.#run.begin(now);
      this.#startTick = now;
      this.#mark(id, "start", "Start", now);
      this.#isRacing = true;
      this.advance();
    } else if (passed === "finish") {
      const durationMs = Math.round(performance.now() - this.#startedAt);
      this.#mark(id, "end", "Finish", now);
      opponents?.finish(now - this.#startTick);
      const lines = this.#run.finish();
      if (lines !== null) this.#options.finished({ lines, durationMs, ticks: now - this.#startTick });
    } else {
      const { checkpoint } = passed;
      this.#mark(id, "checkpoint", `Checkpoint ${checkpoint}`, now);
      opponents?.split(checkpoint, now - this.#startTick);
    }
  }

  #mark(id: number, kind: string, label: string, tick: number): void {
    const line = { mark: { id, kind, label } };
    this.#options.mark(line);
    this.#run.mark(line, tick);
  }

  #giveUp(): void {
    this.#isRacing = false;
    this.#run.drop();
    this.#options.opponents()?.hide();
  }
}
