import { ByteBuilder } from "../../../bytes/builder.ts";
import { transformOf } from "../../../model/axes/axes-transform.ts";
import { type Origin, unsetOrigin } from "../../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../../model/poses/place.ts";
import { areSameSets, type State } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo, Value } from "../../../model/values/value.ts";
import { type Account, type StateEncoder, thingKey, type Witness, type Writer } from "../../../model/writer.ts";
import { COUNTS, emptyMap, FRAME_INDEX, type MutableFrame, PACKINGS, PARTICLE_COUNT } from "../layout/layout.ts";
import { writeMessage } from "../layout/messagepack.ts";
import { writeFrameData, writeFrameResponse, writeStateUpdate } from "../layout/protobuf.ts";
import type { Container } from "../meaning/schema.ts";
import { SIMULATION_AXES } from "../meaning/axes.ts";
import { frameKeyOf, isParticleKey, particleKeysOf, SHARED } from "../meaning/state.ts";
import { writeZipState } from "./transcode.ts";
import { NanoverWriter } from "./writer.ts";

const NANOMETRES = 1e9;
/** nm/ps in 1 m/s. */
const NANOMETRES_PER_PICOSECOND = 1e-3;
/** ps in 1 ns. */
const PICOSECONDS = 1000;
/** Numbers and texts of the longest value that is carried. */
const MAX_ITEMS = 1 << 16;
const MAX_DEPTH = 32;

/**
 * Pose of the simulation in the room: of natural size, and its z upwards, as the room's y is (spec §3.4). Position,
 * quaternion x, y, z, w, scale.
 */
const SCENE: readonly number[] = [0, 0, 0, -Math.SQRT1_2, 0, 0, Math.SQRT1_2, 1e-9, 1e-9, 1e-9];

/** Columns that particles have room for, of things of other formats. */
const CARRIED: ReadonlySet<string> = new Set(["position", "geodetic", "velocity", "kind", "label"]);

/** Writes things with places as particles, values under their paths; the state of a NanoVer recording as it is. */
export function encoder(writer: Writer, account: Account, origin: Origin = unsetOrigin()): StateEncoder {
  return new Encoder(writer, account, origin);
}

class Encoder implements StateEncoder {
  readonly #writer: Writer;
  readonly #account: Account;
  readonly #container: Container;
  readonly #frames: ChannelInfo;
  readonly #states: ChannelInfo;
  readonly #origin: Origin;
  /** What was said last, by key: of the frame, and of the shared state. */
  #frame = new Map<string, Value>();
  #shared = new Map<string, Value>();
  /** Who the particles are, in order. */
  #things: readonly Place[] = [];
  /** Sets of the source as they were last, and what the frame says of them. */
  #sets: State["sets"] = new Map();
  #particles: ReadonlyMap<string, Value> = new Map();
  /** Values of the source as they were last, and what they are here; undefined: there is no room for them. */
  readonly #plain = new Map<string, { readonly value: Value; readonly made: Value | undefined }>();
  #count = 0;
  /** Where keys of the frame come from that are values of the source. */
  readonly #paths = new Map<string, string>();
  #index = 0;
  #resets = 0;
  #shift: Time = 0;
  #isFirst = true;
  /** The source is a recording of NanoVer, or carries one. */
  #isNative = false;

  constructor(writer: Writer, account: Account, origin: Origin) {
    this.#writer = writer;
    this.#account = account;
    this.#origin = origin;
    this.#container = writer instanceof NanoverWriter ? writer.container : "zip";
    this.#frames = writer.channel({ name: "frame" });
    this.#states = writer.channel({ name: "state" });
  }

