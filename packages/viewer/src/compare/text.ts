import type { PathDifference } from "simtape/compare";

/** A number as people read it: four digits. */
export function numberText(value: number | null, unit: string | null): string {
  if (value === null) return "";
  const text =
    Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4)
      ? value.toExponential(2)
      : String(Number(value.toPrecision(4)));
  return unit === null || unit === "" ? text : `${text} ${unit}`;
}

/** "max 1.2 m, RMS 0.3 m"; of what is no number how often it differs. */
export function errorText({ max, rms, unit, moments }: PathDifference): string {
  if (max.error === null) return `differs at ${moments.toLocaleString("en")} ${moments === 1 ? "moment" : "moments"}`;
  return `max ${numberText(max.error, unit)}, RMS ${numberText(rms, unit)}`;
}

/** What one of two has: in one line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value, (_, part) => partOf(part));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Of numbers the first digits: how far they are apart is said beside. */
function partOf(part: unknown): unknown {
  if (typeof part === "bigint") return String(part);
  if (ArrayBuffer.isView(part)) return [...(part as unknown as Iterable<unknown>)];
  return typeof part === "number" && Number.isFinite(part) ? Number(part.toPrecision(7)) : part;
}
