import { ByteBuilder } from "../bytes/builder.ts";
import { TICK } from "../formats/hypercube/layout.ts";
import {
  PALETTE,
  SECTION,
  type Section,
  writeBlockEdits,
  writeEntities,
  writeInventories,
  writeSections,
} from "../formats/hypercube/layout-chunk.ts";
import {
  writePlaceEvent,
  writeSetItems,
  writeSpawn,
  writeStateEvent,
  writeSwing,
  writeVitals,
} from "../formats/hypercube/layout-entity-events.ts";
import { EVENT, EVENT_NAMES } from "../formats/hypercube/layout-events.ts";
import {
  Move,
  moveMask,
  PLACE_ON_GROUND,
  PLACE_TELEPORT,
  type Place,
  quantize,
  turnChange,
  turnOf,
  writeMove,
} from "../formats/hypercube/layout-motion.ts";
import {
  writeChat,
  writeMark,
  writePaletteAdd,
  writeParticles,
  writeSetBlock,
  writeSound,
  writeWorld,
} from "../formats/hypercube/layout-world-events.ts";
import { PaletteIndex } from "../formats/hypercube/snapshot-palettes.ts";
import type { HypercubeWriter } from "../formats/hypercube/writer.ts";
import type { ChannelInfo } from "../model/value.ts";

/** Where somebody is and looks: blocks, degrees. */
export interface Stance {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly onGround: boolean;
}

export type Point = readonly [number, number, number];

/** A body as it was told last. */
interface Body {
  readonly entity: number;
  readonly type: string;
  readonly uuid: string | null;
  readonly name: string | null;
  readonly q: Float64Array;
  readonly d: Float64Array;
  yaw: number;
  pitch: number;
  onGround: boolean;
  flags: number;
  boots: string | null;
  /** × 6, 20 and points; null for what has none. */
  vitals: { health: number; food: number; xp: number } | null;
}

/**
 * A server's recorder: takes what happens in a world and writes it, with a snapshot every 200 ticks. Keeps what a
 * snapshot needs and no more.
 */
export class World {
  readonly #writer: HypercubeWriter;
  readonly #channels: readonly ChannelInfo[];
  readonly #snapshots: ChannelInfo;
  readonly #builder = new ByteBuilder();
  readonly #bodies = new Map<number, Body>();
  readonly #blocks = new Map<string, { readonly at: Point; kind: string }>();
  readonly #move = new Move();
  readonly #dimension: string;
  #names = new PaletteIndex();
  #block: Point = [0, 0, 0];
  #tick = 0;
  #timeOfDay: number;

  constructor(writer: HypercubeWriter, dimension: string, timeOfDay: number) {
    this.#writer = writer;
    this.#channels = EVENT_NAMES.map((name) => writer.channel({ name }));
    this.#snapshots = writer.channel({ name: "snapshot" });
    this.#dimension = dimension;
    this.#timeOfDay = timeOfDay;
  }

  /** Goes to a tick; ticks rise. What follows belongs to it. */
  at(tick: number, chunkTicks: number): void {
    this.#tick = tick;
    if (tick % chunkTicks === 0) this.#snapshot();
  }

  spawn(entity: number, type: string, stance: Stance, who: { uuid: string; name: string } | null): void {
    const body: Body = {
      entity,
      type,
      uuid: who?.uuid ?? null,
      name: who?.name ?? null,
      q: new Float64Array(3),
      d: new Float64Array(3),
      yaw: 0,
      pitch: 0,
      onGround: stance.onGround,
      flags: 0,
      boots: null,
      vitals: null,
    };
    put(body, stance);
    this.#bodies.set(entity, body);
    const event = {
      entity,
      type: this.#name(PALETTE.entityType, type),
      ...placeOf(body, 0),
      uuid: body.uuid,
      profile: body.name === null ? null : this.#name(PALETTE.profile, body.name),
    };
    this.#emit(EVENT.spawn, (out) => writeSpawn(out, event));
  }

