import type { MessageBatch } from "../../../model/messages/batch.ts";
import { Late } from "../../../model/state/late.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { Channel, Value } from "../../../model/values/value.ts";
import { ANGULAR_VELOCITY, AXES, EARTH, GEODETIC, putVector, TEXT, VELOCITY } from "./columns.ts";
import { applyFrames, framesIn, placePoses, putOwnPose } from "./frames.ts";
import { isHeld, isReplacing, type Kind, kindOfChannel } from "./kinds.ts";
import { frameIn, itemsIn, type Members, membersIn, numberIn } from "./members.ts";
import { applyScene, endEntities, ENTITIES } from "./scene.ts";
import { PayloadSchema } from "./schema.ts";

/** Names of the sets beside `frames` and `entities`. */
export const POSES = "poses";
export const FIXES = "fixes";

/**
 * State of a file (spec §7): transforms are the set `frames`, poses `poses` and entities of scenes `scene`, placed in
 * the root of their frame's tree, places on the earth `fixes`. The last value of every other channel that is decoded is
 * under the name of the channel.
 */
export class McapState implements StateModel {
  readonly motion: number | null;
  readonly #channels: readonly Channel[];
  readonly #kinds: readonly Kind[];
  /** Ids of entities hold for their topic only: where there are several, the id has the topic before it. */
  readonly #hasScenes: boolean;
  /** By channel: makes the value of a payload when it is looked at. Each is made with the first message. */
  readonly #makers: ((bytes: Uint8Array) => Value)[] = [];

  constructor(channels: readonly Channel[]) {
    this.#channels = channels;
    this.#kinds = channels.map(kindOfChannel);
    this.#hasScenes = this.#kinds.filter((kind) => kind === "scene").length > 1;
    const moving = channels.filter(({ id }) => isHeld(this.#kinds[id]!) && this.#kinds[id] !== "value");
    // between the messages of several channels nothing moves together
    this.motion = moving.length === 1 ? moving[0]!.id : null;
  }

  kindOf(channel: number): Kind {
    return this.#kinds[channel] ?? "bytes";
  }

  replacesState(channel: number): boolean {
    return isReplacing(this.kindOf(channel));
  }

  isAlike(other: StateModel): boolean {
    if (!(other instanceof McapState)) return false;
    return this.#channels.every(({ id, name, schema }) => {
      const there = other.#channels[id];
      if (there?.name !== name || !(schema instanceof PayloadSchema) || !(there.schema instanceof PayloadSchema))
        return false;
      const [own, others] = [schema.definition, there.schema.definition];
      if (own.channel.encoding !== others.channel.encoding || own.schema?.name !== others.schema?.name) return false;
      return own.schema?.encoding === others.schema?.encoding && areEqual(own.schema?.data, others.schema?.data);
    });
  }

  holds(channel: number): boolean {
    return isHeld(this.kindOf(channel));
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const id = batch.channel[i]!;
    const kind = this.kindOf(id);
    if (!isHeld(kind)) return;
    const { name } = this.#channels[id]!;
    const payload = batch.payload(i);
    if (kind === "value") {
      state.setLate(name, new Late(payload.slice(), 0, this.#makerOf(id)));
      return;
    }
    const value = membersIn(this.#makerOf(id)(payload));
    const time = batch.time[i]!;
    // all messages of these are folded, wherever a fold begins; of others the last may be all that is
    if (!isReplacing(kind)) endEntities(state, time);
    switch (kind) {
      case "frame":
      case "frames":
        applyFrames(state, framesIn(value));
        this.#placeAll(state);
        return;
      case "scene":
        applyScene(state, value, time, this.#hasScenes ? (entity) => `${name} ${entity}` : (entity) => entity);
        return;
      case "fix":
        applyFix(state, name, value);
        return;
      default:
        applyPoses(state, name, kind, value);
    }
  }

  #makerOf(channel: number): (bytes: Uint8Array) => Value {
    const known = this.#makers[channel];
    if (known !== undefined) return known;
    const maker = makerOf(this.#channels[channel]!);
    this.#makers[channel] = maker;
    return maker;
  }

  /** A transform moves all poses and entities in frames that it carries. */
  #placeAll(state: MutableState): void {
    for (const name of [POSES, ENTITIES]) {
      const set = state.sets.get(name);
      if (set !== undefined && set.size > 0) placePoses(state, set, 0, set.size);
    }
  }
}

function makerOf({ schema }: Channel): (bytes: Uint8Array) => Value {
  return (bytes) => (schema instanceof PayloadSchema ? schema.value(bytes) : undefined) ?? null;
}

function areEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a?.length === b?.length && a?.every((byte, i) => byte === b?.[i]) === true);
}

function applyFix(state: MutableState, name: string, value: Members): void {
  const set = state.set(FIXES, EARTH);
  const row = set.row(name);
  const { latitude, longitude, altitude } = value;
  set.column("geodetic", GEODETIC).put3(row, numberIn(latitude), numberIn(longitude), numberIn(altitude));
  set.column("frame", TEXT).putText(row, frameIn(value));
}

/** One pose is called like its channel, several have their place behind it: `/path[3]`. */
function applyPoses(state: MutableState, name: string, kind: Kind, value: Members): void {
  const set = state.set(POSES, AXES);
  if (kind !== "poses") {
    const row = set.row(name);
    const stated = membersIn(value["pose"]);
    // with a covariance the pose is one level deeper
    putOwnPose(set, row, stated["pose"] === undefined ? stated : membersIn(stated["pose"]));
    set.column("frame", TEXT).putText(row, frameIn(value));
    placePoses(state, set, row, row + 1);
    if (kind !== "odometry") return;
    const twist = membersIn(membersIn(value["twist"])["twist"]);
    putVector(set, "velocity", VELOCITY, row, membersIn(twist["linear"]));
    putVector(set, "angular-velocity", ANGULAR_VELOCITY, row, membersIn(twist["angular"]));
    return;
  }
  const poses = itemsIn(value["poses"]).map(membersIn);
  for (const [i, pose] of poses.entries()) {
    const row = set.row(`${name}[${i}]`);
    putOwnPose(set, row, pose["pose"] === undefined ? pose : membersIn(pose["pose"]));
    set.column("frame", TEXT).putText(row, frameIn(pose) || frameIn(value));
    placePoses(state, set, row, row + 1);
  }
  for (let i = poses.length; set.find(`${name}[${i}]`) >= 0; i++) set.remove(`${name}[${i}]`);
}
