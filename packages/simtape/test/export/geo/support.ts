import { execFileSync } from "node:child_process";
import type { ExportOptions, ExportReport } from "../../../src/export/exporter.ts";
import { targetCalled } from "../../../src/export/targets.ts";
import {
  MemoryFiles,
  MutableState,
  open,
  type Recording,
  type RecordingEvent,
  type Traits,
} from "../../../src/index.ts";
import { fromFile } from "../../../src/io/node/index.ts";
import type { Budget } from "../../../src/kit.ts";
import { sample } from "../../samples.ts";

/** A flight in which two others fly, one that crashes, and a drive. */
export const FLIGHT = "flightgear/c172p-normal-2020.3.16-mp.fgtape";
export const CRASH = "flightgear/c172p-continuous-full-crashed.fgtape";
export const DRIVE = "carla/2020-DistanceBetweenVehicles.log";

export function opened(name: string): Promise<Recording> {
  return open(fromFile(sample(name)));
}

export interface Exported {
  readonly text: string;
  readonly report: ExportReport;
  readonly files: readonly string[];
}

export async function exported(recording: Recording, to: string, options: ExportOptions = {}): Promise<Exported> {
  const files = new MemoryFiles(`out.${to}`);
  const exporter = await targetCalled(to)!.load();
  const report = await exporter.write(recording, files, options);
  return { text: new TextDecoder().decode(files.bytes), report, files: [...files.files.keys()] };
}

/** As a program of another world gives it. Times in Unix milliseconds, degrees, metres. */
export interface ReadFix {
  readonly time: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly height: number;
}

/** The last fix at or before a time; times of a text are cut, so that a microsecond is forgiven. */
export function fixAt<T extends { readonly time: number }>(fixes: readonly T[], time: number): T | undefined {
  return fixes.findLast((fix) => fix.time <= time + 0.001);
}

/** Numbers from 0 to 1 that are the same in each run. */
export function* randomly(seed: number): Generator<number, never> {
  let x = seed;
  for (;;) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    yield x / 2 ** 32;
  }
}

/** Fifty times of a recording, those of its first and last message among them. */
export async function fiftyTimes(recording: Recording): Promise<number[]> {
  const { start, end } = await recording.timeline();
  const random = randomly(7);
  return [start, end, ...Array.from({ length: 48 }, () => start + Math.floor(random.next().value * (end - start)))];
}

/** Unix milliseconds of time 0: what the file says, else 2000-01-01. */
export async function zeroOf(recording: Recording): Promise<number> {
  const { epoch } = await recording.timeline();
  return epoch === null ? Date.UTC(2000, 0, 1) : Number(epoch / 1000n) / 1000;
}

/** Rows of aircraft at a time: id to degrees north, degrees east, metres. */
export async function aircraftAt(recording: Recording, time: number): Promise<Map<string, number[]>> {
  const set = (await recording.state(time)).sets.get("aircraft");
  const cells = set?.columns.get("geodetic")?.data as Float64Array | undefined;
  const places = new Map<string, number[]>();
  for (const [row, id] of (set?.ids ?? []).entries()) {
    const place = [cells![3 * row]!, cells![3 * row + 1]!, cells![3 * row + 2]! * 0.3048];
    if (place.every(Number.isFinite)) places.set(String(id), place);
  }
  return places;
}

/** What makes a recording that was never a file: states, and events beside them. */
export interface Made {
  readonly times: readonly number[];
  readonly fill: (state: MutableState, time: number) => void;
  readonly events?: readonly RecordingEvent[];
  readonly traits?: Traits;
  readonly epoch?: bigint | null;
  readonly budget?: Budget;
}

/** A recording of states that a test makes, as far as exporters look at one. */
export function madeRecording({ times, fill, events = [], traits = {}, epoch = null, budget }: Made): Recording {
  const at = (time: number): MutableState => {
    const state = new MutableState();
    state.time = time;
    fill(state, time);
    return state;
  };
  const made = {
    reader: { budget },
    info: { format: "made" },
    timeline: async () => ({ start: times[0]!, end: times.at(-1)!, epoch, tick: null }),
    traits: async () => traits,
    state: async (time: number) => at(time).freeze(),
    states: async function* () {
      for (const time of times) yield at(time).freeze();
    },
    events: async function* () {
      yield events;
    },
  };
  return made as unknown as Recording;
}

export interface Craft {
  readonly id: string;
  readonly place: readonly [latitude: number, longitude: number, feet: number];
  readonly rotation?: readonly [roll: number, pitch: number, heading: number];
  readonly label?: string;
  readonly kind?: string;
}

/** Puts aircraft into a state. */
export function putAircraft(state: MutableState, craft: readonly Craft[]): void {
  const set = state.set("aircraft", { handed: "right", up: "z", kind: "geodetic" });
  const geodetic = set.column("geodetic", { kind: "f64", width: 3, unit: "deg deg ft", interpolation: "linear" });
  const rotation = set.column("rotation", { kind: "f64", width: 3, unit: "deg", interpolation: "linear" });
  const label = set.column("label", { kind: "string", width: 1, unit: null, interpolation: "hold" });
  const kind = set.column("kind", { kind: "string", width: 1, unit: null, interpolation: "hold" });
  for (const one of craft) {
    const row = set.row(one.id);
    for (let k = 0; k < 3; k++) {
      geodetic.put(row, one.place[k]!, k);
      rotation.put(row, one.rotation?.[k] ?? Number.NaN, k);
    }
    label.putText(row, one.label ?? "");
    kind.putText(row, one.kind ?? "");
  }
}

/** Whether Debian's program of that name is installed. */
export function has(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