  step(state: State): void {
    const time = this.#timeOf(state);
    const frame = new Map<string, Value>();
    const shared = new Map<string, Value>();
    const isNative = state.sets.get("particles")?.columns.get("position")?.unit === "nm";
    this.#isNative = isNative;
    let isOther = this.#isFirst;
    if (!this.#isFirst && areSameSets(this.#sets, state.sets)) {
      for (const [key, value] of this.#particles) frame.set(key, value);
    } else if (isNative) {
      const count = state.sets.get("particles")!.ids.length;
      isOther ||= count !== this.#count;
      this.#count = count;
      this.#putOwn(state, frame);
      this.#particles = new Map(frame);
    } else {
      const places = placesOf(state, this.#origin);
      isOther ||= !areSame(places, this.#things);
      this.#things = places;
      this.#putPlaces(state, places, frame);
      this.#particles = new Map(frame);
    }
    this.#sets = state.sets;
    if (!isNative && this.#isFirst) shared.set("scene", SCENE);
    else if (this.#shared.has("scene")) shared.set("scene", this.#shared.get("scene")!);
    for (const [path, value] of state.values) this.#putValue(path, value, isNative, frame, shared);
    this.#writeFrame(time, state.time, frame, isOther, isNative);
    this.#writeShared(time, shared);
    this.#isFirst = false;
  }

  end(): void {}

  witness(): Witness {
    const isZip = this.#container === "zip";
    return {
      timeOf: (time) => (isZip ? time : Math.round((time + this.#shift) / 1000) * 1000),
      value: ({ values }, path) => values.get(path),
      hasSets: false,
      things: (state, source) => {
        const found = new Map<string, Place>();
        const places = placesOf(state, unsetOrigin());
        // The things of another format are particles, in order.
        if (this.#isNative) for (const place of places) found.set(thingKey(place.set, place.id), place);
        else {
          for (const [i, { set, id }] of source.entries()) {
            const particle = places[i];
            if (particle?.set === "particles") found.set(thingKey(set, id), particle);
          }
        }
        return found;
      },
      origin: unsetOrigin(),
    };
  }

  /** v1 and v2 count microseconds from 0 (spec §1). */
  #timeOf(state: State): Time {
    if (this.#container === "zip") return state.time;
    if (this.#isFirst && state.time < 0) {
      this.#shift = Math.ceil(-state.time / 1000) * 1000;
      this.#account.lost("time", `times are counted from 0: every one is ${this.#shift} ns later`);
    }
    if (state.time % 1000 !== 0) this.#account.lost("time", "times are whole microseconds: parts were rounded");
    return state.time + this.#shift;
  }

  #putPlaces(state: State, places: readonly Place[], frame: Map<string, Value>): void {
    const count = places.length;
    const positions = new Float32Array(count * 3);
    const velocities = new Float32Array(count * 3).fill(Number.NaN);
    const residues = new Uint32Array(count);
    const names: string[] = [];
    const kinds: string[] = [];
    const sets: string[] = [];
    const transform = transformOf(SIMULATION_AXES);
    let hasVelocity = false;
    for (let i = 0; i < count; i++) {
      const { set, id, kind, label, x, y, z, velocity } = places[i]!;
      transform.vectorBack(x * NANOMETRES, y * NANOMETRES, z * NANOMETRES, positions, 3 * i);
      if (velocity !== null) {
        hasVelocity = true;
        const [vx, vy, vz] = velocity.map((metres) => metres * NANOMETRES_PER_PICOSECOND) as [number, number, number];
        transform.vectorBack(vx, vy, vz, velocities, 3 * i);
      }
      if (sets.at(-1) !== set) sets.push(set);
      residues[i] = sets.length - 1;
      names.push(label === "" ? String(id) : label);
      kinds.push(kind);
    }
    frame.set(PARTICLE_COUNT, count);
    frame.set("particle.positions", positions);
    if (hasVelocity) frame.set("particle.velocities", velocities);
    frame.set("particle.elements", new Uint8Array(count));
    frame.set("particle.names", names);
    if (kinds.some((kind) => kind !== "")) frame.set("particle.types", kinds);
    frame.set("particle.residues", residues);
    frame.set("residue.count", sets.length);
    frame.set("residue.names", sets);
    frame.set(
      "residue.ids",
      Array.from(sets, (_, i) => String(i + 1)),
    );
    frame.set("residue.chains", new Uint32Array(sets.length));
    frame.set("chain.count", 1);
    frame.set("chain.names", ["A"]);
    // Clients that do not clear at a reset need a message that there is none (spec §5).
    frame.set("bond.pairs", new Uint32Array(0));
    this.#tellSets(state, places, sets);
  }

  #tellSets(state: State, places: readonly Place[], sets: readonly string[]): void {
    const counts = new Map<string, number>(sets.map((set) => [set, 0]));
    for (const { set } of places) counts.set(set, counts.get(set)! + 1);
    for (const [name, set] of state.sets) {
      const rows = set.ids.length;
      if (rows === 0) continue;
      const placed = counts.get(name) ?? 0;
      if (placed > 0) this.#account.carried(name, placed);
      const before = this.#sets.get(name);
      if (placed < rows && before?.ids !== set.ids)
        this.#account.lost(name, "a particle has to be somewhere", rows - placed);
      if (placed === 0) continue;
      for (const [key, column] of set.columns) {
        if (CARRIED.has(key) || before?.columns.get(key) === column) continue;
        this.#account.lost(`${name}/${key}`, "NanoVer's particles have no such property", placed);
      }
    }
  }

  /** The particles of a NanoVer recording; the other sets are in its shared state too. */
  #putOwn(state: State, frame: Map<string, Value>): void {
    const { ids, columns } = state.sets.get("particles")!;
    for (const [key, column] of particleKeysOf(columns)) frame.set(key, column.data as Value);
    if (ids.length > 0) this.#account.carried("particles", ids.length);
  }

  #putValue(
    path: string,
    value: Value,
    isNative: boolean,
    frame: Map<string, Value>,
    shared: Map<string, Value>,
  ): void {
    const known = this.#plain.get(path);
    const isNew = known === undefined || !Object.is(known.value, value);
    const made = isNew ? this.#made(path, value) : known.made;
    if (made === undefined) return;
    if (path.startsWith(SHARED)) {
      shared.set(path.slice(SHARED.length), made);
      return;
    }
    const key = frameKeyOf(path);
    if (key === FRAME_INDEX) return;
    if (!isNative && (frame.has(key) || PACKINGS.has(key) || COUNTS.has(key) || isParticleKey(key))) {
      if (isNew) this.#account.lost(path, "NanoVer means something else by this name");
      return;
    }
    this.#paths.set(key, path);
    frame.set(key, isNative && !(value instanceof Float64Array) ? value : made);
  }

  #made(path: string, value: Value): Value | undefined {
    const room = { left: MAX_ITEMS };
    const made = plain(value, room, MAX_DEPTH);
    this.#plain.set(path, { value, made });
    if (made === undefined) {
      const isLong = room.left < 0;
      this.#account.lost(
        path,
        isLong ? `it is longer than ${MAX_ITEMS} items` : "its numbers are beyond 2^53, or it nests too deep",
      );
    }
    return made;
  }

  #writeFrame(time: Time, stateTime: Time, frame: Map<string, Value>, isOther: boolean, isNative: boolean): void {
    let isReset = isOther;
    for (const key of this.#frame.keys()) if (!frame.has(key)) isReset = true;
    const changed: MutableFrame = emptyMap();
    let count = 0;
    for (const [key, value] of frame) {
      if (!isReset && isEqual(value, this.#frame.get(key))) continue;
      changed[key] = value;
      count++;
      if (this.#paths.has(key)) this.#account.carried(this.#paths.get(key)!);
    }
    this.#frame = frame;
    if (count === 0 && !isReset) return;
    if (isReset) this.#index = 0;
    if (isReset && !isNative) changed["system.simulation.counter"] = this.#resets++;
    // It is no change by itself, since it goes on also when nothing else does.
    if (!isNative) changed["system.simulation.time"] = stateTime * PICOSECONDS;
    changed[FRAME_INDEX] = this.#index++;
    const builder = new ByteBuilder(1024);
    if (this.#container === "zip") writeMessage(builder, { frame: changed });
    else if (this.#container === "2") writeFrameResponse(builder, changed);
    else writeFrameData(builder, changed);
    this.#writer.write(this.#frames, time, builder.take(), isReset);
  }

  #writeShared(time: Time, shared: Map<string, Value>): void {
    const updates = emptyMap();
    const removals: string[] = [];
    let count = 0;
    for (const [key, value] of shared) {
      if (isEqual(value, this.#shared.get(key))) continue;
      updates[key] = value;
      count++;
      if (key !== "scene") this.#account.carried(SHARED + key);
    }
    for (const key of this.#shared.keys()) if (!shared.has(key)) removals.push(key);
    this.#shared = shared;
    if (count === 0 && removals.length === 0) return;
    const builder = new ByteBuilder(1024);
    if (this.#container === "zip") writeZipState(builder, { updates, removals });
    else writeStateUpdate(builder, { updates, removals });
    this.#writer.write(this.#states, time, builder.take());
  }
}

function areSame(a: readonly Place[], b: readonly Place[]): boolean {
  return a.length === b.length && a.every(({ set, id }, i) => set === b[i]!.set && id === b[i]!.id);
}

/** The value without types that only some containers have; undefined when there is no room for it. */
function plain(value: Value, room: { left: number }, depth: number): Value | undefined {
  room.left--;
  if (room.left < 0 || depth === 0) return undefined;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : undefined;
  }
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) {
    room.left -= (value as Uint8Array).length;
    if (room.left < 0) return undefined;
    return value instanceof Float32Array || value instanceof Uint32Array ? value : Array.from(value as Uint8Array);
  }
  if (Array.isArray(value)) {
    const list: Value[] = [];
    for (const item of value as readonly Value[]) {
      const made = plain(item, room, depth - 1);
      if (made === undefined) return undefined;
      list.push(made);
    }
    return list;
  }
  const map = emptyMap();
  for (const [key, item] of Object.entries(value)) {
    const made = plain(item, room, depth - 1);
    if (made === undefined) return undefined;
    map[key] = made;
  }
  return map;
}

function isEqual(a: Value | undefined, b: Value | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return false;
  const isList = Array.isArray(a) || ArrayBuffer.isView(a);
  if (isList !== (Array.isArray(b) || ArrayBuffer.isView(b))) return false;
  if (isList) {
    const [x, y] = [a as unknown as ArrayLike<Value>, b as unknown as ArrayLike<Value>];
    if (x.length !== y.length) return false;
    for (let i = 0; i < x.length; i++) if (!isEqual(x[i], y[i])) return false;
    return true;
  }
  const [left, right] = [Object.entries(a), b as { readonly [key: string]: Value }];
  return left.length === Object.keys(b).length && left.every(([key, item]) => isEqual(item, right[key]));
}
