import { BoxGeometry, type Color, Group } from "three";
import type { Column, EntitySet } from "simtape";
import { Halos } from "../drawing/halos.ts";
import { Instances } from "../drawing/instances.ts";
import { color } from "../drawing/look.ts";
import type { Poses } from "../things/poses.ts";
import { type Boxes, locate, PLACE, putAt } from "./placing.ts";
import type { Setting } from "./presenter.ts";
import type { Roof } from "./vehicle-class.ts";
import type { Lens, Rig } from "./vehicle-rig.ts";

/** Bits of `lights` (CARLA spec §4.10). */
const LIGHT = {
  position: 1,
  low: 2,
  high: 4,
  brake: 8,
  right: 16,
  left: 32,
  reverse: 64,
  fog: 128,
  special: 512 | 1024,
} as const;

const WHITE = color("#fffbe6");
const RED = color("#ff3b30");
const DIM_RED = color("#a01813");
const ORANGE = color("#ff9d00");
const BLUE = color("#3f7cff");
const DARK_BLUE = color("#16305f");
const YELLOW = color("#e8c21c");
const SIDES: readonly number[] = [-1, 1];
const MIDDLE: readonly number[] = [0];
/** Metres that a lit lamp stands out of its lens, and is thick. */
const THICK = 0.03;

/** What is lit on vehicles, where their bodies have their lamps. */
export class Lamps {
  readonly object: Group = new Group();
  readonly #setting: Setting;
  readonly #poses: Poses;
  readonly #boxes: Boxes;
  readonly #lit: Instances;
  readonly #halos = new Halos();
  #lights: Column | undefined;
  #brakes: Column | undefined;

  constructor(setting: Setting, poses: Poses, boxes: Boxes) {
    this.#setting = setting;
    this.#poses = poses;
    this.#boxes = boxes;
    this.#lit = new Instances(new BoxGeometry(1, 1, 1), setting.look.glow());
    this.object.add(this.#lit.object, this.#halos.object);
  }

  update(set: EntitySet | undefined): void {
    this.#lights = set?.columns.get("lights");
    this.#brakes = set?.columns.get("brake");
  }

  begin(): void {
    this.#lit.begin();
    this.#halos.begin();
  }

  end(): void {
    this.#lit.end();
    this.#halos.end();
  }

  /** Those of a vehicle, whose box was read; of who is far only the light around them. */
  put(row: number, rig: Rig, roof: Roof, isFar: boolean): void {
    const bits = numberIn(this.#lights, row);
    if (roof !== null) this.#putRoof(row, rig, roof, (bits & LIGHT.special) !== 0, isFar);
    const front = (bits & (LIGHT.low | LIGHT.high | LIGHT.position | LIGHT.fog)) !== 0;
    // Simulators that switch no lights have none on all the time: the pedal says what the lamp would.
    const isBraking = bits > 0 ? (bits & LIGHT.brake) !== 0 : numberIn(this.#brakes, row) > 0.1;
    const back = isBraking ? RED : front ? DIM_RED : null;
    const { head, tail } = rig;
    if (front) this.#pair(row, head, 0, WHITE, (bits & LIGHT.high) !== 0 ? 1.5 : 1.05, isFar);
    if (back !== null) this.#pair(row, tail, 0, back, isBraking ? 1.4 : 0.8, isFar);
    if ((bits & LIGHT.reverse) !== 0) this.#pair(row, tail, -0.75, WHITE, 0.8, isFar);
    const isRight = (bits & LIGHT.right) !== 0;
    const isLeft = (bits & LIGHT.left) !== 0;
    if (!isRight && !isLeft) return;
    const sides = isRight ? (isLeft ? SIDES : RIGHT) : LEFT;
    for (const lens of [head, tail]) this.#pair(row, lens, 0.55, ORANGE, 1, isFar, sides);
  }

  dispose(): void {
    this.#lit.dispose();
    this.#halos.dispose();
  }

  /** `aside`: of the width of the lens to the outside; other lamps than its own are half as wide. */
  #pair(
    row: number,
    { x, y, z, height, width }: Lens,
    aside: number,
    shade: Color,
    halo: number,
    isFar: boolean,
    only: readonly number[] = SIDES,
  ): void {
    const { middle: m, half: h } = this.#boxes;
    const wide = aside === 0 ? width : 0.45 * width;
    const out = Math.sign(x) * (x * Math.sign(x) < 0.49 ? 0.017 : 0.008);
    for (const side of z === 0 && aside === 0 ? MIDDLE : only) {
      const ahead = m[0]! + 2 * h[0]! * (x + out);
      const up = m[1]! + 2 * h[1]! * y;
      const right = m[2]! + 2 * h[2]! * side * (z + aside * width);
      if (isFar) locate(this.#poses, row, ahead, up, right);
      else this.#box(row, ahead, up, right, THICK, 2 * h[1]! * height, 2 * h[2]! * wide, shade);
      this.#halos.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, halo, this.#setting.look.paint(shade), 0.5);
    }
  }

  #putRoof(row: number, { roof: at }: Rig, roof: NonNullable<Roof>, isOn: boolean, isFar: boolean): void {
    if (isFar && !isOn) return;
    const { middle: m, half: h } = this.#boxes;
    const [ahead, up] = [m[0]! + 2 * h[0]! * at.x, m[1]! + 2 * h[1]! * at.y + 0.06];
    if (roof === "sign") {
      if (!isFar) this.#box(row, ahead, up, m[2]!, 0.14, 0.14, 0.5, YELLOW);
      return;
    }
    for (const side of SIDES) {
      const right = m[2]! + side * 0.3 * h[2]!;
      if (isFar) locate(this.#poses, row, ahead, up, right);
      else this.#box(row, ahead, up, right, 0.24, 0.12, 0.5 * h[2]!, isOn ? BLUE : DARK_BLUE);
      if (isOn) this.#halos.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, 2, this.#setting.look.paint(BLUE), 0.6);
    }
  }

  #box(
    row: number,
    ahead: number,
    up: number,
    right: number,
    long: number,
    high: number,
    wide: number,
    shade: Color,
  ): void {
    putAt(this.#lit, this.#setting.look, this.#poses, row, ahead, up, right, long, high, wide, shade);
  }
}

const LEFT: readonly number[] = [-1];
const RIGHT: readonly number[] = [1];

/** The number of a row; NaN when there is none. */
function numberIn(column: Column | undefined, row: number): number {
  const cell = column?.data[row];
  return typeof cell === "number" ? cell : Number.NaN;
}
