import type { FlightGearReader } from "../packages/simtape/src/formats/flightgear/read/reader.ts";
import type { Recording } from "../packages/simtape/src/index.ts";
import type { Property } from "./fgfs.ts";

/** The script compares no moment between two frames that are closer together than this, seconds. */
const LEAST_STEP = 0.005;

/**
 * Properties that the simulator computes itself while it replays. They override the values of a tape (FlightGear
 * semantics §4.1). The `ufo` has no engines, tanks or gear.
 */
const OWNED = [
  /^\/environment\//,
  /^\/position\/ground-elev-m$/,
  /^\/position\/altitude-agl-(ft|m)$/,
  /^\/consumables\/fuel\//,
  /^\/controls\/lighting\//,
];

/** Whether a property is the simulator's own while it replays. */
export function isOwned(property: string): boolean {
  return OWNED.some((one) => one.test(property));
}

/** The value of a property at a moment, and how far the simulator's value may differ from it. */
export interface Expected {
  readonly value: number | string;
  readonly tolerance: number;
  readonly isAngle: boolean;
}

export interface Frames {
  readonly zero: number;
  /** Native times of two successive frames that both hold signals. */
  readonly pairs: readonly (readonly [number, number])[];
  /** The expected values at a native time; null if the time is not between two such frames. */
  moment(native: number): Promise<((property: string) => Expected | null) | null>;
}

/**
 * The values that FlightGear shows when it replays a recording (FlightGear spec §2.4): those of the frames before and
 * after a moment, interpolated as each signal says. The times of the frames are read from their bytes.
 */
export async function framesOf(recording: Recording): Promise<Frames> {
  const reader = recording.reader as FlightGearReader;
  const zero = Number(recording.info.metadata["timeOrigin"]);
  const hasSignals = new Set<number>();
  const signals = recording.channels.find(({ name }) => name === "signals");
  if (signals !== undefined) {
    for await (const batch of recording.batches({ channels: [signals] }))
      for (const time of batch.time) hasSignals.add(time);
  }
  const frames: { native: number; buffer: number }[] = [];
  let buffer = 0;
  for await (const records of recording.records()) {
    for (const { kind, bytes } of records) {
      if (kind === "container") buffer++;
      if (kind !== "frame") continue;
      frames.push({ native: new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true), buffer });
    }
  }
  frames.sort((a, b) => a.native - b.native);
  const timeOf = (native: number): number => Math.round((native - zero) * 1e9);
  const pairs: [number, number][] = [];
  for (let i = 1; i < frames.length; i++) {
    const [a, b] = [frames[i - 1]!, frames[i]!];
    const isWide = b.native - a.native >= LEAST_STEP;
    if (a.buffer === b.buffer && isWide && hasSignals.has(timeOf(a.native)) && hasSignals.has(timeOf(b.native)))
      pairs.push([a.native, b.native]);
  }
  const byPath = new Map(reader.header.signals.signals.map((signal) => [signal.property, signal]));
  return {
    zero,
    pairs,
    moment: async (native) => {
      const pair = pairs.find(([a, b]) => native > a + 1e-9 && native < b - 1e-9);
      if (pair === undefined && frames.length !== 1) return null;
      const [a, b] = pair ?? [frames[0]!.native, frames[0]!.native];
      const [before, after] = [await recording.state(timeOf(a)), await recording.state(timeOf(b))];
      const ratio = b === a ? 1 : (native - a) / (b - a);
      return (property) => {
        const [from, to] = [before.values.get(property), after.values.get(property)];
        const signal = byPath.get(property);
        // FlightGear also interpolates a number among extra properties if both frames set it; the state does not say
        // whether they do.
        if (signal === undefined) {
          const isText = typeof to === "string" && to !== "" && Number.isNaN(Number.parseFloat(to));
          return isText && from === to ? { value: to, tolerance: 0, isAngle: false } : null;
        }
        if (from === undefined || to === undefined) return null;
        const isWhole = signal.type !== "double" && signal.type !== "float";
        const angle =
          signal.interpolation === "angular-deg" ? 360 : signal.interpolation === "angular-rad" ? 2 * Math.PI : 0;
        if (isWhole || signal.interpolation === "discrete") return { value: Number(to), tolerance: 0, isAngle: false };
        let step = Number(to) - Number(from);
        if (angle > 0 && step > angle / 2) step -= angle;
        else if (angle > 0 && step < -angle / 2) step += angle;
        const value = Number(from) + ratio * step;
        const digits = signal.type === "double" ? 1e-10 : 1e-6;
        // A native Unix time is exact only to some ten millionths of a second.
        const open = b === a ? 0 : (Math.abs(step) * native * 2 ** -51) / (b - a);
        return { value, tolerance: Math.abs(value) * digits + digits + open, isAngle: angle === 360 };
      };
    },
  };
}

/** Whether the simulator shows the expected value. */
export function isAlike(shown: Property, { value, tolerance, isAngle }: Expected): boolean {
  // A node with a type of its own turns these words into numbers.
  if (value === "true" || value === "false") return String(shown) === value || shown === Number(value === "true");
  if (typeof value === "string") return String(shown) === value;
  if (typeof shown !== "number") return false;
  const difference = Math.abs(shown - value);
  return difference <= tolerance || (isAngle && Math.abs(difference - 360) <= tolerance) || Object.is(shown, value);
}
