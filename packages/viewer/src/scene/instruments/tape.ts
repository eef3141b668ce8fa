import { add, numberText, put, show, write } from "./svg.ts";

export interface TapeStyle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** On which side its marks are; what it shows grows upwards, or to the right where they are at the top. */
  readonly marks: "left" | "right" | "top";
  /** Name of the clip that it is drawn within. */
  readonly clip: string;
}

/** How what is on a tape is written. */
export interface TapeScale {
  /** Length of one unit. */
  readonly unit: number;
  /** Units from a mark to the next, and how many marks until one has a number. */
  readonly step: number;
  readonly every: number;
  /** Less than this is not on it. */
  readonly least: number;
  readonly text: (value: number) => string;
}

interface Mark {
  readonly element: SVGElement;
  readonly line: SVGElement;
  readonly text: SVGElement;
}

/** A strip of marks and numbers that moves past a window with the number that it is at. */
export class Tape {
  readonly element: SVGElement;
  readonly #style: TapeStyle;
  readonly #marks: Mark[] = [];
  readonly #strip: SVGElement;
  readonly #readout: SVGElement;

  constructor(parent: Element, style: TapeStyle, name: string) {
    this.#style = style;
    const { x, y, width, height, marks } = style;
    this.element = add(parent, "g", { class: `tape-${marks}` });
    add(this.element, "rect", { class: "tape-back", x, y, width, height, rx: 4 });
    this.#strip = add(this.element, "g", { "clip-path": `url(#${style.clip})` });
    const isFlat = marks === "top";
    const window = isFlat
      ? `M${x + width / 2} ${y + 7}l5 6h17v18h-44v-18h17z`
      : marks === "right"
        ? `M${x + width - 1} ${y + height / 2}l-7 -7v-5h-45v24h45v-5z`
        : `M${x + 1} ${y + height / 2}l7 -7v-5h55v24h-55v-5z`;
    add(this.element, "path", { class: "tape-window", d: window });
    this.#readout = add(this.element, "text", {
      class: "tape-readout",
      x: isFlat ? x + width / 2 : marks === "right" ? x + width - 12 : x + 59,
      y: isFlat ? y + 22 : y + height / 2,
      "text-anchor": isFlat ? "middle" : "end",
      "dominant-baseline": "central",
      "data-instrument": name,
    });
  }

  /** At a number; null: it is not there. */
  show(value: number | null, { unit, step, every, least, text }: TapeScale, shown = text(value ?? 0)): void {
    show(this.element, value !== null);
    if (value === null) return;
    const { x, y, width, height, marks } = this.#style;
    const isFlat = marks === "top";
    const half = (isFlat ? width : height) / 2;
    const first = Math.ceil((value - half / unit) / step);
    const count = Math.floor((value + half / unit) / step) - first + 1;
    while (this.#marks.length < count) this.#marks.push(this.#mark());
    for (const [i, mark] of this.#marks.entries()) {
      const at = first + i;
      const isIn = i < count && at * step >= least;
      show(mark.element, isIn);
      if (!isIn) continue;
      const away = (at * step - value) * unit;
      const place = isFlat ? [x + half + away, y] : [marks === "right" ? x + width : x, y + half - away];
      put(mark.element, "transform", `translate(${place.map((one) => one.toFixed(2)).join(" ")})`);
      const isNumbered = at % every === 0;
      put(
        mark.line,
        "d",
        isFlat ? `M0 0v${isNumbered ? 7 : 4}` : `M0 0h${(marks === "right" ? -1 : 1) * (isNumbered ? 8 : 5)}`,
      );
      write(mark.text, isNumbered ? text(at * step) : "");
    }
    put(this.#readout, "class", marks === "right" && shown.length > 3 ? "tape-readout is-long" : "tape-readout");
    write(this.#readout, shown);
  }

  #mark(): Mark {
    const element = add(this.#strip, "g");
    const { marks } = this.#style;
    const place =
      marks === "top"
        ? { x: 0, y: 16, "text-anchor": "middle" }
        : { x: marks === "right" ? -12 : 12, y: 0, "text-anchor": marks === "right" ? "end" : "start" };
    return {
      element,
      line: add(element, "path", { class: "tape-mark" }),
      text: add(element, "text", { class: "tape-number", "dominant-baseline": "central", ...place }),
    };
  }
}

/** Knots or metres a second. */
export function speedScale(unit: string): TapeScale {
  const text = (value: number): string => String(Math.round(value));
  return unit === "kt"
    ? { unit: 1.5, step: 10, every: 2, least: 0, text }
    : { unit: 3, step: 5, every: 2, least: 0, text };
}

/** Feet or metres. */
export function heightScale(unit: string): TapeScale {
  const least = Number.NEGATIVE_INFINITY;
  return unit === "ft"
    ? { unit: 0.14, step: 100, every: 2, least, text: numberText }
    : { unit: 0.4, step: 25, every: 4, least, text: numberText };
}

const WINDS = ["N", "E", "S", "W"];

/** Tens of degrees, and the four winds. */
export const HEADINGS: TapeScale = {
  unit: 2.1,
  step: 5,
  every: 2,
  least: Number.NEGATIVE_INFINITY,
  text: (value) => {
    const degrees = ((value % 360) + 360) % 360;
    return degrees % 90 === 0 ? WINDS[degrees / 90]! : String(degrees / 10);
  },
};

/** "007": at 359.6 it is north again. */
export function headingText(degrees: number): string {
  return String(Math.round(degrees) % 360).padStart(3, "0");
}
