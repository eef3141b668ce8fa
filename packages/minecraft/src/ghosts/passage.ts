import type { Point } from "./box.ts";
import type { Course } from "./course.ts";

/** A result of a runner's step: `checkpoint` with its number, from 1 on. */
export type Passed = "ready" | "start" | "finish" | { readonly checkpoint: number };

/** The progress of a runner on a course: it waits for the start, or is on the way to the next checkpoint. */
export class Passage {
  readonly #course: Pick<Course, "checkpoints" | "finish"> & { readonly start: Course["start"] | null };
  #at: Point | null = null;
  #isReady = false;
  /** Checkpoints that were passed; null: it is not running. */
  #behind: number | null = null;

  /** Without a start box, a run never begins by itself, and is never given up. */
  constructor(course: Pick<Course, "checkpoints" | "finish"> & { readonly start: Course["start"] | null }) {
    this.#course = course;
  }

  get isRunning(): boolean {
    return this.#behind !== null;
  }

  /** The run starts here. */
  begin(at: Point): void {
    this.#at = at;
    this.#isReady = false;
    this.#behind = 0;
  }

  /** The runner has no position, and is not running. */
  leave(): void {
    this.#at = null;
    this.#isReady = false;
    this.#behind = null;
  }

  /**
   * A step to a position. `isJump`: the runner did not touch anything on the way there. Returns its results, in order.
   */
  step(to: Point, isJump: boolean): Passed[] {
    const from = isJump ? to : (this.#at ?? to);
    this.#at = to;
    const { start } = this.#course;
    if (start?.has(to) === true) {
      // a runner who stands there is ready only once
      const wasReady = this.#isReady;
      this.#isReady = true;
      this.#behind = null;
      return wasReady ? [] : ["ready"];
    }
    const passed: Passed[] = [];
    if (this.#isReady && !isJump) {
      this.#behind = 0;
      passed.push("start");
    }
    this.#isReady = false;
    if (this.#behind !== null) this.#pass(from, to, passed);
    return passed;
  }

  /** One step may pass several checkpoints. */
  #pass(from: Point, to: Point, passed: Passed[]): void {
    const { checkpoints, finish } = this.#course;
    while (this.#behind! < checkpoints.length && checkpoints[this.#behind!]!.isCrossed(from, to)) {
      this.#behind!++;
      passed.push({ checkpoint: this.#behind! });
    }
    if (this.#behind! < checkpoints.length || !finish.isCrossed(from, to)) return;
    this.#behind = null;
    passed.push("finish");
  }
}
