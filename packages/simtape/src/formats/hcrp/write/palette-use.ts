import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { ByteBuilder } from "../../../bytes/builder.ts";
import { readVarInt } from "../layout/framing.ts";
import {
  PALETTE,
  readEntities,
  readBlockEdits,
  readEventId,
  readHostState,
  readInventories,
  readPalettes,
  readSections,
  readTickHead,
  SECTION,
} from "../layout/chunk.ts";
import { EVENT, FIRST_SIZED, skipEvent } from "../layout/events.ts";
import { moveEnd } from "../layout/motion.ts";
import { isResume, STATE_NAMESPACE } from "../layout/own.ts";
import { readPaletteAdd } from "../layout/world-events.ts";
import { namesIn } from "../layout/patch.ts";
import { renumber } from "./renumber.ts";

/** Kinds whose entries are only there to be referred to: a dimension holds by being added. */
const KINDS: number = PALETTE.dimension;

/** Which entries of a chunk's palettes anything in the chunk refers to. */
export class PaletteUse {
  /** By kind: how many entries there are, and 1 at the index of each that is used. */
  readonly #counts = new Int32Array(KINDS);
  readonly #used: number[][] = Array.from({ length: KINDS }, () => []);
  /** Events of our own name things by the palette of texts, and are not rewritten: indices of texts stay. */
  #isPinned = false;
  #hasResume = false;
  readonly #maps: (Int32Array | undefined)[] = [];

  /**
   * Looks all of an inflated chunk over; `isOwn` tells the types of events of our own. Throws `LayoutError` for a chunk
   * that is not sound.
   */
  constructor(raw: Uint8Array, hasSnapshot: boolean, isOwn: (type: number) => boolean) {
    const cursor = new ByteCursor(raw);
    if (hasSnapshot) this.#snapshot(cursor.view(readVarInt(cursor)));
    const scratch = new ByteBuilder();
    const mark = (kind: number, index: number): number => this.#mark(kind, index);
    while (cursor.remaining > 0) {
      const { count } = readTickHead(cursor);
      for (let i = 0; i < count; i++) {
        const at = cursor.position;
        if (raw[at] === EVENT.move) {
          const end = moveEnd(raw, at + 1, raw.length);
          if (end >= 0) {
            cursor.seek(end);
            continue;
          }
        }
        const type = readEventId(cursor);
        if (type >= FIRST_SIZED) {
          this.#sized(type, raw, at, cursor, isOwn);
          continue;
        }
        if (type === EVENT.paletteAdd) {
          const { kind } = readPaletteAdd(cursor);
          if (kind < KINDS) this.#counts[kind]!++;
        } else if (renumber(type, cursor, scratch, mark)) scratch.take();
        else if (!skipEvent(cursor, type)) throw new LayoutError("malformed", `event type ${type} is not known`, at);
      }
    }
  }

  /** Everything is used, and no event of a cut is there: the chunk can stay as it is. */
  get isSettled(): boolean {
    return !this.#hasResume && this.#counts.every((count, kind) => this.#isAllUsed(kind, count));
  }

  /** The event that recordings of before have at their cuts is there. */
  get hasResume(): boolean {
    return this.#hasResume;
  }

  /** What becomes of the entry that an index names: another index, 0 when nothing refers to it. */
  index(kind: number, index: number): number {
    if (kind >= KINDS) return index;
    this.#maps[kind] ??= this.#mapOf(kind);
    const map = this.#maps[kind];
    // an index that is not there is not there afterwards
    return index < map.length ? map[index]! : index - map.length + 1 + this.#kept(kind);
  }

  /** The entry as it is to stand there; null: not at all. */
  entry(kind: number, index: number, bytes: Uint8Array): Uint8Array | null {
    if (kind >= KINDS || this.#used[kind]![index] === 1) return bytes;
    return this.#isPinned && kind === PALETTE.text ? new Uint8Array(0) : null;
  }

  #isAllUsed(kind: number, count: number): boolean {
    for (let index = 1; index <= count; index++) if (this.#used[kind]![index] !== 1) return false;
    return true;
  }

  #mapOf(kind: number): Int32Array {
    const count = this.#counts[kind]!;
    const map = new Int32Array(count + 1);
    const isPinned = this.#isPinned && kind === PALETTE.text;
    let next = 0;
    for (let index = 1; index <= count; index++) if (isPinned || this.#used[kind]![index] === 1) map[index] = ++next;
    return map;
  }

  #kept(kind: number): number {
    return this.#maps[kind]!.reduce((most, index) => Math.max(most, index), 0);
  }

  #mark(kind: number, index: number): number {
    if (kind < KINDS && index > 0) this.#used[kind]![index] = 1;
    return index;
  }

  #snapshot(bytes: Uint8Array): void {
    for (const { type, body } of readSections(new ByteCursor(bytes))) {
      const cursor = new ByteCursor(body);
      switch (type) {
        case SECTION.palettes:
          readPalettes(cursor).forEach((entries, kind) => {
            if (kind < KINDS) this.#counts[kind]! += entries.length;
          });
          break;
        case SECTION.entities:
          for (const { details } of readEntities(body)) {
            this.#mark(PALETTE.entityType, details?.type ?? 0);
            this.#mark(PALETTE.profile, details?.profile ?? 0);
          }
          break;
        case SECTION.blocks:
          for (const { block } of readBlockEdits(cursor)) this.#mark(PALETTE.block, block);
          break;
        case SECTION.inventories:
          for (const { items } of readInventories(cursor)) for (const { item } of items) this.#mark(PALETTE.item, item);
          break;
        case SECTION.host: {
          const { namespace, bytes: patch } = readHostState(cursor);
          if (namespace === STATE_NAMESPACE) this.#names(patch);
          break;
        }
        default:
      }
    }
  }

  #sized(type: number, raw: Uint8Array, at: number, cursor: ByteCursor, isOwn: (type: number) => boolean): void {
    const length = readVarInt(cursor);
    const start = cursor.position;
    cursor.skip(length);
    if (isOwn(type)) this.#names(raw.subarray(start, cursor.position));
    else if (isResume(raw.subarray(at, cursor.position))) this.#hasResume = true;
  }

  #names(patch: Uint8Array): void {
    this.#isPinned = true;
    for (const index of namesIn(patch)) this.#mark(PALETTE.text, index);
  }
}
