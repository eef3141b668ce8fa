import type { Axes } from "../../../model/axes/axes.ts";
import type { MutableColumn } from "../../../model/state/column.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { TELEPORT } from "../../../model/state/teleports.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";

/**
 * Minecraft's axes: right-handed, y up; yaw 0 looks along z and grows clockwise seen from above, pitch is positive
 * downwards, velocities are blocks a tick (events §2).
 */
export const AXES: Axes = {
  handed: "right",
  up: "y",
  kind: "local",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "down", yaw: "right", zero: "z" },
  velocities: "set",
  tickRate: 20,
};

/** The fold's own value: which chunk the last message was of. */
export const CHUNK = ".chunk";
/** The recording carries another format's values and sets: entities are only a picture of them. */
export const CARRIED = ".carried";

/** Sets of things that live; a thing is in one of them. `.mirror`: pictures of what other sets hold exactly. */
export type ActorSet = "players" | "entities" | ".mirror";

/** The columns of `players` and `entities`. They are made together and go together. */
export class ActorColumns {
  readonly set: MutableEntitySet;
  /** Place on the grid, 1/4096 block (events §2). */
  readonly grid: MutableColumn;
  /** Last displacement on the grid. */
  readonly displacement: MutableColumn;
  /** Yaw, pitch in 1/65536 turn, and how far the head is turned against the body. */
  readonly angles: MutableColumn;
  readonly position: MutableColumn;
  readonly rotation: MutableColumn;
  readonly headYaw: MutableColumn;
  readonly velocity: MutableColumn;
  readonly kind: MutableColumn;
  readonly label: MutableColumn;
  readonly uuid: MutableColumn;
  readonly parent: MutableColumn;
  readonly pose: MutableColumn;
  readonly flags: MutableColumn;
  readonly onGround: MutableColumn;
  readonly heldSlot: MutableColumn;
  readonly itemUse: MutableColumn;
  readonly health: MutableColumn;
  readonly food: MutableColumn;
  readonly xp: MutableColumn;
  readonly gameMode: MutableColumn;
  readonly camera: MutableColumn;

  constructor(set: MutableEntitySet) {
    this.set = set;
    this.grid = set.column(".q", { kind: "f64", width: 3, unit: null });
    this.displacement = set.column(".d", { kind: "f64", width: 3, unit: null });
    this.angles = set.column(".a", { kind: "f64", width: 3, unit: null });
    this.position = set.column("position", { kind: "f64", width: 3, unit: "block", interpolation: "linear" });
    this.rotation = set.column("rotation", { kind: "f64", width: 3, unit: "deg", interpolation: "angle-deg" });
    this.headYaw = set.column("head-yaw", { kind: "f64", width: 1, unit: "deg", interpolation: "angle-deg" });
    this.velocity = set.column("velocity", { kind: "f64", width: 3, unit: "block/tick" });
    this.kind = set.column("kind", { kind: "string", width: 1, unit: null });
    this.label = set.column("label", { kind: "string", width: 1, unit: null });
    this.uuid = set.column("uuid", { kind: "string", width: 1, unit: null });
    this.parent = set.column("parent", { kind: "f64", width: 1, unit: null });
    this.pose = set.column("pose", { kind: "u8", width: 1, unit: null });
    this.flags = set.column("flags", { kind: "u8", width: 1, unit: null });
    this.onGround = set.column("on-ground", { kind: "u8", width: 1, unit: null });
    this.heldSlot = set.column("held-slot", { kind: "u8", width: 1, unit: null });
    this.itemUse = set.column("item-use", { kind: "u8", width: 1, unit: null });
    this.health = set.column("health", { kind: "f64", width: 1, unit: null });
    this.food = set.column("food", { kind: "f64", width: 1, unit: null });
    this.xp = set.column("xp", { kind: "f64", width: 1, unit: null });
    this.gameMode = set.column("game-mode", { kind: "f64", width: 1, unit: null });
    this.camera = set.column("camera", { kind: "f64", width: 1, unit: null });
  }
}

