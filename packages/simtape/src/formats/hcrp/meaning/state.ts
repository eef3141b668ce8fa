import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { ColumnReader, WantedNumber } from "../../../model/state/column-reader.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import { isSameValue } from "../../../model/values/same-value.ts";
import { areAlike, type ChunkContext, type Palettes } from "../chunk/context.ts";
import { readVarInt } from "../layout/framing.ts";
import {
  PALETTE,
  readBlockEdits,
  readEntities,
  readHostState,
  readInventories,
  readMetadataList,
  readPalettes,
  readSections,
  SECTION,
  type Section,
  type SnapshotEntity,
} from "../layout/chunk.ts";
import {
  type EntityMetadata,
  readEffect,
  readEntityMetadata,
  readExactPlace,
  readHeldSlot,
  readItemUse,
  readJoin,
  readLeave,
  readMount,
  readPlaceEvent,
  readRemove,
  readSetItems,
  readSpawn,
  readStateEvent,
  readVelocity,
  readView,
  readVitals,
  type SetItems,
} from "../layout/entity-events.ts";
import { EVENT } from "../layout/events.ts";
import type { Subject } from "../layout/metadata.ts";
import {
  degreesOf,
  GRID,
  Move,
  MOVE_ON_GROUND,
  PLACE_ON_GROUND,
  PLACE_TELEPORT,
  type GridPlace,
  quantize,
  readMove,
  readUsualMove,
  turnOf,
  wrapTurn,
} from "../layout/motion.ts";
import {
  readChat,
  readMark,
  readPaletteAdd,
  readSetBlock,
  readSetBlocks,
  readWorld,
  type World,
} from "../layout/world-events.ts";
import { MIRROR_PREFIX, readResume, STATE_NAMESPACE } from "../layout/own.ts";
import { MoveRun } from "./move-run.ts";
import { applyPatch } from "../layout/patch.ts";
import { eventsOf } from "./events-of.ts";
import { type ActorColumns, CARRIED, CHUNK, type FoundActor, Scene } from "./scene.ts";
import { MoveColumns } from "./column-reader.ts";
import { identify, putRows, readEntityRows, type Subjects } from "./snapshot-entities.ts";

/** The fold's own values: the block set last in the chunk. */
export const BLOCK_X = ".block-x";
export const BLOCK_Y = ".block-y";
export const BLOCK_Z = ".block-z";

/** Ids of the channels that are not core events; null: there is none. */
export interface OwnChannels {
  readonly snapshot: number;
  readonly extension: number | null;
  /** Changes of values and sets of another format. */
  readonly value: number | null;
  readonly set: number | null;
  /** Files carried along. */
  readonly original: number | null;
}

/** Folds the built-in events of version 1 (events §2). Payloads that do not fit change nothing. */
export class WorldState implements StateModel {
  readonly motion: number;
  readonly #own: OwnChannels;
  readonly #subjects: Subjects;
  readonly #scene = new Scene();
  readonly #move = new Move();
  readonly #moves = new MoveRun();
  #cursor = new ByteCursor(new Uint8Array(0));
  /** Of the message that is folded. */
  #time: Time = Number.NaN;

  /** `subjects` are players from their first message on. */
  constructor(own: OwnChannels, subjects: readonly Subject[]) {
    this.#own = own;
    this.motion = own.set ?? EVENT.move;
    this.#subjects = new Map(subjects.map((subject) => [subject.entity, subject]));
  }

  begin(state: MutableState): void {
    this.#scene.begin(state);
  }

  replacesState(): boolean {
    return false;
  }

