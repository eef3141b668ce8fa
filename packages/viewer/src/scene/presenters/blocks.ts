import { Box3, BoxGeometry, ConeGeometry, CylinderGeometry, Group, OctahedronGeometry, Vector3 } from "three";
import type { EntitySet, State, Value } from "simtape";
import { Instances } from "../instances.ts";
import { color, colorOf } from "../look.ts";
import { turnAngles } from "../turn.ts";
import { blockLook } from "./block-colors.ts";
import { counted, nameOf, numberAt, type Presenter, type PresenterKind, type Setting, textAt } from "./presenter.ts";
import { SetCrowd } from "./set-crowd.ts";
import { bodyGeometry, headGeometry } from "./shapes.ts";

/** A world of blocks: those that were edited, who plays in it and what they wear, and the checkpoints they passed. */
export const blocks: PresenterKind = {
  claims: (name, set) => SETS.includes(name) && (set.axes === null || set.axes.up === "y"),
  make: (setting) => new Blocks(setting),
};

const SETS = ["players", "entities", "blocks"];
const CHECKPOINT = color("#ffd43b");
const POLE = color("#9aa5ae");
/** What was built is seen as a whole when it is smaller than this, metres. */
const OVERSEEN = 150;
const DEGREE = Math.PI / 180;
const SIZE = new Vector3();
const TURN = new Float64Array(4);
const NOTHING: ReadonlyMap<string, Value> = new Map();

class Blocks implements Presenter {
  readonly object: Group = new Group();
  readonly isJourney: boolean = false;
  readonly crowds: SetCrowd[];
  readonly #setting: Setting;
  readonly #players: SetCrowd;
  readonly #entities: SetCrowd;
  readonly #blocks: SetCrowd;
  readonly #cubes: Instances;
  readonly #bodies: Instances;
  readonly #heads: Instances;
  readonly #others: Instances;
  readonly #poles: Instances;
  readonly #flags: Instances;
  /** Where someone passed a checkpoint, by its text: met while playing, and forgotten before its time. */
  readonly #checkpoints = new Map<
    string,
    { readonly time: number; readonly place: readonly [number, number, number] }
  >();
  #mark: Value | undefined;
  #values: ReadonlyMap<string, Value> = NOTHING;

  constructor(setting: Setting) {
    this.#setting = setting;
    const { look } = setting;
    const beings = { radius: 1.1, eye: 1.62, top: 2.35 };
    this.#players = new SetCrowd("players", this.object, setting, {
      ...beings,
      label: (set, row) => playerName(set, row, this.#values),
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
    this.#cubes = new Instances(new BoxGeometry(1, 1, 1).translate(0.5, 0.5, 0.5), look.material(), 256);
    this.#bodies = new Instances(bodyGeometry(), look.material({ vertexColors: true }));
    this.#heads = new Instances(headGeometry(), look.material({ vertexColors: true }));
    this.#others = new Instances(
      new OctahedronGeometry(0.45).translate(0, 0.45, 0),
      look.material({ flatShading: true }),
    );
    this.#poles = new Instances(new CylinderGeometry(0.04, 0.04, 2.2, 8).translate(0, 1.1, 0), look.material());
    this.#flags = new Instances(
      new ConeGeometry(0.3, 0.8, 4).rotateZ(-Math.PI / 2).translate(0.4, 1.9, 0),
      look.material(),
    );
    for (const shapes of this.#shapes) this.object.add(shapes.object);
  }

  get #shapes(): readonly Instances[] {
    return [this.#cubes, this.#bodies, this.#heads, this.#others, this.#poles, this.#flags];
  }

  adopt(): void {
    // Its sets are known by name.
  }

