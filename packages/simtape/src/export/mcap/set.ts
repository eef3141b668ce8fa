import { transformOf } from "../../model/axes-transform.ts";
import type { Column } from "../../model/column.ts";
import { PoseColumns } from "../../model/pose-columns.ts";
import type { EntitySet } from "../../model/state.ts";
import type { Time } from "../../model/time.ts";
import { metresPer } from "../../model/units.ts";
import type { Clock } from "./clock.ts";
import type { Ground } from "./ground.ts";
import { textOf } from "./json.ts";
import { LOOK_COLUMNS, Looks } from "./looks.ts";
import type { Topics } from "./topics.ts";
import { FRAME_TRANSFORMS, LOCATION_FIX, POSE_IN_FRAME, POSES_IN_FRAME, SCENE_UPDATE } from "./well-known.ts";
import type { McapWriter } from "./writer.ts";

/** Columns that say where things are and how they lie. */
const POSE_COLUMNS: readonly string[] = ["position", "geodetic", "rotation", "orientation"];
/** Things with a frame each: a set that has more at once is a crowd from then on. */
const MOST_FRAMES = 1024;
/** Things of a set that have topics of their own. */
const MOST_TOPICS = 128;
/** A unit of less than a micrometre is drawn with one metre for each nanometre. */
const SMALL = 1e-6;
const ENLARGED = 1e9;
const UPRIGHT = '{"x":0,"y":0,"z":0,"w":1}';
const FOR_EVER = '{"sec":0,"nsec":0}';
const EMPTY_ENTITY = '"cylinders":[],"lines":[],"triangles":[]';

/** A thing with a place, as texts of JSON. */
interface Placed {
  readonly row: number;
  readonly id: number | string;
  /** Its frame, in quotes. */
  readonly frame: string;
  readonly position: string;
  readonly orientation: string;
}

/**
 * One set of the state as messages, whenever something of it changed. Things of most sets have a frame each, and an entity
 * in that frame. A set of very many things, or of things that are only points, is a crowd: one entity of many shapes.
 */
export class SetMessages {
  readonly #name: string;
  readonly #writer: McapWriter;
  readonly #topics: Topics;
  readonly #clock: Clock;
  readonly #ground: Ground;
  readonly #poses: PoseColumns;
  #ids: EntitySet["ids"] | null = null;
  #poseColumns: (Column | undefined)[] = [];
  #lookColumns: (Column | undefined)[] = [];
  /** Entities of the scene as it was written last, by id in quotes. */
  #shown: ReadonlySet<string> = new Set();
  readonly #topicsOwn = new Set<number | string>();
  readonly #left = new Set<number | string>();
  #isCrowd = false;
  #isEnlarged = false;
  count = 0;

  constructor(name: string, writer: McapWriter, topics: Topics, clock: Clock, ground: Ground) {
    this.#name = name;
    this.#writer = writer;
    this.#topics = topics;
    this.#clock = clock;
    this.#ground = ground;
    this.#poses = new PoseColumns(ground.origin.heading);
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

  #writeThings(set: EntitySet, time: Time, isMoved: boolean, isOtherLook: boolean): void {
    const placed = this.#placed(set);
    const stamp = this.#clock.text(time);
    if (isMoved && placed.length > 0) {
      let transforms = "";
      let poses = "";
      for (const { frame, position, orientation } of placed) {
        const comma = transforms === "" ? "" : ",";
        transforms += `${comma}{"timestamp":${stamp},"parent_frame_id":"world","child_frame_id":${frame},"translation":${position},"rotation":${orientation}}`;
        poses += `${comma}{"position":${position},"orientation":${orientation}}`;
      }
      this.#say("tf", FRAME_TRANSFORMS, time, `{"transforms":[${transforms}]}`);
      this.#say("poses", POSES_IN_FRAME, time, `{"timestamp":${stamp},"frame_id":"world","poses":[${poses}]}`);
      for (const thing of placed) this.#writeOwn(thing, stamp, time);
    }
    const isSame = placed.length === this.#shown.size && placed.every(({ frame }) => this.#shown.has(frame));
    if (isOtherLook || !isSame) this.#writeScene(set, placed, stamp, time);
  }

  /** Of a thing that is called by a text, or has a place on the earth. */
  #writeOwn({ row, id, frame, position, orientation }: Placed, stamp: string, time: Time): void {
    const { isGeodetic } = this.#poses;
    if (typeof id === "number" && !isGeodetic) return;
    if (!this.#topicsOwn.has(id)) {
      if (this.#topicsOwn.size >= MOST_TOPICS) {
        this.#left.add(id);
        return;
      }
      this.#topicsOwn.add(id);
    }
    const topic = `/${this.#name}${String(id).startsWith("/") ? "" : "/"}${id}`;
    const pose = `{"position":${position},"orientation":${orientation}}`;
    this.#write(`/state/pose${topic}`, POSE_IN_FRAME, time, `{"timestamp":${stamp},"frame_id":"world","pose":${pose}}`);
    if (!isGeodetic || !this.#poses.geodetic(row, CELLS, 0)) return;
    const [latitude, longitude, altitude] = CELLS as unknown as [number, number, number];
    const where = `"latitude":${latitude},"longitude":${longitude},"altitude":${altitude}`;
    const fix = `{"timestamp":${stamp},"frame_id":${frame},${where},"position_covariance":[0,0,0,0,0,0,0,0,0],"position_covariance_type":0}`;
    this.#write(`/state/fix${topic}`, LOCATION_FIX, time, fix);
  }

