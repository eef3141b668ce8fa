import { type Box3, Color, Group, SphereGeometry } from "three";
import type { Column, State, Value } from "simtape";
import { Halos } from "../halos.ts";
import { Instances } from "../instances.ts";
import { color, colorOf } from "../look.ts";
import { Boxes, locate, PLACE, putAt, putBox } from "./placing.ts";
import type { Eye, Setting } from "./presenter.ts";
import { textAt } from "./cells.ts";
import type { SetCrowd } from "./set-crowd.ts";
import { farVehicleGeometry, type VehicleClass, vehicleClass, vehicleGeometry } from "./vehicles.ts";

/** Half of what is assumed where a bounding box is missing, metres along x, y, z of the recording. */
const CAR = [2.3, 1, 0.75] as const;

/** Pixels: a vehicle that is drawn shorter than this is drawn in a simple shape. */
const SHORT = 36;

/** Bits of `lights` (spec: vehicle light). */
const LIGHT = { position: 1, low: 2, high: 4, brake: 8, right: 16, left: 32, reverse: 64, fog: 128 } as const;

const WHITE = color("#fffbe6");
const RED = color("#ff3b30");
const DIM_RED = color("#a01813");
const ORANGE = color("#ff9d00");
const TONE = { h: 0, s: 0, l: 0 };
const DARKEST = 0.12;
const ENDS: readonly number[] = [-1, 1];

/** All who drive, with their lights: in their own shapes, and those who are short on the screen in simple ones. */
export class Fleet {
  readonly object: Group = new Group();
  readonly #setting: Setting;
  readonly #crowd: SetCrowd;
  readonly #boxes = new Boxes(CAR);
  /** Made when the first of its class comes, for those who are near and those who are far. */
  readonly #near = new Map<VehicleClass, Instances>();
  readonly #far = new Map<VehicleClass, Instances>();
  readonly #lamps: Instances;
  readonly #halos = new Halos();
  #areFar = new Uint8Array(0);
  /** Whether anything has changed since it was drawn. */
  #isStale = false;
  #lights: Column | undefined;
  #brakes: Column | undefined;
  #values: State["values"] = new Map();
  /** Paint by actor id, read once from `attributes/<id>`. */
  readonly #paints = new Map<number | string, Color>();
  readonly #classes = new Map<number | string, VehicleClass>();

