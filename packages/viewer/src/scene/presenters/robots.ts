import { type Box3, Group } from "three";
import type { EntitySet, State } from "simtape";
import { Instances } from "../drawing/instances.ts";
import { colorOf } from "../drawing/look.ts";
import { counted, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { textAt } from "./cells.ts";
import { robotReadings } from "./readings.ts";
import { arrowGeometry, robotGeometry } from "./robot-shape.ts";
import { SetCrowd } from "./set-crowd.ts";

/** Robots where their poses are. */
export const robots: PresenterKind = { claims: (name) => name === "poses", make: (setting) => new Robots(setting) };

/** A list of poses is no list of robots: what may be, a path, or what others have seen. */
const OF_LIST = /\[\d+\]$/;

/** Nothing says how large a robot is: as most that drive indoors, metres. */
const WIDTH = 0.5;
const HEIGHT = 0.35;
/** How long what stands for a pose of a list is. */
const ARROW = 0.4;

class Robots implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = true;
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #poses: SetCrowd;
  readonly #listed: SetCrowd;
  readonly #shapes: Instances;
  readonly #arrows: Instances;
  #ids: EntitySet["ids"] = [];
  #frames: EntitySet | undefined;

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
      // what a robot sees is in its own frames; where it is, in that of the map
      weight: (set, row) => -depthOf(textAt(set, "frame", row), this.#frames),
    });
    this.#listed = new SetCrowd("poses", this.object, setting, {
      radius: ARROW / 2,
      eye: HEIGHT,
      top: ARROW / 2,
      isMain: false,
      hasDots: false,
      readings: robotReadings,
    });
    this.crowds = [this.#poses, this.#listed];
    this.#shapes = new Instances(robotGeometry(), setting.look.material({ vertexColors: true }));
    this.#arrows = new Instances(arrowGeometry(), setting.look.material({ vertexColors: true }));
    this.object.add(this.#shapes.object, this.#arrows.object);
  }

  adopt(): void {
    // Its set is known by name.
  }

  update(state: State): void {
    const ids = state.sets.get("poses")?.ids ?? [];
    if (ids !== this.#ids) {
      this.#ids = ids;
      const areListed = ids.map((id) => OF_LIST.test(String(id)));
      this.#poses.poses.leftOut = Uint8Array.from(areListed, Number);
      this.#listed.poses.leftOut = Uint8Array.from(areListed, (isListed) => Number(!isListed));
    }
    this.#frames = state.sets.get("frames");
    const isOther = this.#poses.update(state);
    if (this.#listed.update(state) || isOther) this.#drawPoses();
  }

  frame(box: Box3): void {
    for (const crowd of this.crowds) crowd.widen(box, 0.6);
  }

  get floor(): number | null {
    return this.#poses.floor ?? this.#listed.floor;
  }

  describe(): string {
    const listed = this.#listed.poses.leftOut?.reduce((count, isLeftOut) => count + 1 - isLeftOut, 0) ?? 0;
    const robots = counted(this.#ids.length - listed, "robot");
    return listed === 0 ? robots : `${robots}, ${counted(listed, "pose")}`;
  }

  dispose(): void {
    this.#shapes.dispose();
    this.#arrows.dispose();
  }

  #drawPoses(): void {
    this.#put(this.#shapes, this.#poses, WIDTH, HEIGHT);
    this.#put(this.#arrows, this.#listed, ARROW, ARROW);
  }

  #put(shapes: Instances, { poses }: SetCrowd, width: number, height: number): void {
    const { look } = this.#setting;
    shapes.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const shade = look.paint(colorOf(String(poses.ids[row]).split("/")[1] ?? row));
      shapes.putThing(poses, row, width, height, width, shade);
    }
    shapes.end();
  }
}

/** A way to a root that is longer goes in circles. */
const DEEPEST = 64;

/** How many transforms there are from a frame to the root of its tree. */
function depthOf(frame: string, frames: EntitySet | undefined): number {
  const rowOf = (name: string): number => frames?.ids.indexOf(name) ?? -1;
  let depth = 0;
  for (let row = rowOf(frame); row >= 0 && depth < DEEPEST; row = rowOf(textAt(frames, "parent", row))) depth++;
  return depth;
}
