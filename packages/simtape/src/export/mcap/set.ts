import type { Budget } from "../../bytes/budget.ts";
import { transformOf } from "../../model/axes/axes-transform.ts";
import type { Column } from "../../model/state/column.ts";
import { PoseColumns } from "../../model/poses/pose-columns.ts";
import type { EntitySet } from "../../model/state/state.ts";
import type { Time } from "../../model/values/time.ts";
import { metresPer } from "../../model/values/units.ts";
import type { Clock } from "./clock.ts";
import type { Ground } from "./ground.ts";
import { LOOK_COLUMNS, Looks } from "./looks.ts";
import type { Topics } from "./topics.ts";
import {
  FRAME_TRANSFORMS,
  LOCATION_FIX,
  POINT_CLOUD,
  POSE_IN_FRAME,
  POSES_IN_FRAME,
  SCENE_UPDATE,
  type WellKnown,
} from "./well-known.ts";

/** Columns that say where things are and how they lie. */
const POSE_COLUMNS: readonly string[] = ["position", "geodetic", "rotation", "orientation"];
/** Things with a frame each: a set that has more at once is a crowd from then on. */
const MOST_FRAMES = 1024;
/** Things of a set that have topics of their own. */
const MOST_TOPICS = 128;
/** A unit of less than a micrometre is drawn with one metre for each nanometre. */
const SMALL = 1e-6;
const ENLARGED = 1e9;
/** Memory of one of many shapes while its message is made, about. */
const SHAPE_MEMORY = 1024;
const UPRIGHT: readonly number[] = [0, 0, 0, 1];
const WORLD = "world";
/** Of a point in a cloud: three floats, and four bytes of colour; types as `foxglove.PackedElementField` numbers them. */
const POINT_FIELDS: readonly string[] = ["x", "y", "z", "red", "green", "blue", "alpha"];
const POINT_BYTES = 16;
const FLOAT32 = 7;
const UINT8 = 1;

/** A thing with a place. */
interface Placed {
  readonly row: number;
  readonly id: number | string;
  readonly frame: string;
  /** Where its pose is among the set's: 7 numbers, position and quaternion. */
  readonly at: number;
}

/**
 * One set of the state as messages, whenever something of it changed. Things of most sets have a frame each, and an entity
 * in that frame. A set of very many things, or of things that are only points, is a crowd: one entity of many shapes.
 */
export class SetMessages {
  readonly #name: string;
  readonly #topics: Topics;
  readonly #clock: Clock;
  readonly #ground: Ground;
  readonly #poses: PoseColumns;
  readonly #budget: Budget | null;
  #ids: EntitySet["ids"] | null = null;
  #poseColumns: (Column | undefined)[] = [];
  #lookColumns: (Column | undefined)[] = [];
  /** Ids of the entities of the scene as it was written last. */
  #shown: ReadonlySet<string> = new Set();
  readonly #topicsOwn = new Set<number | string>();
  readonly #left = new Set<number | string>();
  #cells = new Float64Array(64);
  #isCrowd = false;
  #isEnlarged = false;
  count = 0;

  constructor(name: string, topics: Topics, clock: Clock, ground: Ground, budget: Budget | null) {
    this.#name = name;
    this.#topics = topics;
    this.#clock = clock;
    this.#ground = ground;
    this.#poses = new PoseColumns(ground.origin.heading);
    this.#budget = budget;
  }

  get isCrowd(): boolean {
    return this.#isCrowd;
  }

  get isEnlarged(): boolean {
    return this.#isEnlarged;
  }

  /** Things that got no topic of their own. */
  get withoutTopic(): number {
    return this.#left.size;
  }

