import { type Box3, Color, Group } from "three";
import type { State, Value } from "simtape";
import { Instances } from "../drawing/instances.ts";
import { color, colorOf } from "../drawing/look.ts";
import { Lamps } from "./lamps.ts";
import { Boxes, putBox } from "./placing.ts";
import type { Eye, Setting } from "./presenter.ts";
import { textAt } from "./cells.ts";
import type { SetCrowd } from "./set-crowd.ts";
import { type VehicleClass, type VehicleKind, vehicleKind } from "./vehicle-class.ts";
import { farVehicleGeometry } from "./vehicle-far.ts";
import { RIGS } from "./vehicle-rig.ts";
import { bodyGeometry, riderGeometry } from "./vehicles.ts";
import { WHEEL_VALUES, Wheels } from "./wheels.ts";

/** Half of what is assumed where a bounding box is missing, metres along x, y, z of the recording. */
const CAR = [2.3, 1, 0.75] as const;

/** Pixels: a vehicle that is drawn shorter than this is drawn in a simple shape. */
const SHORT = 36;

/** Vehicles whose own wheels are looked at, at most: of more, each frame would bring thousands of values. */
const MOST_WHEELED = 150;
const NOTHING: readonly string[] = [];
const TONE = { h: 0, s: 0, l: 0 };
const DARKEST = 0.12;
const WHITE = color("#ffffff");

/** All who drive, with their lights: in their own shapes, and those who are short on the screen in simple ones. */
export class Fleet {
  readonly object: Group = new Group();
  readonly #setting: Setting;
  readonly #crowd: SetCrowd;
  readonly #boxes = new Boxes(CAR);
  /** Made when the first of its class comes, for those who are near and those who are far. */
  readonly #near = new Map<VehicleClass, Instances>();
  readonly #far = new Map<VehicleClass, Instances>();
  readonly #lamps: Lamps;
  readonly #wheels: Wheels;
  readonly #riders: Instances;
  #areFar = new Uint8Array(0);
  /** Whether anything has changed since it was drawn. */
  #isStale = false;
  #values: State["values"] = new Map();
  /** Paint by actor id, read once from `attributes/<id>`. */
  readonly #paints = new Map<number | string, Color>();
  readonly #kinds = new Map<number | string, VehicleKind>();

  constructor(setting: Setting, crowd: SetCrowd) {
    this.#setting = setting;
    this.#crowd = crowd;
    this.#lamps = new Lamps(setting, crowd.poses, this.#boxes);
    this.#wheels = new Wheels(setting);
    this.#riders = new Instances(riderGeometry(), setting.look.material({ vertexColors: true }));
    this.object.add(this.#lamps.object, this.#wheels.object, this.#riders.object);
  }

  update(state: State): void {
    const areOthers = this.#values !== state.values;
    this.#values = state.values;
    if (!this.#crowd.update(state) && !areOthers) return;
    const { entities } = this.#crowd;
    this.#boxes.update(entities);
    const hero = this.#hero() ?? 0;
    if (this.#crowd.poses.count > 0) {
      this.#boxes.read(hero);
      this.#crowd.bottom = this.#boxes.middle[1]! - this.#boxes.half[1]!;
    }
    this.#lamps.update(entities);
    this.#wheels.update(state, entities?.columns);
    this.#isStale = true;
  }

  see(eye: Eye): void {
    const areOthers = this.#findFar(eye);
    if (areOthers || this.#isStale) this.#draw();
    this.#isStale = false;
  }

  /** Widens the box by what is around the hero, else by all; whether there is a hero. */
  frame(box: Box3): boolean {
    const hero = this.#hero();
    if (hero === null) this.#crowd.widen(box, 8);
    else this.#crowd.widenBy(box, hero, 14);
    return hero !== null;
  }

  get hasHero(): boolean {
    return this.#crowd.entities?.columns.get("label")?.data.includes("hero" as never) === true;
  }

  /** Height of the ground: below the hero, else below the lowest. */
  get floor(): number | null {
    const { poses } = this.#crowd;
    const hero = this.#hero();
    if (hero === null) return this.#boxes.lowest(poses);
    this.#boxes.read(hero);
    return poses.positions[3 * hero + 1]! + this.#boxes.middle[1]! - this.#boxes.half[1]!;
  }

  /** Groups of values that are looked at, though they are many in a crowd. */
  get reads(): readonly string[] {
    const { count } = this.#crowd.poses;
    return count > 0 && count <= MOST_WHEELED ? WHEEL_VALUES : NOTHING;
  }

  dispose(): void {
    for (const shapes of this.#shapes) shapes.dispose();
  }

  get #shapes(): readonly (Instances | Lamps | Wheels)[] {
    return [...this.#near.values(), ...this.#far.values(), this.#lamps, this.#wheels, this.#riders];
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
      const { shape, roof } = this.#kindOf(id, row);
      const isFar = this.#areFar[row] === 1;
      putBox(this.#shapeOf(shape, isFar), look, poses, row, this.#boxes, this.#paintOf(id));
      this.#lamps.put(row, RIGS[shape], roof, isFar);
      if (isFar) continue;
      this.#wheels.put(poses, row, RIGS[shape], this.#boxes);
      if (RIGS[shape].out === 0) putBox(this.#riders, look, poses, row, this.#boxes, WHITE);
    }
    for (const shapes of this.#shapes) shapes.end();
  }

  #hero(): number | null {
    const { poses, entities } = this.#crowd;
    for (let row = 0; row < poses.count; row++)
      if (textAt(entities, "label", row) === "hero" && poses.isKnown(row)) return row;
    return null;
  }

  #kindOf(id: number | string, row: number): VehicleKind {
    let known = this.#kinds.get(id);
    if (known === undefined) {
      known = vehicleKind(textAt(this.#crowd.entities, "kind", row), this.#values.get(`attributes/${id}`));
      this.#kinds.set(id, known);
    }
    return known;
  }

  #shapeOf(kind: VehicleClass, isFar: boolean): Instances {
    const shapes = isFar ? this.#far : this.#near;
    let shape = shapes.get(kind);
    if (shape === undefined) {
      const material = this.#setting.look.material({ vertexColors: true, shine: 0.25 });
      shape = new Instances(isFar ? farVehicleGeometry(kind) : bodyGeometry(kind), material);
      shapes.set(kind, shape);
      shape.begin();
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
