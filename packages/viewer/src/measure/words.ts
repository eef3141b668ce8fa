import type { State } from "simtape";
import { measureOf, type UnitSystem } from "../measures.ts";
import type { Measure } from "./measuring.ts";
import type { Numbers } from "./numbers.ts";

/** Metres in a nanometre. */
const NM = 1e-9;
/** Seconds: what comes nearer more slowly than that does not meet. */
const SOON = 3600;

/** "0.153 nm", "12.4 m", "109.5°", "-" */
export function numberText(numbers: Numbers | null, measure: Measure, state: State, system: UnitSystem): string {
  if (numbers === null) return "not there";
  if (numbers.angle !== undefined) return Number.isFinite(numbers.angle) ? `${signed(numbers.angle, 1)}°` : "–";
  const distance = numbers.distance!;
  if (isTiny(measure, state)) return `${(distance / NM).toFixed(3)} nm`;
  const { unit, factor } = measureOf("m", null, system);
  return `${(distance * factor).toFixed(distance * factor < 100 ? 2 : 1)} ${unit}`;
}

/** How fast two things come nearer to each other, and when they meet if they go on so; empty where that is not known. */
export function closingText(
  { distance, closing }: Numbers,
  measure: Measure,
  state: State,
  system: UnitSystem,
): string {
  if (distance === undefined || closing === undefined || isTiny(measure, state)) return "";
  const { unit, factor } = measureOf("m/s", null, system);
  const seconds = distance / closing;
  const speed = `closing at ${signed(closing * factor, 1)} ${unit}`;
  return closing > 0 && seconds < SOON ? `${speed}, collision in ${seconds.toFixed(1)} s` : speed;
}

/** "distance", "angle", "dihedral" */
export function kindOf({ things }: Measure): string {
  return ["distance", "angle", "dihedral"][things.length - 2] ?? "";
}

/** Whether lengths of a simulation are nanometres, whose seconds are none of a clock. */
function isTiny({ things }: Measure, { sets }: State): boolean {
  return things.every(({ set }) => sets.get(set)?.columns.get("position")?.unit === "nm");
}

function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
}
