import { type Box3, BoxGeometry, Color, ConeGeometry, CylinderGeometry, Group, SphereGeometry } from "three";
import type { EntitySet, State, Value } from "simtape";
import { Instances } from "../instances.ts";
import { color, colorOf } from "../look.ts";
import { rotate } from "../compose.ts";
import { Halos } from "../halos.ts";
import { ROUND } from "./figure-shapes.ts";
import { Figures } from "./figures.ts";
import { Gait } from "./gait.ts";
import { counted, type Eye, numberAt, type Presenter, type PresenterKind, type Setting, textAt } from "./presenter.ts";
import { vehicleReadings, walkerReadings } from "./readings.ts";
import { SetCrowd, type Traits } from "./set-crowd.ts";
import { farVehicleGeometry, type VehicleClass, vehicleClass, vehicleGeometry } from "./vehicles.ts";

/** A town: who drives and walks as large as their bounding boxes, lights and signs, and what stands around, dimmed. */
export const traffic: PresenterKind = {
  claims: (name) => SETS.includes(name),
  make: (setting) => new Traffic(setting),
};

const SETS = ["vehicles", "walkers", "traffic-lights", "traffic-signs", "sensors", "other"];
/** Half of what is assumed where a bounding box is missing, metres along x, y, z of the recording. */
const CAR = [2.3, 1, 0.75] as const;
const WALKER = [0.3, 0.3, 0.9] as const;
const PROP = [0.25, 0.25, 0.25] as const;

const [RED, YELLOW, GREEN] = [color("#ff3b30"), color("#ffcc00"), color("#34e05a")];
const UNLIT = color("#23282c");
const POLE = color("#8a949d");
const HOUSING = color("#4d565f");
const PROPS = color("#8d99a3");
const SENSOR = color("#66c2d7");
const SIGN = color("#e8edf1");
const STOP = color("#d6352c");
const WHITE = color("#fffbe6");
const DIM_RED = color("#a01813");
const ORANGE = color("#ff9d00");
const TONE = { h: 0, s: 0, l: 0 };
const DARKEST = 0.12;

/** Pixels: a vehicle that is drawn shorter than this is drawn in a simple shape. */
const SHORT = 36;

/** Bits of `lights` (spec: vehicle light). */
const LIGHT = { position: 1, low: 2, high: 4, brake: 8, right: 16, left: 32, reverse: 64, fog: 128 } as const;

const CHASE = { distance: 10.5, rise: 0.36, steers: true } as const;

const PLACE = new Float64Array(3);
const BOX = new Float64Array(6);

class Traffic implements Presenter {
  readonly object: Group = new Group();
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #vehicles: SetCrowd;
  readonly #walkers: SetCrowd;
  readonly #lights: SetCrowd;
  readonly #signs: SetCrowd;
  readonly #sensors: SetCrowd;
  readonly #others: SetCrowd;
  /** Made when the first of its class comes, for those who are near and those who are far. */
  readonly #vehiclesOf = { near: new Map<VehicleClass, Instances>(), far: new Map<VehicleClass, Instances>() };
  readonly #vehicleLamps: Instances;
  readonly #vehicleHalos = new Halos();
  #areFar = new Uint8Array(0);
  /** Whether vehicles have changed since they were drawn. */
  #isStale = false;
  #values: State["values"] = new Map();
  readonly #people: Figures;
  readonly #gait = new Gait();
  readonly #halos = new Halos();
  readonly #poles: Instances;
  readonly #boxes: Instances;
  readonly #lamps: Instances;
  readonly #cones: Instances;
  readonly #props: Instances;
  /** Paint by actor id, read once from `attributes/<id>`. */
  readonly #paints = new Map<number | string, Color>();
  readonly #classes = new Map<number | string, VehicleClass>();

