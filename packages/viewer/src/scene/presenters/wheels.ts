import { Group } from "three";
import type { Column, State, Value } from "simtape";
import { rotate } from "../drawing/compose.ts";
import { Instances } from "../drawing/instances.ts";
import { color } from "../drawing/look.ts";
import type { Poses } from "../things/poses.ts";
import { type Boxes, locate, PLACE } from "./placing.ts";
import type { Setting } from "./presenter.ts";
import { type Rig, wheelGeometry } from "./vehicle-rig.ts";

/** Directions in which the ground is measured: where a wheel stands along one of them says how far it has turned. */
const DIRECTIONS = 8;
/** Degrees at full control, where the physics of a vehicle is not recorded: CARLA's own default. */
const MOST_STEERING = 70;
/** A recorded radius differs by less than this part from what the body has room for. */
const FITTING = 0.2;

/** Groups of values that are read here: `wheels/<id>` and `physics/<id>`. */
export const WHEEL_VALUES: readonly string[] = ["wheels", "physics"];

/** What is known of the wheels of one vehicle, apart from its box. */
interface Known {
  physics: Value | undefined;
  /** Metres; NaN: not recorded. */
  radius: number;
  /** Degrees at full control, by its speed in km/h. */
  steering: number;
  curve: readonly (readonly [speed: number, part: number])[];
}

/**
 * The wheels of those who are near. They turn by the way that is driven, and that comes of the place alone, so that a time
 * has one picture: where a vehicle turns to another direction they jump, which is not seen. They steer as recorded: by their own angles
 * (CARLA spec §4.21), else by the control that was applied (CARLA spec §4.8), of the largest angle and the curve by
 * speed of the physics of the vehicle (CARLA spec §4.15).
 */
export class Wheels {
  readonly object: Group = new Group();
  readonly #setting: Setting;
  readonly #wide: Instances;
  readonly #thin: Instances;
  readonly #known = new Map<number | string, Known>();
  #values: State["values"] = new Map();
  #steering: Column | undefined;
  #velocity: Column | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    const material = (): ReturnType<Setting["look"]["material"]> =>
      setting.look.material({ vertexColors: true, shine: 0.1 });
    this.#wide = new Instances(wheelGeometry(false), material());
    this.#thin = new Instances(wheelGeometry(true), material());
    this.object.add(this.#wide.object, this.#thin.object);
  }

  update({ values }: State, columns: ReadonlyMap<string, Column> | undefined): void {
    this.#values = values;
    this.#steering = columns?.get("steering");
    this.#velocity = columns?.get("velocity");
  }

  begin(): void {
    this.#wide.begin();
    this.#thin.begin();
  }

  end(): void {
    this.#wide.end();
    this.#thin.end();
  }

  /** Those of a vehicle, whose box was read. */
  put(poses: Poses, row: number, rig: Rig, { middle: m, half: h }: Boxes): void {
    const { axles, out } = rig;
    const id = poses.ids[row]!;
    const known = this.#knownOf(id);
    const radius = this.#radiusOf(known, rig, h);
    const width = 2 * h[2]! * rig.width;
    const side = out === 0 ? 0 : 2 * h[2]! * out - width / 2;
    const turned = wayOf(poses, row) / radius;
    const recorded = wheelsOf(this.#values.get(`wheels/${id}`));
    const control = recorded === null ? this.#controlOf(known, row) : 0;
    const shapes = out === 0 ? this.#thin : this.#wide;
    for (const [place, { at, steers }] of axles.entries()) {
      const ahead = m[0]! + 2 * h[0]! * at;
      for (const right of out === 0 ? MIDDLE : SIDES) {
        const angle = !steers ? 0 : recorded === null ? control : (recorded[2 * place + (right > 0 ? 1 : 0)] ?? 0);
        locate(poses, row, ahead, m[1]! - h[1]! + radius, m[2]! + right * side);
        turn(poses.orientations, 4 * row, (angle * Math.PI) / 180, turned);
        const paint = this.#setting.look.paint(WHITE);
        const [x, y, z] = [PLACE[0]!, PLACE[1]!, PLACE[2]!];
        shapes.put(x, y, z, TURNED[0]!, TURNED[1]!, TURNED[2]!, TURNED[3]!, radius, radius, width, paint);
      }
    }
  }

  dispose(): void {
    this.#wide.dispose();
    this.#thin.dispose();
  }

  #knownOf(id: number | string): Known {
    let known = this.#known.get(id);
    if (known === undefined) {
      known = { ...UNKNOWN };
      this.#known.set(id, known);
    }
    const physics = this.#values.get(`physics/${id}`);
    if (physics !== known.physics) Object.assign(known, factsOf(physics), { physics });
    return known;
  }

