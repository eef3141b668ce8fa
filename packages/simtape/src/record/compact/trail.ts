import { ByteBuilder } from "../../bytes/builder.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import type { ChunkContext, Palettes } from "../../formats/hcrp/chunk/context.ts";
import { PALETTE } from "../../formats/hcrp/layout/chunk.ts";
import { EVENT } from "../../formats/hcrp/layout/events.ts";
import { MOVE_ON_GROUND } from "../../formats/hcrp/layout/motion.ts";
import { readVarInt, TICK } from "../../formats/hcrp/layout/framing.ts";
import type { HcrpReader } from "../../formats/hcrp/read/reader.ts";
import { BLOCK_X, BLOCK_Y, BLOCK_Z } from "../../formats/hcrp/meaning/state.ts";
import type { Columns } from "../../model/messages/batch.ts";
import type { StateModel } from "../../model/state/state-model.ts";
import { type MutableEntitySet, MutableState } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";
import { type IndexMap, renumber } from "../../formats/hcrp/write/renumber.ts";
import { Hash64, hashText, sceneHash } from "./state-hash.ts";

/** What a snapshot says against what was known before it. */
export interface SnapshotNews {
  /** The scene is another one: the snapshot cannot be dropped. */
  readonly isOther: boolean;
  /** The time of day or the weather are other ones. */
  readonly isOtherWorld: boolean;
}

/**
 * Walks a recording from its beginning, folding the state and hashing the events in order, as they mean and not as they
 * are written: names instead of palette indices, places instead of distances. Two recordings with the same trail are
 * the same to a viewer. Palette additions, and what of a snapshot is not the world's time, leave no trace; nor do world
 * events that change nothing.
 */
export class Trail {
  readonly state: MutableState = new MutableState();
  readonly #model: StateModel;
  readonly #snapshot: number;
  readonly #digest = new Hash64();
  readonly #scratch = new ByteBuilder();
  readonly #names = new Names();
  #cursor = new ByteCursor(new Uint8Array(0));
  /** Ticks at which what is known is noted down, and the notes. */
  readonly #wanted: number[];
  readonly #notes: string[] = [];
  #events = 0;
  #strays = 0;
  /** Known last; -1: never. */
  #time = -1;
  #weather = -1;

  constructor(reader: HcrpReader, wanted: readonly number[] = []) {
    this.#model = reader.state;
    this.#snapshot = reader.channels.find(({ name }) => name === "snapshot")!.id;
    this.#wanted = [...wanted];
    this.#model.begin?.(this.state);
  }

  /** Asks for a note at a tick, not before any that was asked for. */
  want(tick: number): void {
    this.#wanted.push(tick);
  }

  /** For each wanted tick: the events before it, and the scene at it. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  get wanted(): readonly number[] {
    return this.#wanted;
  }

  /** Events so far, palette additions left out. */
  get events(): number {
    return this.#events;
  }

  /** Moves so far of unknown things. */
  get strayMoves(): number {
    return this.#strays;
  }

