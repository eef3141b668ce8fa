import { Box3, Color, Group, Vector3 } from "three";
import { type Column, type EntitySet, posesOf, type State, transformOf } from "simtape";
import { Instances } from "../drawing/instances.ts";
import { colorOf } from "../drawing/look.ts";
import { numberAt, textAt } from "./cells.ts";
import { counted, type Eye, type Presenter, type PresenterKind, type Setting } from "./presenter.ts";
import { thingReadings } from "./readings.ts";
import { SetCrowd } from "./set-crowd.ts";
import { box, shaded } from "./shapes.ts";
import { type Figure, FIGURES } from "./thing-shapes.ts";

/** Pixels of the page: no thing is drawn shorter than this, however far away it is. */
const SHORTEST = 18;
/** A thing whose size nothing says is at most so large as this part of what all of them go through. */
const PART = 1 / 25;
/** An enlargement that differs by less from the one that is drawn is not worth drawing again. */
const SAME = 0.02;
const MINE = new Color();
/** Along forward, left and up of a thing. */
const EXTENTS: number[] = [0, 0, 0];
const SIZE: [number, number, number] = [0, 0, 0];
const POINT = new Vector3();
const NO_IDS: EntitySet["ids"] = [];

/** Things of any format as one figure: as large as the recording says, and never too small to be seen. */
export function thingsAs(figure: Figure): PresenterKind {
  return {
    claims: (_, set) => figure === "point" && posesOf(set) !== null,
    make: (setting) => new Things(figure, setting),
  };
}