  /** A move, or nothing when nothing changed. */
  move(entity: number, stance: Stance): void {
    const body = this.#bodies.get(entity)!;
    const { q, d, yaw, pitch, onGround } = body;
    const [x, y, z] = [quantize(stance.x), quantize(stance.y), quantize(stance.z)];
    const move = this.#move;
    move.entity = entity;
    move.x = x - q[0]! - d[0]!;
    move.y = y - q[1]! - d[1]!;
    move.z = z - q[2]! - d[2]!;
    move.yaw = turnChange(yaw, turnOf(stance.yaw));
    move.pitch = turnChange(pitch, turnOf(stance.pitch));
    move.mask = moveMask(move, stance.onGround);
    const isStill = d.every((value) => value === 0);
    if ((move.mask & ~PLACE_GROUND_BIT) === 0 && isStill && onGround === stance.onGround) return;
    d[0] = x - q[0]!;
    d[1] = y - q[1]!;
    d[2] = z - q[2]!;
    put(body, stance);
    this.#emit(EVENT.move, (out) => writeMove(out, move));
  }

  teleport(entity: number, stance: Stance): void {
    const body = this.#bodies.get(entity)!;
    put(body, stance);
    body.d.fill(0);
    this.#emit(EVENT.place, (out) => writePlaceEvent(out, { entity, ...placeOf(body, PLACE_TELEPORT) }));
  }

  /** Shared flags of the game: 8 is sprinting. */
  flags(entity: number, flags: number): void {
    const body = this.#bodies.get(entity)!;
    if (body.flags === flags) return;
    body.flags = flags;
    this.#emit(EVENT.state, (out) => writeStateEvent(out, { entity, pose: 0, flags }));
  }

  swing(entity: number): void {
    this.#emit(EVENT.swing, (out) => writeSwing(out, { entity, hand: 0 }));
  }

  boots(entity: number, item: string): void {
    this.#bodies.get(entity)!.boots = item;
    const index = this.#name(PALETTE.item, item);
    this.#emit(EVENT.setItems, (out) => writeSetItems(out, { entity, items: [{ slot: BOOTS, item: index }] }));
  }

  vitals(entity: number, health: number, food: number, xp: number): void {
    const body = this.#bodies.get(entity)!;
    const known = body.vitals;
    if (known !== null && known.health === health && known.food === food && known.xp === xp) return;
    body.vitals = { health, food, xp };
    this.#emit(EVENT.vitals, (out) => writeVitals(out, { entity, health, food, xp }));
  }

  block([x, y, z]: Point, kind: string): void {
    const key = `${x},${y},${z}`;
    const known = this.#blocks.get(key);
    if (known?.kind === kind) return;
    if (known === undefined) this.#blocks.set(key, { at: [x, y, z], kind });
    else known.kind = kind;
    const block = this.#name(PALETTE.block, kind);
    const delta = Float64Array.of(x - this.#block[0], y - this.#block[1], z - this.#block[2]);
    this.#block = [x, y, z];
    this.#emit(EVENT.setBlock, (out) => writeSetBlock(out, { delta, block }));
  }

  say(text: string, sender: number | null = null): void {
    const index = this.#name(PALETTE.text, text);
    this.#emit(EVENT.chat, (out) => writeChat(out, { kind: sender === null ? 1 : 0, sender, text: index }));
  }

  mark(kind: number, entity: number | null, label: string): void {
    const text = this.#name(PALETTE.text, label);
    this.#emit(EVENT.mark, (out) => writeMark(out, { kind, entity, text, severity: 0 }));
  }

  sound(name: string, at: Point): void {
    const sound = this.#name(PALETTE.sound, name);
    const position = Float64Array.from(at, (value) => Math.round(value * 8));
    this.#emit(EVENT.sound, (out) => writeSound(out, { sound, position, category: 7, volume: 64, pitch: 64 }));
  }

  particles(name: string, at: Point, count: number): void {
    const particle = this.#name(PALETTE.particle, name);
    const position = Float64Array.from(at, (value) => Math.round(value * 16));
    const spread = Uint8Array.of(12, 8, 12);
    this.#emit(EVENT.particles, (out) => writeParticles(out, { particle, position, count, spread }));
  }

  /** Index of a name in the chunk's palette, told when it is new. */
  #name(kind: number, text: string): number {
    const known = this.#names.find(kind, text);
    if (known !== null) return known;
    const index = this.#names.index(kind, text);
    this.#emit(EVENT.paletteAdd, (out) => writePaletteAdd(out, { kind, entry: new TextEncoder().encode(text) }));
    return index;
  }

