import { posesOf, type State, standardAxes, transformOf } from "simtape";
import type { Spot } from "../things/pick.ts";
import { type Reading, readingText } from "../presenters/readings.ts";

/** Pixels of the horizon per degree of pitch. */
const PITCH = 1.1;
const DEGREE = Math.PI / 180;
const FLYING = transformOf(standardAxes("right", "z", "geodetic"));
/** Quaternion, then roll, pitch and heading. */
const ATTITUDE: [number, number, number, number] = [0, 0, 0, 0];
const SVG = "http://www.w3.org/2000/svg";

/** Of what is looked at, beside the picture: some numbers, and an aircraft's horizon. */
export class Hud {
  readonly element: HTMLElement = document.createElement("div");
  readonly #name = document.createElement("h3");
  readonly #list = document.createElement("dl");
  readonly #horizon = new Horizon();

  constructor() {
    this.element.className = "scene-hud";
    this.#list.setAttribute("aria-live", "off");
    this.element.append(this.#name, this.#horizon.element, this.#list);
  }

  /** Every number as it is now. */
  write(name: string, readings: readonly Reading[]): void {
    this.element.hidden = readings.length === 0;
    if (this.#name.textContent !== name) this.#name.textContent = name;
    this.#name.hidden = name === "";
    while (this.#list.childElementCount > readings.length) this.#list.lastElementChild?.remove();
    for (const [i, reading] of readings.entries()) {
      const line = (this.#list.children[i] ?? this.#list.appendChild(lineElement())) as HTMLElement;
      for (const [k, text] of [reading.label, readingText(reading), reading.unit].entries()) {
        const part = line.children[k]!;
        if (part.textContent !== text) part.textContent = text;
      }
      const { label, value, full } = reading;
      line.dataset["bar"] = full === undefined ? "" : label;
      if (full !== undefined) line.style.setProperty("--part", String(Math.min(1, Number(value) / full)));
    }
  }

  /** Roll and pitch, for things that fly. */
  lean(spot: Spot | null, state: State | null): void {
    const set = spot === null ? undefined : state?.sets.get(spot.crowd.set);
    const columns = set !== undefined && spot!.crowd.flies ? posesOf(set) : null;
    if (columns?.orientation(spot!.row, ATTITUDE, 0) === true) FLYING.anglesBack(...ATTITUDE, DEGREE, ATTITUDE, 0);
    else ATTITUDE.fill(Number.NaN);
    this.#horizon.show(ATTITUDE[0], ATTITUDE[1]);
  }
}

/** The artificial horizon: turns against the roll, and goes down when the nose goes up. */
class Horizon {
  readonly element = document.createElementNS(SVG, "svg");
  readonly #world: SVGElement;

  constructor() {
    this.element.setAttribute("viewBox", "-40 -40 80 80");
    this.element.setAttribute("class", "scene-horizon");
    this.element.setAttribute("aria-hidden", "true");
    this.element.innerHTML =
      '<clipPath id="scene-horizon-clip"><circle r="37"/></clipPath><g clip-path="url(#scene-horizon-clip)"><g>' +
      '<rect x="-90" y="-180" width="180" height="180" fill="#4a90d0"/><rect x="-90" width="180" height="180" fill="#8a6134"/>' +
      '<path d="M-90 0H90M-9 -11H9M-16 -22H16M-9 -33H9M-9 11H9M-16 22H16M-9 33H9" stroke="#fff" stroke-width="1"/></g></g>' +
      '<circle r="37" fill="none" stroke="#2b3238" stroke-width="4"/>' +
      '<path d="M-24 0H-9L-5 5M24 0H9L5 5M-1.5 0H1.5" fill="none" stroke="#ffd43b" stroke-width="3" stroke-linecap="round"/>' +
      '<path d="M0 -34l-3.5 6h7z" fill="#ffd43b"/>';
    this.#world = this.element.querySelector<SVGElement>("g > g")!;
  }

  /** Degrees; NaN: there is none. */
  show(roll: number, pitch: number): void {
    const isKnown = Number.isFinite(roll + pitch);
    this.element.style.display = isKnown ? "" : "none";
    if (isKnown) {
      const down = Math.max(-30, Math.min(30, pitch)) * PITCH;
      this.#world.setAttribute("transform", `rotate(${-roll}) translate(0 ${down})`);
    }
  }
}

function lineElement(): HTMLElement {
  const line = document.createElement("div");
  line.append(document.createElement("dt"), document.createElement("dd"), document.createElement("dd"));
  return line;
}
