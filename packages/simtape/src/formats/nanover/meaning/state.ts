import { LayoutError } from "../../../bytes/error.ts";
import { KEYFRAME, type MessageBatch } from "../../../model/messages/batch.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { ColumnReader, WantedNumber } from "../../../model/state/column-reader.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { Column, ColumnData, ColumnSpec } from "../../../model/state/column.ts";
import type { MutableEntitySet, MutableState, State } from "../../../model/state/state.ts";
import type { Schema, Value } from "../../../model/values/value.ts";
import { FRAME, type Frame, PARTICLE_COUNT, STATE, type StateUpdate } from "../layout/layout.ts";
import { ROOM_AXES, SIMULATION_AXES } from "./axes.ts";
import { FrameColumns } from "./column-reader.ts";
import { type Container, frameSchema, payloadsOf, stateSchema } from "./schema.ts";

const PARTICLES = "particles";
const AVATARS = "avatars";
const INTERACTIONS = "interactions";

/** Where shared state is among the values: `state/<key>`. */
export const SHARED = "state/";
/** Where a frame's key is that would be taken for something else. */
const ESCAPED = "frame/";

interface ParticleColumn {
  readonly name: string;
  readonly spec: ColumnSpec;
}

const vector = (unit: string): ColumnSpec => ({ kind: "f32", width: 3, unit, interpolation: "linear" });
const KILOJOULE_PER_NM = "kJ/mol/nm";

/** Frame keys with one cell for each particle (spec §3.3), and the columns they become. */
const PARTICLE_COLUMNS: ReadonlyMap<string, ParticleColumn> = new Map<string, ParticleColumn>([
  ["particle.positions", { name: "position", spec: vector("nm") }],
  ["particle.velocities", { name: "velocity", spec: vector("nm/ps") }],
  ["particle.forces", { name: "force", spec: vector(KILOJOULE_PER_NM) }],
  ["particle.forces.system", { name: "force-system", spec: vector(KILOJOULE_PER_NM) }],
  ["particle.elements", { name: "element", spec: { kind: "u32", width: 1, unit: null } }],
  ["particle.residues", { name: "residue", spec: { kind: "u32", width: 1, unit: null } }],
  ["particle.colors", { name: "color", spec: { kind: "u8", width: 4, unit: null } }],
  ["particle.names", { name: "label", spec: { kind: "string", width: 1, unit: null } }],
  ["particle.types", { name: "kind", spec: { kind: "string", width: 1, unit: null } }],
]);

/** Key of the frame's value at `path`, which is none of the shared state's. */
export function frameKeyOf(path: string): string {
  return path.startsWith(ESCAPED) ? path.slice(ESCAPED.length) : path;
}

function pathOfKey(key: string): string {
  return key.startsWith(SHARED) || key.startsWith(ESCAPED) || key.startsWith(".") ? ESCAPED + key : key;
}

/** Whether a frame's key has one cell for each particle. */
export function isParticleKey(key: string): boolean {
  return PARTICLE_COLUMNS.has(key);
}

/** Columns of the particles by the frame's key they come from. */
export function particleKeysOf(columns: ReadonlyMap<string, Column>): Map<string, Column> {
  const keys = new Map<string, Column>();
  for (const [key, { name }] of PARTICLE_COLUMNS) {
    const column = columns.get(name);
    if (column !== undefined) keys.set(key, column);
  }
  return keys;
}

/** Keys of a frame that hold in a state. */
export function frameKeysOf(state: State): Set<string> {
  const paths = [...state.values.keys()].filter((path) => !path.startsWith(SHARED));
  const columns = particleKeysOf(state.sets.get(PARTICLES)?.columns ?? new Map());
  return new Set([...paths.map(frameKeyOf), ...columns.keys()]);
}

/** Keys of the shared state that hold. */
export function sharedKeysOf(state: State): Set<string> {
  const paths = [...state.values.keys()].filter((path) => path.startsWith(SHARED));
  return new Set(paths.map((path) => path.slice(SHARED.length)));
}

/**
 * How NanoVer messages change state. A frame changes the keys it holds; one with the keyframe flag first empties what
 * earlier frames said (spec §3.1). Payloads that do not decode change nothing more than that.
 */
export class NanoverState implements StateModel {
  readonly motion: number = FRAME;
  readonly #container: Container;
  readonly #frames: Schema<Frame>;
  readonly #states: Schema<StateUpdate>;

  constructor(container: Container) {
    this.#container = container;
    this.#frames = frameSchema(container);
    this.#states = stateSchema(container);
  }

  replacesState(_channel: number): boolean {
    return false;
  }

