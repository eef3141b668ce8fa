import {
  type Box3,
  BoxGeometry,
  type Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  OctahedronGeometry,
  SphereGeometry,
} from "three";
import type { EntitySet, MovingState } from "simtape";
import { Instances } from "../drawing/instances.ts";
import { color, colorOf } from "../drawing/look.ts";
import { Halos } from "../drawing/halos.ts";
import type { Bodies } from "./bodies.ts";
import { ROUND } from "./figure-shapes.ts";
import { Figures } from "./figures.ts";
import { Fleet } from "./fleet.ts";
import { swingOf } from "./gait.ts";
import { Boxes, PLACE, putAt, putBox } from "./placing.ts";
import { counted, type Eye, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { numberAt, textAt } from "./cells.ts";
import { vehicleReadings, walkerReadings } from "./readings.ts";
import { SetCrowd, type Traits } from "./set-crowd.ts";

/** A town: who drives and walks as large as their bounding boxes, lights and signs, and what stands around, dimmed. */
export const traffic: PresenterKind = {
  claims: (name) => SETS.includes(name),
  make: (setting) => new Traffic(setting),
};

const SETS = ["vehicles", "walkers", "traffic-lights", "traffic-signs", "sensors", "other"];
/** Seconds that two steps take. */
const STEP = 1;
/** Bones are looked at where so many walk at most; a body has as many as this, and others are those of parts of it. */
const MOST_BONED = 64;
const BONES = 16;
/** Half of what is assumed where a bounding box is missing, metres along x, y, z of the recording. */
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

/** Columns that say where a thing is, and how large. */
const PLACED = ["position", "rotation"];
const BOXED = ["box-center", "box-extent"];

/** Metres that a traffic light is high, and pixels: one that is drawn shorter has lamps of few corners. */
const LIGHT_HEIGHT = 5.5;
const SHORT = 90;

const CHASE = { distance: 10.5, rise: 0.36, steers: true } as const;

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
  readonly #fleet: Fleet;
  readonly #walkerBoxes = new Boxes(WALKER);
  readonly #propBoxes = new Boxes(PROP);
  readonly #people: Figures;
  /** Loaded with the first whose bones are those of a body. */
  #bodies: Bodies | "loading" | null = null;
  #state: MovingState | null = null;
  #isGone = false;
  readonly #halos = new Halos();
  readonly #poles: Instances;
  readonly #boxes: Instances;
  readonly #lamps: Instances;
  readonly #farLamps: Instances;
  /** Lights whose lamps have few corners. */
  #areFar = new Uint8Array(0);
  readonly #cones: Instances;
  readonly #props: Instances;

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
    this.#fleet = new Fleet(setting, this.#vehicles);
    this.#people = new Figures(look, ROUND);
    this.#poles = new Instances(new CylinderGeometry(1, 1, 1, 8), look.material());
    this.#boxes = new Instances(new BoxGeometry(1, 1, 1), look.material());
    this.#lamps = new Instances(new SphereGeometry(1, 12, 8), look.glow());
    this.#farLamps = new Instances(new OctahedronGeometry(1), look.glow());
    this.#cones = new Instances(new ConeGeometry(0.5, 1, 4).rotateZ(Math.PI / 2), look.material());
    this.#props = new Instances(new BoxGeometry(1, 1, 1), look.material({ opacity: 0.45 }));
    this.object.add(this.#fleet.object, this.#people.object);
    for (const shapes of this.#stillShapes) this.object.add(shapes.object);
  }

  get #stillShapes(): readonly (Instances | Halos)[] {
    return [this.#poles, this.#boxes, this.#lamps, this.#farLamps, this.#cones, this.#props, this.#halos];
  }

  adopt(): void {
    // Its sets are known by name.
  }

  update(state: MovingState): void {
    this.#state = state;
    this.#fleet.update(state);
    if (this.#walkers.update(state) || this.#bodies !== null) this.#drawWalkers(state);
    for (const crowd of [this.#lights, this.#signs, this.#sensors, this.#others]) crowd.update(state);
    // A ghost drives through the same town: it is drawn once.
    if (this.#setting.look.ghost >= 0) return;
    const areLightsNew = this.#lights.hasNew(...PLACED, "state");
    if (this.#signs.hasNew(...PLACED, "kind") || areLightsNew) this.#drawBeside();
    if (this.#sensors.hasNew(...PLACED)) redraw([this.#cones], () => this.#drawSensors());
    if (this.#others.hasNew(...PLACED, ...BOXED, "kind")) redraw([this.#props], () => this.#drawProps());
  }

  /** Around the hero, else around all who drive and walk. */
  frame(box: Box3): void {
    if (this.#fleet.frame(box)) return;
    this.#walkers.widen(box, 4);
    if (box.isEmpty()) this.#lights.widen(box, 4);
  }

  see(eye: Eye): void {
    this.#people.see(eye);
    this.#fleet.see(eye);
    if (this.#setting.look.ghost < 0 && this.#findFar(eye)) this.#drawBeside();
  }

  get reads(): readonly string[] {
    const { count } = this.#walkers.poses;
    return count > 0 && count <= MOST_BONED ? [...this.#fleet.reads, "bones"] : this.#fleet.reads;
  }

  /** There is a hero. */
  get isJourney(): boolean {
    return this.#fleet.hasHero;
  }

  get floor(): number | null {
    return this.#fleet.floor ?? this.#walkerBoxes.lowest(this.#walkers.poses) ?? this.#lights.floor;
  }

  describe(): string {
    return [
      counted(this.#vehicles.poses.count, "vehicle"),
      counted(this.#walkers.poses.count, "walker"),
      counted(this.#lights.poses.count, "traffic light"),
    ].join(", ");
  }

  dispose(): void {
    this.#isGone = true;
    for (const part of [this.#fleet, this.#people, ...this.#stillShapes]) part.dispose();
    if (this.#bodies instanceof Object) this.#bodies.dispose();
  }

  #drawWalkers({ time, speeds, values }: MovingState): void {
    const { poses, entities } = this.#walkers;
    const { middle, half } = this.#walkerBoxes;
    this.#walkerBoxes.update(entities);
    const { positions: p, orientations: q } = poses;
    const bodies = this.#bodies instanceof Object ? this.#bodies : null;
    this.#people.begin();
    bodies?.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      this.#walkerBoxes.read(row);
      const at = 3 * row;
      const id = poses.ids[row]!;
      const bones = values.get(`bones/${id}`);
      if (bones !== undefined && (bones as { length?: number }).length! >= BONES) {
        if (bodies?.put(poses, row, middle[1]! - half[1]!, bones, colorOf(id)) === true) continue;
        this.#loadBodies();
      }
      const swing = swingOf(id, time, speeds?.get("walkers")?.[row] ?? 0, STEP);
      const feet = p[at + 1]! + middle[1]! - half[1]!;
      this.#people.put(p[at]!, feet, p[at + 2]!, q, 4 * row, q, 4 * row, 2 * half[1]!, swing, 0.04, colorOf(id));
    }
    this.#people.end();
    bodies?.end();
  }

  #loadBodies(): void {
    if (this.#bodies !== null) return;
    this.#bodies = "loading";
    const load = import("./bodies.ts").then(({ Bodies }) => {
      if (this.#isGone) return;
      this.#bodies = new Bodies(this.#setting.look);
      this.object.add(this.#bodies.object);
      this.#drawWalkers(this.#state!);
    });
    load.catch(() => undefined);
    this.#setting.onLoad?.(load);
  }

  #drawProps(): void {
    const { poses, entities } = this.#others;
    this.#propBoxes.update(entities);
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row) || textAt(entities, "kind", row).startsWith("spectator")) continue;
      this.#propBoxes.read(row);
      putBox(this.#props, this.#setting.look, poses, row, this.#propBoxes, PROPS);
    }
  }

  /** Notes which lights are short on the screen; whether any are others than before. */
  #findFar({ position: { x, y, z }, pixels }: Eye): boolean {
    const { positions: p, count } = this.#lights.poses;
    let isOther = count !== this.#areFar.length;
    if (isOther) this.#areFar = new Uint8Array(count);
    const reach = (LIGHT_HEIGHT * pixels) / SHORT;
    for (let row = 0; row < count; row++) {
      const away = Math.hypot(p[3 * row]! - x, p[3 * row + 1]! - y, p[3 * row + 2]! - z);
      const isFar = away > reach ? 1 : 0;
      if (isFar === this.#areFar[row]) continue;
      this.#areFar[row] = isFar;
      isOther = true;
    }
    return isOther;
  }

  /** What stands beside the road. */
  #drawBeside(): void {
    redraw([this.#poles, this.#boxes, this.#lamps, this.#farLamps, this.#halos], () => {
      this.#drawLights();
      this.#drawSigns();
    });
  }

  /** A pole with three lamps, the one that is lit bright; 0 red, 1 yellow, 2 green, 3 off, 4 unknown. */
  #drawLights(): void {
    const { look } = this.#setting;
    const { poses, entities } = this.#lights;
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const lit = numberAt(entities, "state", row);
      const lamps = this.#areFar[row] === 1 ? this.#farLamps : this.#lamps;
      putAt(this.#poles, look, poses, row, 0, 2.1, 0, 0.09, 4.2, 0.09, POLE);
      putAt(this.#boxes, look, poses, row, 0, 4.75, 0, 0.5, 1.5, 0.5, HOUSING);
      for (let i = 0; i < LAMPS.length; i++) {
        const isLit = i === lit;
        const size = isLit ? 0.34 : 0.26;
        putAt(lamps, look, poses, row, 0, 5.22 - 0.47 * i, 0, size, size * 0.66, size, isLit ? LAMPS[i]! : UNLIT);
        if (isLit) this.#halos.put(PLACE[0]!, PLACE[1]!, PLACE[2]!, 2.6, LAMPS[i]!, 0.7);
      }
    }
  }

  #drawSigns(): void {
    const { look } = this.#setting;
    const { poses, entities } = this.#signs;
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const isStop = textAt(entities, "kind", row).includes("stop");
      putAt(this.#poles, look, poses, row, 0, 1.1, 0, 0.05, 2.2, 0.05, POLE);
      putAt(this.#boxes, look, poses, row, 0, 2.5, 0, 0.08, 0.7, 0.7, isStop ? STOP : SIGN);
    }
  }

  #drawSensors(): void {
    const { look } = this.#setting;
    const { poses } = this.#sensors;
    for (let row = 0; row < poses.count; row++) {
      if (poses.isDrawn(row)) putAt(this.#cones, look, poses, row, 0, 0, 0, 0.3, 0.2, 0.2, SENSOR);
    }
  }
}

function redraw(shapes: readonly (Instances | Halos)[], draw: () => void): void {
  for (const each of shapes) each.begin();
  draw();
  for (const each of shapes) each.end();
}

/** The role where it is one of its own, else what it is: "hero", "model3 24". */
function actorName(set: EntitySet, row: number): string {
  const role = textAt(set, "label", row);
  if (role !== "" && role !== "autopilot") return role;
  const words = textAt(set, "kind", row).split(".");
  return `${words.findLast((word) => /\D/.test(word)) ?? "actor"} ${set.ids[row]}`;
}

const LAMPS: readonly Color[] = [RED, YELLOW, GREEN];