/** A row of one of the two sets, as found last: reused, so look at it before asking for the next. */
export interface FoundActor {
  columns: ActorColumns;
  row: number;
}

/** The two sets of a state. */
export interface Actors {
  readonly players: ActorColumns;
  readonly entities: ActorColumns;
}

/** Things and blocks in a state: what both dialects fold into. Keeps nothing of its own but a look-up of columns. */
export class Scene {
  #players: ActorColumns | null = null;
  #entities: ActorColumns | null = null;
  #mirror: ActorColumns | null = null;
  /** Of what state, and at which shape of it, the columns were looked up. */
  #state: MutableState | null = null;
  #shape = -1;
  #actors: Actors | null = null;
  readonly #found: { columns: ActorColumns | null; row: number } = { columns: null, row: -1 };

  /** The sets with all their columns: every state has them, empty or not. */
  begin(state: MutableState): void {
    this.players(state);
    this.entities(state);
    this.blocks(state);
  }

  players(state: MutableState): ActorColumns {
    const set = state.set("players", AXES);
    const known = this.#players;
    // another state has other sets, and a clear or an undo makes other columns
    if (known !== null && known.set === set && set.columns.get(".q") === known.grid) return known;
    this.#players = new ActorColumns(set);
    return this.#players;
  }

  entities(state: MutableState): ActorColumns {
    const set = state.set("entities", AXES);
    const known = this.#entities;
    if (known !== null && known.set === set && set.columns.get(".q") === known.grid) return known;
    this.#entities = new ActorColumns(set);
    return this.#entities;
  }

  /** Null while there is none. */
  mirror(state: MutableState): ActorColumns | null {
    const set = state.sets.get(".mirror");
    if (set === undefined) return null;
    const known = this.#mirror;
    if (known !== null && known.set === set && set.columns.get(".q") === known.grid) return known;
    this.#mirror = new ActorColumns(set);
    return this.#mirror;
  }

  /** Every set there is. */
  all(state: MutableState): ActorColumns[] {
    const sets = [this.players(state), this.entities(state)];
    const mirror = this.mirror(state);
    if (mirror !== null) sets.push(mirror);
    return sets;
  }

  blocks(state: MutableState): MutableEntitySet {
    const set = state.set("blocks", AXES);
    set.column("position", { kind: "i32", width: 3, unit: "block" });
    set.column("kind", { kind: "string", width: 1, unit: null });
    return set;
  }