  isAlike(other: StateModel, context: unknown, otherContext: unknown): boolean {
    if (!(other instanceof WorldState) || !isSameValue(this.#own, other.#own)) return false;
    if (!isSameValue([...this.#subjects], [...other.#subjects])) return false;
    return areAlike(context as ChunkContext, otherContext as ChunkContext);
  }

  holds(channel: number): boolean {
    return Object.values(this.#own).includes(channel) || (channel <= LAST_EVENT && !HAPPENINGS.has(channel));
  }

  /** Snapshots and what simtape carries itself can change anything. */
  channelsOf(path: SeriesPath): readonly number[] {
    const { snapshot, extension, value, set } = this.#own;
    return [snapshot, ...[extension, value, set].filter((id) => id !== null), ...eventsOf(path)];
  }

  columns(wanted: readonly WantedNumber[]): ColumnReader | null {
    const moved = wanted.some(({ path }) => eventsOf(path).includes(EVENT.move));
    return moved ? new MoveColumns(wanted, this.#own.snapshot, this.#subjects) : null;
  }

  apply(state: MutableState, batch: MessageBatch, i: number): void {
    const context = batch.context as ChunkContext;
    if (state.value(CHUNK) !== context.chunk) this.#enter(state, context.chunk);
    const channel = batch.channel[i]!;
    const move = this.#move;
    this.#time = batch.time[i]!;
    if (channel === EVENT.move && readUsualMove(batch.bytes, batch.start[i]!, batch.end[i]!, move)) {
      this.#applyMove(state, move);
      return;
    }
    if (this.#cursor.bytes !== batch.bytes) this.#cursor = new ByteCursor(batch.bytes);
    const cursor = this.#cursor;
    cursor.seek(batch.start[i]!);
    try {
      if (channel === EVENT.move) this.#applyMove(state, readMove(cursor, move));
      else if (channel === this.#own.snapshot) this.#load(state, context, batch.payload(i));
      else if (channel > LAST_EVENT) this.#applyOwn(state, channel, context.palettes, batch.payload(i));
      else this.#applyEvent(state, channel, cursor, context.palettes);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }

  applyRows(state: MutableState, batch: MessageBatch, from: number, to: number): void {
    const { chunk } = batch.context as ChunkContext;
    if (from < to && state.value(CHUNK) !== chunk) this.#enter(state, chunk);
    for (let i = from; i < to; i++) {
      if (batch.channel[i] === EVENT.move) i = this.#moves.fold(state, this.#scene, batch, i, to);
      if (i < to) this.apply(state, batch, i);
    }
  }

  #applyOwn(state: MutableState, channel: number, palettes: Palettes, payload: Uint8Array): void {
    const { extension, value, set } = this.#own;
    if (channel === extension) {
      const cursor = new ByteCursor(payload);
      const patch = readResume(cursor, readVarInt(cursor));
      if (patch !== null) applyPatch(state, new ByteCursor(patch), NO_NAMES);
    } else if (channel === value || channel === set) {
      if (state.value(CARRIED) !== true) state.setValue(CARRIED, true);
      applyPatch(state, new ByteCursor(payload), (index) => palettes.name(PALETTE.text, index));
    }
  }

  /** At a chunk's start nothing is on its way, and block chains begin at 0, 0, 0 (events §2). */
  #enter(state: MutableState, chunk: number): void {
    state.setValue(CHUNK, chunk);
    state.setValue(BLOCK_X, 0);
    state.setValue(BLOCK_Y, 0);
    state.setValue(BLOCK_Z, 0);
    for (const { set, displacement } of this.#scene.all(state)) {
      for (let row = 0; row < set.size; row++) displacement.put3(row, 0, 0, 0);
    }
  }

  #applyMove(state: MutableState, move: Move): void {
    const found = this.#scene.find(state, move.entity);
    if (found === null) return;
    const { columns, row } = found;
    applyMove(columns, row, move);
    const onGround = (move.mask & MOVE_ON_GROUND) === 0 ? 0 : 1;
    if (columns.onGround.number(row) !== onGround) columns.onGround.put(row, onGround);
  }

  #applyEvent(state: MutableState, channel: number, cursor: ByteCursor, palettes: Palettes): void {
    const scene = this.#scene;
    switch (channel) {
      case EVENT.place: {
        const event = readPlaceEvent(cursor);
        const found = this.#known(state, event.entity);
        this.#place(found, event);
        if ((event.flags & PLACE_TELEPORT) !== 0) found.columns.set.teleport(found.row, this.#time);
        return;
      }
      case EVENT.state: {
        const { entity, pose, flags } = readStateEvent(cursor);
        const found = scene.find(state, entity);
        found?.columns.pose.put(found.row, pose);
        found?.columns.flags.put(found.row, flags);
        return;
      }
      case EVENT.itemUse: {
        const { entity, use } = readItemUse(cursor);
        const found = scene.find(state, entity);
        found?.columns.itemUse.put(found.row, use);
        return;
      }
      case EVENT.setItems:
        this.#setItems(state, readSetItems(cursor), palettes);
        return;
      case EVENT.heldSlot: {
        const { entity, slot } = readHeldSlot(cursor);
        const found = scene.find(state, entity);
        found?.columns.heldSlot.put(found.row, slot);
        return;
      }
      case EVENT.setBlock: {
        const event = readSetBlock(cursor);
        const x = (state.value(BLOCK_X) as number) + event.delta[0]!;
        const y = (state.value(BLOCK_Y) as number) + event.delta[1]!;
        const z = (state.value(BLOCK_Z) as number) + event.delta[2]!;
        state.setValue(BLOCK_X, x);
        state.setValue(BLOCK_Y, y);
        state.setValue(BLOCK_Z, z);
        this.#setBlock(state, x, y, z, event.block, palettes);
        return;
      }
      case EVENT.setBlocks: {
        const { section, blocks } = readSetBlocks(cursor);
        const [x, y, z] = section as unknown as [number, number, number];
        for (const packed of blocks) {
          const bx = x * 16 + (packed & 15);
          const by = y * 16 + ((packed >>> 8) & 15);
          const bz = z * 16 + ((packed >>> 4) & 15);
          this.#setBlock(state, bx, by, bz, packed >>> 12, palettes);
        }
        return;
      }
      case EVENT.spawn: {
        const event = readSpawn(cursor);
        this.#create(state, event.entity, event.profile, palettes.name(PALETTE.entityType, event.type));
        const found = scene.find(state, event.entity)!;
        this.#place(found, event);
        found.columns.set.teleport(found.row, this.#time);
        this.#identify(state, event, palettes);
        return;
      }
      case EVENT.remove:
        for (const entity of readRemove(cursor).entities) scene.remove(state, entity);
        return;
      case EVENT.velocity: {
        const { entity, velocity } = readVelocity(cursor);
        const found = scene.find(state, entity);
        const [x, y, z] = velocity.value as unknown as [number, number, number];
        found?.columns.velocity.put3(found.row, x, y, z);
        return;
      }
      case EVENT.paletteAdd: {
        const { kind, entry } = readPaletteAdd(cursor);
        if (kind === PALETTE.dimension) state.setValue("world/dimension", palettes.read(kind, entry));
        return;
      }
      case EVENT.metadata:
        this.#setMetadata(state, readEntityMetadata(cursor));
        return;
      case EVENT.join: {
        const { entity, uuid, profile } = readJoin(cursor);
        if (scene.find(state, entity) === null) scene.create(state, entity, "players");
        scene.promote(state, entity);
        this.#identify(state, { entity, uuid, profile, type: null }, palettes);
        return;
      }
      case EVENT.leave:
        scene.remove(state, readLeave(cursor).entity);
        return;
      case EVENT.chat: {
        const { kind, sender, text } = readChat(cursor);
        state.setValue("chat", { kind, sender, text: palettes.value(PALETTE.text, text) });
        return;
      }
      case EVENT.effect: {
        const { entity, effect, amplifier, ticks } = readEffect(cursor);
        const found = scene.find(state, entity);
        const name = palettes.name(PALETTE.text, effect);
        if (found === null || name === null) return;
        const value = ticks === 0 ? null : { amplifier, ticks };
        scene.setActorValue(state, found, entity, `effects/${name}`, value);
        return;
      }
      case EVENT.vitals: {
        const { entity, health, food, xp } = readVitals(cursor);
        const found = scene.find(state, entity);
        found?.columns.health.put(found.row, health / 6);
        found?.columns.food.put(found.row, food);
        found?.columns.xp.put(found.row, xp);
        return;
      }
      case EVENT.world:
        setWorld(state, readWorld(cursor));
        return;
      case EVENT.view: {
        const { entity, gameMode, camera } = readView(cursor);
        const found = scene.find(state, entity);
        found?.columns.gameMode.put(found.row, gameMode);
        found?.columns.camera.put(found.row, camera ?? Number.NaN);
        return;
      }
      case EVENT.mount: {
        const { vehicle, passengers } = readMount(cursor);
        scene.unseat(state, vehicle);
        for (const passenger of passengers) {
          const found = scene.find(state, passenger);
          found?.columns.parent.put(found.row, vehicle);
        }
        return;
      }
      case EVENT.exactPlace: {
        const { entity, position, yaw, pitch, velocity } = readExactPlace(cursor);
        const isNew = scene.find(state, entity) === null;
        const found = this.#known(state, entity);
        const [x, y, z] = position as unknown as [number, number, number];
        if (isNew) {
          const q = position.map(quantize);
          this.#place(found, { q, yaw: turnOf(yaw), pitch: turnOf(pitch), flags: 0 });
        }
        found.columns.position.put3(found.row, x, y, z);
        found.columns.rotation.put3(found.row, 0, pitch, yaw);
        found.columns.velocity.put3(found.row, velocity[0]!, velocity[1]!, velocity[2]!);
        return;
      }
      case EVENT.clearBlocks:
        scene.clearBlocks(state);
        return;
      case EVENT.mark: {
        const { kind, entity, text, severity } = readMark(cursor);
        const label = palettes.value(PALETTE.text, text);
        state.setValue("mark", { kind, entity, label, severity });
        return;
      }
      default:
        return;
    }
  }

  /** Replaces everything by a snapshot (spec §6.2). */
  #load(state: MutableState, context: ChunkContext, snapshot: Uint8Array): void {
    const { palettes } = context;
    const teleports = this.#scene.teleports(state);
    this.#scene.clear(state);
    this.#enter(state, context.chunk);
    const sections = readSections(new ByteCursor(snapshot)).sort((a, b) => a.type - b.type);
    if (sections.some(isCarried)) state.setValue(CARRIED, true);
    for (const section of sections) {
      try {
        this.#loadSection(state, section, palettes);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
      }
    }
    this.#scene.putTeleports(state, teleports);
  }

  #loadSection(state: MutableState, { type, body }: Section, palettes: Palettes): void {
    const cursor = new ByteCursor(body);
    switch (type) {
      case SECTION.palettes: {
        const dimension = readPalettes(cursor)[PALETTE.dimension]?.at(-1);
        if (dimension !== undefined) state.setValue("world/dimension", palettes.read(PALETTE.dimension, dimension));
        return;
      }
      case SECTION.entities:
        this.#loadEntities(state, body, palettes);
        return;
      case SECTION.blocks: {
        let [x, y, z] = [0, 0, 0];
        for (const { delta, block } of readBlockEdits(cursor)) {
          x += delta[0]!;
          y += delta[1]!;
          z += delta[2]!;
          this.#setBlock(state, x, y, z, block, palettes);
        }
        return;
      }
      case SECTION.inventories:
        for (const items of readInventories(cursor)) this.#setItems(state, items, palettes);
        return;
      case SECTION.world:
        setWorld(state, readWorld(cursor));
        return;
      case SECTION.interface:
        state.setValue("interface", body);
        return;
      case SECTION.host: {
        const { namespace, bytes } = readHostState(cursor);
        if (namespace === STATE_NAMESPACE)
          applyPatch(state, new ByteCursor(bytes), (index) => palettes.name(PALETTE.text, index));
        else state.setValue(`host/${namespace}`, bytes);
        return;
      }
      case SECTION.metadata:
        for (const metadata of readMetadataList(cursor)) this.#setMetadata(state, metadata);
        return;
      default:
        return;
    }
  }

  #loadEntities(state: MutableState, body: Uint8Array, palettes: Palettes): void {
    const sets = state.value(CARRIED) === true ? null : this.#scene.actors(state);
    const isFree = sets !== null && sets.players.set.size + sets.entities.set.size === 0;
    const rows = isFree ? readEntityRows(body) : null;
    if (sets !== null && rows !== null) {
      const places: Record<"players" | "entities", number[]> = { players: [], entities: [] };
      for (let i = 0; i < rows.entity.length; i++)
        places[this.#isPlayer(rows.entity[i]!, rows.profile[i]!) ? "players" : "entities"].push(i);
      putRows(sets.players, rows, places.players, this.#subjects, palettes);
      putRows(sets.entities, rows, places.entities, this.#subjects, palettes);
      return;
    }
    for (const one of readEntities(body)) {
      const type = one.details === null ? null : palettes.name(PALETTE.entityType, one.details.type);
      this.#loadEntity(state, this.#create(state, one.entity, one.details?.profile ?? null, type), one, palettes);
    }
  }

  #loadEntity(
    state: MutableState,
    found: FoundActor,
    { entity, place, details }: SnapshotEntity,
    palettes: Palettes,
  ): void {
    this.#place(found, place);
    if (details === null) {
      this.#identify(state, { entity, type: null, uuid: null, profile: null }, palettes);
      return;
    }
    const { columns, row } = found;
    columns.pose.put(row, details.pose);
    columns.flags.put(row, details.flags);
    columns.heldSlot.put(row, details.heldSlot);
    columns.itemUse.put(row, details.itemUse);
    this.#identify(state, { entity, type: details.type, uuid: details.uuid, profile: details.profile }, palettes);
  }

  /** A new row; with a profile, or as one of the recorded subjects, it is a player. */
  #create(state: MutableState, entity: number, profile: number | null, type: string | null): FoundActor {
    if (type?.startsWith(MIRROR_PREFIX) === true && state.value(CARRIED) === true)
      return this.#scene.create(state, entity, ".mirror");
    return this.#scene.create(state, entity, this.#isPlayer(entity, profile) ? "players" : "entities");
  }

  #isPlayer(entity: number, profile: number | null): boolean {
    return profile !== null || this.#subjects.has(entity);
  }

  /** The row of an entity; one that shows up by an absolute place comes into being there (seen in golden-v1.hcrp). */
  #known(state: MutableState, entity: number): FoundActor {
    const known = this.#scene.find(state, entity);
    if (known !== null) return known;
    this.#create(state, entity, null, null);
    this.#identify(state, { entity, type: null, uuid: null, profile: null }, NOTHING);
    const made = this.#scene.find(state, entity)!;
    made.columns.set.teleport(made.row, this.#time);
    return made;
  }

  #place({ columns, row }: FoundActor, { q, yaw, pitch, flags }: GridPlace): void {
    const [x, y, z] = q as unknown as [number, number, number];
    columns.grid.put3(row, x, y, z);
    columns.displacement.put3(row, 0, 0, 0);
    columns.angles.put3(row, yaw, pitch, 0);
    columns.position.put3(row, x / GRID, y / GRID, z / GRID);
    columns.rotation.put3(row, 0, degreesOf(pitch), degreesOf(yaw));
    columns.headYaw.put(row, degreesOf(yaw));
    columns.onGround.put(row, flags & PLACE_ON_GROUND);
  }

  #identify(state: MutableState, { entity, type, uuid, profile }: Named, palettes: Pick<Palettes, "name">): void {
    const found = this.#scene.find(state, entity);
    if (found === null) return;
    const kind = type === null ? null : palettes.name(PALETTE.entityType, type);
    identify(found.columns, found.row, { kind, uuid, profile }, this.#subjects.get(entity), palettes);
  }

  #setItems(state: MutableState, { entity, items }: SetItems, palettes: Palettes): void {
    const found = this.#scene.find(state, entity);
    if (found === null) return;
    for (const { slot, item } of items) {
      const value: Value = item === 0 ? null : palettes.value(PALETTE.item, item);
      if (item === 0 || value !== null) this.#scene.setActorValue(state, found, entity, `items/${slot}`, value);
    }
  }

  /** Index 0 takes the edit back; an index that is not there changes nothing. */
  #setBlock(state: MutableState, x: number, y: number, z: number, block: number, palettes: Palettes): void {
    const kind = palettes.name(PALETTE.block, block);
    if (block === 0 || kind !== null) this.#scene.setBlock(state, x, y, z, block === 0 ? null : kind);
  }

  #setMetadata(state: MutableState, { entity, entries }: EntityMetadata): void {
    const found = this.#scene.find(state, entity);
    if (found === null) return;
    for (const { index, bytes } of entries) {
      this.#scene.setActorValue(state, found, entity, `metadata/${index}`, bytes);
    }
  }
}

function applyMove(
  { grid, displacement, angles, position, rotation, headYaw }: ActorColumns,
  row: number,
  move: Move,
): void {
  const dx = displacement.number(row, 0) + move.x;
  const dy = displacement.number(row, 1) + move.y;
  const dz = displacement.number(row, 2) + move.z;
  if (move.x !== 0 || move.y !== 0 || move.z !== 0) displacement.put3(row, dx, dy, dz);
  const x = grid.number(row, 0) + dx;
  const y = grid.number(row, 1) + dy;
  const z = grid.number(row, 2) + dz;
  if (dx !== 0 || dy !== 0 || dz !== 0) {
    grid.put3(row, x, y, z);
    position.put3(row, x / GRID, y / GRID, z / GRID);
  }
  if (move.yaw !== 0 || move.pitch !== 0 || move.headYaw !== 0) {
    const yaw = wrapTurn(angles.number(row, 0) + move.yaw);
    const pitch = wrapTurn(angles.number(row, 1) + move.pitch);
    const head = wrapTurn(angles.number(row, 2) + move.headYaw);
    angles.put3(row, yaw, pitch, head);
    rotation.put3(row, 0, degreesOf(pitch), degreesOf(yaw));
    headYaw.put(row, degreesOf(yaw + head));
  }
}

/** What an event says of who an entity is. */
interface Named {
  readonly entity: number;
  readonly type: number | null;
  readonly uuid: string | null;
  readonly profile: number | null;
}

const NOTHING: Pick<Palettes, "name"> = { name: () => null };
const NO_NAMES = (): null => null;
const LAST_EVENT: number = EVENT.mark;
/** Events from which nothing follows that holds. */
const HAPPENINGS: ReadonlySet<number> = new Set([EVENT.swing, EVENT.sound, EVENT.particles, EVENT.hurt]);

function isCarried({ type, body }: Section): boolean {
  if (type !== SECTION.host) return false;
  try {
    return readHostState(new ByteCursor(body)).namespace === STATE_NAMESPACE;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return false;
  }
}

function setWorld(state: MutableState, { time, weather }: World): void {
  if (time !== null) state.setValue("world/time", time);
  if (weather !== null) state.setValue("world/weather", weather);
}
