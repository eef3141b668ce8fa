import { type Box3, Group } from "three";
import type { State } from "simtape";
import { Instances } from "../instances.ts";
import { colorOf } from "../look.ts";
import { counted, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { robotReadings } from "./readings.ts";
import { robotGeometry } from "./robot-shape.ts";
import { SetCrowd } from "./set-crowd.ts";

/** Robots where their poses are. */
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
  }

  frame(box: Box3): void {
    this.#poses.widen(box, 0.6);
  }

  get floor(): number | null {
    return this.#poses.floor;
  }

  describe(): string {
    return counted(this.#poses.poses.count, "robot");
  }

  dispose(): void {
    this.#shapes.dispose();
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
}