  /** As recorded where that fits the body, else as the body has them. */
  #radiusOf({ radius }: Known, rig: Rig, half: Float64Array): number {
    const usual = Math.min(2 * half[1]! * rig.radius, 0.5 * half[0]!);
    return Math.abs(radius / usual - 1) < FITTING ? radius : usual;
  }

  /** Degrees to the right. */
  #controlOf({ steering, curve }: Known, row: number): number {
    const control = this.#steering?.data[row];
    if (typeof control !== "number" || !Number.isFinite(control)) return 0;
    const velocity = this.#velocity;
    const speed =
      velocity === undefined ? 0 : 3.6 * Math.hypot(...[0, 1, 2].map((k) => Number(velocity.data[3 * row + k])));
    return Math.max(-1, Math.min(1, control)) * steering * partAt(curve, speed);
  }
}

const WHITE = color("#ffffff");
const SIDES: readonly number[] = [-1, 1];
const MIDDLE: readonly number[] = [0];
const AHEAD = new Float64Array(3);
const TURNED = new Float64Array(4);
const UNKNOWN: Known = {
  physics: undefined,
  radius: Number.NaN,
  steering: MOST_STEERING,
  curve: [],
};

/** Metres from zero along that direction which is nearest to where a vehicle looks: backwards is less. */
function wayOf({ positions: p, orientations: q }: Poses, row: number): number {
  rotate(q, 4 * row, 1, 0, 0, AHEAD, 0);
  const step = (2 * Math.PI) / DIRECTIONS;
  const direction = Math.round(Math.atan2(AHEAD[2]!, AHEAD[0]!) / step) * step;
  return p[3 * row]! * Math.cos(direction) + p[3 * row + 2]! * Math.sin(direction);
}

/** `TURNED` gets the orientation turned to the right about its own y, then as a wheel that rolls ahead about its own z. */
function turn(of: Float32Array, at: number, right: number, rolled: number): void {
  const [x, y, z, w] = [of[at]!, of[at + 1]!, of[at + 2]!, of[at + 3]!];
  const [s, c] = [Math.sin(-right / 2), Math.cos(right / 2)];
  const [ax, ay, az, aw] = [x * c - z * s, y * c + w * s, z * c + x * s, w * c - y * s];
  const [t, d] = [Math.sin(-rolled / 2), Math.cos(rolled / 2)];
  TURNED[0] = ax * d + ay * t;
  TURNED[1] = ay * d - ax * t;
  TURNED[2] = az * d + aw * t;
  TURNED[3] = aw * d - az * t;
}

/** Degrees to the right of the wheels by their places, front left first (CARLA spec §4.21); null: not recorded. */
export function wheelsOf(value: Value | undefined): readonly number[] | null {
  const list = Array.isArray(value) ? value : (value as { readonly wheels?: unknown } | undefined)?.wheels;
  if (!Array.isArray(list) || list.length === 0) return null;
  const angles: number[] = [];
  for (const { location, steering } of list as { location: number; steering: number }[])
    if (Number.isFinite(steering)) angles[location] = steering;
  return angles;
}

/** Radius of the wheels and steering of a recorded physics control, of Unreal 4 or 5. */
export function factsOf(physics: Value | undefined): Pick<Known, "radius" | "steering" | "curve"> {
  const { wheels = [], steeringCurve = [] } = (physics ?? {}) as {
    readonly wheels?: readonly Partial<Record<string, unknown>>[];
    readonly steeringCurve?: Known["curve"];
  };
  const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
  const radius = number(wheels[0]?.["radius"] ?? wheels[0]?.["wheelRadius"]) / 100;
  const steering = Math.max(...wheels.map((wheel) => number(wheel["maxSteerAngle"])));
  return {
    radius,
    steering: steering > 0 && steering <= 90 ? steering : MOST_STEERING,
    curve: steeringCurve,
  };
}

/** Between the points of a curve; where there are none, all. */
function partAt(curve: Known["curve"], speed: number): number {
  if (curve.length === 0) return 1;
  const next = curve.findIndex(([at]) => at >= speed);
  if (next < 0) return curve.at(-1)![1];
  const [above, before] = [curve[next]!, curve[Math.max(0, next - 1)]!];
  const part = above[0] > before[0] ? (speed - before[0]) / (above[0] - before[0]) : 1;
  return before[1] + part * (above[1] - before[1]);
}