  /** Writes what changed since the last call. */
  write(set: EntitySet, time: Time): void {
    const poseColumns = POSE_COLUMNS.map((name) => set.columns.get(name));
    const lookColumns = LOOK_COLUMNS.map((name) => set.columns.get(name));
    const isOther = set.ids !== this.#ids;
    const isMoved = isOther || poseColumns.some((column, i) => column !== this.#poseColumns[i]);
    const isOtherLook = isOther || lookColumns.some((column, i) => column !== this.#lookColumns[i]);
    if (!isMoved && !isOtherLook) return;
    this.#ids = set.ids;
    this.#poseColumns = poseColumns;
    this.#lookColumns = lookColumns;
    if (!this.#poses.use(set)) return;
    const [position, , rotation, orientation] = poseColumns;
    this.#isEnlarged = !this.#poses.isGeodetic && (metresPer(position?.unit ?? null) ?? 1) < SMALL;
    const isPoints = !this.#poses.isGeodetic && rotation === undefined && orientation === undefined;
    if (!this.#isCrowd && (isPoints || set.ids.length > MOST_FRAMES)) this.#becomeCrowd(time);
    if (this.#isCrowd) this.#writeCrowd(set, time);
    else this.#writeThings(set, time, isMoved, isOtherLook);
  }

  /** The next call writes everything. `gone`: when the set was gone; its things leave the scene then. */
  restart(gone: Time | null): void {
    this.#ids = null;
    this.#poseColumns = [];
    this.#lookColumns = [];
    if (gone === null || this.#shown.size === 0) return;
    this.#writeDeletions(new Set(), gone);
    this.#say(`/state/scene/${this.#name}`, SCENE_UPDATE, gone);
  }

  #writeThings(set: EntitySet, time: Time, isMoved: boolean, isOtherLook: boolean): void {
    const placed = this.#placed(set);
    if (isMoved && placed.length > 0) {
      this.#writeFrames(placed, time);
      this.#writePoses(placed, time);
      for (const thing of placed) this.#writeOwn(thing, time);
    }
    const isSame = placed.length === this.#shown.size && placed.every(({ frame }) => this.#shown.has(frame));
    if (isOtherLook || !isSame) this.#writeScene(set, placed, time);
  }

  #writeFrames(placed: readonly Placed[], time: Time): void {
    const { proto } = this.#topics;
    const cells = this.#cells;
    for (const { frame, at } of placed) {
      proto.begin(1);
      proto.time(1, this.#clock, time);
      proto.text(2, WORLD);
      proto.text(3, frame);
      proto.vector(4, cells[at]!, cells[at + 1]!, cells[at + 2]!);
      proto.four(5, cells[at + 3]!, cells[at + 4]!, cells[at + 5]!, cells[at + 6]!);
      proto.end();
    }
    this.#say(`/state/tf/${this.#name}`, FRAME_TRANSFORMS, time);
  }

  #writePoses(placed: readonly Placed[], time: Time): void {
    const { proto } = this.#topics;
    proto.time(1, this.#clock, time);
    proto.text(2, WORLD);
    for (const { at } of placed) proto.pose(3, this.#cells, at);
    this.#say(`/state/poses/${this.#name}`, POSES_IN_FRAME, time);
  }

  /** Of a thing that is called by a text, or has a place on the earth. */
  #writeOwn({ row, id, frame, at }: Placed, time: Time): void {
    const { isGeodetic } = this.#poses;
    if (typeof id === "number" && !isGeodetic) return;
    if (!this.#topicsOwn.has(id)) {
      if (this.#topicsOwn.size >= MOST_TOPICS) {
        this.#left.add(id);
        return;
      }
      this.#topicsOwn.add(id);
    }
    const { proto } = this.#topics;
    const topic = `/${this.#name}${String(id).startsWith("/") ? "" : "/"}${id}`;
    proto.time(1, this.#clock, time);
    proto.text(2, WORLD);
    proto.pose(3, this.#cells, at);
    this.#say(`/state/pose${topic}`, POSE_IN_FRAME, time);
    if (!isGeodetic || !this.#poses.geodetic(row, PLACE, 0)) return;
    proto.double(1, PLACE[0]!);
    proto.double(2, PLACE[1]!);
    proto.double(3, PLACE[2]!);
    // unknown, and nine numbers all the same
    proto.begin(4);
    for (let i = 0; i < 9; i++) proto.packedDouble(0);
    proto.end();
    proto.varint(5, 0);
    proto.time(6, this.#clock, time);
    proto.text(7, frame);
    this.#say(`/state/fix${topic}`, LOCATION_FIX, time);
  }

  /** The whole scene of the set, and what left it: viewers that jump see only the last message of a topic. */
  #writeScene(set: EntitySet, placed: readonly Placed[], time: Time): void {
    const looks = new Looks(this.#name, set);
    const { proto } = this.#topics;
    const height = looks.labelHeight();
    this.#writeDeletions(new Set(placed.map(({ frame }) => frame)), time);
    for (const { row, id, frame } of placed) {
      const kind = cellText(set, "kind", row);
      proto.begin(2);
      this.#writeEntity(frame, frame, time);
      this.#writePair("set", this.#name);
      this.#writePair("id", String(id));
      this.#writePair("kind", kind);
      looks.write(proto, row);
      proto.begin(13);
      proto.upright(1, 0, 0, height);
      proto.varint(2, 1);
      proto.double(3, 14);
      proto.varint(4, 1);
      proto.four(5, 1, 1, 1, 1);
      proto.text(6, cellText(set, "label", row) || kind || String(id));
      proto.end();
      proto.end();
    }
    this.#say(`/state/scene/${this.#name}`, SCENE_UPDATE, time);
  }

  #writeDeletions(shown: ReadonlySet<string>, time: Time): void {
    const { proto } = this.#topics;
    for (const id of this.#shown) {
      if (shown.has(id)) continue;
      proto.begin(1);
      proto.time(1, this.#clock, time);
      proto.varint(2, 0);
      proto.text(3, id);
      proto.end();
    }
    this.#shown = shown;
  }

  /** What every entity begins with: it stays until it is deleted, and goes where its frame goes. */
  #writeEntity(frame: string, id: string, time: Time): void {
    const { proto } = this.#topics;
    proto.time(1, this.#clock, time);
    proto.text(2, frame);
    proto.text(3, id);
    proto.begin(4);
    proto.end();
    proto.varint(5, 1);
  }

  #writePair(key: string, value: string): void {
    const { proto } = this.#topics;
    proto.begin(6);
    proto.text(1, key);
    proto.text(2, value);
    proto.end();
  }

  #writeCrowd(set: EntitySet, time: Time): void {
    this.#budget?.fit("the scene of one moment", set.ids.length * SHAPE_MEMORY);
    const cells = this.#room(3 * set.ids.length);
    const rows = new Uint32Array(set.ids.length);
    const scale = this.#isEnlarged ? ENLARGED : 1;
    const middle = middleOfBlock(set);
    let count = 0;
    for (let row = 0; row < set.ids.length; row++) {
      if (!this.#ground.place(this.#poses, row, cells, 3 * count)) continue;
      for (let k = 0; k < 3; k++) cells[3 * count + k] = cells[3 * count + k]! * scale + middle[k]!;
      rows[count++] = row;
    }
    if (count === 0 && this.#shown.size === 0) return;
    const looks = new Looks(this.#name, set);
    const { proto } = this.#topics;
    this.#writeDeletions(new Set(count === 0 ? [] : [this.#name]), time);
    if (count > 0) {
      proto.begin(2);
      this.#writeEntity(WORLD, this.#name, time);
      for (let i = 0; i < count; i++) {
        const size = this.#isEnlarged ? looks.diameter(rows[i]!) : 1;
        const [red, green, blue] = looks.color(rows[i]!);
        proto.begin(this.#isEnlarged ? 9 : 8);
        proto.upright(1, cells[3 * i]!, cells[3 * i + 1]!, cells[3 * i + 2]!);
        proto.vector(2, size, size, size);
        proto.four(3, red, green, blue, 1);
        proto.end();
      }
      proto.end();
    }
    this.#say(`/state/scene/${this.#name}`, SCENE_UPDATE, time);
    this.#writeCloud(looks, rows, count, time);
  }

  /** The same as points: Rerun has no scenes. */
  #writeCloud(looks: Looks, rows: Uint32Array, count: number, time: Time): void {
    const { proto } = this.#topics;
    const cells = this.#cells;
    proto.time(1, this.#clock, time);
    proto.text(2, WORLD);
    proto.upright(3, 0, 0, 0);
    proto.fixed32(4, POINT_BYTES);
    for (const [i, name] of POINT_FIELDS.entries()) {
      const isPlace = i < 3;
      proto.begin(5);
      proto.text(1, name);
      proto.fixed32(2, isPlace ? 4 * i : 9 + i);
      proto.varint(3, isPlace ? FLOAT32 : UINT8);
      proto.end();
    }
    proto.begin(6);
    for (let i = 0; i < count; i++) {
      const color = looks.color(rows[i]!);
      for (let k = 0; k < 3; k++) proto.packedFloat(cells[3 * i + k]!);
      for (let k = 0; k < 3; k++) proto.packedByte(Math.round(255 * color[k]!));
      proto.packedByte(255);
    }
    proto.end();
    this.#say(`/state/points/${this.#name}`, POINT_CLOUD, time);
  }

  /** From now on without a frame for each. */
  #becomeCrowd(time: Time): void {
    this.#isCrowd = true;
    if (this.#shown.size === 0) return;
    this.#writeDeletions(new Set(), time);
    this.#say(`/state/scene/${this.#name}`, SCENE_UPDATE, time);
  }

  #placed(set: EntitySet): readonly Placed[] {
    const placed: Placed[] = [];
    const poses = this.#poses;
    const cells = this.#room(7 * set.ids.length);
    let at = 0;
    for (let row = 0; row < set.ids.length; row++) {
      if (!this.#ground.place(poses, row, cells, at)) continue;
      if (this.#isEnlarged) for (let k = 0; k < 3; k++) cells[at + k] = cells[at + k]! * ENLARGED;
      if (!poses.orientation(row, cells, at + 3)) cells.set(UPRIGHT, at + 3);
      const id = set.ids[row]!;
      placed.push({ row, id, frame: `${this.#name}/${id}`, at });
      at += 7;
    }
    return placed;
  }

  #room(count: number): Float64Array {
    if (this.#cells.length < count) this.#cells = new Float64Array(2 * count);
    return this.#cells;
  }

  #say(topic: string, known: WellKnown, time: Time): void {
    this.#topics.say(this.#topics.of(topic, known), time, this.count++);
  }
}

const PLACE = new Float64Array(3);

function cellText(set: EntitySet, name: string, row: number): string {
  const cell = set.columns.get(name)?.data[row];
  return typeof cell === "string" ? cell : "";
}

/** From the place of a block, which is its corner, to its middle, along standard axes; none for what is no block. */
function middleOfBlock(set: EntitySet): Float64Array {
  const middle = new Float64Array(3);
  const position = set.columns.get("position");
  const isBlocks = position?.unit === "block" && position.data instanceof Int32Array;
  if (isBlocks) transformOf(set.axes).vector(0.5, 0.5, 0.5, middle, 0);
  return middle;
}
