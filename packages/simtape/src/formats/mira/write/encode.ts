import { ByteBuilder } from "../../../bytes/builder.ts";
import { isSameBytes } from "../../../bytes/same-bytes.ts";
import { transformOf } from "../../../model/axes/axes-transform.ts";
import { type Origin, unsetOrigin } from "../../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../../model/poses/place.ts";
import { areSameSets, type State } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo, Value } from "../../../model/values/value.ts";
import { type Account, type StateEncoder, thingKey, type Witness, type Writer } from "../../../model/writer.ts";
import { encodeValue } from "./encode-value.ts";
import { AXES } from "../meaning/axes.ts";

/** From here on, metres, a float is coarser than half a millimetre. */
const FLOAT_METRES = 8192;
const MAX_DEPTH = 8;
/** Columns that become messages; the rest of a set has no room. */
const CARRIED: ReadonlySet<string> = new Set([
  "position",
  "geodetic",
  "rotation",
  "orientation",
  "velocity",
  "kind",
  "label",
]);

/**
 * State as messages of a tape: things with places as poses on `/<set>/<id>/Pose`, their velocities, kinds and labels
 * beside them, values under their paths.
 */
export function encoder(writer: Writer, account: Account, origin: Origin = unsetOrigin()): StateEncoder {
  return new TapeEncoder(writer, account, origin);
}

/** A channel that something is written on; null: there can be none. */
interface Lane {
  readonly channel: ChannelInfo | null;
  readonly type: string;
  last: Value | undefined;
  payload: Uint8Array | null;
}

interface Thing {
  readonly pose: ChannelInfo | null;
  readonly isDouble: boolean;
  readonly last: Float64Array;
  velocity: ChannelInfo | null;
  readonly lastVelocity: Float64Array;
  /** Look at the things in which it was there last. */
  round: number;
}

/** Memory for a channel here, in the writer, and where its messages are listed, in bytes, about. */
const CHANNEL = 2400;

class TapeEncoder implements StateEncoder {
  readonly #writer: Writer;
  readonly #account: Account;
  readonly #origin: Origin;
  readonly #things = new Map<string, Map<number | string, Thing>>();
  readonly #lanes = new Map<string, Lane>();
  /** Step in which each path was written or the same as before. */
  readonly #seen = new Map<string, number>();
  /** Values that a lane could not take, as they were last. */
  readonly #refused = new Map<string, Value>();
  /** Sets as they were last. */
  #sets: State["sets"] = new Map();
  readonly #velocity: number[] = [0, 0, 0];
  readonly #out = new ByteBuilder(64);
  readonly #number = new Uint8Array(8);
  readonly #numberView = new DataView(this.#number.buffer);
  #step = 0;
  #round = 0;
  #isOriginWritten = false;

  constructor(writer: Writer, account: Account, origin: Origin) {
    this.#writer = writer;
    this.#account = account;
    this.#origin = origin;
  }

