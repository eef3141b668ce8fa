import { NBT, type NbtTag, nbtCompound, nbtEntry, nbtText } from "../../codec/nbt.ts";
import { readMetadata } from "../../formats/hcrp/layout/metadata.ts";
import { OWN_KEY } from "../../formats/hcrp/layout/metadata-writing.ts";
import { wrapTurn } from "../../formats/hcrp/layout/motion.ts";
import { CARRIED } from "../../formats/hcrp/meaning/scene.ts";
import type { HcrpReader } from "../../formats/hcrp/read/reader.ts";
import { Fold } from "../../model/fold.ts";
import type { MutableEntitySet, MutableState } from "../../model/state/state.ts";
import { Body } from "./body.ts";
import type { Actor, CarriedState } from "../../formats/hcrp/write/scene.ts";
import type { Tracked } from "./snapshot.ts";

/*
 * A recording that is gone on with holds a world, or a state, already. The recorder takes it over, so that the next
 * snapshot says what the events before it have made, and what is gone is taken out by events.
 */

/** Key in our own part of the metadata, while a recording is open: what the sender calls the things that are there. */
export const THINGS = "things";
/** Characters of a name that is kept. */
const LONGEST_NAME = 256;

/** What a recording ends with: a world, or the state of another simulator. */
export type Inherited = { readonly world: Tracked } | { readonly carried: CarriedState };

/** `tick` is the one behind the recording. */
export async function inheritedFrom(reader: HcrpReader, tick: number): Promise<Inherited> {
  const state = await new Fold(reader).at(Number.MAX_SAFE_INTEGER);
  return state.value(CARRIED) === true ? { carried: carriedBy(state) } : { world: worldOf(state, tick) };
}

function carriedBy(state: MutableState): CarriedState {
  const { values, sets } = state.freeze();
  const actors: Actor[] = [];
  const mirror = state.sets.get(".mirror");
  for (let row = 0; row < (mirror?.size ?? 0); row++) {
    const number = (column: string, k: number): number => mirror!.columns.get(column)!.number(row, k);
    const text = (column: string): string => mirror!.columns.get(column)!.text(row);
    actors.push({
      entity: mirror!.ids[row] as number,
      kind: text("kind"),
      label: text("label"),
      q: Float64Array.of(number(".q", 0), number(".q", 1), number(".q", 2)),
      d: new Float64Array(3),
      yaw: wrapTurn(number(".a", 0) || 0),
      pitch: wrapTurn(number(".a", 1) || 0),
      step: -1,
    });
  }
  return { values, sets, actors };
}

function worldOf(state: MutableState, tick: number): Tracked {
  const tracked: Tracked = { bodies: new Map(), blocks: new Map(), dimension: null, time: null, weather: null };
  for (const name of ["players", "entities"]) {
    const set = state.sets.get(name);
    if (set?.columns.get(".q") === undefined) continue;
    for (let row = 0; row < set.size; row++) addBody(tracked, set, row, name === "players");
  }
  addSeats(tracked, state);
  addValues(tracked, state, tick);
  const blocks = state.sets.get("blocks");
  const position = blocks?.columns.get("position");
  const kind = blocks?.columns.get("kind");
  if (blocks !== undefined && position !== undefined && kind !== undefined) {
    for (let row = 0; row < blocks.size; row++) {
      const at = [position.number(row, 0), position.number(row, 1), position.number(row, 2)] as const;
      tracked.blocks.set(at.join(), { at, state: kind.text(row) });
    }
  }
  return tracked;
}

