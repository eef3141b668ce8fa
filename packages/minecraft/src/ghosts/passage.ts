import type { Point } from "./box.ts";
import type { Course } from "./course.ts";

/** What a step of a runner is: `checkpoint` with its number, from 1 on. */
export type Passed = "ready" | "start" | "finish" | { readonly checkpoint: number };

/** Where a runner is on a course: waiting to begin, or on the way to the next checkpoint. */
export class Passage {
  readonly #course: Pick<Course, "checkpoints" | "finish"> & { readonly start: Course["start"] | null };
  #at: Point | null = null;
  #isReady = false;
  /** Checkpoints that are behind; null: it does not run. */
  #behind: number | null = null;

  /** Without a start it never begins by itself, and never gives up. */
  constructor(course: Pick<Course, "checkpoints" | "finish"> & { readonly start: Course["start"] | null }) {
    this.#course = course;
  }

  get isRunning(): boolean {
    return this.#behind !== null;
  }

  /** It runs from here. */
  begin(at: Point): void {
    this.#at = at;
    this.#isReady = false;
    this.#behind = 0;
  }

  /** It is nowhere, and does not run. */
  leave(): void {
    this.#at = null;
    this.#isReady = false;
    this.#behind = null;
  }

  /** A step to a place. `isJump`: nothing on the way there was touched. What has come of it, in order. */
  step(to: Point, isJump: boolean): Passed[] {
    const from = isJump ? to : (this.#at ?? to);
    this.#at = to;
    const { start } = this.#course;
    if (start?.has(to) === true) {
      // who stands there is ready once
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

  /** Several may be passed in one step. */
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
