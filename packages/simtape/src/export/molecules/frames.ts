import { transformOf } from "../../model/axes/axes-transform.ts";
import type { Column } from "../../model/state/column.ts";
import { unsetOrigin } from "../../model/axes/geodesy.ts";
import type { Recording } from "../../model/recording.ts";
import type { EntitySet } from "../../model/state/state.ts";
import type { Time } from "../../model/values/time.ts";
import { Turning } from "../../model/poses/turned.ts";
import { metresPer } from "../../model/values/units.ts";
import type { Lost } from "../../model/writer.ts";
import type { ExportOptions } from "../exporter.ts";
import { foremostFirst, lookedAt, momentsOf } from "../moments.ts";
import { pickedRows, wantedIds } from "../picked.ts";
import { XYZ } from "./facts.ts";
import { type CellVectors, cellVectors } from "./cell.ts";
import { type Topology, TopologyReader } from "./topology.ts";

const BOX = "system.box.vectors";
const SIMULATION_TIME = "system.simulation.time";
const ANGSTROM = 1e-10;
/** Frames between two calls of `onProgress`. */
const PROGRESS = 64;

/** Particles at a moment. */
export interface Frame {
  readonly time: Time;
  /** Of the simulation, in ps; null: not recorded. */
  readonly simulationTime: number | null;
  /** The same object as long as nothing of it changes. */
  readonly topology: Topology;
  /** x, y, z of each particle in Å, all finite. Its content holds until the next frame is asked for. */
  readonly positions: Float64Array;
  /** Significant digits that say all of a position: 9 of one that was recorded as float32. */
  readonly digits: number;
  /** The periodic cell in Å; null: none. */
  readonly cell: CellVectors | null;
  /** The set, with columns as recorded or turned, and the rows of it that are particles of the frame. */
  readonly set: EntitySet;
  readonly rows: Uint32Array;
}

/** Sets of particles, those that the recording is about first. */
export async function fittingParticles(recording: Recording): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const { sets } of lookedAt(recording, () => found.size > 0))
    for (const [name, set] of sets) if (isOfParticles(set)) found.add(name);
  return foremostFirst(recording, found);
}

function isOfParticles({ columns }: EntitySet): boolean {
  const factor = angstromsPer(columns.get("position"));
  return factor !== null && (factor <= 10 || columns.has("element"));
}

/** Null unless the column is a place in a length that is stated. */
function angstromsPer(position: Column | undefined): number | null {
  return position?.width === 3 ? angstromsIn(position.unit) : null;
}

/** Null for what is no length, or is not stated. */
function angstromsIn(unit: string | null): number | null {
  const metres = unit === null ? null : metresPer(unit);
  return metres === null ? null : Math.round(metres / ANGSTROM);
}

/**
 * Goes through a recording once, frame by frame; moments without particles are passed over. Throws `RangeError` at the end
 * when there was no frame, or a particle that was asked for was in none.
 */
export class Frames {
  readonly set: string;
  readonly #recording: Recording;
  readonly #options: ExportOptions;
  #skipped = 0;

  private constructor(recording: Recording, set: string, options: ExportOptions) {
    this.#recording = recording;
    this.set = set;
    this.#options = options;
  }

  /** Rejects with `RangeError` for a set that does not fit. */
  static async of(recording: Recording, options: ExportOptions): Promise<Frames> {
    const fitting = await fittingParticles(recording);
    const set = options.set ?? fitting[0];
    if (set === undefined || !fitting.includes(set)) {
      const what = set === undefined ? "it" : JSON.stringify(set);
      const there = fitting.length === 0 ? "there are none in this recording" : `there are: ${fitting.join(", ")}`;
      throw new RangeError(`${what} has no ${XYZ.carries}; ${there}`);
    }
    return new Frames(recording, set, options);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    const { axes, origin, ids, onProgress } = this.#options;
    const turning = axes === undefined ? null : new Turning(axes, { ...(origin ?? unsetOrigin()) });
    const { unitOf } = await this.#recording.traits();
    const boxFactor = angstromsIn(unitOf?.(BOX) ?? null);
    const isTimed = unitOf?.(SIMULATION_TIME) === "ps";
    const topologies = new TopologyReader();
    const wanted = wantedIds(ids);
    const seen = new Set<number | string>();
    let positions = new Float64Array(0);
    let [count, given] = [0, 0];
    for await (const state of momentsOf(this.#recording, this.#options)) {
      if (count++ % PROGRESS === 0) onProgress?.(state.time);
      const recorded = state.sets.get(this.set)?.freeze();
      if (recorded === undefined || angstromsPer(recorded.columns.get("position")) === null) continue;
      const rows = pickedRows(recorded, wanted);
      if (wanted !== null) for (const row of rows) seen.add(String(recorded.ids[row]!));
      if (rows.length === 0) continue;
      const set = turning?.turn(recorded, rows) ?? recorded;
      if (positions.length !== 3 * rows.length) positions = new Float64Array(3 * rows.length);
      const column = set.columns.get("position")!;
      if (!fill(positions, column, rows)) {
        this.#skipped++;
        continue;
      }
      const time = state.value(SIMULATION_TIME);
      given++;
      yield {
        time: state.time,
        simulationTime: isTimed && typeof time === "number" && Number.isFinite(time) ? time : null,
        topology: topologies.read(state, recorded, rows),
        positions,
        digits: column.data instanceof Float32Array ? 9 : 15,
        cell:
          boxFactor === null || !recorded.columns.has("element")
            ? null
            : cellOf(state.value(BOX), boxFactor, recorded, turning),
        set,
        rows,
      };
    }
    mustHave(this.set, ids, seen);
    if (given === 0) throw new RangeError(`no particles in ${this.set} have a place in this part of the recording`);
  }

  /** What no target of molecules can hold. After the last frame. */
  get lost(): readonly Lost[] {
    if (this.#skipped === 0) return [];
    return [{ path: this.set, count: this.#skipped, reason: "a frame has particles without a place" }];
  }
}

/** Whether all are finite. */
function fill(positions: Float64Array, column: Column, rows: Uint32Array): boolean {
  const data = column.data as ArrayLike<number>;
  const factor = angstromsPer(column)!;
  let rest = 0;
  for (let k = 0, at = 0; k < rows.length; k++) {
    const from = 3 * rows[k]!;
    for (let axis = 0; axis < 3; axis++, at++) {
      const value = data[from + axis]! * factor;
      positions[at] = value;
      rest += value - value;
    }
  }
  return rest === 0;
}

/** Along the axes of the set, or along those to which it is turned. */
function cellOf(value: unknown, factor: number, { axes }: EntitySet, turning: Turning | null): CellVectors | null {
  const cell = cellVectors(value, factor);
  if (cell === null || turning === null) return cell;
  const from = transformOf(axes);
  const to = transformOf(turning.axes);
  for (let at = 0; at < 9; at += 3) {
    from.vector(cell[at]!, cell[at + 1]!, cell[at + 2]!, cell, at);
    to.vectorBack(cell[at]!, cell[at + 1]!, cell[at + 2]!, cell, at);
  }
  return cell;
}

function mustHave(set: string, ids: readonly (number | string)[] | undefined, seen: ReadonlySet<unknown>): void {
  const lacking = ids?.filter((id) => !seen.has(String(id))) ?? [];
  if (lacking.length > 0) throw new RangeError(`nothing in ${set} has the id ${lacking.join(", ")}`);
}
