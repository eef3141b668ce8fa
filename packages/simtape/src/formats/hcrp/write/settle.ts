import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { ChunkContent, WHOLE } from "../chunk/content.ts";
import { readVarInt } from "../layout/framing.ts";
import {
  readBlockEdits,
  readEntities,
  readEventId,
  readHostState,
  readInventories,
  readPalettes,
  readSections,
  readTickHead,
  PALETTE,
  SECTION,
  type Section,
  writeBlockEdits,
  writeEntities,
  writeHostState,
  writeInventories,
  writePalettes,
  writeSections,
} from "../layout/chunk.ts";
import { readRemove } from "../layout/entity-events.ts";
import { EVENT, FIRST_SIZED, skipEvent } from "../layout/events.ts";
import type { HostEvent, Subject } from "../layout/metadata.ts";
import { Move, MOVE_HEAD_YAW, MOVE_ON_GROUND, moveMask, readMove, writeMove } from "../layout/motion.ts";
import { isResume, MIRROR_PREFIX, SET_EVENT, STATE_NAMESPACE, VALUE_EVENT } from "../layout/own.ts";
import { readPaletteAdd, readSetBlock, writePaletteAdd, writeSetBlock } from "../layout/world-events.ts";
import { PaletteUse } from "./palette-use.ts";
import { renumber } from "./renumber.ts";
import { type Resumed, resumedIn } from "../meaning/resume.ts";

/** What a chunk's bytes are read by, beside themselves. */
export interface SettleBy {
  readonly hasSnapshot: boolean;
  /** Names of host events. */
  readonly events: readonly HostEvent[];
  /** Players of the recording. */
  readonly subjects: readonly Subject[];
}

/**
 * An inflated chunk that says the same with the specification's own means: palettes have only what something in the
 * chunk refers to, and the first moves and blocks behind a cut count from the snapshot, with no event that tells
 * otherwise. The bytes themselves when that is so, or when they are not sound.
 */
export function settled(raw: Uint8Array, { hasSnapshot, events, subjects }: SettleBy): Uint8Array {
  const isOwn = (type: number): boolean =>
    events.some(({ id, name }) => id === type && (name === VALUE_EVENT || name === SET_EVENT));
  try {
    const use = new PaletteUse(raw, hasSnapshot, isOwn);
    if (use.isSettled) return raw;
    const resumed = use.hasResume ? resumedIn(raw, hasSnapshot, subjects) : null;
    return new Settling(raw, use, resumed).chunk(hasSnapshot);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return raw;
  }
}

/** Sections of a snapshot that stay when the host section says all else. */
const RESTATED: ReadonlySet<number> = new Set([SECTION.palettes, SECTION.entities, SECTION.host]);

class Settling {
  readonly #raw: Uint8Array;
  readonly #use: PaletteUse;
  readonly #resumed: Resumed | null;
  readonly #content: ChunkContent;
  readonly #builder = new ByteBuilder();
  readonly #move = new Move();
  /** Entries of each kind so far. */
  readonly #counts = new Int32Array(256);
  /** Displacements of before the cut, of those that did not move since. */
  readonly #displacements = new Map<number, Float64Array>();
  #block: Float64Array | null = null;
  /** Entity types that the snapshot names. */
  #types: readonly Uint8Array[] = [];
  /**
   * Values and sets of another format come with the snapshot: what else says them, up to the event of the cut, goes.
   */
  #isRestated: boolean;
  readonly #index = (kind: number, index: number): number => (index === 0 ? 0 : this.#use.index(kind, index));

  constructor(raw: Uint8Array, use: PaletteUse, resumed: Resumed | null) {
    this.#raw = raw;
    this.#use = use;
    this.#resumed = resumed;
    this.#isRestated = resumed?.carried != null;
    this.#content = new ChunkContent(1, 0, raw.length + 64);
  }

