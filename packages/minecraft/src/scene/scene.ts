import { createHash } from "node:crypto";
import type { EntitySet, State } from "simtape";
import { GRID, type Thing } from "./thing.ts";

/** Edits of the world by place, `"x,y,z"`: the names of blocks. */
export type Blocks = ReadonlyMap<string, string>;

/** What a viewer can see at a moment of a recording. It never changes once it is made. */
export interface Scene {
  /** Nanoseconds. */
  readonly time: number;
  readonly things: ReadonlyMap<number, Thing>;
  readonly blocks: Blocks;
  /** Ticks of the day; null: not known. */
  readonly clock: number | null;
  readonly isRaining: boolean;
  /** In the form `minecraft:overworld`. */
  readonly dimension: string;
}

const OVERWORLD = "minecraft:overworld";

/** An empty scene. */
export const EMPTY: Scene = {
  time: 0,
  things: new Map(),
  blocks: new Map(),
  clock: null,
  isRaining: false,
  dimension: OVERWORLD,
};

/** The data version of 1.17. */
const SINCE_1_17 = 2724;
const ITEM = /^(?:players|entities)\/(\d+)\/items\/(\d+)$/;

/** Makes scenes of the states of one recording; unchanged parts are shared with the previous scene. */
export class SceneMaker {
  readonly #recording: string;
  #before: Scene = EMPTY;
  #edits: EntitySet | undefined;
  #values: State["values"] | undefined;
  #items: ReadonlyMap<number, ReadonlyMap<number, string>> = new Map();

  readonly #isOld: boolean;

  /**
   * `recording`: identifies the recording; UUIDs of things without one are derived from it. `dataVersion`: of the
   * recorded game, null when it is not known.
   */
  constructor(recording: string, dataVersion: number | null) {
    this.#recording = recording;
    this.#isOld = dataVersion !== null && dataVersion < SINCE_1_17;
  }

  sceneOf(state: State): Scene {
    this.#noteItems(state.values);
    const things = new Map<number, Thing>();
    for (const name of ["players", "entities"]) {
      const set = state.sets.get(name);
      if (set !== undefined) this.#addThings(set, name === "players" ? "minecraft:player" : "", things);
    }
    const { values } = state;
    const [clock, weather, dimension] = ["time", "weather", "dimension"].map((name) => values.get(`world/${name}`));
    this.#before = {
      time: state.time,
      things,
      blocks: this.#blocksOf(state.sets.get("blocks")),
      clock: typeof clock === "number" ? clock : null,
      isRaining: typeof weather === "number" && weather > 0,
      dimension: typeof dimension === "string" && dimension !== "" ? dimension : OVERWORLD,
    };
    return this.#before;
  }

  #addThings({ ids, columns }: EntitySet, usual: string, things: Map<number, Thing>): void {
    const numbers = (name: string): ArrayLike<number> | undefined =>
      columns.get(name)?.data as ArrayLike<number> | undefined;
    const texts = (name: string): ArrayLike<string> | undefined =>
      columns.get(name)?.data as ArrayLike<string> | undefined;
    const [position, rotation, head] = [numbers("position"), numbers("rotation"), numbers("head-yaw")];
    const [kind, label, uuid] = [texts("kind"), texts("label"), texts("uuid")];
    const [pose, flags, onGround] = [numbers("pose"), numbers("flags"), numbers("on-ground")];
    const gameMode = numbers("game-mode");
    if (position === undefined) return;
    for (const [row, given] of ids.entries()) {
      const id = Number(given);
      const [pitch = 0, yaw = 0] = [rotation?.[3 * row + 1], rotation?.[3 * row + 2]];
      const thing: Thing = {
        id,
        kind: kind?.[row] || usual,
        name: label?.[row] ?? "",
        uuid: uuid?.[row] || this.#uuidOf(id),
        x: Math.round(position[3 * row]! * GRID),
        y: Math.round(position[3 * row + 1]! * GRID),
        z: Math.round(position[3 * row + 2]! * GRID),
        yaw,
        pitch,
        head: head?.[row] ?? yaw,
        onGround: onGround?.[row] === 1,
        pose: this.#poseOf(pose?.[row] ?? 0),
        flags: flags?.[row] ?? 0,
        gameMode: known(gameMode?.[row]),
        items: this.#items.get(id) ?? NO_ITEMS,
      };
      const before = this.#before.things.get(id);
      // A thing without a position is not shown.
      if (!Number.isNaN(thing.x)) things.set(id, before !== undefined && isSame(before, thing) ? before : thing);
    }
  }

  /** Numbers as since 1.17, where long-jumping comes before dying. */
  #poseOf(pose: number): number {
    return this.#isOld && pose >= 6 ? pose + 1 : pose;
  }

  #blocksOf(edits: EntitySet | undefined): Blocks {
    if (edits === undefined) return EMPTY.blocks;
    if (edits === this.#edits) return this.#before.blocks;
    this.#edits = edits;
    const names = edits.columns.get("kind")?.data as ArrayLike<string> | undefined;
    return new Map(edits.ids.map((id, row) => [String(id), names?.[row] ?? "minecraft:air"]));
  }

  #noteItems(values: State["values"]): void {
    if (values === this.#values) return;
    this.#values = values;
    const items = new Map<number, Map<number, string>>();
    for (const [path, value] of values) {
      const [, id, slot] = ITEM.exec(path) ?? [];
      if (id === undefined || typeof value !== "string") continue;
      let of = items.get(Number(id));
      if (of === undefined) {
        of = new Map();
        items.set(Number(id), of);
      }
      of.set(Number(slot), value);
    }
    this.#items = new Map([...items].map(([id, of]) => [id, sameItems(this.#items.get(id), of)]));
  }

  #uuidOf(id: number): string {
    const hash = createHash("sha256").update(`${this.#recording}\n${id}`).digest("hex");
    return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
  }
}

const NO_ITEMS: ReadonlyMap<number, string> = new Map();

function sameItems(before: Thing["items"] | undefined, after: Thing["items"]): Thing["items"] {
  if (before === undefined || before.size !== after.size) return after;
  for (const [slot, item] of after) if (before.get(slot) !== item) return after;
  return before;
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

function isSame(a: Thing, b: Thing): boolean {
  for (const key of Object.keys(b) as (keyof Thing)[]) if (a[key] !== b[key]) return false;
  return true;
}