  #emit(type: number, write: (out: ByteBuilder) => void): void {
    write(this.#builder);
    this.#writer.write(this.#channels[type]!, this.#tick * TICK, this.#builder.take());
  }

  #snapshot(): void {
    const names = new PaletteIndex();
    this.#names = names;
    this.#block = [0, 0, 0];
    const sections = this.#sections(names);
    const palettes: Section = { type: SECTION.palettes, body: names.section() };
    writeSections(this.#builder, [palettes, ...sections]);
    this.#writer.write(this.#snapshots, this.#tick * TICK, this.#builder.take());
    // no section of a snapshot holds them, so they are told again behind each
    for (const { entity, vitals, d } of this.#bodies.values()) {
      d.fill(0);
      if (vitals !== null) this.#emit(EVENT.vitals, (out) => writeVitals(out, { entity, ...vitals }));
    }
  }

  /** The whole state, the names it uses first. */
  #sections(names: PaletteIndex): Section[] {
    const built = (write: (out: ByteBuilder) => void): Uint8Array => {
      write(this.#builder);
      return this.#builder.take();
    };
    const bodies = [...this.#bodies.values()];
    const entities = bodies.map((body) => ({
      entity: body.entity,
      place: placeOf(body, 0),
      details: {
        type: names.index(PALETTE.entityType, body.type),
        pose: 0,
        flags: body.flags,
        heldSlot: 0,
        itemUse: 0,
        uuid: body.uuid,
        profile: body.name === null ? null : names.index(PALETTE.profile, body.name),
      },
    }));
    let before: Point = [0, 0, 0];
    const edits = [...this.#blocks.values()].map(({ at, kind }) => {
      const delta = Float64Array.of(at[0] - before[0], at[1] - before[1], at[2] - before[2]);
      before = at;
      return { delta, block: names.index(PALETTE.block, kind) };
    });
    const inventories = bodies.flatMap(({ entity, boots }) =>
      boots === null ? [] : [{ entity, items: [{ slot: BOOTS, item: names.index(PALETTE.item, boots) }] }],
    );
    names.index(PALETTE.dimension, this.#dimension);
    const world = { time: this.#timeOfDay + this.#tick, weather: 0 };
    return [
      { type: SECTION.entities, body: built((out) => writeEntities(out, entities)) },
      { type: SECTION.blocks, body: built((out) => writeBlockEdits(out, edits)) },
      { type: SECTION.inventories, body: built((out) => writeInventories(out, inventories)) },
      { type: SECTION.world, body: built((out) => writeWorld(out, world)) },
    ];
  }
}

/** The slot that boots are worn in. */
const BOOTS = 5;
/** The bit of a move's mask that is a value, not a field. */
const PLACE_GROUND_BIT = 32;

function put(body: Body, stance: Stance): void {
  body.q[0] = quantize(stance.x);
  body.q[1] = quantize(stance.y);
  body.q[2] = quantize(stance.z);
  body.yaw = turnOf(stance.yaw);
  body.pitch = turnOf(stance.pitch);
  body.onGround = stance.onGround;
}

function placeOf({ q, yaw, pitch, onGround }: Body, flags: number): Place {
  return { q, yaw, pitch, flags: flags | (onGround ? PLACE_ON_GROUND : 0) };
}