  chunk(hasSnapshot: boolean): Uint8Array {
    const cursor = new ByteCursor(this.#raw);
    if (hasSnapshot) this.#content.putSnapshot(this.#snapshot(cursor.view(readVarInt(cursor))));
    while (cursor.remaining > 0) {
      const { tick, count } = readTickHead(cursor);
      for (let i = 0; i < count; i++) this.#event(tick, cursor);
    }
    return this.#content.finish(0).bytes;
  }

  #event(tick: number, cursor: ByteCursor): void {
    if (this.#isRestated) {
      this.#skip(tick, cursor);
      return;
    }
    const at = cursor.position;
    const type = readEventId(cursor);
    const start = cursor.position;
    if (type >= FIRST_SIZED) {
      cursor.skip(readVarInt(cursor));
      const event = this.#raw.subarray(at, cursor.position);
      if (this.#resumed !== null && isResume(event)) this.#resume(tick, this.#resumed);
      else this.#content.put(WHOLE, tick, event);
      return;
    }
    if (type === EVENT.paletteAdd) {
      const { kind, entry } = readPaletteAdd(cursor);
      const kept = this.#use.entry(kind, ++this.#counts[kind]!, entry);
      if (kept !== null) this.#put(type, tick, (out) => writePaletteAdd(out, { kind, entry: kept }));
      return;
    }
    if (type === EVENT.setBlock) {
      const { delta, block } = readSetBlock(cursor);
      if (this.#block !== null) for (let k = 0; k < 3; k++) delta[k]! += this.#block[k]!;
      this.#block = null;
      this.#put(type, tick, (out) => writeSetBlock(out, { delta, block: this.#index(PALETTE.block, block) }));
      return;
    }
    if (renumber(type, cursor, this.#builder, this.#index)) {
      this.#rests(type, start);
      this.#content.put(type, tick, this.#builder.take());
      return;
    }
    skipEvent(cursor, type);
    if (type !== EVENT.move || !this.#moved(tick, start)) {
      this.#rests(type, start);
      this.#content.put(type, tick, this.#raw.subarray(start, cursor.position));
    }
  }

  /** Passes over what the host section says now, to the event that ends it. */
  #skip(tick: number, cursor: ByteCursor): void {
    const at = cursor.position;
    const type = readEventId(cursor);
    if (type < FIRST_SIZED) {
      skipEvent(cursor, type);
      return;
    }
    cursor.skip(readVarInt(cursor));
    if (!isResume(this.#raw.subarray(at, cursor.position))) return;
    this.#isRestated = false;
    this.#resume(tick, this.#resumed!);
  }

  #put(type: number, tick: number, write: (out: ByteBuilder) => void): void {
    write(this.#builder);
    this.#content.put(type, tick, this.#builder.take());
  }

  #resume(tick: number, { displacements, heads, block }: Resumed): void {
    for (const [entity, displacement] of displacements) this.#displacements.set(entity, displacement);
    this.#block = block;
    for (const { entity, turn, isOnGround } of heads) {
      const move = Object.assign(new Move(), { entity, headYaw: turn });
      move.mask = MOVE_HEAD_YAW | (isOnGround ? MOVE_ON_GROUND : 0);
      this.#put(EVENT.move, tick, (out) => writeMove(out, move));
    }
  }

  /** Writes the first move behind a cut as one that begins at rest; false: it does already. */
  #moved(tick: number, start: number): boolean {
    if (this.#displacements.size === 0) return false;
    const move = readMove(new ByteCursor(this.#raw, start), this.#move);
    const displacement = this.#displacements.get(move.entity);
    if (displacement === undefined) return false;
    this.#displacements.delete(move.entity);
    move.x += displacement[0]!;
    move.y += displacement[1]!;
    move.z += displacement[2]!;
    move.mask = moveMask(move, (move.mask & MOVE_ON_GROUND) !== 0);
    this.#put(EVENT.move, tick, (out) => writeMove(out, move));
    return true;
  }

  /** What is put somewhere is on its way no more. */
  #rests(type: number, start: number): void {
    if (this.#displacements.size === 0) return;
    const cursor = new ByteCursor(this.#raw, start);
    if (type === EVENT.place || type === EVENT.spawn || type === EVENT.leave)
      this.#displacements.delete(readVarInt(cursor));
    else if (type === EVENT.remove)
      for (const entity of readRemove(cursor).entities) this.#displacements.delete(entity);
  }

  #snapshot(bytes: Uint8Array): Uint8Array {
    const all = readSections(new ByteCursor(bytes));
    const sections = (this.#isRestated ? all.filter(({ type }) => RESTATED.has(type)) : all).map((section): Section => {
      const body = this.#section(section);
      return body === null ? section : { type: section.type, body };
    });
    writeSections(this.#builder, sections);
    return this.#builder.take();
  }

  /** The new body; null: as it is. */
  #section({ type, body }: Section): Uint8Array | null {
    const cursor = new ByteCursor(body);
    const index = this.#index;
    switch (type) {
      case SECTION.palettes: {
        const read = readPalettes(cursor);
        this.#types = read[PALETTE.entityType] ?? [];
        const kinds = read.map((entries, kind) =>
          entries.flatMap((entry) => this.#use.entry(kind, ++this.#counts[kind]!, entry) ?? []),
        );
        return this.#built((out) => writePalettes(out, kinds));
      }
      case SECTION.entities: {
        const pictured = readEntities(body).filter(
          ({ details }) => !this.#isRestated || this.#isPicture(details?.type ?? 0),
        );
        const entities = pictured.map(({ details, ...rest }) => {
          if (details === null) return { ...rest, details };
          const profile = details.profile === null ? null : index(PALETTE.profile, details.profile);
          return { ...rest, details: { ...details, type: index(PALETTE.entityType, details.type), profile } };
        });
        return this.#built((out) => writeEntities(out, entities));
      }
      case SECTION.blocks: {
        const edits = readBlockEdits(cursor).map(({ delta, block }) => ({ delta, block: index(PALETTE.block, block) }));
        return this.#built((out) => writeBlockEdits(out, edits));
      }
      case SECTION.inventories: {
        const list = readInventories(cursor).map(({ entity, items }) => ({
          entity,
          items: items.map(({ slot, item }) => ({ slot, item: index(PALETTE.item, item) })),
        }));
        return this.#built((out) => writeInventories(out, list));
      }
      case SECTION.host: {
        const { namespace } = readHostState(cursor);
        const bytes = this.#resumed?.carried ?? null;
        if (namespace !== STATE_NAMESPACE || bytes === null) return null;
        return this.#built((out) => writeHostState(out, { namespace, bytes }));
      }
      default:
        return null;
    }
  }

  /** Of the things that another format's sets hold exactly. */
  #isPicture(type: number): boolean {
    const name = this.#types[type - 1];
    return name !== undefined && new TextDecoder().decode(name).startsWith(MIRROR_PREFIX);
  }

  #built(write: (out: ByteBuilder) => void): Uint8Array {
    const builder = new ByteBuilder();
    write(builder);
    return builder.take();
  }
}