  isAlike(other: StateModel, context: unknown, otherContext: unknown): boolean {
    if (!(other instanceof NanoverState) || this.#container !== other.#container) return false;
    const [own, others] = [payloadsOf(context), payloadsOf(otherContext)];
    return (own?.container ?? this.#container) === (others?.container ?? this.#container);
  }

  holds(channel: number): boolean {
    return channel === FRAME || channel === STATE;
  }

  interpolation(path: string): "linear" | "hold" {
    return path.startsWith("energy.") || path === "system.simulation.time" ? "linear" : "hold";
  }

  channelsOf(path: SeriesPath): readonly number[] | null {
    if ("value" in path) return [path.value.startsWith(SHARED) ? STATE : FRAME];
    return this.channelsOfSet(path.set);
  }

  channelsOfSet(set: string): readonly number[] | null {
    if (set === PARTICLES) return [FRAME];
    return set === AVATARS || set === INTERACTIONS ? [STATE] : null;
  }

  columns(wanted: readonly WantedNumber[]): ColumnReader | null {
    const accepts = wanted.map(({ path }) => this.channelsOf(path)?.every((id) => id === FRAME) === true);
    if (this.#container === "zip" || !accepts.includes(true)) return null;
    const terms = {
      ...{ container: this.#container, accepts, set: PARTICLES, pathOf: pathOfKey },
      columnOf: (key: string): string | undefined => {
        const column = PARTICLE_COLUMNS.get(key);
        return column?.spec.kind === "f32" ? column.name : undefined;
      },
      decodes: (batch: MessageBatch, i: number): boolean => decoded(this.#frames, batch, i) !== null,
    };
    return new FrameColumns(this, terms, wanted);
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const channel = batch.channel[i]!;
    if (channel === FRAME) {
      if ((batch.flags[i]! & KEYFRAME) !== 0) resetFrame(state);
      const frame = decoded(this.#frames, batch, i);
      if (frame !== null) applyFrame(state, frame);
    } else if (channel === STATE) {
      const update = decoded(this.#states, batch, i);
      if (update !== null) applyUpdate(state, update);
    }
  }
}

function decoded<T>(schema: Schema<T>, batch: MessageBatch, i: number): T | null {
  try {
    return schema.decode(batch.payload(i), batch.context);
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

function resetFrame(state: MutableState): void {
  for (const path of [...state.values.keys()]) if (!path.startsWith(SHARED)) state.deleteValue(path);
  state.set(PARTICLES, SIMULATION_AXES).clear();
}

function applyFrame(state: MutableState, frame: Frame): void {
  const particles = state.set(PARTICLES, SIMULATION_AXES);
  resize(state, particles, frame);
  for (const key in frame) {
    const value = frame[key]!;
    const column = PARTICLE_COLUMNS.get(key);
    const path = pathOfKey(key);
    if (column === undefined) {
      state.setValue(path, value);
      continue;
    }
    const cells = cellsOf(value, column.spec);
    if (cells !== null && cells.length === particles.size * column.spec.width) {
      particles.column(column.name, column.spec).replace(cells);
      state.deleteValue(path);
    } else {
      particles.deleteColumn(column.name);
      state.setValue(path, value);
    }
  }
}

/**
 * Makes as many particles as the frame's arrays have cells for: a stated count alone asks for no memory, but when it is
 * another, what is there belongs to a simulation that has gone without a reset (spec §3.1, defensive rule).
 */
function resize(state: MutableState, particles: MutableEntitySet, frame: Frame): void {
  let rows = -1;
  for (const [key, { spec }] of PARTICLE_COLUMNS) {
    const value = frame[key];
    const cells = value === undefined ? null : cellsOf(value, spec);
    if (cells === null || cells.length % spec.width !== 0) continue;
    rows = cells.length / spec.width;
    // Positions come first in the table, and with them it is certain.
    break;
  }
  const count = frame[PARTICLE_COUNT];
  if (rows < 0 && typeof count === "number" && count !== particles.size && particles.size > 0) rows = 0;
  if (rows < 0 || rows === particles.size) return;
  particles.dense(rows);
  for (const key of PARTICLE_COLUMNS.keys()) state.deleteValue(key);
}

/** The value as cells of such a column; null when it is none. */
function cellsOf(value: Value, spec: ColumnSpec): ColumnData | null {
  switch (spec.kind) {
    case "f32":
      return value instanceof Float32Array ? value : null;
    case "u32":
      if (value instanceof Uint32Array) return value;
      return value instanceof Uint8Array || isEmpty(value) ? Uint32Array.from(value as Uint8Array) : null;
    case "u8":
      return value instanceof Uint8Array ? value : value instanceof Uint32Array ? Uint8Array.from(value) : null;
    default:
      return isTexts(value) ? value : null;
  }
}

function isEmpty(value: Value): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Updates first, then removals, as Python does (spec §3.2). */
function applyUpdate(state: MutableState, update: StateUpdate): void {
  for (const key in update.updates) {
    const value = update.updates[key]!;
    if (key.startsWith("avatar.")) putAvatar(state, key, value);
    else if (key.startsWith("interaction.")) putInteraction(state, key, value);
    state.setValue(SHARED + key, value);
  }
  for (const key of update.removals) {
    if (key.startsWith("avatar.")) putAvatar(state, key, null);
    else if (key.startsWith("interaction.")) state.set(INTERACTIONS, SIMULATION_AXES).remove(key.slice(12));
    state.deleteValue(SHARED + key);
  }
}

const POSITION_M: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "linear" };
const POSITION_NM: ColumnSpec = { kind: "f64", width: 3, unit: "nm", interpolation: "linear" };
const ORIENTATION: ColumnSpec = { kind: "f64", width: 4, unit: null, interpolation: "quaternion" };
const TEXT: ColumnSpec = { kind: "string", width: 1, unit: null };
const COLOR: ColumnSpec = { kind: "f32", width: 4, unit: null };
const NUMBER: ColumnSpec = { kind: "f64", width: 1, unit: null };
const FLAG: ColumnSpec = { kind: "u8", width: 1, unit: null };
/** What `max_force` is clamped to (spec §3.4); the unit is that of forces. */
const FORCE: ColumnSpec = { kind: "f64", width: 1, unit: KILOJOULE_PER_NM };

/**
 * One thing for each component of the avatar: `<player id>/headset`, `<player id>/hand.left` … (spec §3.4). Components
 * that the new value lacks are gone.
 */
function putAvatar(state: MutableState, key: string, value: Value): void {
  const player = key.slice("avatar.".length);
  const avatars = state.set(AVATARS, ROOM_AXES);
  const components = componentsOf(value);
  const before = componentsOf(state.value(SHARED + key));
  for (const name of before.keys()) if (!components.has(name)) avatars.remove(`${player}/${name}`);
  const color = field(value, "color");
  const label = textOf(field(value, "name"));
  for (const [name, component] of components) {
    const row = avatars.row(`${player}/${name}`);
    putNumbers(avatars, "position", POSITION_M, row, field(component, "position"));
    putNumbers(avatars, "orientation", ORIENTATION, row, field(component, "rotation"));
    avatars.column("kind", TEXT).putText(row, name);
    avatars.column("label", TEXT).putText(row, label);
    putNumbers(avatars, "color", COLOR, row, color);
  }
}

function componentsOf(avatar: Value | undefined): ReadonlyMap<string, Value> {
  const components = new Map<string, Value>();
  const list = field(avatar, "components");
  if (!Array.isArray(list)) return components;
  for (const component of list as readonly Value[]) {
    const name = field(component, "name");
    if (typeof name === "string") components.set(name, component);
  }
  return components;
}

/** One thing for each interaction, by its id (spec §3.4). The docs say `positions` and `type`; real data do not. */
function putInteraction(state: MutableState, key: string, value: Value): void {
  const interactions = state.set(INTERACTIONS, SIMULATION_AXES);
  const row = interactions.row(key.slice("interaction.".length));
  const particles = field(value, "particles");
  const kind = textOf(field(value, "interaction_type")) || textOf(field(value, "type"));
  putNumbers(interactions, "position", POSITION_NM, row, field(value, "position") ?? field(value, "positions"));
  interactions.column("kind", TEXT).putText(row, kind);
  interactions.column("label", TEXT).putText(row, textOf(field(value, "label")));
  interactions.column("owner", TEXT).putText(row, textOf(field(value, "owner.id")));
  interactions.column("scale", NUMBER).put(row, numberOf(field(value, "scale")));
  interactions.column("max-force", FORCE).put(row, numberOf(field(value, "max_force")));
  interactions.column("particle-count", NUMBER).put(row, isArrayLike(particles) ? particles.length : Number.NaN);
  interactions.column("mass-weighted", FLAG).put(row, field(value, "mass_weighted") === true ? 1 : 0);
  interactions.column("reset-velocities", FLAG).put(row, field(value, "reset_velocities") === true ? 1 : 0);
}

function putNumbers(
  set: MutableEntitySet,
  name: string,
  spec: ColumnSpec,
  row: number,
  value: Value | undefined,
): void {
  const column = set.column(name, spec);
  const numbers = isArrayLike(value) ? value : [];
  for (let k = 0; k < spec.width; k++) column.put(row, numberOf(numbers[k]), k);
}

function field(value: Value | undefined, name: string): Value | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    return undefined;
  return (value as { readonly [key: string]: Value })[name];
}

function isArrayLike(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}

function numberOf(value: Value | undefined): number {
  return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : Number.NaN;
}

function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}