class Things implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = false;
  readonly crowds: SetCrowd[] = [];
  readonly #setting: Setting;
  readonly #figure: Figure;
  readonly #shapes: Instances;
  /** For things whose box is known, where no figure stands for them. */
  readonly #boxes: Instances;
  /** All that the ways of the things go through, as far as they are known. */
  readonly #reach = new Box3();
  /** Metres that each thing is long, and how much larger it was drawn, crowd by crowd. */
  #longest: Float32Array = new Float32Array(0);
  #drawn: Float32Array = new Float32Array(0);
  #isStale = false;
  /** Frames of the entities of a scene, as they were read last. */
  #names: Column | undefined;
  #frames: EntitySet["ids"] = NO_IDS;

  constructor(figure: Figure, setting: Setting) {
    this.#figure = figure;
    this.#setting = setting;
    const material = setting.look.material({ vertexColors: true, flatShading: figure === "point" });
    this.#shapes = new Instances(FIGURES[figure].make(), material);
    this.#boxes = new Instances(shaded(box(0, 0, 0, 1, 1, 1), 1), setting.look.material({ vertexColors: true }));
    this.object.add(this.#shapes.object, this.#boxes.object);
  }

  adopt(set: string): void {
    const [length, height] = FIGURES[this.#figure].size;
    const crowd = new SetCrowd(set, this.object, this.#setting, {
      radius: Math.max(length, height) / 2,
      eye: 0.7 * height,
      top: height,
      distance: 4 * Math.max(length, height),
      steers: this.#figure !== "point",
      hasDots: false,
      readings: (_, entities, row) => thingReadings(entities, row),
    });
    this.crowds.push(crowd);
  }

  update(state: State): void {
    const frames = this.crowds.find(({ set }) => set === "frames");
    if (frames !== undefined) this.#leaveOut(frames, state);
    for (const crowd of this.crowds) this.#isStale = crowd.update(state) || this.#isStale;
  }

  /** Each as large as it is, or larger where it would be too small in the picture. */
  see({ position, seen }: Eye): void {
    let isOther = this.#isStale;
    if (isOther) this.#measure();
    this.#isStale = false;
    let at = 0;
    for (const crowd of this.crowds) {
      const { poses } = crowd;
      let least = Number.POSITIVE_INFINITY;
      for (let row = 0; row < poses.count; row++, at++) {
        if (!poses.isKnown(row)) continue;
        const away = POINT.fromArray(poses.positions, 3 * row).distanceTo(position);
        const larger = Math.max(1, (SHORTEST * away) / (seen * this.#longest[at]!));
        least = Math.min(least, larger);
        if (Math.abs(larger - this.#drawn[at]!) <= SAME * larger) continue;
        this.#drawn[at] = larger;
        isOther = true;
      }
      crowd.enlarge(Number.isFinite(least) ? least : 1);
    }
    if (isOther) this.#draw();
  }

  /** What lies on the ways of the things is framed, too. */
  reach(places: Float32Array): boolean {
    const before = this.#reach.clone();
    for (let at = 0; at < places.length; at += 3) this.#reach.expandByPoint(POINT.fromArray(places, at));
    if (before.equals(this.#reach)) return false;
    this.#isStale = true;
    return true;
  }

  frame(box: Box3): void {
    if (!this.#reach.isEmpty()) box.union(this.#reach);
    this.#measure();
    for (const crowd of this.crowds) {
      crowd.enlarge(1);
      crowd.widen(box, crowd.radius);
    }
  }

  get floor(): number | null {
    return null;
  }

  describe(): string {
    const { isPoint, words } = FIGURES[this.#figure];
    if (isPoint) {
      const shown = this.crowds.map(({ set, poses: { ids, leftOut } }) => ({
        set,
        count: ids.length - (leftOut?.reduce((sum, isLeftOut) => sum + isLeftOut, 0) ?? 0),
      }));
      return shown
        .filter(({ count }) => count > 0)
        .map(({ set, count }) => `${counted(count, ...words)} of ${set}`)
        .join(", ");
    }
    return counted(
      this.crowds.reduce((sum, { poses }) => sum + poses.count, 0),
      ...words,
    );
  }

  dispose(): void {
    this.#shapes.dispose();
    this.#boxes.dispose();
  }

  /** An entity of a scene that is called like its frame is what the frame is of: it is shown once. */
  #leaveOut({ poses }: SetCrowd, { sets }: State): void {
    const [ids, scene] = [sets.get("frames")?.ids ?? NO_IDS, sets.get("scene")];
    const names = scene?.columns.get("frame");
    if (names === this.#names && ids === this.#frames) return;
    this.#names = names;
    this.#frames = ids;
    const twice = new Set(
      (scene?.ids ?? NO_IDS).flatMap((id, row) => {
        const frame = textAt(scene, "frame", row);
        return frame !== "" && String(id).endsWith(frame) ? [frame] : [];
      }),
    );
    poses.leftOut = Uint8Array.from(ids, (id) => Number(twice.has(String(id))));
    this.#isStale = true;
  }

  #draw(): void {
    const { look } = this.#setting;
    this.#shapes.begin();
    this.#boxes.begin();
    let at = 0;
    for (const { poses, entities, set } of this.crowds) {
      for (let row = 0; row < poses.count; row++, at++) {
        if (!poses.isDrawn(row)) continue;
        const [length, height, width] = this.#sizeOf(entities, row);
        const larger = this.#drawn[at]!;
        const own = FIGURES[this.#figure].isPoint ? set : poses.ids[row]!;
        const shade = look.paint(shadeOf(entities, row, own));
        const shapes = FIGURES[this.#figure].isPoint && isBox(entities, row) ? this.#boxes : this.#shapes;
        shapes.putThing(poses, row, larger * length, larger * height, larger * width, shade);
      }
    }
    this.#shapes.end();
    this.#boxes.end();
  }

  /** Metres ahead, up and across: as recorded, else as such a thing is, where its track has room for that. */
  #sizeOf(set: EntitySet | undefined, row: number): typeof SIZE {
    const { size } = FIGURES[this.#figure];
    const [a, b, c] = [numberAt(set, "size", row), numberAt(set, "size", row, 1), numberAt(set, "size", row, 2)];
    if (a > 0 || b > 0 || c > 0) {
      transformOf(set!.axes).ownVector(a, b, c, EXTENTS, 0);
      const known = [Math.abs(EXTENTS[0]!), Math.abs(EXTENTS[2]!), Math.abs(EXTENTS[1]!)];
      // What is not known is in proportion to what is.
      const first = known.findIndex((length) => length > 0 && length < Number.POSITIVE_INFINITY);
      const scale = first < 0 ? 1 : known[first]! / size[first]!;
      for (let k = 0; k < 3; k++) {
        const length = known[k]!;
        SIZE[k] = length > 0 && length < Number.POSITIVE_INFINITY ? length : size[k]! * scale;
      }
      return SIZE;
    }
    const part = this.#reach.isEmpty() ? 1 : Math.min(1, (PART * diagonal(this.#reach)) / Math.max(...size));
    for (let k = 0; k < 3; k++) SIZE[k] = size[k]! * (part > 0 ? part : 1);
    return SIZE;
  }

  /** How large each of them is. */
  #measure(): void {
    const count = this.crowds.reduce((sum, { poses }) => sum + poses.count, 0);
    if (this.#longest.length !== count) {
      this.#longest = new Float32Array(count);
      this.#drawn = new Float32Array(count);
    }
    const usual = Math.max(...FIGURES[this.#figure].size);
    let at = 0;
    for (const crowd of this.crowds) {
      let most = 0;
      for (let row = 0; row < crowd.poses.count; row++, at++) {
        const [length, height, width] = this.#sizeOf(crowd.entities, row);
        this.#longest[at] = Math.max(length, height, width);
        if (crowd.poses.isKnown(row)) most = Math.max(most, this.#longest[at]!);
      }
      crowd.resize(most > 0 ? most / usual : 1);
    }
  }
}

function diagonal({ min, max }: Box3): number {
  return min.distanceTo(max);
}

/** Whether it has a length, a width and a height, and is not known to be round. */
function isBox(set: EntitySet | undefined, row: number): boolean {
  const isRound = /^(sphere|cylinder)$/.test(textAt(set, "kind", row));
  return !isRound && [0, 1, 2].every((item) => numberAt(set, "size", row, item) > 0);
}

function shadeOf(set: EntitySet | undefined, row: number, own: string | number): Color {
  const red = numberAt(set, "color", row);
  if (!Number.isFinite(red)) return colorOf(textAt(set, "kind", row) || own);
  const scale = set!.columns.get("color")!.data instanceof Uint8Array ? 1 / 255 : 1;
  return MINE.setRGB(
    red * scale,
    numberAt(set, "color", row, 1) * scale,
    numberAt(set, "color", row, 2) * scale,
    "srgb",
  );
}
