/** What a number measures, by base dimension: exponents; none that is 0. A speed is `{ length: 1, time: -1 }`. */
export type Dimensions = Readonly<Record<string, number>>;

/** A unit: its name, what it measures, and how many of the base unit (m, s, rad, kg, mol, A, K) it is. */
export interface Unit {
  readonly text: string;
  readonly factor: number;
  readonly dimensions: Dimensions;
}

/** Of a plain number. */
export const ONE: Unit = { text: "", factor: 1, dimensions: {} };
export const SECOND: Unit = { text: "s", factor: 1, dimensions: { time: 1 } };
export const RADIAN: Unit = { text: "rad", factor: 1, dimensions: { angle: 1 } };

const LENGTH: Dimensions = { length: 1 };
const TIME: Dimensions = { time: 1 };
const ANGLE: Dimensions = { angle: 1 };
const MASS: Dimensions = { mass: 1 };
const SPEED: Dimensions = { length: 1, time: -1 };
const FORCE: Dimensions = { mass: 1, length: 1, time: -2 };
const ENERGY: Dimensions = { mass: 1, length: 2, time: -2 };
const PRESSURE: Dimensions = { mass: 1, length: -1, time: -2 };

/** Units by name. Those of the international system, and those that simulators record beside them. */
const UNITS: ReadonlyMap<string, readonly [factor: number, dimensions: Dimensions]> = new Map(
  Object.entries({
    ...of(LENGTH, { m: 1, km: 1e3, cm: 1e-2, mm: 1e-3, µm: 1e-6, um: 1e-6, nm: 1e-9, ft: 0.3048, inch: 0.0254 }),
    ...of(LENGTH, { mi: 1609.344, nmi: 1852, NM: 1852, yd: 0.9144, block: 1, blocks: 1, Å: 1e-10 }),
    ...of(TIME, { s: 1, sec: 1, ms: 1e-3, µs: 1e-6, us: 1e-6, ns: 1e-9, ps: 1e-12, fs: 1e-15, min: 60, h: 3600 }),
    ...of(TIME, { hour: 3600, day: 86_400 }),
    ...of(ANGLE, { rad: 1, deg: Math.PI / 180, "°": Math.PI / 180, mrad: 1e-3, turn: 2 * Math.PI }),
    ...of(MASS, { kg: 1, g: 1e-3, mg: 1e-6, t: 1e3, lb: 0.45359237, lbs: 0.45359237 }),
    ...of(SPEED, { kt: 1852 / 3600, kts: 1852 / 3600, knots: 1852 / 3600, kmh: 1 / 3.6, kph: 1 / 3.6, mph: 0.44704 }),
    ...of(SPEED, { fps: 0.3048 }),
    ...of({ time: -1 }, { Hz: 1, kHz: 1e3 }),
    ...of({ angle: 1, time: -1 }, { rpm: Math.PI / 30 }),
    ...of(FORCE, { N: 1, kN: 1e3, lbf: 4.4482216152605 }),
    ...of(ENERGY, { J: 1, kJ: 1e3, MJ: 1e6, cal: 4.184, kcal: 4184, Nm: 1 }),
    ...of(PRESSURE, { Pa: 1, hPa: 100, kPa: 1e3, bar: 1e5, inHg: 3386.389, psi: 6894.757293168 }),
    ...of({ mass: 1, length: 2, time: -3 }, { W: 1, kW: 1e3, hp: 745.69987158227 }),
    ...of({ current: 1 }, { A: 1, mA: 1e-3 }),
    ...of({ mass: 1, length: 2, time: -3, current: -1 }, { V: 1, mV: 1e-3 }),
    ...of({ amount: 1 }, { mol: 1 }),
    ...of({ temperature: 1 }, { K: 1 }),
    ...of({}, { "%": 0.01 }),
  }),
);

function of(
  dimensions: Dimensions,
  factors: Readonly<Record<string, number>>,
): Record<string, readonly [number, Dimensions]> {
  return Object.fromEntries(Object.entries(factors).map(([name, factor]) => [name, [factor, dimensions] as const]));
}

/** Names of all units, for completion. */
export const UNIT_NAMES: readonly string[] = [...UNITS.keys()];

