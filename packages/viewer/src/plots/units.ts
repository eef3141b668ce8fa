import type { SeriesItem } from "../protocol.ts";

/** Units of values by their names, as docs/state.md has them: columns tell their own. */
const NAMES: Readonly<Record<string, string>> = {
  "system.simulation.time": "ps",
  "system.box.vectors": "nm",
  "frame-duration": "s",
  "platform-time": "s",
  "visual-time": "s",
};

/** By the ending of a FlightGear property. */
const ENDINGS: Readonly<Record<string, string>> = {
  deg: "deg",
  degf: "°F",
  degc: "°C",
  rad: "rad",
  ft: "ft",
  m: "m",
  nm: "NM",
  kt: "kt",
  fps: "ft/s",
  mps: "m/s",
  fps_sec: "ft/s²",
  rpm: "rpm",
  psi: "psi",
  inhg: "inHg",
  lbs: "lb",
  gal_us: "gal",
  sec: "s",
  volts: "V",
  amps: "A",
  mhz: "MHz",
  norm: "norm",
};

/** Null: nothing tells. */
export function unitOfValue(name: string): string | null {
  if (name.startsWith("energy.")) return "kJ/mol";
  return NAMES[name] ?? ENDINGS[/-([a-z_]+)$/.exec(name)?.[1] ?? ""] ?? null;
}

/** Unit of one number of a column: where a column names one for each of its numbers ("deg deg ft"), its own. */
export function unitOfCell(unit: string | null, width: number, item: SeriesItem): string | null {
  if (item === "speed") return unit === null ? null : `${unit}/s`;
  const units = unit?.split(" ") ?? [];
  return units.length === width && typeof item === "number" ? units[item]! : unit;
}
