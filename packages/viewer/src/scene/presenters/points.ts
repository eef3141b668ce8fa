import { type Box3, Color, Group, OctahedronGeometry } from "three";
import { type EntitySet, posesOf, type State, transformOf } from "simtape";
import { Instances } from "../instances.ts";
import { colorOf } from "../look.ts";
import { counted, numberAt, type Presenter, type PresenterKind, type Setting, textAt } from "./presenter.ts";
import { SetCrowd } from "./set-crowd.ts";

/** Whatever has a position: a point with its name. */
export const points: PresenterKind = {
  claims: (_, set) => posesOf(set) !== null,
  make: (setting) => new Points(setting),
};

const SIZE = 0.5;
const MINE = new Color();
/** Along forward, left and up of a thing. */
const EXTENTS: number[] = [0, 0, 0];

class Points implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = false;
  readonly crowds: SetCrowd[] = [];
  readonly #setting: Setting;
  readonly #shapes: Instances;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#shapes = new Instances(new OctahedronGeometry(0.5), setting.look.material({ flatShading: true }));
    this.object.add(this.#shapes.object);
  }

  adopt(set: string): void {
    this.crowds.push(new SetCrowd(set, this.object, this.#setting, { radius: SIZE, eye: SIZE, top: SIZE }));
  }

  update(state: State): void {
    let isOther = false;
    for (const crowd of this.crowds) isOther = crowd.update(state) || isOther;
    if (!isOther) return;
    const { look } = this.#setting;
    this.#shapes.begin();
    for (const { poses, entities, set } of this.crowds) {
      for (let row = 0; row < poses.count; row++) {
        if (!poses.isDrawn(row)) continue;
        const [a, b, c] = [0, 1, 2].map((item) => sizeOf(entities, row, item)) as [number, number, number];
        transformOf(entities!.axes).ownVector(a, b, c, EXTENTS, 0);
        const [length, width, height] = EXTENTS.map(Math.abs) as [number, number, number];
        const shade = look.paint(shadeOf(entities, row, set));
        this.#shapes.putThing(poses, row, length, height, width, shade);
      }
    }
    this.#shapes.end();
  }

  frame(box: Box3): void {
    for (const crowd of this.crowds) crowd.widen(box, SIZE);
  }

  get floor(): number | null {
    return null;
  }

  describe(): string {
    return this.crowds.map(({ set, poses }) => `${counted(poses.count, "thing")} of ${set}`).join(", ");
  }

  dispose(): void {
    this.#shapes.dispose();
  }
}

function sizeOf(set: EntitySet | undefined, row: number, item: number): number {
  const size = numberAt(set, "size", row, item);
  return size > 0 && Number.isFinite(size) ? size : SIZE;
}

function shadeOf(set: EntitySet | undefined, row: number, name: string): Color {
  const red = numberAt(set, "color", row);
  if (!Number.isFinite(red)) return colorOf(textAt(set, "kind", row) || name);
  const scale = set!.columns.get("color")!.data instanceof Uint8Array ? 1 / 255 : 1;
  return MINE.setRGB(
    red * scale,
    numberAt(set, "color", row, 1) * scale,
    numberAt(set, "color", row, 2) * scale,
    "srgb",
  );
}
