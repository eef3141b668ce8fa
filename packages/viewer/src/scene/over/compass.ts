import { type Axes, transformOf } from "simtape";
import { type Matrix4, Quaternion, Vector3 } from "three";
import { turnVectorUp } from "../drawing/y-up.ts";

const SVG = "http://www.w3.org/2000/svg";
/** Half the height of the picture, and how long an axis is that lies across the view; its name stands behind its end. */
const HALF = 36;
const LENGTH = 23;
const NAME = 31;
const COLORS = ["#d6453d", "#2f9e44", "#3b7dd8"] as const;

/** An axis in the scene: what it is called, and where it points. */
export interface Axis {
  readonly name: string;
  readonly direction: Vector3;
}

/** Where the axes of a set point, whose places are in `frame`. On the earth they are called after its directions. */
export function axesOf(axes: Axes | null, frame: Matrix4): Axis[] {
  const isGeodetic = axes?.kind === "geodetic";
  const transform = transformOf(axes);
  return [0, 1, 2].map((i) => {
    const unit = [0, 1, 2].map((k) => (k === i ? 1 : 0)) as [number, number, number];
    const out: [number, number, number] = [...unit];
    if (!isGeodetic) transform.vector(...unit, out, 0);
    turnVectorUp(out, 0);
    const direction = new Vector3(...out).transformDirection(frame);
    return { name: (isGeodetic ? ["E", "N", "up"] : ["x", "y", "z"])[i]!, direction };
  });
}

/** Where the recording's axes point, as the camera sees them; north where they are those of the earth. */
export class Compass {
  readonly element: SVGSVGElement = document.createElementNS(SVG, "svg");
  readonly #parts = COLORS.map((color) => new Arm(color));
  #drawn = "";

  constructor() {
    this.element.setAttribute("viewBox", `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`);
    this.element.setAttribute("class", "scene-compass");
    this.element.setAttribute("role", "img");
    this.element.append(...this.#parts.map(({ element }) => element));
  }

  /** `view`: how the camera is turned. */
  show(axes: readonly Axis[], view: Quaternion): void {
    TURN.copy(view).invert();
    const ends = axes.map(({ name, direction }) => {
      const { x, y, z } = SEEN.copy(direction).applyQuaternion(TURN);
      return { name, x, y, z };
    });
    const drawn = ends
      .map(({ name, x, y, z }) => `${name} ${[x, y, z].map((part) => part.toFixed(2)).join(" ")}`)
      .join();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    for (const [i, { name, x, y, z }] of ends.entries()) this.#parts[i]!.show(name, x, y, z);
    // The nearest is drawn over the others.
    const order = [...this.#parts].sort((a, b) => a.depth - b.depth);
    this.element.append(...order.map(({ element }) => element));
    const words = axes.some(({ name }) => name === "N") ? "North, east and up" : "Axes x, y and z";
    if (this.element.getAttribute("aria-label") !== words) this.element.setAttribute("aria-label", words);
  }
}

/** An axis that is seen shorter than so much of its length has no name. */
const SHORT = 0.25;

class Arm {
  readonly element = document.createElementNS(SVG, "g");
  readonly #line = document.createElementNS(SVG, "line");
  readonly #text = document.createElementNS(SVG, "text");
  readonly #color: string;
  /** Towards the viewer. */
  depth = 0;

  constructor(color: string) {
    this.#color = color;
    this.#line.setAttribute("stroke-width", "3");
    this.#line.setAttribute("stroke-linecap", "round");
    this.element.append(this.#line, this.#text);
  }

  show(name: string, x: number, y: number, z: number): void {
    this.depth = z;
    this.#line.setAttribute("x2", (LENGTH * x).toFixed(1));
    this.#line.setAttribute("y2", (-LENGTH * y).toFixed(1));
    this.#line.setAttribute("stroke", this.#colorOf(name));
    this.#line.setAttribute("opacity", z < -0.2 ? "0.55" : "1");
    this.#text.setAttribute("x", (NAME * x).toFixed(1));
    this.#text.setAttribute("y", (-NAME * y).toFixed(1));
    // one that looks at the viewer would lie on the others
    this.#text.setAttribute("visibility", Math.hypot(x, y) < SHORT ? "hidden" : "visible");
    if (this.#text.textContent !== name) this.#text.textContent = name;
  }

  /** On the earth only north has one: it is what one looks for. */
  #colorOf(name: string): string {
    if (name === "N") return COLORS[0];
    return name === "E" || name === "up" ? "currentColor" : this.#color;
  }
}

const TURN = new Quaternion();
const SEEN = new Vector3();