const POWERS: Readonly<Record<string, number>> = { "²": 2, "³": 3 };

/**
 * The unit that a text names: `km/h`, `m/s²`, `m/s2`, `kJ/mol/nm`, `deg/s`. What stands behind each stroke divides.
 * Null: a part of it is no unit that this table has.
 */
export function unitCalled(text: string): Unit | null {
  return combined(text, (name) => UNITS.get(name) ?? null);
}

/**
 * The same for a unit that a recording names. A name that the table does not have measures something of its own, which
 * fits nothing but itself; `tickRate`, in ticks a second, says how long a tick is.
 */
export function unitRecorded(text: string, tickRate: number | null = null): Unit {
  return combined(text, (name) => {
    if (name === "tick" && tickRate !== null && tickRate > 0) return [1 / tickRate, TIME];
    return UNITS.get(name) ?? [1, { [name]: 1 }];
  })!;
}

function combined(
  text: string,
  find: (name: string) => readonly [factor: number, dimensions: Dimensions] | null,
): Unit | null {
  let unit: Unit = { ...ONE, text };
  let sign = 1;
  for (const part of text.split("/")) {
    const [, name = part, digit, power] = /^(.*?[^\d²³^-])(?:\^?([2-9])|([²³]))?$/u.exec(part) ?? [];
    const found = find(name);
    if (found === null) return null;
    const exponent = sign * (digit !== undefined ? Number(digit) : (POWERS[power ?? ""] ?? 1));
    unit = {
      text,
      factor: unit.factor * found[0] ** exponent,
      dimensions: added(unit.dimensions, found[1], exponent),
    };
    sign = -1;
  }
  return unit;
}

function added(a: Dimensions, b: Dimensions, times: number): Dimensions {
  const sum: Record<string, number> = { ...a };
  for (const [name, exponent] of Object.entries(b)) {
    const both = (sum[name] ?? 0) + exponent * times;
    if (both === 0) delete sum[name];
    else sum[name] = both;
  }
  return sum;
}

/** The unit of a product, or with `times` -1 of a quotient. */
export function multiplied(a: Unit, b: Unit, times: 1 | -1 = 1): Unit {
  const text = times === 1 ? joined(a, b) : b.text === "" ? a.text : `${a.text || "1"}/${inside(b.text)}`;
  return { text, factor: a.factor * b.factor ** times, dimensions: added(a.dimensions, b.dimensions, times) };
}

/** The unit of how a number changes, per second. */
export function perSecond(unit: Unit): Unit {
  const divided = multiplied(unit, SECOND, -1);
  return unit.text.endsWith("/s") ? { ...divided, text: `${unit.text}²` } : divided;
}

function joined(a: Unit, b: Unit): string {
  if (a.text === "" || b.text === "") return a.text || b.text;
  return `${a.text}·${b.text}`;
}

function inside(text: string): string {
  return text.replaceAll("·", "/");
}

/** Whether two units measure the same thing, so that one can be converted to the other. */
export function isSameKind({ dimensions: a }: Unit, { dimensions: b }: Unit): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

export function isPlain({ dimensions }: Unit): boolean {
  return Object.keys(dimensions).length === 0;
}

const NAMED: readonly (readonly [Dimensions, string])[] = [
  [{}, "a plain number"],
  [LENGTH, "a length"],
  [TIME, "a time"],
  [ANGLE, "an angle"],
  [MASS, "a mass"],
  [SPEED, "a speed"],
  [{ length: 1, time: -2 }, "an acceleration"],
  [{ angle: 1, time: -1 }, "a rate of turn"],
  [{ time: -1 }, "a rate"],
  [FORCE, "a force"],
  [ENERGY, "an energy"],
  [PRESSURE, "a pressure"],
  [{ length: 2 }, "an area"],
];

/** For people: `cm/s, a speed`; `a plain number`. */
export function unitText(unit: Unit): string {
  const named = NAMED.find(([dimensions]) => isSameKind({ ...unit, dimensions }, unit))?.[1];
  if (unit.text === "") return named ?? "a number";
  return named === undefined || isPlain(unit) ? unit.text : `${unit.text}, ${named}`;
}
