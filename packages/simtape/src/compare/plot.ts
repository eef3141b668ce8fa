import type { Time } from "../model/values/time.ts";
import { escaped } from "../model/values/markup.ts";

const WIDTH = 640;
const HEIGHT = 96;

/** What a plot shows: the greatest error of each part of a range. */
export interface Plotted {
  readonly curve: readonly number[];
  readonly start: Time;
  readonly end: Time;
  /** Times that are marked: the first difference, the greatest error. */
  readonly marks: readonly { readonly time: Time; readonly kind: "first" | "max" }[];
  /** In words, for those who do not see it. */
  readonly label: string;
}

/** A curve of steps as SVG, in the colours of the page. */
export function plotOf({ curve, start, end, marks, label }: Plotted): string {
  const most = curve.reduce((found, part) => Math.max(found, part), 0);
  const width = WIDTH / curve.length;
  const heightOf = (part: number): number => (most === 0 ? 0 : (part / most) * (HEIGHT - 4));
  // what is not 0 is seen
  const bars = curve.flatMap((part, i) =>
    part > 0
      ? [`M${fixed(i * width)} ${HEIGHT}V${fixed(HEIGHT - Math.max(1.5, heightOf(part)))}h${fixed(width)}V${HEIGHT}z`]
      : [],
  );
  const placeOf = (time: Time): number => (end > start ? ((time - start) / (end - start)) * WIDTH : 0);
  const lines = marks.map(({ time, kind }) => `<path class="mark ${kind}" d="M${fixed(placeOf(time))} 0V${HEIGHT}"/>`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escaped(label)}"><path class="base" d="M0 ${HEIGHT}H${WIDTH}"/><path class="bars" d="${bars.join("")}"/>${lines.join("")}</svg>`;
}

function fixed(value: number): string {
  return String(Number(value.toFixed(2)));
}
