import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { Columns, KEYFRAME, type MessageBatch } from "../../../model/messages/batch.ts";
import { Fold } from "../../../model/fold.ts";
import type { Reader } from "../../../model/reader.ts";
import { type MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { after, type Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import type { MadeMessage } from "../../../model/writer.ts";
import { ChunkContext, entryValue, Palettes } from "../chunk/context.ts";
import { uuidBytes } from "../layout/framing.ts";
import {
  PALETTE,
  SECTION,
  type Section,
  type SnapshotEntity,
  writeBlockEdits,
  writeEntities,
  writeHostState,
  writeInventories,
  writeMetadataList,
  writeSections,
} from "../layout/chunk.ts";
import {
  type EntityMetadata,
  type SetItems,
  writeEffect,
  writeExactPlace,
  writeHeldSlot,
  writeItemUse,
  writeJoin,
  writeMount,
  writeStateEvent,
  writeVelocity,
  writeView,
  writeVitals,
} from "../layout/entity-events.ts";
import { EVENT } from "../layout/events.ts";
import { GRID, degreesOf, PLACE_ON_GROUND, readLowVector, writeLowVector } from "../layout/motion.ts";
import { STATE_NAMESPACE, writeResume } from "../layout/own.ts";
import { writeWorld } from "../layout/world-events.ts";
import { carriedState, exposed, sameValue, writeStateChange } from "../layout/patch.ts";
import { HcrpReader } from "../read/reader.ts";
import { type ActorSet, CARRIED, CHUNK } from "../meaning/scene.ts";
import { copiedPalettes, PaletteIndex } from "../meaning/snapshot-palettes.ts";
import { BLOCK_X, BLOCK_Y, BLOCK_Z } from "../meaning/state.ts";

/**
 * What `from` holds at `time`, as a snapshot, the events that a snapshot has no section for, and one event of our own
 * that sets what no event of the format can: the writer has the events behind it say that (`settle.ts`). What was said
 * or marked last is no state. Throws `RangeError` for a reader that is not of this format.
 */
export async function restate(from: Reader, time: Time): Promise<readonly MadeMessage[]> {
  const base = from.base ?? from;
  if (!(base instanceof HcrpReader)) throw new RangeError(`not an HCRP recording: ${from.info.format}`);
  if (base.preamble.head.dialect !== 1) return replayed(from, time);
  const state = await new Fold(from).at(time);
  // what happened last does not hold
  if (state.value(CARRIED) !== true) for (const path of ["chat", "mark"]) state.deleteValue(path);
  const opening = await openingOf(from, base, state, time);
  if (opening.isNewChunk) enter(state, opening.chunk);
  return new Restatement(from, state, opening).messages();
}

/** What the messages of a cut refer to. */
interface Opening {
  readonly chunk: number;
  readonly startTick: number;
  readonly palettes: Palettes;
  readonly like: ChunkContext | null;
  /** The next message is of a later chunk than the last one: what counts from a chunk's start is 0. */
  readonly isNewChunk: boolean;
}

/**
 * The messages that follow decide: with a snapshot of their own they need nothing; the others go on in their chunk,
 * whose palettes must stand as they were.
 */
async function openingOf(from: Reader, base: HcrpReader, state: MutableState, time: Time): Promise<Opening> {
  const snapshot = base.channels.find(({ name }) => name === "snapshot")!.id;
  const last = (state.value(CHUNK) as number | undefined) ?? -1;
  let next: { readonly context: ChunkContext; readonly isSnapshot: boolean } | null = null;
  for await (const batch of from.batches({ start: after(time) })) {
    if (batch.context instanceof ChunkContext)
      next = { context: batch.context, isSnapshot: batch.channel[0] === snapshot };
    break;
  }
  if (next !== null && !next.isSnapshot) {
    const { context } = next;
    const { chunk, startTick, palettes } = context;
    const copy = copiedPalettes(palettes, dimensionOf(state, palettes));
    return { chunk, startTick, palettes: copy, like: context, isNewChunk: chunk !== last };
  }
  let context: ChunkContext | null = null;
  for await (const batch of from.batches({ end: after(time), reverse: true })) {
    if (batch.context instanceof ChunkContext) context = batch.context;
    break;
  }
  const known = context?.palettes ?? new Palettes();
  const palettes = copiedPalettes(known, dimensionOf(state, known));
  const like = context ?? next?.context ?? null;
  return { chunk: last, startTick: context?.startTick ?? 0, palettes, like, isNewChunk: false };
}

/** The entry of the dimension that holds; null when none does, or it cannot be written as one. */
function dimensionOf(state: MutableState, palettes: Palettes): Uint8Array | null {
  const dimension = state.value("world/dimension");
  if (dimension === undefined) return null;
  const known = palettes.entries(PALETTE.dimension).find((entry) => sameValue(entryValue(entry), dimension));
  if (known !== undefined) return known;
  return typeof dimension === "string" ? new TextEncoder().encode(dimension) : null;
}

/** What the fold does when the first message of another chunk comes. */
function enter(state: MutableState, chunk: number): void {
  state.setValue(CHUNK, chunk);
  for (const name of [BLOCK_X, BLOCK_Y, BLOCK_Z]) state.setValue(name, 0);
  for (const set of state.sets.values()) {
    const displacement = set.columns.get(".d");
    if (displacement === undefined) continue;
    for (let row = 0; row < set.size; row++) displacement.put3(row, 0, 0, 0);
  }
}

/** Sets of things with a place, as the snapshot has them; where they are another format's, only pictures are. */
const ACTORS = ["players", "entities"] as const;
const PICTURES = [".mirror"] as const;

class Restatement {
  readonly #from: Reader;
  readonly #state: MutableState;
  readonly #names: PaletteIndex;
  readonly #context: ChunkContext;
  readonly #builder = new ByteBuilder();
  readonly #messages: MadeMessage[] = [];

  constructor(from: Reader, state: MutableState, opening: Opening) {
    const { chunk, startTick, palettes, like } = opening;
    this.#from = from;
    this.#state = state;
    this.#names = new PaletteIndex(palettes);
    this.#context = new ChunkContext(1, chunk, startTick, like?.dataVersion ?? 0, palettes, like?.source, true);
  }

  get #isCarried(): boolean {
    return this.#state.value(CARRIED) === true;
  }

  messages(): readonly MadeMessage[] {
    const events = this.#events();
    const snapshot = this.#snapshot();
    this.#add("snapshot", snapshot, true);
    this.#messages.push(...events);
    const stated = this.#folded();
    writeStateChange(this.#builder, exposed(stated), exposed(this.#state), () => 0);
    const patch = this.#builder.take();
    if (patch.length > 0) {
      writeResume(this.#builder, patch);
      this.#add("extension", this.#builder.take(), false);
    }
    return this.#messages;
  }

  /** What the messages so far say, folded from nothing. */
  #folded(): MutableState {
    const state = new MutableState();
    const model = this.#from.state;
    model.begin?.(state);
    for (const message of this.#messages) model.apply(state, batchOf(message), 0);
    return state;
  }

  #snapshot(): Uint8Array {
    const entities = this.#entities();
    const stated = { type: SECTION.entities, body: this.#built((out) => writeEntities(out, entities)) };
    const sections: Section[] = this.#isCarried
      ? [stated, this.#carried()]
      : [stated, { type: SECTION.blocks, body: this.#blocks() }, ...this.#inventories(), ...this.#others()];
    const palettes: Section = { type: SECTION.palettes, body: this.#names.section() };
    return this.#built((out) => writeSections(out, [palettes, ...sections]));
  }

  /** Values and sets of another format: all but the pictures. */
  #carried(): Section {
    const bytes = carriedState(this.#from.state, this.#state);
    const host = { namespace: STATE_NAMESPACE, bytes };
    return { type: SECTION.host, body: this.#built((out) => writeHostState(out, host)) };
  }

  #entities(): SnapshotEntity[] {
    const entities: SnapshotEntity[] = [];
    this.#eachActor((set, row, entity, name) => {
      const number = (column: string, k = 0): number => set.columns.get(column)!.number(row, k);
      const label = set.columns.get("label")!.text(row);
      const uuid = set.columns.get("uuid")!.text(row);
      const kind = set.columns.get("kind")!.text(row);
      const q = gridOf(set, row);
      if (q === null) return;
      entities.push({
        entity,
        place: {
          q,
          yaw: number(".a", 0) || 0,
          pitch: number(".a", 1) || 0,
          flags: number("on-ground") === 0 ? 0 : PLACE_ON_GROUND,
        },
        details: {
          type: kind === "" ? 0 : this.#names.index(PALETTE.entityType, kind),
          pose: number("pose"),
          flags: number("flags"),
          heldSlot: number("held-slot"),
          itemUse: number("item-use"),
          uuid: isUuid(uuid) ? uuid : null,
          // a profile makes a player of it
          profile:
            name === "entities" || (name === ".mirror" && label === "")
              ? null
              : this.#names.index(PALETTE.profile, label),
        },
      });
    });
    return entities;
  }

  #blocks(): Uint8Array {
    const set = this.#state.sets.get("blocks");
    const position = set?.columns.get("position");
    const kind = set?.columns.get("kind");
    const at = [0, 0, 0];
    const edits: { delta: Float64Array; block: number }[] = [];
    if (set !== undefined && position !== undefined && kind !== undefined && position.spec.width === 3) {
      for (let row = 0; row < set.size; row++) {
        const delta = new Float64Array(3);
        for (let k = 0; k < 3; k++) {
          delta[k] = position.number(row, k) - at[k]!;
          at[k] = position.number(row, k);
        }
        edits.push({ delta, block: this.#names.index(PALETTE.block, kind.text(row)) });
      }
    }
    return this.#built((out) => writeBlockEdits(out, edits));
  }

  /** Items that are plain names; compounds are set by the event of our own, as their bytes are not in the state. */
  #inventories(): Section[] {
    const found = new Map<number, { slot: number; item: number }[]>();
    for (const { entity, path, value } of this.#actorValues("items/")) {
      const item = typeof value === "string" ? this.#names.index(PALETTE.item, value) : this.#itemOf(value);
      if (item === null || !/^\d{1,9}$/.test(path)) continue;
      const items = found.get(entity) ?? [];
      items.push({ slot: Number(path), item });
      found.set(entity, items);
    }
    if (found.size === 0) return [];
    const list: SetItems[] = [...found].map(([entity, items]) => ({ entity, items }));
    return [{ type: SECTION.inventories, body: this.#built((out) => writeInventories(out, list)) }];
  }

  /** Index of an item of the palette that was kept whole. */
  #itemOf(value: Value): number | null {
    const { palettes } = this.#names;
    const count = palettes.entries(PALETTE.item).length;
    for (let index = 1; index <= count; index++)
      if (sameValue(palettes.value(PALETTE.item, index), value)) return index;
    return null;
  }

  #others(): Section[] {
    const sections: Section[] = [];
    const time = this.#state.value("world/time");
    const weather = this.#state.value("world/weather");
    const world = { time: wholeOr(time), weather: wholeOr(weather) };
    if (world.time !== null || (world.weather !== null && world.weather < 256))
      sections.push({ type: SECTION.world, body: this.#built((out) => writeWorld(out, world)) });
    const screen = this.#state.value("interface");
    if (screen instanceof Uint8Array) sections.push({ type: SECTION.interface, body: screen });
    for (const [path, bytes] of this.#state.values) {
      if (!path.startsWith("host/") || !(bytes instanceof Uint8Array)) continue;
      const host = { namespace: path.slice(5), bytes };
      sections.push({ type: SECTION.host, body: this.#built((out) => writeHostState(out, host)) });
    }
    const metadata: EntityMetadata[] = [];
    for (const { entity, path, value } of this.#actorValues("metadata/")) {
      if (value instanceof Uint8Array && /^\d{1,3}$/.test(path) && Number(path) < 256)
        metadata.push({ entity, entries: [{ index: Number(path), bytes: value }] });
    }
    if (metadata.length > 0)
      sections.push({ type: SECTION.metadata, body: this.#built((out) => writeMetadataList(out, metadata)) });
    return sections;
  }

  /** Events for what no section holds. */
  #events(): MadeMessage[] {
    const events: MadeMessage[] = [];
    const add = (type: number, write: (out: ByteBuilder) => void): void => {
      events.push(this.#made(this.#from.channels[type]!, this.#built(write), false));
    };
    const seats = new Map<number, number[]>();
    this.#eachActor((set, row, entity) => {
      const number = (column: string, k = 0): number => set.columns.get(column)!.number(row, k);
      if (gridOf(set, row) === null) this.#join(add, set, row, entity);
      const velocity = Float64Array.of(number("velocity", 0), number("velocity", 1), number("velocity", 2));
      const position = Float64Array.of(number("position", 0), number("position", 1), number("position", 2));
      const [yaw, pitch] = [number("rotation", 2), number("rotation", 1)];
      const isOnGrid = position.every((value, k) => Object.is(value, number(".q", k) / GRID) || Number.isNaN(value));
      const isOnTurn =
        Number.isNaN(yaw) || (yaw === degreesOf(number(".a", 0)) && pitch === degreesOf(number(".a", 1)));
      const isExact = !isOnGrid || !isOnTurn || (velocity.every(Number.isFinite) && !isLow(velocity));
      if (isExact) add(EVENT.exactPlace, (out) => writeExactPlace(out, { entity, position, yaw, pitch, velocity }));
      else if (velocity.every(Number.isFinite))
        add(EVENT.velocity, (out) => writeVelocity(out, { entity, velocity: { value: velocity, raw: null } }));
      const health = number("health") * 6;
      const [food, xp] = [number("food"), number("xp")];
      if (
        [health, food].every((value) => Math.round(value) >= 0 && Math.round(value) < 256) &&
        Number.isSafeInteger(xp)
      )
        add(EVENT.vitals, (out) => writeVitals(out, { entity, health: Math.round(health), food, xp }));
      const gameMode = number("game-mode");
      const camera = number("camera");
      if (Number.isInteger(gameMode))
        add(EVENT.view, (out) =>
          writeView(out, { entity, gameMode, camera: Number.isInteger(camera) ? camera : null }),
        );
      const parent = number("parent");
      if (Number.isInteger(parent)) seats.set(parent, [...(seats.get(parent) ?? []), entity]);
    });
    for (const [vehicle, passengers] of seats)
      add(EVENT.mount, (out) => writeMount(out, { vehicle, passengers: Uint32Array.from(passengers) }));
    for (const { entity, path, value } of this.#actorValues("effects/")) {
      const { amplifier, ticks } = value as { readonly amplifier: number; readonly ticks: number };
      const effect = this.#names.index(PALETTE.text, path);
      add(EVENT.effect, (out) => writeEffect(out, { entity, effect, amplifier, ticks }));
    }
    return events;
  }

  /** A player who is nowhere yet: section 1 has no room for that. */
  #join(
    add: (type: number, write: (out: ByteBuilder) => void) => void,
    { columns }: MutableEntitySet,
    row: number,
    entity: number,
  ): void {
    const number = (column: string): number => columns.get(column)!.number(row);
    const stated = columns.get("uuid")!.text(row);
    const profile = this.#names.index(PALETTE.profile, columns.get("label")!.text(row));
    add(EVENT.join, (out) => writeJoin(out, { entity, uuid: isUuid(stated) ? stated : NO_UUID, profile }));
    const [pose, flags, slot, use] = [number("pose"), number("flags"), number("held-slot"), number("item-use")];
    if (pose !== 0 || flags !== 0) add(EVENT.state, (out) => writeStateEvent(out, { entity, pose, flags }));
    if (slot !== 0) add(EVENT.heldSlot, (out) => writeHeldSlot(out, { entity, slot }));
    if (use !== 0) add(EVENT.itemUse, (out) => writeItemUse(out, { entity, use }));
  }

  #eachActor(visit: (set: MutableEntitySet, row: number, entity: number, name: ActorSet) => void): void {
    for (const name of this.#isCarried ? PICTURES : ACTORS) {
      const set = this.#state.sets.get(name);
      // rows that came as another format's have none of our columns filled, but are written by the event of our own
      if (set?.columns.get(".q") === undefined) continue;
      for (let row = 0; row < set.size; row++) {
        const id = set.ids[row];
        if (typeof id === "number" && Number.isInteger(id) && id >= 0 && id < 0x7fff_ffff) visit(set, row, id, name);
      }
    }
  }

  *#actorValues(kind: string): Generator<{ entity: number; path: string; value: Value }> {
    if (this.#isCarried) return;
    for (const [full, value] of this.#state.values) {
      const parts = /^(?:players|entities)\/(\d{1,10})\/(.*)$/s.exec(full);
      if (parts === null || !parts[2]!.startsWith(kind)) continue;
      yield { entity: Number(parts[1]), path: parts[2]!.slice(kind.length), value };
    }
  }

  #add(name: string, payload: Uint8Array, keyframe: boolean): void {
    const channel = this.#from.channels[this.#idOf(name)]!;
    this.#messages.push(this.#made(channel, payload, keyframe));
  }

  /** Names may have been changed by an edit; the numbers are those of the format's own reader. */
  #idOf(name: string): number {
    return (this.#from.base ?? this.#from).channels.find((known) => known.name === name)!.id;
  }

  #made(channel: MadeMessage["channel"], payload: Uint8Array, keyframe: boolean): MadeMessage {
    return { channel, payload, keyframe, context: this.#context, sequence: 0 };
  }

  #built(write: (out: ByteBuilder) => void): Uint8Array {
    const builder = new ByteBuilder();
    write(builder);
    return builder.take();
  }
}

/** A batch of one made message. */
function batchOf({ channel, payload, keyframe, context }: MadeMessage): MessageBatch {
  return new Columns(
    Float64Array.of(0),
    Uint16Array.of(channel.id),
    Float64Array.of(0),
    Uint8Array.of(keyframe ? KEYFRAME : 0),
    payload,
    Uint32Array.of(0),
    Uint32Array.of(payload.length),
    context,
  );
}

/** The production dialect has nothing but its events: those since the last snapshot are repeated. */
async function replayed(from: Reader, time: Time): Promise<readonly MadeMessage[]> {
  const keyframe = await from.keyframe(time);
  const found: { channel: MadeMessage["channel"]; payload: Uint8Array; keyframe: boolean; of: ChunkContext }[] = [];
  for await (const batch of from.batches({ start: keyframe?.time, end: after(time) })) {
    for (let i = 0; i < batch.length; i++) {
      if (keyframe !== null && batch.time[i] === keyframe.time && batch.sequence[i]! < keyframe.sequence) continue;
      found.push({
        channel: from.channels[batch.channel[i]!]!,
        payload: batch.payload(i).slice(),
        keyframe: (batch.flags[i]! & KEYFRAME) !== 0,
        of: batch.context as ChunkContext,
      });
    }
  }
  // all in one chunk, that of the messages which follow
  const last = found.at(-1)?.of;
  return found.map(({ channel, payload, keyframe: isKeyframe, of }) => {
    const { chunk, startTick, source } = last!;
    const context = new ChunkContext(of.dialect, chunk, startTick, of.dataVersion, of.palettes, source, true);
    return { channel, payload, keyframe: isKeyframe, context, sequence: 0 };
  });
}

function wholeOr(value: Value | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Where a thing is on the grid; null: nowhere yet. */
function gridOf({ columns }: MutableEntitySet, row: number): Float64Array | null {
  const grid = columns.get(".q")!;
  const q = Float64Array.from({ length: 3 }, (_, k) => grid.number(row, k));
  return q.every(Number.isSafeInteger) ? q : null;
}

const NO_UUID = "00000000-0000-0000-0000-000000000000";

/** Whether event 11 can say it to the last bit. */
function isLow(velocity: Float64Array): boolean {
  const builder = new ByteBuilder();
  writeLowVector(builder, { value: velocity, raw: null });
  return sameValue(readLowVector(new ByteCursor(builder.take())).value, velocity);
}

function isUuid(text: string): boolean {
  try {
    return uuidBytes(text).length === 16;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}
