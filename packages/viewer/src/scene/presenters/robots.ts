import { type Box3, Group } from "three";
import type { State } from "simtape";
import { Instances } from "../instances.ts";
import { colorOf } from "../look.ts";
import { counted, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { scanOf } from "./scan.ts";
import { ScanView } from "./scan-view.ts";
import { robotReadings } from "./readings.ts";
import { robotGeometry } from "./robot-shape.ts";
import { SetCrowd } from "./set-crowd.ts";

/** Robots where their poses are, and what their laser scanners see from there. */
export const robots: PresenterKind = { claims: (name) => name === "poses", make: (setting) => new Robots(setting) };

/** Nothing says how large a robot is: as most that drive indoors, metres. */
const WIDTH = 0.5;
const HEIGHT = 0.35;

class Robots implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = true;
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #poses: SetCrowd;
  readonly #shapes: Instances;
  readonly #scans = new Map<string, ScanView>();

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#poses = new SetCrowd("poses", this.object, setting, {
      radius: WIDTH,
      eye: HEIGHT,
      top: 0.6,
      distance: 5.2,
      rise: 0.62,
      readings: robotReadings,
      label: (set, row) => String(set.ids[row]).replace(/^\//, ""),
    });
    this.crowds = [this.#poses];
    this.#shapes = new Instances(robotGeometry(), setting.look.material({ vertexColors: true }));
    this.object.add(this.#shapes.object);
  }

  adopt(): void {
    // Its set is known by name.
  }

  update(state: State): void {
    if (this.#poses.update(state)) this.#drawPoses();
    for (const [path, value] of state.values) {
      const scan = scanOf(value);
      if (scan === null) continue;
      const { poses } = this.#poses;
      this.#scanAt(path).update(scan, value, poses, rowOf(path, poses.ids), state.time);
    }
    for (const [path, scan] of this.#scans) scan.object.visible = state.values.has(path);
  }

  frame(box: Box3): void {
    this.#poses.widen(box, 0.6);
    for (const scan of this.#scans.values()) scan.widen(box);
  }

  get floor(): number | null {
    return this.#poses.floor;
  }

  describe(): string {
    return [counted(this.#poses.poses.count, "robot"), counted(this.#scans.size, "laser scanner")].join(", ");
  }

  dispose(): void {
    this.#shapes.dispose();
    for (const scan of this.#scans.values()) scan.dispose();
  }

  #drawPoses(): void {
    const { poses } = this.#poses;
    const { look } = this.#setting;
    this.#shapes.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const shade = look.paint(colorOf(String(poses.ids[row]).split("/")[1] ?? row));
      this.#shapes.putThing(poses, row, WIDTH, HEIGHT, WIDTH, shade);
    }
    this.#shapes.end();
  }

  #scanAt(path: string): ScanView {
    let scan = this.#scans.get(path);
    if (scan === undefined) {
      scan = new ScanView(this.#setting);
      this.#scans.set(path, scan);
      this.object.add(scan.object);
    }
    return scan;
  }
}

/** The pose a scanner rides on: the one whose name begins like its own the longest. */
export function rowOf(path: string, ids: readonly (number | string)[]): number {
  let best = -1;
  let longest = -1;
  for (let row = 0; row < ids.length; row++) {
    const id = String(ids[row]);
    let shared = 0;
    while (shared < id.length && shared < path.length && id[shared] === path[shared]) shared++;
    if (shared > longest) {
      longest = shared;
      best = row;
    }
  }
  return best;
}