  #writeScene(set: EntitySet, placed: readonly Placed[], stamp: string, time: Time): void {
    const looks = new Looks(this.#name, set);
    const height = looks.labelHeight();
    let entities = "";
    const shown = new Set<string>();
    for (const { row, id, frame } of placed) {
      shown.add(frame);
      const label = textOf(cellText(set, "label", row) || cellText(set, "kind", row) || String(id));
      const kind = textOf(cellText(set, "kind", row));
      const color = '"color":{"r":1,"g":1,"b":1,"a":1}';
      const at = `{"position":{"x":0,"y":0,"z":${height}},"orientation":${UPRIGHT}}`;
      const text = `{"pose":${at},"billboard":true,"font_size":14,"scale_invariant":true,${color},"text":${label}}`;
      const metadata = `[{"key":"set","value":${textOf(this.#name)}},{"key":"id","value":${textOf(String(id))}},{"key":"kind","value":${kind}}]`;
      entities += `${entities === "" ? "" : ","}{"timestamp":${stamp},"frame_id":${frame},"id":${frame},"lifetime":${FOR_EVER},"frame_locked":true,"metadata":${metadata},${looks.primitives(row)},"spheres":[],${EMPTY_ENTITY},"texts":[${text}],"models":[]}`;
    }
    this.#update(stamp, time, shown, entities);
  }

  #writeCrowd(set: EntitySet, time: Time): void {
    const looks = new Looks(this.#name, set);
    const stamp = this.#clock.text(time);
    const scale = this.#isEnlarged ? ENLARGED : 1;
    const middle = middleOfBlock(set);
    let shapes = "";
    for (let row = 0; row < set.ids.length; row++) {
      if (!this.#ground.place(this.#poses, row, CELLS, 0)) continue;
      const [x, y, z] = [0, 1, 2].map((k) => CELLS[k]! * scale + middle[k]!);
      const size = this.#isEnlarged ? looks.diameter(row) : 1;
      shapes += `${shapes === "" ? "" : ","}{"pose":{"position":{"x":${x},"y":${y},"z":${z}},"orientation":${UPRIGHT}},"size":{"x":${size},"y":${size},"z":${size}},"color":${looks.color(row)}}`;
    }
    const id = textOf(this.#name);
    const [cubes, spheres] = this.#isEnlarged ? ["", shapes] : [shapes, ""];
    const entity = `{"timestamp":${stamp},"frame_id":"world","id":${id},"lifetime":${FOR_EVER},"frame_locked":true,"metadata":[],"arrows":[],"cubes":[${cubes}],"spheres":[${spheres}],${EMPTY_ENTITY},"texts":[],"models":[]}`;
    const isEmpty = shapes === "";
    if (isEmpty && this.#shown.size === 0) return;
    this.#update(stamp, time, isEmpty ? new Set() : new Set([id]), isEmpty ? "" : entity);
  }

  /** The whole scene of the set, and what left it: viewers that jump see only the last message of a topic. */
  #update(stamp: string, time: Time, shown: ReadonlySet<string>, entities: string): void {
    let deletions = "";
    for (const id of this.#shown) {
      if (shown.has(id)) continue;
      deletions += `${deletions === "" ? "" : ","}{"timestamp":${stamp},"type":0,"id":${id}}`;
    }
    this.#shown = shown;
    this.#say("scene", SCENE_UPDATE, time, `{"deletions":[${deletions}],"entities":[${entities}]}`);
  }

  /** From now on without a frame for each. */
  #becomeCrowd(time: Time): void {
    this.#isCrowd = true;
    if (this.#shown.size > 0) this.#update(this.#clock.text(time), time, new Set(), "");
  }

  #placed(set: EntitySet): readonly Placed[] {
    const placed: Placed[] = [];
    const poses = this.#poses;
    for (let row = 0; row < set.ids.length; row++) {
      if (!this.#ground.place(poses, row, CELLS, 0)) continue;
      const scale = this.#isEnlarged ? ENLARGED : 1;
      const position = `{"x":${CELLS[0]! * scale},"y":${CELLS[1]! * scale},"z":${CELLS[2]! * scale}}`;
      const orientation = poses.orientation(row, CELLS, 0)
        ? `{"x":${CELLS[0]!},"y":${CELLS[1]!},"z":${CELLS[2]!},"w":${CELLS[3]!}}`
        : UPRIGHT;
      const id = set.ids[row]!;
      placed.push({ row, id, frame: textOf(`${this.#name}/${id}`), position, orientation });
    }
    return placed;
  }

  #say(kind: string, known: Parameters<Topics["of"]>[1], time: Time, text: string): void {
    this.#write(`/state/${kind}/${this.#name}`, known, time, text);
  }

  #write(topic: string, known: Parameters<Topics["of"]>[1], time: Time, text: string): void {
    this.#writer.text(this.#topics.of(topic, known), time, this.count++, text);
  }
}

const CELLS = new Float64Array(4);

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