  /** The columns of `players` and `entities`; null while there are pictures, too. */
  actors(state: MutableState): Actors | null {
    if (state !== this.#state || state.shape !== this.#shape) this.#lookUp(state);
    return this.#mirror === null ? this.#actors : null;
  }

  /** Where an entity is kept; null when it is not known. */
  find(state: MutableState, entity: number): FoundActor | null {
    if (state !== this.#state || state.shape !== this.#shape) this.#lookUp(state);
    // pictures have ids of their own: other sets may hold things of the same ones
    let row = this.#mirror === null ? -1 : this.#mirror.set.find(entity);
    if (row >= 0) return this.#foundIn(this.#mirror!, row);
    row = this.#players!.set.find(entity);
    if (row >= 0) return this.#foundIn(this.#players!, row);
    row = this.#entities!.set.find(entity);
    return row < 0 ? null : this.#foundIn(this.#entities!, row);
  }

  #lookUp(state: MutableState): void {
    this.#mirror = this.mirror(state);
    this.#actors = { players: this.players(state), entities: this.entities(state) };
    this.#state = state;
    this.#shape = state.shape;
  }

  /** A new row with nothing known; what was known under that id goes. */
  create(state: MutableState, entity: number, name: ActorSet): FoundActor {
    if (name === ".mirror") {
      state.set(name, AXES);
      this.mirror(state)!.set.remove(entity);
    } else this.remove(state, entity);
    const columns =
      name === "players" ? this.players(state) : name === "entities" ? this.entities(state) : this.mirror(state)!;
    return this.#foundIn(columns, columns.set.row(entity));
  }

  /** Takes an entity out, with its values; who sat on it sits on nothing. */
  remove(state: MutableState, entity: number): void {
    const found = this.find(state, entity);
    if (found === null) return;
    const { columns } = found;
    columns.set.remove(entity);
    if (columns === this.#mirror) return;
    const prefix = this.#prefix(columns, entity);
    for (const path of [...state.values.keys()]) if (path.startsWith(prefix)) state.deleteValue(path);
    this.unseat(state, entity);
  }

  /** `vehicle` has no passengers any more. */
  unseat(state: MutableState, vehicle: number): void {
    for (const { set, parent } of this.all(state)) {
      for (let row = 0; row < set.size; row++) if (parent.number(row) === vehicle) parent.put(row, Number.NaN);
    }
  }

  /** Moves an entity to `players`, with everything known about it. */
  promote(state: MutableState, entity: number): void {
    const from = this.entities(state);
    const row = from.set.find(entity);
    if (row < 0) return;
    const to = this.players(state);
    const target = to.set.row(entity);
    for (const [name, source] of from.set.columns) {
      const column = to.set.column(name, source.spec);
      if (source.spec.kind === "string") column.putText(target, source.text(row));
      else for (let k = 0; k < source.spec.width; k++) column.put(target, source.number(row, k), k);
    }
    from.set.remove(entity);
    const prefix = this.#prefix(from, entity);
    for (const [path, value] of [...state.values]) {
      if (!path.startsWith(prefix)) continue;
      state.deleteValue(path);
      state.setValue(`players/${entity}/${path.slice(prefix.length)}`, value);
    }
  }

  /** Sets `players/<entity>/<path>`, or takes it away when `value` is null. */
  setActorValue(state: MutableState, found: FoundActor, entity: number, path: string, value: Value): void {
    const full = this.#prefix(found.columns, entity) + path;
    if (value === null) state.deleteValue(full);
    else state.setValue(full, value);
  }

  /** Sets the kind of a block; null: it is as the world has it again. */
  setBlock(state: MutableState, x: number, y: number, z: number, kind: string | null): void {
    const set = this.blocks(state);
    const id = `${x},${y},${z}`;
    if (kind === null) {
      set.remove(id);
      return;
    }
    const row = set.row(id);
    set.columns.get("position")!.put3(row, x, y, z);
    set.columns.get("kind")!.putText(row, kind);
  }

  clearBlocks(state: MutableState): void {
    this.blocks(state).clear();
    this.blocks(state);
  }

  /** When entities were put elsewhere last: no snapshot says that. */
  teleports(state: MutableState): ReadonlyMap<number, Time> {
    const found = new Map<number, Time>();
    for (const { set } of this.all(state)) {
      const times = set.columns.get(TELEPORT);
      if (times === undefined) continue;
      for (const [row, id] of set.ids.entries()) {
        const time = times.number(row);
        if (typeof id === "number" && !Number.isNaN(time)) found.set(id, time);
      }
    }
    return found;
  }

  putTeleports(state: MutableState, teleports: ReadonlyMap<number, Time>): void {
    for (const [entity, time] of teleports) {
      const found = this.find(state, entity);
      found?.columns.set.teleport(found.row, time);
    }
  }

  /** Drops everything: what a snapshot begins with. */
  clear(state: MutableState): void {
    state.clear();
    this.begin(state);
  }

  #prefix(columns: ActorColumns, entity: number): string {
    const set = columns === this.#players ? "players" : columns === this.#entities ? "entities" : ".mirror";
    return `${set}/${entity}/`;
  }

  #foundIn(columns: ActorColumns, row: number): FoundActor {
    this.#found.columns = columns;
    this.#found.row = row;
    return this.#found as FoundActor;
  }
}
