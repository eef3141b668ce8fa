import {
  Box3,
  BoxGeometry,
  type BufferGeometry,
  Color,
  CylinderGeometry,
  type DataTexture,
  Group,
  OctahedronGeometry,
  Vector3,
} from "three";
import { type Column, type EntitySet, type MovingState, radiansPer, transformOf, type Value } from "simtape";
import type { Passing } from "../../protocol.ts";
import { blockLook } from "../../blocks/block-look.ts";
import { rotate } from "../drawing/compose.ts";
import { grainTexture } from "../drawing/grain.ts";
import { Instances } from "../drawing/instances.ts";
import { color, colorOf } from "../drawing/look.ts";
import { Poses } from "../things/poses.ts";
import { turnQuaternionUp } from "../drawing/y-up.ts";
import { BLOCKY } from "./figure-shapes.ts";
import { bend, Figures } from "./figures.ts";
import { swingOf } from "./gait.ts";
import type { Held } from "./held.ts";
import { itemAt, nameOfItem } from "./items.ts";
import { seatHeight } from "./riding.ts";
import {
  type Choices,
  counted,
  type Eye,
  type Presenter,
  type PresenterKind,
  type Setting,
  type WornSkins,
} from "./presenter.ts";
import { nameOf, numberAt, textAt } from "./cells.ts";
import { playerReadings } from "./readings.ts";
import { SetCrowd } from "./set-crowd.ts";
import { box, merged, shaded } from "./shapes.ts";
import type { Wings } from "./wings.ts";
import type { WornBlocks } from "./worn-blocks.ts";

/** A world of blocks: those that were edited, who plays in it and what they wear, and its checkpoints. */
export const blocks: PresenterKind = {
  claims: (name, set) => SETS.includes(name) && (set.axes === null || set.axes.up === "y"),
  make: (setting) => new Blocks(setting),
};

const SETS = ["players", "entities", "blocks"];
/** Of checkpoints that no player has passed yet, and of the others. */
const AHEAD = color("#ffd43b");
const PASSED = color("#40c057");
const POLE = color("#9aa5ae");
/** What was built is seen as a whole when it is smaller than this, metres. */
const OVERSEEN = 150;
const SIZE = new Vector3();
const SHADE = new Color();
/** How high a player is, and one that sneaks; metres. */
const HEIGHT = 1.8;
const SNEAKING = 1.5;
const LEAN = 0.45;
/** Seconds that two steps take. */
const STEP = 0.53;
/** Bits of the flags that all beings share. */
const [SNEAKS, SWIMS, GLIDES] = [2, 16, 128];
/** Of who swims or glides, the middle is so high above the place, metres. */
const AFLOAT = 0.3;
/** Of who rides, the legs go ahead, radians, and the hips are so high above the feet, of the height. */
const SIT = 1.35;
const HIPS = 12 / 32;
/** The game's slots of what is worn: from the feet to the head. */
const ARMOUR = [2, 3, 4, 5];
/** Of more edited blocks none wears a texture: each change of them would take long. */
const MOST_WORN = 20_000;
const ALONG = new Float64Array(3);
const HAND = new Float64Array(3);
const GRIP = new Float32Array(4);
const BODY = new Float32Array(4);
const HEAD = new Float32Array(4);
const NOTHING: ReadonlyMap<string, Value> = new Map();

