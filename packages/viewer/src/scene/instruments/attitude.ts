import { add, put, show } from "./svg.ts";

/** Where the horizon is level, and its half width and height. */
const [X, Y, WIDE, HIGH] = [150, 84, 88, 80];
/** For one degree of pitch. */
const DEGREE = 3;
/** The arc of the bank, and degrees at which it has marks. */
const RADIUS = 66;
const BANKS = [10, 20, 30, 45, 60];
/** The ball moves so far for one of its widths, and at most. */
const [BALL, MOST] = [14, 24];

/** The artificial horizon with its ladder, the bank and the ball. */
export class Attitude {
  readonly #element: SVGElement;
  readonly #turning: SVGElement;
  readonly #world: SVGElement;
  readonly #pointer: SVGElement;
  readonly #ball: SVGElement;

  constructor(parent: Element, clip: string) {
    this.#element = add(parent, "g");
    const within = add(this.#element, "g", { "clip-path": `url(#${clip})` });
    const middle = add(within, "g", { transform: `translate(${X} ${Y})` });
    this.#turning = add(middle, "g");
    this.#world = add(this.#turning, "g");
    // Straight up is 90 degrees above the horizon, and the corners are farther away than the sides.
    add(this.#world, "rect", { x: -200, y: -500, width: 400, height: 500, fill: "#3a7fc4" });
    add(this.#world, "rect", { x: -200, y: 0, width: 400, height: 500, fill: "#7d5a33" });
    add(this.#world, "path", { d: "M-200 0H200", stroke: "#fff", "stroke-width": 1.6 });
    for (let pitch = -90; pitch <= 90; pitch += 5) if (pitch !== 0) this.#rung(pitch);
    const scale = add(middle, "g", { stroke: "#fff", "stroke-width": 1.6, fill: "none" });
    for (const bank of BANKS.flatMap((one) => [-one, one])) {
      const length = bank % 30 === 0 ? 9 : 5;
      add(scale, "path", { d: `M0 ${-RADIUS}v${-length}`, transform: `rotate(${bank})` });
    }
    add(middle, "path", { d: `M0 ${-RADIUS - 1}l-5 -9h10z`, fill: "#fff" });
    const bank = add(middle, "g");
    this.#pointer = bank;
    add(bank, "path", { d: `M0 ${-RADIUS + 1}l-6 9h12z`, fill: "#ffd43b" });
    this.#ball = add(bank, "path", { d: `M-7 ${-RADIUS + 12}h14l1 5h-16z`, fill: "#ffd43b" });
    // The aircraft, which stays where it is.
    const plane = add(middle, "g", { fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" });
    for (const [stroke, width] of [
      ["#20242a", 6],
      ["#ffd43b", 3],
    ] as const)
      add(plane, "path", { d: "M-54 0H-24V7M54 0H24V7M-1 0H1", stroke, "stroke-width": width });
  }

  /** Degrees; the ball in widths of it. Null: it is not there. */
  show(attitude: { readonly roll: number; readonly pitch: number } | null, slip: number | null): void {
    show(this.#element, attitude !== null);
    show(this.#ball, slip !== null);
    if (attitude === null) return;
    const { roll, pitch } = attitude;
    put(this.#turning, "transform", `rotate(${(-roll).toFixed(2)})`);
    put(this.#world, "transform", `translate(0 ${(pitch * DEGREE).toFixed(2)})`);
    put(this.#pointer, "transform", `rotate(${(-roll).toFixed(2)})`);
    if (slip !== null) {
      const aside = Math.max(-MOST, Math.min(MOST, slip * BALL));
      put(this.#ball, "transform", `translate(${aside.toFixed(2)} 0)`);
    }
  }

  #rung(pitch: number): void {
    const isNumbered = pitch % 10 === 0;
    const half = isNumbered ? 24 : 11;
    const y = -pitch * DEGREE;
    const below = pitch < 0 ? { "stroke-dasharray": "5 3" } : {};
    add(this.#world, "path", { d: `M${-half} ${y}H${half}`, stroke: "#fff", "stroke-width": 1.2, ...below });
    if (!isNumbered) return;
    for (const side of [-1, 1]) {
      add(this.#world, "text", {
        class: "ladder",
        x: side * (half + 10),
        y,
        "text-anchor": "middle",
        "dominant-baseline": "central",
      }).textContent = String(Math.abs(pitch));
    }
  }
}

/** What it is drawn within. */
export const FACE = { x: X - WIDE, y: Y - HIGH, width: 2 * WIDE, height: 2 * HIGH, rx: 6 };
