/** Of lengths, times, angles and what simulators measure beside them; `m/s²` is two of them with a stroke between. */
const UNITS: ReadonlySet<string> = new Set(
  "m cm mm nm km ft block s ms us ns ps min h tick rad deg kg g N Nm K °C J kJ mol V A Hz Pa hPa rpm kt % px".split(
    " ",
  ),
);

/** Whether a note on a number is the unit of it. */
export function isUnit(note: string): boolean {
  return note.split("/").every((part) => UNITS.has(part.replace(/[²³]$/, "")));
}

/** Metres in one of a length unit; null for what is no length. A block is a metre, and so is what has no unit. */
export function metresPer(unit: string | null): number | null {
  switch (unit) {
    case "m":
    case "block":
    case null:
      return 1;
    case "cm":
      return 0.01;
    case "mm":
      return 0.001;
    case "nm":
      return 1e-9;
    case "ft":
      return 0.3048;
    case "km":
      return 1000;
    default:
      return null;
  }
}

/** Radians in one of a rotation column's unit: `rad`, or degrees. */
export function radiansPer(unit: string | null): number {
  return unit === "rad" ? 1 : Math.PI / 180;
}

/**
 * Metres a second in one of a velocity's unit: a length, a stroke, and `s`, `ms`, `ps`, `min`, `h` or `tick`. A length
 * alone is one a second. `tickRate` is in ticks a second. Null for what is no velocity, or when no rate is known.
 */
export function metresPerSecond(unit: string | null, tickRate: number | null = null): number | null {
  const stroke = unit?.lastIndexOf("/") ?? -1;
  const metres = metresPer(stroke < 0 ? unit : unit!.slice(0, stroke));
  const perSecond = stroke < 0 ? 1 : timesPerSecond(unit!.slice(stroke + 1), tickRate);
  return metres === null || perSecond === null ? null : metres * perSecond;
}

function timesPerSecond(unit: string, tickRate: number | null): number | null {
  switch (unit) {
    case "s":
      return 1;
    case "ms":
      return 1e3;
    case "ps":
      return 1e12;
    case "min":
      return 1 / 60;
    case "h":
      return 1 / 3600;
    case "tick":
      return tickRate;
    default:
      return null;
  }
}
