import { escaped } from "../model/values/markup.ts";

const WIDTH = 640;
const HEIGHT = 128;
/** Pixels of the larger side of a map. */
const MAP = 480;
const EDGE = 8;

/** A curve along the course as SVG: above the line of 0 is behind, below it ahead. Null is a gap in the curve. */
export function curveOf(
  values: readonly (number | null)[],
  splits: readonly number[],
  { least, most, label }: { readonly least: number; readonly most: number; readonly label: string },
): string {
  const span = most > least ? most - least : 1;
  const yOf = (value: number): string => fixed(EDGE + ((most - value) / span) * (HEIGHT - 2 * EDGE));
  const lines = splits.map((part) => `<path class="split" d="M${fixed(part * WIDTH)} 0V${HEIGHT}"/>`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escaped(label)}">${lines.join("")}<path class="base" d="M0 ${yOf(0)}H${WIDTH}"/><path class="curve" d="${pathOf(values, yOf)}"/></svg>`;
}

function pathOf(values: readonly (number | null)[], yOf: (value: number) => string): string {
  let path = "";
  let isDown = false;
  for (const [i, value] of values.entries()) {
    if (value !== null) path += `${isDown ? "L" : "M"}${fixed((i / (values.length - 1)) * WIDTH)} ${yOf(value)}`;
    isDown = value !== null;
  }
  return path;
}

/**
 * The course from above as SVG: red where the gap grows, green where it shrinks, as strong as it does. `places`: three
 * numbers for each value of `gap`.
 */
export function mapOf(places: readonly number[], gap: readonly (number | null)[], label: string): string {
  const [least, most] = extentOf(places);
  const scale = (MAP - 2 * EDGE) / Math.max(most[0] - least[0], most[1] - least[1], 1e-9);
  const xOf = (i: number): string => fixed(EDGE + (places[3 * i]! - least[0]) * scale);
  const yOf = (i: number): string => fixed(EDGE + (most[1] - places[3 * i + 1]!) * scale);
  const [width, height] = [0, 1].map((k) => fixed((most[k]! - least[k]!) * scale + 2 * EDGE));
  const changes = gap.map((value, i) => (i === 0 || value === null ? null : value - (gap[i - 1] ?? value)));
  const strongest = changes.reduce<number>((found, change) => Math.max(found, Math.abs(change ?? 0)), 0);
  const parts: string[] = [];
  let last = "";
  for (let i = 1; i < gap.length; i++) {
    const kind = kindOf(changes[i]!, strongest);
    if (kind === last) parts[parts.length - 1] += `L${xOf(i)} ${yOf(i)}`;
    else parts.push(`<path class="${kind}" d="M${xOf(i - 1)} ${yOf(i - 1)}L${xOf(i)} ${yOf(i)}`);
    last = kind;
  }
  const begin = `<circle class="begin" cx="${xOf(0)}" cy="${yOf(0)}" r="5"/>`;
  return `<svg class="map" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">${parts.map((part) => `${part}"/>`).join("")}${begin}</svg>`;
}

/** What less than a tenth of the strongest change is, is level. */
function kindOf(change: number | null, strongest: number): string {
  if (change === null) return "way unknown";
  const part = strongest === 0 ? 0 : Math.abs(change) / strongest;
  if (part < 0.1) return "way level";
  return `way ${change > 0 ? "lost" : "won"}${part > 0.5 ? " much" : ""}`;
}

function extentOf(places: readonly number[]): readonly [least: [number, number], most: [number, number]] {
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const most: [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < places.length; i += 3)
    for (const k of [0, 1] as const) {
      least[k] = Math.min(least[k], places[i + k]!);
      most[k] = Math.max(most[k], places[i + k]!);
    }
  return [least, most];
}

function fixed(value: number): string {
  return String(Number(value.toFixed(2)));
}