  step(state: State): void {
    this.#step++;
    const { time } = state;
    if (!areSameSets(this.#sets, state.sets)) this.#tellThings(state);
    let count = 0;
    for (const [path, value] of state.values) count += this.#value(path, value, time, 0);
    if (count < this.#seen.size) this.#tellGone();
  }

  end(): void {}

  witness(): Witness {
    return {
      timeOf: (time) => time,
      value: ({ values }, path) => values.get(channelOf(path)),
      hasSets: false,
      things: (state, source) => {
        const poses = new Map(placesOf(state, unsetOrigin()).map((pose) => [pose.id, pose]));
        const found = new Map<string, Place>();
        for (const place of source) {
          const pose = poses.get(`${pathOf(place)}/Pose`);
          if (pose !== undefined) found.set(thingKey(place.set, place.id), pose);
        }
        return found;
      },
      origin: unsetOrigin(),
    };
  }

  /** Where the plane of geodetic places touches the earth: degrees, metres. */
  #writeOrigin(time: Time): void {
    this.#isOriginWritten = true;
    const { latitude, longitude, altitude } = this.#origin;
    for (const [name, value] of Object.entries({ Latitude: latitude, Longitude: longitude, Altitude: altitude })) {
      this.#put(`/Origin/${name}`, "origin", value, time);
    }
  }

  #place(place: Place, time: Time, state: State): void {
    const thing = this.#thing(place, state);
    thing.round = this.#round;
    const { set, orientation, velocity } = place;
    const pose = poseOf(place);
    if (isNew(pose, thing.last)) {
      if (thing.pose === null) this.#account.lost(set, NO_CHANNEL);
      else {
        for (const number of pose) {
          if (thing.isDouble) this.#out.f64le(number);
          else this.#out.f32le(number);
        }
        this.#writer.write(thing.pose, time, this.#out.take());
        this.#account.carried(set);
        if (orientation === null) this.#account.lost(`${set}/rotation`, NO_ROTATION);
      }
    }
    const path = pathOf(place);
    if (velocity !== null) TRANSFORM.vectorBack(...velocity, this.#velocity, 0);
    if (velocity !== null && isNew(this.#velocity, thing.lastVelocity)) {
      thing.velocity ??= this.#channel(`${path}/Velocity`, "mira::Point3f");
      if (thing.velocity === null) this.#account.lost(`${set}/velocity`, NO_CHANNEL);
      else {
        for (const number of this.#velocity) this.#out.f32le(number);
        this.#writer.write(thing.velocity, time, this.#out.take());
      }
    }
    if (place.kind !== "") this.#put(`${path}/Kind`, `${set}/kind`, place.kind, time);
    if (place.label !== "") this.#put(`${path}/Label`, `${set}/label`, place.label, time);
  }

  #thing(place: Place, state: State): Thing {
    const { set, id } = place;
    let things = this.#things.get(set);
    if (things === undefined) {
      things = new Map();
      this.#things.set(set, things);
    }
    let thing = things.get(id);
    if (thing === undefined) {
      const isFar = Math.max(Math.abs(place.x), Math.abs(place.y), Math.abs(place.z)) >= FLOAT_METRES;
      const isDouble = isFar || state.sets.get(set)!.columns.has("geodetic");
      const type = `mira::RigidTransform<${isDouble ? "double" : "float"},3>`;
      thing = {
        pose: this.#channel(`${pathOf(place)}/Pose`, type),
        isDouble,
        last: new Float64Array(6).fill(Number.NaN),
        velocity: null,
        lastVelocity: new Float64Array(3).fill(Number.NaN),
        round: this.#round,
      };
      things.set(id, thing);
    }
    return thing;
  }

  #tellThings(state: State): void {
    const { time } = state;
    this.#round++;
    const places = placesOf(state, this.#origin);
    if (this.#origin.isSet && !this.#isOriginWritten) this.#writeOrigin(time);
    for (const place of places) this.#place(place, time, state);
    this.#tellSets(state, places);
    this.#sets = state.sets;
  }

  /** Takes account of what sets hold and no message does, where it changed. */
  #tellSets(state: State, places: readonly Place[]): void {
    const placed = new Set(places.map(({ set }) => set));
    for (const [name, set] of state.sets) {
      const before = this.#sets.get(name);
      if (set.ids.length > 0 && !placed.has(name)) {
        this.#account.lost(name, "its things have no position that a pose can hold", set.ids.length);
      } else if (set.ids.length > 0) {
        for (const [key, column] of set.columns) {
          if (CARRIED.has(key) || before?.columns.get(key) === column) continue;
          this.#account.lost(`${name}/${key}`, "MIRA's poses have no such property", set.ids.length);
        }
      }
    }
    for (const [set, things] of this.#things) {
      let gone = 0;
      for (const thing of things.values()) if (thing.round === this.#round - 1) gone++;
      if (gone > 0) this.#account.lost(set, "a tape cannot say that a thing is gone: its last pose stays", gone);
    }
  }

  #tellGone(): void {
    for (const [path, step] of this.#seen) {
      if (step === this.#step) continue;
      this.#seen.delete(path);
      this.#account.lost(path, "a tape cannot say that a value is gone: its last one stays");
    }
  }

  /** Writes a value when it changed; members of objects on channels of their own. Gives how many paths it took. */
  #value(path: string, value: Value, time: Time, depth: number): number {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
    if (!isObject || depth >= MAX_DEPTH) {
      this.#seen.set(path, this.#step);
      this.#put(channelOf(path), path, value, time);
      return 1;
    }
    let count = 0;
    for (const [key, member] of Object.entries(value as { readonly [key: string]: Value })) {
      count += this.#value(`${path}/${key}`, member, time, depth + 1);
    }
    return count;
  }

  #put(name: string, path: string, value: Value, time: Time): void {
    const lane = this.#lanes.get(name);
    if (Object.is(this.#refused.has(name) ? this.#refused.get(name) : lane?.last, value)) return;
    this.#refused.delete(name);
    if (typeof value === "number" && lane?.type === "double") {
      // Most values are numbers: they take no bytes of their own.
      lane.last = value;
      this.#numberView.setFloat64(0, value, true);
      this.#write(lane, path, time, this.#number);
      return;
    }
    const encoded = encodeValue(value);
    if (encoded === null) {
      this.#refuse(name, path, value, value === null ? "a tape cannot hold an empty value" : "MIRA has no type for it");
      return;
    }
    const { type, payload } = encoded;
    if (lane === undefined) {
      const made: Lane = { channel: this.#channel(name, type), type, last: value, payload };
      this.#lanes.set(name, made);
      this.#write(made, path, time, payload);
    } else if (lane.type !== type) {
      this.#refuse(name, path, value, `its type changed: a channel of type ${lane.type} holds no ${type}`);
    } else {
      lane.last = value;
      if (lane.payload !== null && isSameBytes(lane.payload, payload)) return;
      lane.payload = payload;
      this.#write(lane, path, time, payload);
    }
  }

  #refuse(name: string, path: string, value: Value, reason: string): void {
    this.#refused.set(name, value);
    this.#account.lost(path, reason);
  }

  #write(lane: Lane, path: string, time: Time, payload: Uint8Array): void {
    if (lane.channel === null) {
      this.#account.lost(path, NO_CHANNEL);
      return;
    }
    this.#writer.write(lane.channel, time, payload);
    this.#account.carried(path);
  }

  /** Null: there can be none of that name. */
  #channel(name: string, schema: string): ChannelInfo | null {
    this.#account.kept?.(CHANNEL);
    try {
      return this.#writer.channel({ name, schema });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return null;
    }
  }
}

const NO_ROTATION = "MIRA's poses always have a rotation: an unknown one was written as no rotation";
const NO_CHANNEL = "a tape can have no channel for it";

const TRANSFORM = transformOf(AXES);

/** x, y, z, yaw, pitch, roll; no rotation where none is known. */
function poseOf({ x, y, z, orientation }: Place): number[] {
  const pose = [0, 0, 0, 0, 0, 0];
  TRANSFORM.vectorBack(x, y, z, pose, 0);
  if (orientation !== null) TRANSFORM.anglesBack(...orientation, 1, pose, 3);
  const [roll, yaw] = [pose[3]!, pose[5]!];
  pose[3] = yaw;
  pose[5] = roll;
  return pose;
}

function channelOf(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function pathOf({ set, id }: Place): string {
  return `/${set}/${String(id).replace(/^\/+/, "")}`;
}

/** Whether numbers differ from the last; takes them as the last. */
function isNew(numbers: readonly number[], last: Float64Array): boolean {
  let isChanged = false;
  numbers.forEach((number, i) => {
    if (!Object.is(last[i], number)) isChanged = true;
    last[i] = number;
  });
  return isChanged;
}
