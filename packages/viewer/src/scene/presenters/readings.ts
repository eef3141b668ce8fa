import { type EntitySet, type PoseColumns, posesOf, type State } from "simtape";
import type { Passing } from "../../protocol.ts";
import { numberAt } from "./cells.ts";

/** A number worth reading while one looks: what it is, as it is recorded or turned into a unit people use. */
export interface Reading {
  readonly label: string;
  readonly value: number | string;
  readonly unit: string;
  /** Behind the point. */
  readonly digits: number;
  /** What is whole: it is drawn as a bar, too. */
  readonly full?: number;
}

const KNOT = 1852 / 3600;
const FOOT = 0.3048;
const CELLS: [number, number, number] = [0, 0, 0];

/** What the instruments before a pilot say; of other pilots, what is known of them. */
export function aircraftReadings(state: State, set: EntitySet, row: number): Reading[] {
  const isSelf = set.ids[row] === "self";
  const value = (name: string): number => (isSelf ? numberOf(state, name) : Number.NaN);
  const poses = posesOf(set);
  const speed = poses?.velocity(row, CELLS, 0) === true ? Math.hypot(...CELLS) / KNOT : Number.NaN;
  const airspeed = value("/velocities/airspeed-kt");
  return known([
    Number.isFinite(airspeed) ? reading("airspeed", airspeed, "kt", 0) : reading("speed", speed, "kt", 0),
    reading("altitude", heightOf(poses, row) / FOOT, "ft", 0),
    reading("heading", (numberAt(set, "rotation", row, 2) + 360) % 360, "°", 0),
    reading("vertical speed", value("/velocities/vertical-speed-fps") * 60, "ft/min", 0),
  ]);
}

/** Metres; NaN: it is nowhere. */
function heightOf(poses: PoseColumns | null, row: number): number {
  if (poses === null) return Number.NaN;
  const isKnown = poses.isGeodetic ? poses.geodetic(row, CELLS, 0) : poses.position(row, CELLS, 0);
  return isKnown ? CELLS[2] : Number.NaN;
}

export function vehicleReadings(set: EntitySet, row: number): Reading[] {
  const along = numberAt(set, "forward-speed", row) / 100;
  const speed = length(set, "velocity", row);
  const gear = numberAt(set, "gear", row);
  return known([
    reading("speed", (Number.isFinite(speed) ? speed : Math.abs(along)) * 3.6, "km/h", 0),
    reading("throttle", numberAt(set, "throttle", row) * 100, "%", 0),
    reading("brake", numberAt(set, "brake", row) * 100, "%", 0),
    reading("gear", gear < 0 ? "R" : gear === 0 ? "N" : gear, "", 0),
  ]);
}

export function walkerReadings(set: EntitySet, row: number): Reading[] {
  const speed = length(set, "velocity", row);
  const recorded = numberAt(set, "speed", row) / 100;
  return known([reading("speed", (Number.isFinite(speed) ? speed : recorded) * 3.6, "km/h", 1)]);
}

/** Numbers of a thing that are read at once, at most. */
const MOST = 6;

/** Of a thing of any format: how fast it is, and its own numbers that have a unit. */
export function thingReadings(set: EntitySet, row: number): Reading[] {
  const own: Reading[] = [];
  for (const [name, { width, unit, data }] of set.columns) {
    if (width !== 1 || unit === null || typeof data[row] !== "number") continue;
    own.push(reading(name.replaceAll("-", " "), numberAt(set, name, row), unit === "deg" ? "°" : unit, 1));
  }
  if (!own.some(({ label }) => label === "speed") && posesOf(set)?.velocity(row, CELLS, 0) === true)
    own.unshift(reading("speed", Math.hypot(...CELLS), "m/s", 1));
  return known(own).slice(0, MOST);
}

/** Nothing tells how loaded a battery is but a channel whose name says so. */
export function robotReadings(state: State, set: EntitySet, row: number): Reading[] {
  const heading = (numberAt(set, "rotation", row, 2) * 180) / Math.PI;
  return known([
    reading("speed", length(set, "velocity", row), "m/s", 2),
    reading("heading", heading, "°", 0),
    reading("battery", namedNumber(state, /(^|\/)(charger|battery)\/level$/i), "%", 0),
    reading("voltage", namedNumber(state, /(^|\/)(charger|battery)\/voltage$/i), "V", 1),
  ]);
}

export function moleculeReadings(state: State): Reading[] {
  return known([
    reading("kinetic", numberOf(state, "energy.kinetic"), "kJ/mol", 1),
    reading("potential", numberOf(state, "energy.potential"), "kJ/mol", 1),
    reading("temperature", numberOf(state, "system.temperature"), "K", 0),
    reading("time", numberOf(state, "system.simulation.time"), "ps", 2),
  ]);
}

/** Halves of ten hearts, and of ten pieces of food. */
const WHOLE = 20;

/** `split`: the checkpoint passed last. */
export function playerReadings(
  set: EntitySet,
  row: number,
  split: Pick<Passing, "checkpoint" | "time"> | undefined,
): Reading[] {
  return known([
    reading("height", numberAt(set, "position", row, 1), "blocks", 1),
    { ...reading("health", numberAt(set, "health", row), "", 0), full: WHOLE },
    { ...reading("food", numberAt(set, "food", row), "", 0), full: WHOLE },
    ...(split === undefined ? [] : [reading(split.checkpoint, split.time / 1e9, "s", 2)]),
  ]);
}

/** "1,204", "−3.5", "N" */
export function readingText({ value, digits }: Reading): string {
  if (typeof value === "string") return value;
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
}

function reading(label: string, value: number | string, unit: string, digits: number): Reading {
  return { label, value, unit, digits };
}

function known(readings: readonly Reading[]): Reading[] {
  return readings.filter(({ value }) => typeof value === "string" || Number.isFinite(value));
}

function numberOf(state: State, name: string): number {
  const value = state.values.get(name);
  return typeof value === "number" ? value : Number.NaN;
}

function namedNumber(state: State, name: RegExp): number {
  for (const [path, value] of state.values) if (typeof value === "number" && name.test(path)) return value;
  return Number.NaN;
}

function length(set: EntitySet, column: string, row: number): number {
  return Math.hypot(numberAt(set, column, row), numberAt(set, column, row, 1), numberAt(set, column, row, 2));
}
