import type { State } from "simtape";
import type { Course } from "../ways/course.ts";
import type { Origin } from "../things/origin.ts";
import type { Spot } from "../things/pick.ts";
import { Attitude, FACE } from "./attitude.ts";
import { type Flight, flightOf, type Gauge } from "./flight.ts";
import { add, numberText, put, show, write } from "./svg.ts";
import { HEADINGS, headingText, heightScale, speedScale, Tape } from "./tape.ts";

const [WIDE, HIGH] = [356, 206];
const SPEED = { x: 4, y: FACE.y, width: 54, height: FACE.height };
const HEIGHT = { x: 242, y: FACE.y, width: 62, height: FACE.height };
const HEADING = { x: FACE.x, y: FACE.y + FACE.height + 4, width: FACE.width, height: 34 };
const CLIMB = { x: 308, y: FACE.y, width: 44, height: FACE.height };
/** At the ends of its scale. */
const STEEPEST = { "ft/min": 2000, "m/s": 10 } as const;
const MIDDLE = FACE.y + FACE.height / 2;

/** Of names within a page: several scenes may have instruments. */
let made = 0;

/**
 * The primary flight instruments of what is looked at, over the picture: airspeed, attitude with bank and ball, altitude,
 * vertical speed and heading. Those of which nothing is known are left out.
 */
export class Instruments {
  readonly element: HTMLElement = document.createElement("div");
  readonly #title: SVGElement;
  readonly #attitude: Attitude;
  readonly #speed: Tape;
  readonly #height: Tape;
  readonly #heading: Tape;
  readonly #climb: { readonly all: SVGElement; readonly line: SVGElement; readonly text: SVGElement };
  readonly #feet: Readonly<Record<"speed" | "altitude" | "climb", Foot>>;

  constructor() {
    this.element.className = "scene-instruments";
    const picture = add(this.element, "svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
    this.#title = add(picture, "title");
    const defs = add(picture, "defs");
    made++;
    const clip = (name: string, rect: Readonly<Record<string, number>>): string => {
      const id = `instruments-${made}-${name}`;
      add(add(defs, "clipPath", { id }), "rect", rect);
      return id;
    };
    this.#attitude = new Attitude(picture, clip("face", FACE));
    this.#speed = new Tape(picture, { ...SPEED, marks: "right", clip: clip("speed", SPEED) }, "speed");
    this.#height = new Tape(picture, { ...HEIGHT, marks: "left", clip: clip("height", HEIGHT) }, "altitude");
    this.#heading = new Tape(picture, { ...HEADING, marks: "top", clip: clip("heading", HEADING) }, "heading");
    this.#climb = climbIn(picture);
    this.#feet = { speed: footOf(picture, SPEED), altitude: footOf(picture, HEIGHT), climb: footOf(picture, CLIMB) };
  }

  /** Of the thing, as it is recorded; null: of none. */
  show(spot: Spot | null, recorded: State | null, shown: State | null, course: Course | null, origin: Origin): void {
    const isFlying = spot?.crowd.flies === true && recorded !== null && shown !== null;
    const flight = isFlying
      ? flightOf(spot.crowd.set, spot.crowd.poses.ids[spot.row]!, recorded, shown, course, origin)
      : null;
    this.element.hidden = flight === null || Object.values(flight).every((part) => part === null);
    if (flight !== null) this.#draw(flight);
  }

  #draw({ attitude, heading, speed, altitude, climb, slip }: Flight): void {
    this.#attitude.show(attitude, slip);
    this.#speed.show(speed?.value ?? null, speedScale(speed?.unit ?? "kt"));
    this.#height.show(altitude?.value ?? null, heightScale(altitude?.unit ?? "ft"));
    this.#heading.show(heading, HEADINGS, headingText(heading ?? 0));
    this.#drawClimb(climb);
    const gauges = { speed, altitude, climb };
    for (const name of ["speed", "altitude", "climb"] as const) {
      const [gauge, foot] = [gauges[name], this.#feet[name]];
      show(foot.all, gauge !== null);
      write(foot.unit, gauge?.unit ?? "");
      write(foot.short, gauge?.short ?? "");
    }
    const names = Object.values(gauges).flatMap((gauge) => (gauge === null ? [] : [`${gauge.words} (${gauge.unit})`]));
    const all = [...(attitude === null ? [] : ["attitude"]), ...names, ...(heading === null ? [] : ["heading (°)"])];
    write(this.#title, `Flight instruments: ${all.join(", ")}`);
  }

  #drawClimb(climb: Gauge | null): void {
    const { all, line, text } = this.#climb;
    show(all, climb !== null);
    if (climb === null) return;
    const most = STEEPEST[climb.unit === "m/s" ? "m/s" : "ft/min"];
    const part = Math.max(-1, Math.min(1, climb.value / most));
    const y = MIDDLE - part * (CLIMB.height / 2 - 12);
    put(line, "d", `M${CLIMB.x + 12} ${y.toFixed(2)}L${CLIMB.x + CLIMB.width} ${MIDDLE}`);
    // Beside the end of the needle, where it is not in the way.
    put(text, "y", (climb.value >= 0 ? MIDDLE + 40 : MIDDLE - 40).toFixed(2));
    write(text, climb.unit === "m/s" ? climb.value.toFixed(1).replace("-", "−") : numberText(climb.value));
  }
}

interface Foot {
  readonly all: SVGElement;
  readonly unit: SVGElement;
  readonly short: SVGElement;
}

/** Below a tape: its unit, and what it shows. */
function footOf(picture: Element, { x, width }: typeof SPEED): Foot {
  const all = add(picture, "g");
  add(all, "rect", { class: "tape-back", x, y: HEADING.y, width, height: HEADING.height, rx: 4 });
  const line = (y: number): SVGElement =>
    add(all, "text", { class: "foot", x: x + width / 2, y: HEADING.y + y, "text-anchor": "middle" });
  return { all, unit: line(14), short: line(27) };
}

function climbIn(picture: Element): { all: SVGElement; line: SVGElement; text: SVGElement } {
  const all = add(picture, "g");
  const { x, y, width, height } = CLIMB;
  add(all, "rect", { class: "tape-back", x, y, width, height, rx: 4 });
  for (let mark = -4; mark <= 4; mark++) {
    const at = MIDDLE - (mark / 4) * (height / 2 - 12);
    add(all, "path", { class: "tape-mark", d: `M${x} ${at}h${mark % 2 === 0 ? 8 : 5}` });
  }
  return {
    all,
    line: add(all, "path", { class: "needle" }),
    text: add(all, "text", {
      class: "climb",
      x: x + width / 2 + 2,
      "text-anchor": "middle",
      "dominant-baseline": "central",
      "data-instrument": "climb",
    }),
  };
}
