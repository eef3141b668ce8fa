import { metresPer, metresPerSecond } from "simtape";

/** A number with its unit; null: it has the unit of the value that it is compared with. */
export interface Measure {
  readonly number: number;
  readonly unit: string | null;
}

/** Factor from a unit to the base unit of its kind. */
interface Meaning {
  readonly kind: string;
  readonly factor: number;
}

const OTHERS: Readonly<Record<string, Meaning>> = {
  nmi: { kind: "length", factor: 1852 },
  in: { kind: "length", factor: 0.0254 },
  mi: { kind: "length", factor: 1609.344 },
  kt: { kind: "speed", factor: 1852 / 3600 },
  kts: { kind: "speed", factor: 1852 / 3600 },
  mph: { kind: "speed", factor: 0.44704 },
  kmh: { kind: "speed", factor: 1 / 3.6 },
  rad: { kind: "angle", factor: 180 / Math.PI },
  deg: { kind: "angle", factor: 1 },
  "°": { kind: "angle", factor: 1 },
  "rad/s": { kind: "turn", factor: 180 / Math.PI },
  "deg/s": { kind: "turn", factor: 1 },
  s: { kind: "time", factor: 1 },
  ms: { kind: "time", factor: 1e-3 },
  ps: { kind: "time", factor: 1e-12 },
  min: { kind: "time", factor: 60 },
  h: { kind: "time", factor: 3600 },
};

/** `3,000 ft`, `-12.5`, `80 km/h`. Null when the text is not a number with a unit. */
export function measureOf(text: string): Measure | null {
  const found = /^\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\S.*)?$/i.exec(text);
  if (found === null || !/\d/.test(found[1]!)) return null;
  const number = Number(found[1]!.replaceAll(",", ""));
  return Number.isFinite(number) ? { number, unit: found[2]?.trim() ?? null } : null;
}

/**
 * Seconds in an amount of a unit of time, which is given by its symbol or its name: `30 s`, `2 minutes`. Null when the
 * text is not a time.
 */
export function secondsOf(number: string, unit: string): number | null {
  const word = unit.toLowerCase();
  const short = /^(?:s|sec|seconds?)$/.test(word)
    ? "s"
    : /^(?:m|min|minutes?)$/.test(word)
      ? "min"
      : /^(?:h|hours?)$/.test(word)
        ? "h"
        : word;
  const meaning = meaningOf(short);
  const measure = measureOf(number);
  return measure === null || meaning?.kind !== "time" ? null : measure.number * meaning.factor;
}

/** Whether this is a known unit. */
export function isUnit(unit: string): boolean {
  return meaningOf(unit) !== null;
}

/** Converts the number to another unit, which is empty when it is not known; null: the units are of different kinds. */
export function converted({ number, unit }: Measure, to: string): number | null {
  if (unit === null || unit === to) return number;
  const [from, into] = [meaningOf(unit), meaningOf(to)];
  if (from === null || into === null || from.kind !== into.kind) return null;
  return (number * from.factor) / into.factor;
}

function meaningOf(unit: string): Meaning | null {
  if (Object.hasOwn(OTHERS, unit)) return OTHERS[unit]!;
  // a number without a unit counts as metres, as everywhere in simtape
  const metres = metresPer(unit === "" ? null : unit);
  if (metres !== null) return { kind: "length", factor: metres };
  const speed = unit.includes("/") ? metresPerSecond(unit) : null;
  return speed === null ? null : { kind: "speed", factor: speed };
}