  constructor(setting: Setting) {
    this.#setting = setting;
    const { look } = setting;
    const crowd = (set: string, radius: number, top: number, more: Partial<Traits> = { isMain: false }): SetCrowd =>
      new SetCrowd(set, this.object, setting, { radius, top, eye: 1.2, label: actorName, ...CHASE, ...more });
    this.#vehicles = crowd("vehicles", 2.4, 2.2, { lane: 3.4, readings: (_, ...of) => vehicleReadings(...of) });
    this.#walkers = crowd("walkers", 1, 1.5, { isNamed: false, readings: (_, ...of) => walkerReadings(...of) });
    this.#lights = crowd("traffic-lights", 2, 6.2);
    this.#signs = crowd("traffic-signs", 1.5, 3.2);
    this.#sensors = crowd("sensors", 0.4, 0.6);
    this.#others = crowd("other", 0.8, 1.5);
    this.crowds = [this.#vehicles, this.#walkers, this.#lights, this.#signs, this.#sensors, this.#others];
    this.#people = new Figures(look, ROUND);
    this.#poles = new Instances(new CylinderGeometry(1, 1, 1, 8), look.material());
    this.#boxes = new Instances(new BoxGeometry(1, 1, 1), look.material());
    this.#lamps = new Instances(new SphereGeometry(1, 12, 8), look.glow());
    this.#vehicleLamps = new Instances(new SphereGeometry(1, 12, 8), look.glow());
    this.#cones = new Instances(new ConeGeometry(0.5, 1, 4).rotateZ(Math.PI / 2), look.material());
    this.#props = new Instances(new BoxGeometry(1, 1, 1), look.material({ opacity: 0.45 }));
    for (const shapes of this.#shapes) this.object.add(shapes.object);
  }

  get #shapes(): readonly (Instances | Figures | Halos)[] {
    return [...this.#vehicleShapes, this.#people, ...this.#stillShapes];
  }

  get #vehicleShapes(): readonly (Instances | Halos)[] {
    const { near, far } = this.#vehiclesOf;
    return [...near.values(), ...far.values(), this.#vehicleLamps, this.#vehicleHalos];
  }

  get #stillShapes(): readonly (Instances | Halos)[] {
    return [this.#poles, this.#boxes, this.#lamps, this.#cones, this.#props, this.#halos];
  }

  adopt(): void {
    // Its sets are known by name.
  }

  update(state: State): void {
    this.#values = state.values;
    if (this.#vehicles.update(state)) this.#isStale = true;
    if (this.#walkers.update(state)) this.#drawWalkers(state.time);
    let isOther = false;
    for (const crowd of [this.#lights, this.#signs, this.#sensors, this.#others])
      isOther = crowd.update(state) || isOther;
    // A ghost drives through the same town: it is drawn once.
    if (!isOther || this.#setting.look.ghost >= 0) return;
    for (const shapes of this.#stillShapes) shapes.begin();
    this.#drawProps();
    this.#drawLights();
    this.#drawSigns();
    this.#drawSensors();
    for (const shapes of this.#stillShapes) shapes.end();
  }

  /** Around the hero, else around all who drive and walk. */
  frame(box: Box3): void {
    const { poses, entities } = this.#vehicles;
    for (let row = 0; row < poses.count; row++) {
      if (textAt(entities, "label", row) !== "hero" || !poses.isKnown(row)) continue;
      this.#vehicles.widenBy(box, row, 14);
      return;
    }
    this.#vehicles.widen(box, 8);
    this.#walkers.widen(box, 4);
    if (box.isEmpty()) this.#lights.widen(box, 4);
  }

  see(eye: Eye): void {
    this.#people.see(eye);
    const areOthers = this.#findFar(eye);
    if (areOthers || this.#isStale) this.#drawVehicles();
    this.#isStale = false;
  }

  /** There is a hero. */
  get isJourney(): boolean {
    return this.#vehicles.entities?.columns.get("label")?.data.includes("hero" as never) === true;
  }

  get floor(): number | null {
    return this.#lowest(this.#vehicles, CAR) ?? this.#lowest(this.#walkers, WALKER) ?? this.#lights.floor;
  }

  describe(): string {
    return [
      counted(this.#vehicles.poses.count, "vehicle"),
      counted(this.#walkers.poses.count, "walker"),
      counted(this.#lights.poses.count, "traffic light"),
    ].join(", ");
  }

  dispose(): void {
    for (const shapes of this.#shapes) shapes.dispose();
  }

  /** Height of the lowest bounding box; null when there is none. */
  #lowest({ poses, entities }: SetCrowd, fallback: readonly [number, number, number]): number | null {
    let lowest = Number.POSITIVE_INFINITY;
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      readBox(entities, row, fallback);
      lowest = Math.min(lowest, poses.positions[3 * row + 1]! + BOX[1]! - BOX[4]!);
    }
    return Number.isFinite(lowest) ? lowest : null;
  }

  /** Notes who is too short on the screen for more than a simple shape; whether any are others than before. */
  #findFar({ position: { x, y, z }, pixels }: Eye): boolean {
    const { poses, entities } = this.#vehicles;
    const { positions: p, count } = poses;
    let isOther = count !== this.#areFar.length;
    if (isOther) this.#areFar = new Uint8Array(count);
    for (let row = 0; row < count; row++) {
      readBox(entities, row, CAR);
      const reach = (2 * Math.max(BOX[3]!, BOX[4]!, BOX[5]!) * pixels) / SHORT;
      const [dx, dy, dz] = [p[3 * row]! - x, p[3 * row + 1]! - y, p[3 * row + 2]! - z];
      const isFar = dx * dx + dy * dy + dz * dz > reach * reach ? 1 : 0;
      if (isFar === this.#areFar[row]) continue;
      this.#areFar[row] = isFar;
      isOther = true;
    }
    return isOther;
  }

  #drawVehicles(): void {
    const { poses, entities } = this.#vehicles;
    for (const shapes of this.#vehicleShapes) shapes.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      readBox(entities, row, CAR);
      const id = poses.ids[row]!;
      this.#putBox(this.#vehicles, row, this.#shapeOf(id, row), this.#paintOf(id));
      this.#drawLamps(row, numberAt(entities, "lights", row), numberAt(entities, "brake", row));
    }
    for (const shapes of this.#vehicleShapes) shapes.end();
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
    for (const side of ENDS) {
      if (side < 0 ? !isLeft : !isRight) continue;
      const ahead = BOX[0]! + end * BOX[3]! * 0.95;
      const up = BOX[1]! - BOX[4]! * 0.06;
      const right = BOX[2]! + side * BOX[5]! * out;
      if (this.#areFar[row] === 0)
        this.#put(this.#vehicles, row, this.#vehicleLamps, ahead, up, right, size, size, size, shade);
      else locate(this.#vehicles, row, ahead, up, right);
      this.#vehicleHalos.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, 9 * size, this.#setting.look.paint(shade), 0.5);
    }
  }

  #drawWalkers(time: number): void {
    const { poses, entities } = this.#walkers;
    const { positions: p, orientations: q } = poses;
    this.#people.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      readBox(entities, row, WALKER);
      const at = 3 * row;
      const id = poses.ids[row]!;
      const swing = this.#gait.swing(id, time, p[at]!, p[at + 2]!);
      const feet = p[at + 1]! + BOX[1]! - BOX[4]!;
      this.#people.put(p[at]!, feet, p[at + 2]!, q, 4 * row, q, 4 * row, 2 * BOX[4]!, swing, 0.04, colorOf(id));
    }
    this.#people.end();
  }

  #drawProps(): void {
    const { poses, entities } = this.#others;
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row) || textAt(entities, "kind", row).startsWith("spectator")) continue;
      readBox(entities, row, PROP);
      this.#putBox(this.#others, row, this.#props, PROPS);
    }
  }

  /** A pole with three lamps, the one that is lit bright; 0 red, 1 yellow, 2 green, 3 off, 4 unknown. */
  #drawLights(): void {
    const crowd = this.#lights;
    const { poses, entities } = crowd;
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      const lit = numberAt(entities, "state", row);
      this.#put(crowd, row, this.#poles, 0, 2.1, 0, 0.09, 4.2, 0.09, POLE);
      this.#put(crowd, row, this.#boxes, 0, 4.75, 0, 0.5, 1.5, 0.5, HOUSING);
      for (let i = 0; i < LAMPS.length; i++) {
        const isLit = i === lit;
        const size = isLit ? 0.34 : 0.26;
        this.#put(crowd, row, this.#lamps, 0, 5.22 - 0.47 * i, 0, size, size * 0.66, size, isLit ? LAMPS[i]! : UNLIT);
        if (isLit) this.#halos.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, 2.6, LAMPS[i]!, 0.7);
      }
    }
  }

  #drawSigns(): void {
    const crowd = this.#signs;
    const { poses, entities } = crowd;
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      const isStop = textAt(entities, "kind", row).includes("stop");
      this.#put(crowd, row, this.#poles, 0, 1.1, 0, 0.05, 2.2, 0.05, POLE);
      this.#put(crowd, row, this.#boxes, 0, 2.5, 0, 0.08, 0.7, 0.7, isStop ? STOP : SIGN);
    }
  }

  #drawSensors(): void {
    const crowd = this.#sensors;
    const { poses } = crowd;
    for (let row = 0; row < poses.count; row++) {
      if (poses.isKnown(row)) this.#put(crowd, row, this.#cones, 0, 0, 0, 0.3, 0.2, 0.2, SENSOR);
    }
  }

  /** A unit shape as large as what `readBox` has read. */
  #putBox(crowd: SetCrowd, row: number, shapes: Instances, shade: Color): void {
    this.#put(crowd, row, shapes, BOX[0]!, BOX[1]!, BOX[2]!, 2 * BOX[3]!, 2 * BOX[4]!, 2 * BOX[5]!, shade);
  }

  /** A shape at a place in the thing's own axes: ahead, up, right. `PLACE` is where that is. */
  #put(
    crowd: SetCrowd,
    row: number,
    shapes: Instances,
    ahead: number,
    up: number,
    right: number,
    sx: number,
    sy: number,
    sz: number,
    shade: Color,
  ): void {
    locate(crowd, row, ahead, up, right);
    const { orientations: q } = crowd.poses;
    const from = 4 * row;
    const paint = this.#setting.look.paint(shade);
    shapes.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, q[from]!, q[from + 1]!, q[from + 2]!, q[from + 3]!, sx, sy, sz, paint);
  }