class Blocks implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = true;
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #players: SetCrowd;
  readonly #entities: SetCrowd;
  readonly #blocks: SetCrowd;
  readonly #cubes: Instances;
  readonly #grain: DataTexture;
  readonly #figures: Figures;
  /** What draws what hands hold, loaded with the first item; null: it is not there yet. */
  #held: Held | null = null;
  #isLoading = false;
  #isDisposed = false;
  /** Elytra of those who glide, loaded with the first. */
  #wings: Wings | null = null;
  #areWingsLoading = false;
  /** What blocks wear, and what draws them so; null: they have plain colours. */
  #skins: WornSkins | null = null;
  #worn: WornBlocks | null = null;
  #seen = 0;
  readonly #others: Instances;
  readonly #poles: Instances;
  readonly #flags: Instances;
  /** Checkpoints as they are passed first. */
  #passings: readonly Passing[] = [];
  readonly #checkpoints: Poses;
  #firsts: readonly Passing[] = [];
  #passed = -1;
  #time = 0;
  /** Metres per second of the players. */
  #speeds: Float32Array | undefined;
  #values: ReadonlyMap<string, Value> = NOTHING;
  /** Those who ride something that has a place. */
  readonly #seated = new Set<number | string>();

  constructor(setting: Setting) {
    this.#setting = setting;
    const { look, origin } = setting;
    this.#checkpoints = new Poses(origin);
    const beings = { radius: 1.1, eye: 1.62, top: 2.35, distance: 8 };
    this.#players = new SetCrowd("players", this.object, setting, {
      ...beings,
      label: (set, row) => playerName(set, row, this.#values),
      readings: (_, set, row) => playerReadings(set, row, this.#splitOf(set.ids[row]!)),
    });
    this.#entities = new SetCrowd("entities", this.object, setting, {
      ...beings,
      top: 1.2,
      radius: 0.7,
      isMain: false,
    });
    this.#blocks = new SetCrowd("blocks", this.object, setting, {
      radius: 0.6,
      eye: 1,
      top: 1.2,
      isMain: false,
      label: (set, row) => `${textAt(set, "kind", row).replace(/^minecraft:/, "")} at ${set.ids[row]}`,
    });
    this.crowds = [this.#players, this.#entities, this.#blocks];
    const cube = new BoxGeometry(1, 1, 1).translate(0.5, 0.5, 0.5);
    this.#grain = grainTexture();
    this.#cubes = new Instances(cube, look.material({ map: this.#grain }), 256);
    this.#figures = new Figures(look, BLOCKY);
    this.#others = new Instances(
      new OctahedronGeometry(0.45).translate(0, 0.45, 0),
      look.material({ flatShading: true }),
    );
    this.#poles = new Instances(new CylinderGeometry(0.05, 0.05, 2.6, 8).translate(0, 1.3, 0), look.material());
    this.#flags = new Instances(flagGeometry(), look.material({ vertexColors: true }));
    for (const shapes of this.#shapes) this.object.add(shapes.object);
  }

  get #shapes(): readonly (Instances | Figures)[] {
    const { shapes: held = [] } = this.#held ?? {};
    const wings = this.#wings === null ? [] : [this.#wings.shapes];
    return [this.#cubes, this.#figures, ...held, ...wings, this.#others, this.#poles, this.#flags];
  }

  adopt(): void {
    // Its sets are known by name.
  }

  update(state: MovingState): void {
    const hasOtherItems = this.#setting.hands !== undefined && this.#values !== state.values;
    this.#values = state.values;
    this.#time = state.time;
    this.#speeds = state.speeds?.get("players");
    // A ghost runs through the same world: it is drawn once.
    if (this.#setting.look.ghost < 0 && this.#blocks.update(state)) this.#drawBlocks();
    const [players, entities] = [this.#players.update(state), this.#entities.update(state)];
    const areRiding = this.#seat();
    if (players || areRiding || hasOtherItems) this.#drawPlayers();
    if (entities || areRiding) this.#drawEntities();
    this.#drawCheckpoints();
  }

  see(eye: Eye): void {
    this.#figures.see(eye);
  }

  mark(passings: readonly Passing[]): void {
    this.#passings = passings;
    this.#firsts = passings.filter(({ place }) => place !== null);
    const data = Float64Array.from(this.#firsts.flatMap(({ place }) => [...place!]));
    const position: Column = { width: 3, unit: "block", interpolation: "hold", data };
    const axes = this.crowds.find(({ entities }) => entities !== undefined)?.entities?.axes ?? null;
    const ids = this.#firsts.map(({ checkpoint }) => checkpoint);
    this.#checkpoints.update({ ids, columns: new Map([["position", position]]), axes });
    this.#passed = -1;
    this.#drawCheckpoints();
  }

  frame(box: Box3): void {
    this.#players.widen(box, 3);
    if (box.isEmpty()) this.#entities.widen(box, 3);
    const edited = new Box3();
    this.#blocks.widen(edited, 1);
    if (box.isEmpty() || edited.getSize(SIZE).length() < OVERSEEN) box.union(edited);
  }

  get floor(): number | null {
    return null;
  }

  describe(): string {
    return [
      counted(this.#players.poses.count, "player"),
      counted(this.#entities.poses.count, "entity", "entities"),
      counted(this.#seen, "edited block"),
    ].join(", ");
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const shapes of this.#shapes) shapes.dispose();
    this.#worn?.dispose();
    this.#grain.dispose();
  }

  choose({ skins }: Choices): void {
    // a ghost's are not drawn
    if (skins === this.#skins || this.#setting.look.ghost >= 0) return;
    this.#skins = skins;
    if (this.#worn !== null) {
      this.object.remove(this.#worn.object);
      this.#worn.dispose();
      this.#worn = null;
    }
    if (skins === null) this.#drawBlocks();
    else void this.#dress(skins);
  }

  /** What draws textures is loaded with the first of them. */
  async #dress(skins: WornSkins): Promise<void> {
    const { WornBlocks } = await import("./worn-blocks.ts");
    if (this.#isDisposed || skins !== this.#skins) return;
    this.#worn = new WornBlocks(skins, this.#setting.origin);
    this.object.add(this.#worn.object);
    this.#drawBlocks();
    this.#setting.redraw?.();
  }

  #drawBlocks(): void {
    const { poses, entities } = this.#blocks;
    const { look } = this.#setting;
    const isWorn = this.#worn !== null && poses.count <= MOST_WORN;
    const worn = this.#worn?.draw(isWorn ? entities : undefined) ?? 0;
    this.#cubes.begin();
    if (isWorn) {
      this.#cubes.end();
      this.#seen = worn;
      return;
    }
    for (let row = 0; row < poses.count; row++) {
      const block = blockLook(textAt(entities, "kind", row));
      if (block === null || !poses.isKnown(row)) continue;
      const { positions: p } = poses;
      const at = 3 * row;
      const wide = 1 - 2 * block.inset;
      this.#cubes.put(
        p[at]! + block.inset,
        p[at + 1]! + block.from,
        p[at + 2]! + block.inset,
        0,
        0,
        0,
        1,
        wide,
        block.height,
        wide,
        look.paint(SHADE.setRGB(...block.color)),
      );
    }
    this.#cubes.end();
    this.#seen = this.#cubes.count;
  }

  /** Puts those who ride where what they ride is: their own place is where they got on. Whether there are any. */
  #seat(): boolean {
    this.#seated.clear();
    for (const { poses, entities } of [this.#entities, this.#players]) {
      for (let row = 0; row < poses.count; row++) {
        const vehicle = numberAt(entities, "parent", row);
        if (!Number.isFinite(vehicle) || vehicle === poses.ids[row]) continue;
        const under = [this.#entities, this.#players].find((crowd) => crowd.poses.isKnown(crowd.poses.find(vehicle)));
        if (under === undefined) continue;
        const of = under.poses.find(vehicle);
        const [x, y, z] = under.poses.positions.subarray(3 * of, 3 * of + 3) as unknown as [number, number, number];
        poses.seat(row, x, y + seatHeight(textAt(under.entities, "kind", of), under === this.#players), z);
        this.#seated.add(poses.ids[row]!);
      }
    }
    return this.#seated.size > 0;
  }

  /** The body turns with the yaw, the head with its own and with the pitch. */
  #drawPlayers(): void {
    const { poses, entities } = this.#players;
    const radians = radiansPer(entities?.columns.get("rotation")?.unit ?? null);
    this.#figures.begin();
    this.#held?.begin();
    this.#wings?.shapes.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const at = 3 * row;
      const [x, y, z] = [poses.positions[at]!, poses.positions[at + 1]!, poses.positions[at + 2]!];
      const id = poses.ids[row]!;
      const yaw = finite(numberAt(entities, "rotation", row, 2));
      const head = numberAt(entities, "head-yaw", row);
      const pitch = finite(numberAt(entities, "rotation", row, 1));
      const transform = transformOf(entities!.axes);
      const flags = finite(numberAt(entities, "flags", row));
      const isLying = (flags & (SWIMS | GLIDES)) !== 0;
      transform.angles(0, isLying ? pitch : 0, yaw, radians, BODY, 0);
      transform.angles(0, pitch, Number.isFinite(head) ? head : yaw, radians, HEAD, 0);
      turnQuaternionUp(BODY, 0);
      turnQuaternionUp(HEAD, 0);
      const swing = swingOf(id, this.#time, this.#speeds?.[row] ?? 0, STEP);
      if (isLying) {
        // head first to where they look, around the middle of the body
        bend(BODY, 0, -Math.PI / 2, BODY);
        rotate(BODY, 0, 0, HEIGHT / 2, 0, ALONG, 0);
        const [feetX, feetY, feetZ] = [x - ALONG[0]!, y + AFLOAT - ALONG[1]!, z - ALONG[2]!];
        const kick = (flags & GLIDES) === 0 ? swing / 2 : 0;
        if ((flags & GLIDES) !== 0 && this.#wearsWings(id)) this.#putWings(feetX, feetY, feetZ);
        this.#figures.put(feetX, feetY, feetZ, BODY, 0, HEAD, 0, HEIGHT, kick, 0, colorOf(id));
        continue;
      }
      if (this.#seated.has(id)) {
        const feet = y - HIPS * HEIGHT;
        this.#figures.put(x, feet, z, BODY, 0, HEAD, 0, HEIGHT, 0, 0, colorOf(id), SIT);
        this.#putHeld(id, x, feet, z, HEIGHT, 0, 0);
        continue;
      }
      const [height, lean] = (flags & SNEAKS) === 0 ? [HEIGHT, 0] : [SNEAKING, LEAN];
      this.#figures.put(x, y, z, BODY, 0, HEAD, 0, height, swing, lean, colorOf(id));
      this.#putHeld(id, x, y, z, height, swing, lean);
    }
    this.#figures.end();
    this.#held?.end();
    this.#wings?.shapes.end();
  }

  #wearsWings(id: number | string): boolean {
    if (this.#setting.hands === undefined) return false;
    return ARMOUR.some((slot) => itemAt(this.#values, `players/${id}`, `items/${slot}`)?.endsWith("elytra") === true);
  }

  /** On the back of who is turned as `BODY`. */
  #putWings(x: number, y: number, z: number): void {
    if (this.#wings !== null) this.#wings.put(x, y, z, BODY, HEIGHT);
    else if (!this.#areWingsLoading) void this.#loadWings();
  }

  async #loadWings(): Promise<void> {
    this.#areWingsLoading = true;
    const { Wings } = await import("./wings.ts");
    if (this.#isDisposed) return;
    this.#wings = new Wings(this.#setting.look);
    this.object.add(this.#wings.shapes.object);
    this.#drawPlayers();
    this.#setting.redraw?.();
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    const { Held } = await import("./held.ts");
    if (this.#isDisposed) return;
    this.#held = new Held(this.#setting.look);
    for (const shapes of this.#held.shapes) this.object.add(shapes.object);
    this.#drawPlayers();
    this.#setting.redraw?.();
  }

  /** What a player who stands there, turned as `BODY`, has in both hands. */
  #putHeld(id: number | string, x: number, y: number, z: number, height: number, swing: number, lean: number): void {
    const { hands } = this.#setting;
    if (hands === undefined) return;
    for (const [path, side] of [
      [hands.main, 1],
      [hands.off, -1],
    ] as const) {
      const item = itemAt(this.#values, `players/${id}`, path);
      if (item === null) continue;
      if (this.#held === null) {
        if (!this.#isLoading) void this.#load();
        return;
      }
      this.#figures.hand(x, y, z, BODY, height, swing, lean, side, HAND, GRIP);
      this.#held.put(item, HAND, GRIP);
    }
  }

  #drawEntities(): void {
    const { poses, entities } = this.#entities;
    const { look } = this.#setting;
    this.#others.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isDrawn(row)) continue;
      const shade = look.paint(colorOf(textAt(entities, "kind", row)));
      this.#others.putThing(poses, row, 1, 1, 1, shade);
    }
    this.#others.end();
  }

  /** The checkpoint that was passed last. */
  #splitOf(id: number | string): Passing | undefined {
    return this.#passings.findLast(({ time, entity }) => entity === id && time <= this.#time);
  }

  #drawCheckpoints(): void {
    const passed = this.#firsts.filter(({ time }) => time <= this.#time).length;
    if (passed === this.#passed) return;
    this.#passed = passed;
    const { look } = this.#setting;
    const { positions: p } = this.#checkpoints;
    this.#poles.begin();
    this.#flags.begin();
    for (let row = 0; row < this.#firsts.length; row++) {
      const [x, y, z] = [p[3 * row]!, p[3 * row + 1]!, p[3 * row + 2]!];
      this.#poles.put(x, y, z, 0, 0, 0, 1, 1, 1, 1, look.paint(POLE));
      this.#flags.put(x, y, z, 0, 0, 0, 1, 1, 1, 1, look.paint(row < passed ? PASSED : AHEAD));
    }
    this.#poles.end();
    this.#flags.end();
  }
}

/** A flag in two rows of squares, at the top of its pole. */
function flagGeometry(): BufferGeometry {
  const squares: BufferGeometry[] = [];
  for (let i = 0; i < 8; i++) {
    const [column, line] = [i >> 1, i & 1];
    squares.push(
      shaded(box(0.17 + 0.26 * column, 2.2 + 0.26 * line, 0, 0.26, 0.26, 0.03), (i + column) % 2 === 0 ? 1 : 0.18),
    );
  }
  return merged(squares);
}

const WORN = 3;

/** Name, and what is worn and held: "Amaya · leather boots". */
export function playerName(set: EntitySet, row: number, values: ReadonlyMap<string, Value>): string {
  const id = set.ids[row]!;
  let name = nameOf(set, "players", row);
  let worn = 0;
  for (let slot = 0; slot < SLOTS && worn < WORN; slot++) {
    const text = nameOfItem(values.get(`players/${id}/items/${slot}`));
    if (text === null) continue;
    name += ` · ${text.replace(/^[\w.-]+:/, "").replaceAll("_", " ")}`;
    worn++;
  }
  return name;
}

/** Slots that are looked at for equipment. */
const SLOTS = 9;

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