function addBody({ bodies }: Tracked, set: MutableEntitySet, row: number, isPlayer: boolean): void {
  const entity = set.ids[row];
  if (typeof entity !== "number") return;
  const number = (column: string, k = 0): number => set.columns.get(column)!.number(row, k);
  const text = (column: string): string => set.columns.get(column)!.text(row);
  const body = new Body(entity, text("kind"), null);
  body.uuid = text("uuid") || null;
  body.name = isPlayer ? text("label") : null;
  body.qx = number(".q", 0) || 0;
  body.qy = number(".q", 1) || 0;
  body.qz = number(".q", 2) || 0;
  body.yaw = wrapTurn(number(".a", 0) || 0);
  body.pitch = wrapTurn(number(".a", 1) || 0);
  body.head = number(".a", 2) || 0;
  body.onGround = number("on-ground") !== 0;
  body.pose = number("pose");
  body.flags = number("flags");
  body.heldSlot = number("held-slot");
  body.itemUse = number("item-use");
  const vitals = { health: Math.round(number("health") * 6), food: number("food"), xp: number("xp") };
  if (Object.values(vitals).every(Number.isInteger)) body.vitals = vitals;
  const [gameMode, camera] = [number("game-mode"), number("camera")];
  if (Number.isInteger(gameMode)) body.view = { gameMode, camera: Number.isInteger(camera) ? camera : null };
  bodies.set(entity, body);
}

function addSeats({ bodies }: Tracked, { sets }: MutableState): void {
  const seats = new Map<number, number[]>();
  for (const name of ["players", "entities"]) {
    const set = sets.get(name);
    const parent = set?.columns.get("parent");
    if (set === undefined || parent === undefined) continue;
    for (let row = 0; row < set.size; row++) {
      const vehicle = parent.number(row);
      if (Number.isInteger(vehicle)) seats.set(vehicle, [...(seats.get(vehicle) ?? []), set.ids[row] as number]);
    }
  }
  for (const [vehicle, passengers] of seats) {
    const body = bodies.get(vehicle);
    if (body !== undefined) body.passengers = Uint32Array.from(passengers);
  }
}

function addValues(tracked: Tracked, { values }: MutableState, tick: number): void {
  for (const [path, value] of values) {
    const [, entity = "", kind, key = ""] =
      /^(?:players|entities)\/(\d{1,10})\/(items|metadata|effects)\/(.*)$/s.exec(path) ?? [];
    const body = tracked.bodies.get(Number(entity));
    if (path === "world/dimension" && typeof value === "string") tracked.dimension = value;
    else if (path === "world/time" && typeof value === "number") tracked.time = value;
    else if (path === "world/weather" && typeof value === "number") tracked.weather = value;
    else if (body === undefined || entity === "") continue;
    else if (kind === "items" && typeof value === "string") body.items.set(Number(key), value);
    else if (kind === "metadata" && value instanceof Uint8Array) body.metadata.set(Number(key), value);
    else if (kind === "effects") {
      const { amplifier, ticks } = value as { readonly amplifier: number; readonly ticks: number };
      body.effects.set(key, { amplifier, until: tick + ticks });
    }
  }
}

/** What the senders of a world call its things, for the metadata of an open recording. */
export function thingsTag(bodies: Iterable<Body>): NbtTag {
  const items: NbtTag[] = [];
  for (const { entity, own } of bodies) {
    if (own === null || own.length > LONGEST_NAME) continue;
    items.push(nbtCompound({ entity: { type: NBT.int, value: entity }, id: nbtText(own) }));
  }
  return { type: NBT.list, itemType: NBT.compound, items };
}

/** The same as the metadata have it: names by entity. */
export function thingsIn(metadata: Uint8Array): ReadonlyMap<number, string> {
  const own = nbtEntry(readMetadata(metadata).root, OWN_KEY);
  const list = own?.type === NBT.compound ? nbtEntry(own, THINGS) : null;
  const names = new Map<number, string>();
  if (list?.type !== NBT.list) return names;
  for (const item of list.items) {
    if (item.type !== NBT.compound) continue;
    const [entity, id] = [nbtEntry(item, "entity"), nbtEntry(item, "id")];
    if (entity?.type === NBT.int && id?.type === NBT.string) names.set(entity.value, id.value);
  }
  return names;
}