  constructor(setting: Setting, crowd: SetCrowd) {
    this.#setting = setting;
    this.#crowd = crowd;
    this.#lamps = new Instances(new SphereGeometry(1, 12, 8), setting.look.glow());
    this.object.add(this.#lamps.object, this.#halos.object);
  }

  update(state: State): void {
    this.#values = state.values;
    if (!this.#crowd.update(state)) return;
    const { entities } = this.#crowd;
    this.#boxes.update(entities);
    this.#lights = entities?.columns.get("lights");
    this.#brakes = entities?.columns.get("brake");
    this.#isStale = true;
  }

  see(eye: Eye): void {
    const areOthers = this.#findFar(eye);
    if (areOthers || this.#isStale) this.#draw();
    this.#isStale = false;
  }

  /** Widens the box by what is around the hero, else by all; whether there is a hero. */
  frame(box: Box3): boolean {
    const { poses, entities } = this.#crowd;
    for (let row = 0; row < poses.count; row++) {
      if (textAt(entities, "label", row) !== "hero" || !poses.isKnown(row)) continue;
      this.#crowd.widenBy(box, row, 14);
      return true;
    }
    this.#crowd.widen(box, 8);
    return false;
  }

  get hasHero(): boolean {
    return this.#crowd.entities?.columns.get("label")?.data.includes("hero" as never) === true;
  }

  get floor(): number | null {
    return this.#boxes.lowest(this.#crowd.poses);
  }

  dispose(): void {
    for (const shapes of this.#shapes) shapes.dispose();
  }

  get #shapes(): readonly (Instances | Halos)[] {
    return [...this.#near.values(), ...this.#far.values(), this.#lamps, this.#halos];
  }

  /** Notes who is too short on the screen for more than a simple shape; whether any are others than before. */
  #findFar({ position: { x, y, z }, pixels }: Eye): boolean {
    const { poses } = this.#crowd;
    const { half } = this.#boxes;
    const { positions: p, count } = poses;
    let isOther = count !== this.#areFar.length;
    if (isOther) this.#areFar = new Uint8Array(count);
    for (let row = 0; row < count; row++) {
      this.#boxes.read(row);
      const reach = (2 * Math.max(half[0]!, half[1]!, half[2]!) * pixels) / SHORT;
      const [dx, dy, dz] = [p[3 * row]! - x, p[3 * row + 1]! - y, p[3 * row + 2]! - z];
      const isFar = dx * dx + dy * dy + dz * dz > reach * reach ? 1 : 0;
      if (isFar === this.#areFar[row]) continue;
      this.#areFar[row] = isFar;
      isOther = true;
    }
    return isOther;
  }

  #draw(): void {
    const { poses } = this.#crowd;
    const { look } = this.#setting;
    for (const shapes of this.#shapes) shapes.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      this.#boxes.read(row);
      const id = poses.ids[row]!;
      putBox(this.#shapeOf(id, row), look, poses, row, this.#boxes, this.#paintOf(id));
      this.#drawLamps(row, numberIn(this.#lights, row), numberIn(this.#brakes, row));
    }
    for (const shapes of this.#shapes) shapes.end();
  }

  /** What is lit at the corners of the box, from `lights` and the brake. */
  #drawLamps(row: number, bits: number, brake: number): void {
    const front = (bits & (LIGHT.low | LIGHT.high | LIGHT.position | LIGHT.fog)) !== 0;
    const isBraking = (bits & LIGHT.brake) !== 0 || brake > 0.1;
    const back = isBraking ? RED : front ? DIM_RED : null;
    if (front) this.#lampPair(row, 1, 0.72, WHITE, (bits & LIGHT.high) !== 0 ? 0.17 : 0.12, true, true);
    if (back !== null) this.#lampPair(row, -1, 0.72, back, isBraking ? 0.16 : 0.11, true, true);
    if ((bits & LIGHT.reverse) !== 0) this.#lampPair(row, -1, 0.4, WHITE, 0.1, true, true);
    const isRight = (bits & LIGHT.right) !== 0;
    const isLeft = (bits & LIGHT.left) !== 0;
    if (!isRight && !isLeft) return;
    for (const end of ENDS) this.#lampPair(row, end, 0.96, ORANGE, 0.11, isLeft, isRight);
  }

  #lampPair(
    row: number,
    end: number,
    out: number,
    shade: Color,
    size: number,
    isLeft: boolean,
    isRight: boolean,
  ): void {
    const { look } = this.#setting;
    const { poses } = this.#crowd;
    const { middle, half } = this.#boxes;
    for (const side of ENDS) {
      if (side < 0 ? !isLeft : !isRight) continue;
      const ahead = middle[0]! + end * half[0]! * 0.95;
      const up = middle[1]! - half[1]! * 0.06;
      const right = middle[2]! + side * half[2]! * out;
      if (this.#areFar[row] === 1) locate(poses, row, ahead, up, right);
      else putAt(this.#lamps, look, poses, row, ahead, up, right, size, size, size, shade);
      this.#halos.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, 9 * size, look.paint(shade), 0.5);
    }
  }

  #shapeOf(id: number | string, row: number): Instances {
    let known = this.#classes.get(id);
    if (known === undefined) {
      known = vehicleClass(textAt(this.#crowd.entities, "kind", row), this.#values.get(`attributes/${id}`));
      this.#classes.set(id, known);
    }
    const isFar = this.#areFar[row] === 1;
    const shapes = isFar ? this.#far : this.#near;
    let shape = shapes.get(known);
    if (shape === undefined) {
      const material = this.#setting.look.material({ vertexColors: true, shine: 0.25 });
      shape = new Instances(isFar ? farVehicleGeometry(known) : vehicleGeometry(known), material);
      shapes.set(known, shape);
      this.object.add(shape.object);
    }
    return shape;
  }

  #paintOf(id: number | string): Color {
    const known = this.#paints.get(id);
    if (known !== undefined) return known;
    const paint = paintOf(this.#values.get(`attributes/${id}`)) ?? colorOf(id);
    this.#paints.set(id, paint);
    return paint;
  }
}

/** The number of a row; NaN when there is none. */
function numberIn(column: Column | undefined, row: number): number {
  const cell = column?.data[row];
  return typeof cell === "number" ? cell : Number.NaN;
}

/** "79,33,85" */
function paintOf(attributes: Value | undefined): Color | null {
  const text = (attributes as { readonly color?: unknown } | undefined)?.color;
  if (typeof text !== "string") return null;
  const [red, green, blue] = text.split(",").map(Number);
  if (red === undefined || green === undefined || blue === undefined || !Number.isFinite(red + green + blue))
    return null;
  const paint = new Color().setRGB(red / 255, green / 255, blue / 255, "srgb");
  // Nearly black paint could not be distinguished from its windows.
  paint.getHSL(TONE);
  return paint.setHSL(TONE.h, TONE.s, Math.max(DARKEST, TONE.l));
}