  /** Of all events so far. */
  get digest(): string {
    return hashText(this.#digest.high, this.#digest.low);
  }

  /** The rows of one chunk; `isJudged`: its snapshot is compared with what is known. Null: it has none. */
  add(columns: Columns, isJudged: boolean): SnapshotNews | null {
    let row = 0;
    let news: SnapshotNews | null = null;
    if (columns.length > 0 && columns.channel[0] === this.#snapshot) {
      news = this.#load(columns, isJudged);
      row = 1;
    }
    this.#names.palettes = (columns.context as ChunkContext).palettes;
    for (; row < columns.length; row++) {
      const tick = columns.time[row]! / TICK;
      if (this.#wanted.length > this.#notes.length) this.#reach(tick);
      this.#apply(columns, row, tick);
    }
    return news;
  }

  /** Everything was added. */
  end(): void {
    this.#reach(Number.POSITIVE_INFINITY);
  }

  /** Notes of all ticks up to this one. */
  #reach(tick: number): void {
    while (this.#wanted.length > this.#notes.length && this.#wanted[this.#notes.length]! <= tick)
      this.#notes.push(`${this.digest} ${sceneHash(this.state)}`);
  }

  #load(columns: Columns, isJudged: boolean): SnapshotNews {
    const tick = columns.time[0]! / TICK;
    this.#reach(tick - 1);
    const before = isJudged ? sceneHash(this.state) : "";
    const { digest } = this;
    this.#model.apply(this.state, columns, 0);
    const isWanted = this.#wanted[this.#notes.length] === tick;
    const scene = isJudged || isWanted ? sceneHash(this.state) : "";
    if (isWanted) this.#notes.push(`${digest} ${scene}`);
    return { isOther: before !== scene, isOtherWorld: this.#noteWorld(tick) };
  }

  #apply(columns: Columns, row: number, tick: number): void {
    const channel = columns.channel[row]!;
    const { state } = this;
    const digest = this.#digest;
    const start = columns.start[row]!;
    const end = columns.end[row]!;
    if (this.#cursor.bytes !== columns.bytes) this.#cursor = new ByteCursor(columns.bytes);
    if (channel === EVENT.world) {
      this.#model.apply(state, columns, row);
      this.#noteWorld(tick);
      return;
    }
    this.#model.apply(state, columns, row);
    if (channel === EVENT.paletteAdd && columns.bytes[start]! < PALETTE.dimension) return;
    this.#events++;
    digest.u32(tick).u32(channel);
    this.#cursor.seek(start);
    if (channel === EVENT.move) {
      this.#noteMove(columns.bytes, start, end);
    } else if (channel === EVENT.setBlock) {
      for (const name of [BLOCK_X, BLOCK_Y, BLOCK_Z]) digest.number(state.value(name) as number);
      for (let k = 0; k < 3; k++) skipVarint(this.#cursor);
      const index = readVarInt(this.#cursor);
      digest.number(index === 0 ? 0 : this.#names.map(PALETTE.block, index));
    } else if (channel <= EVENT.mark && renumber(channel, this.#cursor, this.#scratch, this.#names.map)) {
      digest.bytes(this.#scratch.take());
    } else digest.bytes(columns.bytes, start, end);
  }

  /** Where a thing is behind a move; the move itself when the thing is unknown. */
  #noteMove(bytes: Uint8Array, start: number, end: number): void {
    const digest = this.#digest;
    const entity = readVarInt(this.#cursor);
    const onGround = this.#cursor.u8() & MOVE_ON_GROUND;
    const set = this.#setOf(entity);
    const row = set?.find(entity) ?? -1;
    const grid = set?.columns.get(".q");
    const angles = set?.columns.get(".a");
    if (grid === undefined || angles === undefined) {
      this.#strays++;
      digest.bytes(bytes, start, end);
      return;
    }
    digest.u32(entity).u32(onGround);
    for (let k = 0; k < 3; k++) digest.number(grid.number(row, k)).number(angles.number(row, k));
  }

  /** The set that an entity is looked for in, as the fold does. */
  #setOf(entity: number): MutableEntitySet | null {
    for (const name of ACTORS) {
      const set = this.state.sets.get(name);
      if (set !== undefined && set.find(entity) >= 0) return set;
    }
    return null;
  }

  /** Notes time and weather when they are known and not those known last. */
  #noteWorld(tick: number): boolean {
    const time = numberOr(this.state.value("world/time"), this.#time);
    const weather = numberOr(this.state.value("world/weather"), this.#weather);
    if (time === this.#time && weather === this.#weather) return false;
    this.#time = time;
    this.#weather = weather;
    this.#digest.u32(tick).u32(EVENT.world).number(time).number(weather);
    return true;
  }
}

function numberOr(value: Value | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

const ACTORS = [".mirror", "players", "entities"] as const;

function skipVarint(cursor: ByteCursor): void {
  while (cursor.u8() >= 0x80);
}

/** Palette indices as hashes of what they stand for, so that recordings with other palettes can be compared. */
class Names {
  #palettes: Palettes | null = null;
  #hashes: number[][] = [];

  set palettes(palettes: Palettes) {
    if (palettes === this.#palettes) return;
    this.#palettes = palettes;
    this.#hashes = [];
  }

  readonly map: IndexMap = (kind, index) => {
    while (this.#hashes.length <= kind) this.#hashes.push([]);
    const hashes = this.#hashes[kind]!;
    const known = hashes[index];
    if (known !== undefined) return known;
    const name = this.#palettes?.bytes(kind, index);
    // 1 and up: 0 stays "none"
    const hash = name == null ? 1 : Math.max(2, new Hash64().bytes(name).low & 0x7fff_ffff);
    hashes[index] = hash;
    return hash;
  };
}