  update(state: State): void {
    this.#values = state.values;
    // A ghost runs through the same world: it is drawn once.
    if (this.#setting.look.ghost < 0 && this.#blocks.update(state)) this.#drawBlocks();
    if (this.#players.update(state)) this.#drawPlayers();
    if (this.#entities.update(state)) this.#drawEntities();
    this.#follow(state);
  }

  frame(box: Box3): void {
    this.#players.widen(box, 3);
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
      counted(this.#cubes.count, "edited block"),
    ].join(", ");
  }

  dispose(): void {
    for (const shapes of this.#shapes) shapes.dispose();
  }

  #drawBlocks(): void {
    const { poses, entities } = this.#blocks;
    const { look } = this.#setting;
    this.#cubes.begin();
    for (let row = 0; row < poses.count; row++) {
      const block = blockLook(textAt(entities, "kind", row));
      if (block === null || !poses.isKnown(row)) continue;
      const { positions: p } = poses;
      const at = 3 * row;
      this.#cubes.put(
        p[at]!,
        p[at + 1]! + block.from,
        p[at + 2]!,
        0,
        0,
        0,
        1,
        1,
        block.height,
        1,
        look.paint(block.color),
      );
    }
    this.#cubes.end();
  }

  /** The body turns with the yaw, the head with its own and with the pitch. */
  #drawPlayers(): void {
    const { poses, entities } = this.#players;
    const { look } = this.#setting;
    this.#bodies.begin();
    this.#heads.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      const { positions: p } = poses;
      const at = 3 * row;
      const shade = look.paint(colorOf(poses.ids[row]!));
      const yaw = finite(numberAt(entities, "rotation", row, 2));
      const head = numberAt(entities, "head-yaw", row);
      // Bit 1 of the shared flags: sneaking, which is a quarter metre lower.
      const height = (numberAt(entities, "flags", row) & 2) === 0 ? 1 : 0.84;
      turnAngles(entities!.axes, 0, 0, yaw, DEGREE, TURN, 0);
      this.#bodies.put(p[at]!, p[at + 1]!, p[at + 2]!, TURN[0]!, TURN[1]!, TURN[2]!, TURN[3]!, 1, height, 1, shade);
      const pitch = finite(numberAt(entities, "rotation", row, 1));
      turnAngles(entities!.axes, 0, pitch, Number.isFinite(head) ? head : yaw, DEGREE, TURN, 0);
      const neck = p[at + 1]! + 1.45 * height;
      this.#heads.put(p[at]!, neck, p[at + 2]!, TURN[0]!, TURN[1]!, TURN[2]!, TURN[3]!, 1, 1, 1, shade);
    }
    this.#bodies.end();
    this.#heads.end();
  }

  #drawEntities(): void {
    const { poses, entities } = this.#entities;
    const { look } = this.#setting;
    this.#others.begin();
    for (let row = 0; row < poses.count; row++) {
      if (!poses.isKnown(row)) continue;
      const { positions: p, orientations: q } = poses;
      const at = 3 * row;
      const from = 4 * row;
      const shade = look.paint(colorOf(textAt(entities, "kind", row)));
      this.#others.put(
        p[at]!,
        p[at + 1]!,
        p[at + 2]!,
        q[from]!,
        q[from + 1]!,
        q[from + 2]!,
        q[from + 3]!,
        1,
        1,
        1,
        shade,
      );
    }
    this.#others.end();
  }

  /** Notes a checkpoint that was passed since the frame before, and forgets those that are yet to come. */
  #follow(state: State): void {
    const mark = state.values.get("mark");
    let isOther = false;
    for (const [text, { time }] of this.#checkpoints) {
      if (time > state.time) isOther = this.#checkpoints.delete(text) || isOther;
    }
    if (mark !== this.#mark) {
      this.#mark = mark;
      const { entity, label } = (mark ?? {}) as { readonly entity?: unknown; readonly label?: unknown };
      const row = typeof entity === "number" ? this.#players.poses.find(entity) : -1;
      const text = typeof label === "string" ? (/checkpoint.*/i.exec(label)?.[0] ?? "") : "";
      if (text !== "" && this.#players.poses.isKnown(row) && !this.#checkpoints.has(text)) {
        const { positions: p } = this.#players.poses;
        this.#checkpoints.set(text, { time: state.time, place: [p[3 * row]!, p[3 * row + 1]!, p[3 * row + 2]!] });
        isOther = true;
      }
    }
    if (isOther) this.#drawCheckpoints();
  }

  #drawCheckpoints(): void {
    const { look } = this.#setting;
    this.#poles.begin();
    this.#flags.begin();
    for (const { place } of this.#checkpoints.values()) {
      this.#poles.put(place[0], place[1], place[2], 0, 0, 0, 1, 1, 1, 1, look.paint(POLE));
      this.#flags.put(place[0], place[1], place[2], 0, 0, 0, 1, 1, 1, 1, look.paint(CHECKPOINT));
    }
    this.#poles.end();
    this.#flags.end();
  }
}

const WORN = 3;

/** Name, and what is worn and held: "Amaya · leather boots". */
export function playerName(set: EntitySet, row: number, values: ReadonlyMap<string, Value>): string {
  const id = set.ids[row]!;
  let name = nameOf(set, "players", row);
  let worn = 0;
  for (let slot = 0; slot < SLOTS && worn < WORN; slot++) {
    const item = values.get(`players/${id}/items/${slot}`);
    const text = typeof item === "string" ? item : (item as { readonly id?: unknown } | undefined)?.id;
    if (typeof text !== "string" || text === "") continue;
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
