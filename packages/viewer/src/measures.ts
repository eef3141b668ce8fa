/** In which units numbers are shown; absent: those people use for such things. */
export type UnitSystem = "everyday" | "imperial" | "recorded";

export const SYSTEMS: readonly (readonly [UnitSystem, text: string])[] = [
  ["everyday", "Everyday: km/h, m, °; in the air kt"],
  ["imperial", "Imperial: mph, ft, °; in the air kt"],
  ["recorded", "As recorded"],
];

/** The unit in which a number is shown, and what it is multiplied with for that. */
export interface Measure {
  readonly unit: string | null;
  readonly factor: number;
}

type Kind = Readonly<Record<string, number>>;

/** Units of one kind by name, as multiples of the first. */
const SPEEDS: Kind = {
  "m/s": 1,
  "cm/s": 0.01,
  "km/h": 1 / 3.6,
  kt: 1852 / 3600,
  mph: 0.44704,
  "ft/s": 0.3048,
  fps: 0.3048,
};
const LENGTHS: Kind = { m: 1, cm: 0.01, ft: 0.3048 };
const ANGLES: Kind = { "°": 1, deg: 1, rad: 180 / Math.PI };
const TURNS: Kind = { "°/s": 1, "deg/s": 1, "rad/s": 180 / Math.PI };

/** What people say how fast such things are in. */
const SPEED_OF: Readonly<Record<string, string>> = { vehicles: "km/h", walkers: "km/h", aircraft: "kt" };

/** How a number of a set is shown; of a value, null is the set. */
export function measureOf(unit: string | null, set: string | null, system: UnitSystem): Measure {
  const isImperial = system === "imperial";
  if (unit === null || system === "recorded") return { unit, factor: 1 };
  if (unit in SPEEDS) {
    const usual = SPEED_OF[set ?? ""] ?? (unit === "cm/s" ? "m/s" : unit);
    return measured(SPEEDS, unit, isImperial && usual !== "kt" ? "mph" : usual);
  }
  if (unit in LENGTHS) return measured(LENGTHS, unit, isImperial ? "ft" : unit === "cm" ? "m" : unit);
  if (unit in ANGLES) return measured(ANGLES, unit, "°");
  return unit in TURNS ? measured(TURNS, unit, "°/s") : { unit, factor: 1 };
}

/** How something that was turned into a unit that people use is shown. */
export function measureOfReading(unit: string, system: UnitSystem): Measure {
  if (system === "recorded" && unit === "km/h") return measured(SPEEDS, unit, "m/s");
  return system === "imperial" && unit !== "kt" ? measureOf(unit, null, system) : { unit, factor: 1 };
}

/** The system that is chosen, by what the address keeps of it. */
export function unitSystem(kept: unknown): UnitSystem {
  return SYSTEMS.find(([system]) => system === kept)?.[0] ?? "everyday";
}

/** Where it is kept. */
export const UNITS = "units";

function measured(kind: Kind, from: string, to: string): Measure {
  return { unit: to, factor: from === to ? 1 : kind[from]! / kind[to]! };
}