  #shapeOf(id: number | string, row: number): Instances {
    let known = this.#classes.get(id);
    if (known === undefined) {
      const attributes = this.#values.get(`attributes/${id}`);
      known = vehicleClass(textAt(this.#vehicles.entities, "kind", row), attributes);
      this.#classes.set(id, known);
    }
    const isFar = this.#areFar[row] === 1;
    const shapes = isFar ? this.#vehiclesOf.far : this.#vehiclesOf.near;
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
    const attributes = this.#values.get(`attributes/${id}`);
    const paint = paintOf(attributes) ?? colorOf(id);
    this.#paints.set(id, paint);
    return paint;
  }
}

/** The role where it is one of its own, else what it is: "hero", "model3 24". */
function actorName(set: EntitySet, row: number): string {
  const role = textAt(set, "label", row);
  if (role !== "" && role !== "autopilot") return role;
  const words = textAt(set, "kind", row).split(".");
  return `${words.findLast((word) => /\D/.test(word)) ?? "actor"} ${set.ids[row]}`;
}

const LAMPS: readonly Color[] = [RED, YELLOW, GREEN];
const ENDS: readonly number[] = [-1, 1];

/** `PLACE` gets a place in a thing's own axes: ahead, up, right. */
function locate({ poses }: SetCrowd, row: number, ahead: number, up: number, right: number): void {
  const { positions: p, orientations: q } = poses;
  rotate(q, 4 * row, ahead, up, right, PLACE, 0);
  for (let k = 0; k < 3; k++) PLACE[k] = PLACE[k]! + p[3 * row + k]!;
}

/** `BOX` gets the middle and half the size of a thing's bounding box: metres ahead, up and to the right. */
function readBox(set: EntitySet | undefined, row: number, fallback: readonly [number, number, number]): void {
  const half = numberAt(set, "box-extent", row);
  const isKnown = half > 0 && Number.isFinite(half);
  for (let k = 0; k < 3; k++) {
    const item = ALONG[k]!;
    const center = numberAt(set, "box-center", row, item) / 100;
    const extent = numberAt(set, "box-extent", row, item) / 100;
    BOX[k] = isKnown && Number.isFinite(center) ? center : 0;
    BOX[3 + k] = isKnown && extent > 0 && Number.isFinite(extent) ? extent : fallback[item]!;
  }
  if (!isKnown) BOX[1] = BOX[4]!;
}

/** Of ahead, up, right: the recording has ahead, right, up. */
const ALONG = [0, 2, 1] as const;

/** "79,33,85" */
function paintOf(attributes: Value | undefined): Color | null {
  const text = (attributes as { readonly color?: unknown } | undefined)?.color;
  if (typeof text !== "string") return null;
  const [red, green, blue] = text.split(",").map(Number);
  if (red === undefined || green === undefined || blue === undefined || !Number.isFinite(red + green + blue))
    return null;
  const paint = new Color().setRGB(red / 255, green / 255, blue / 255, "srgb");
  // Nearly black paint would not be told from its windows.
  paint.getHSL(TONE);
  return paint.setHSL(TONE.h, TONE.s, Math.max(DARKEST, TONE.l));
}
