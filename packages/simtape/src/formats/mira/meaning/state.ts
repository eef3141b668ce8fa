import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { ColumnReader, WantedNumber } from "../../../model/state/column-reader.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { ColumnSpec, Interpolation } from "../../../model/state/column.ts";
import { isSameValue } from "../../../model/values/same-value.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { Channel, Value } from "../../../model/values/value.ts";
import { AXES } from "./axes.ts";
import { TapeColumns } from "./column-reader.ts";
import { type PoseKind, poseKind, POSES } from "./poses.ts";
import { hasOpaque, opaqueValue, TapeSchema } from "./schema.ts";

const POSITION: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "linear" };
/** Roll, pitch, yaw. */
const ROTATION: ColumnSpec = { kind: "f64", width: 3, unit: "rad", interpolation: "angle-rad" };
const VELOCITY: ColumnSpec = { kind: "f64", width: 3, unit: "m/s", interpolation: "linear" };
const ANGULAR_VELOCITY: ColumnSpec = { kind: "f64", width: 3, unit: "rad/s", interpolation: "linear" };
const KIND: ColumnSpec = { kind: "string", width: 1, unit: null };

/**
 * State of a tape: the last value of every channel under its name, and the set `poses` of those that are poses.
 * Every message replaces all that earlier ones of its channel said.
 */
export class TapeState implements StateModel {
  readonly motion: number | null;
  readonly #channels: readonly Channel[];
  readonly #poses: readonly (PoseKind | null)[];

  constructor(channels: readonly Channel[]) {
    this.#channels = channels;
    this.#poses = channels.map(({ schema }) => (schema instanceof TapeSchema ? poseKind(schema) : null));
    const moving = channels.filter(({ id }) => this.#poses[id] !== null);
    // With several moving things there is no one channel between whose messages everything moves.
    this.motion = moving.length === 1 ? moving[0]!.id : null;
  }

  begin(state: MutableState): void {
    if (!this.#poses.some((pose) => pose !== null)) return;
    const set = state.set(POSES, AXES);
    set.column("position", POSITION);
    set.column("rotation", ROTATION);
    set.column("velocity", VELOCITY);
    set.column("angular-velocity", ANGULAR_VELOCITY);
    set.column("kind", KIND);
  }

  replacesState(_channel: number): boolean {
    return true;
  }

  isAlike(other: StateModel, context: unknown, otherContext: unknown): boolean {
    // where data was left compressed, its place in the file says so
    if (hasOpaque(context) || hasOpaque(otherContext) || !(other instanceof TapeState)) return false;
    return this.#channels.every(({ id, schema }) => {
      const there = other.#channels[id]?.schema;
      if (!(schema instanceof TapeSchema) || !(there instanceof TapeSchema)) return false;
      return schema.name === there.name && isSameValue(schema.encoding, there.encoding);
    });
  }

  channelsOf(path: SeriesPath): readonly number[] | null {
    const wanted = "value" in path ? path.value : path.id;
    return this.#channels.filter(({ name }) => name === wanted).map(({ id }) => id);
  }

  columns(wanted: readonly WantedNumber[]): ColumnReader | null {
    const columns = new TapeColumns(this, this.#channels, wanted);
    return columns.accepts.includes(true) ? columns : null;
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const id = batch.channel[i]!;
    const channel = this.#channels[id];
    if (channel === undefined) return;
    const { name, schema } = channel;
    const payload = batch.payload(i);
    const opaque = opaqueValue(payload, batch.context);
    const value = opaque === null && schema instanceof TapeSchema ? schema.value(payload) : null;
    if (opaque !== null) state.setValue(name, { ...opaque, bytes: payload.slice() });
    else state.setValue(name, value ?? { type: schema.name, bytes: payload.slice() });
    const pose = this.#poses[id];
    if (pose === null || pose === undefined) return;
    if (value === null) state.set(POSES, AXES).remove(name);
    else setPose(state, name, schema.name, pose, value as { readonly [key: string]: Value });
  }

  interpolation(_path: string): Interpolation {
    return "hold";
  }
}

function setPose(
  state: MutableState,
  name: string,
  type: string,
  kind: PoseKind,
  value: { readonly [key: string]: Value },
): void {
  const set = state.set(POSES, AXES);
  const row = set.row(name);
  const pose = kind === "odometry" ? (value["pose"] as { readonly [key: string]: Value }) : value;
  const moving = kind === "odometry" ? (value["velocity"] as { readonly [key: string]: Value }) : null;
  // A pose in the plane lies on the ground and turns about the vertical.
  const isFlat = pose["phi"] !== undefined;
  set.column("position", POSITION).put3(row, number(pose["x"]), number(pose["y"]), isFlat ? 0 : number(pose["z"]));
  const roll = isFlat ? 0 : number(pose["roll"]);
  const pitch = isFlat ? 0 : number(pose["pitch"]);
  set.column("rotation", ROTATION).put3(row, roll, pitch, number(isFlat ? pose["phi"] : pose["yaw"]));
  const velocity = set.column("velocity", VELOCITY);
  const turning = set.column("angular-velocity", ANGULAR_VELOCITY);
  if (moving === null) {
    velocity.put3(row, Number.NaN, Number.NaN, Number.NaN);
    turning.put3(row, Number.NaN, Number.NaN, Number.NaN);
  } else {
    velocity.put3(row, number(moving["x"]), number(moving["y"]), 0);
    turning.put3(row, 0, 0, number(moving["phi"]));
  }
  set.column("kind", KIND).putText(row, type);
}

function number(value: Value | undefined): number {
  return typeof value === "number" ? value : Number.NaN;
}
