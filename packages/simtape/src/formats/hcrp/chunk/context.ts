import { LayoutError } from "../../../bytes/error.ts";
import { nbtToValue, readNbt } from "../../../codec/nbt.ts";
import type { Value } from "../../../model/values/value.ts";
import type { IndexEntry } from "../layout/framing.ts";
import type { Epoch, HostEvent, Subject } from "../layout/metadata.ts";
import type { ProductionVersion } from "../layout/production.ts";
import type { NameFix, NameKind } from "./names.ts";

/** The layout events are written in: version 1 of the format, or a version of the production dialect. */
export type Dialect = 1 | ProductionVersion;

/** The recording that a chunk is of, as far as copying it needs: one object for all its chunks. */
export interface ChunkSource {
  /** The whole index. */
  readonly entries: readonly IndexEntry[];
  readonly epochs: readonly Epoch[];
  readonly events: readonly HostEvent[];
  /** Those it is of: who is a player. */
  readonly subjects: readonly Subject[];
  /** Whether the offsets of the index are those in segments. */
  readonly isSegmented: boolean;
}

/** What the payloads of one chunk refer to: the context of its batches. */
export class ChunkContext {
  readonly dialect: Dialect;
  /** Place in the index; -1 for what stands before the first chunk. */
  readonly chunk: number;
  readonly startTick: number;
  /** The game's data version in this chunk, 0 unknown. */
  readonly dataVersion: number;
  readonly palettes: Palettes;
  readonly source: ChunkSource;
  /** What a cut begins with: messages that were not read but made, see `restate`. */
  readonly isOpening: boolean;
  /** Messages in the chunk, once it was decoded to its end without a fault; else null. */
  count: number | null = null;
  /** Some payloads were changed: the bytes of the batch are not those of the chunk. */
  isChanged = false;

  constructor(
    dialect: Dialect,
    chunk: number,
    startTick: number,
    dataVersion: number,
    palettes: Palettes,
    source: ChunkSource = NO_SOURCE,
    isOpening = false,
  ) {
    this.dialect = dialect;
    this.chunk = chunk;
    this.startTick = startTick;
    this.dataVersion = dataVersion;
    this.palettes = palettes;
    this.source = source;
    this.isOpening = isOpening;
  }

  /** The same for a batch with payloads that were changed. */
  changed(): ChunkContext {
    const { dialect, chunk, startTick, dataVersion, palettes, source, isOpening, count } = this;
    const copy = new ChunkContext(dialect, chunk, startTick, dataVersion, palettes, source, isOpening);
    copy.count = count;
    copy.isChanged = true;
    return copy;
  }

  /** Version of a host event in this chunk, as the metadata have it; null when they do not name it (spec §9). */
  hostVersion(name: string): number | null {
    const { events } = this.source;
    let best: HostEvent | null = null;
    for (const event of events) {
      if (event.name !== name || event.sinceChunk > this.chunk) continue;
      if (best === null || event.sinceChunk > best.sinceChunk) best = event;
    }
    return best?.version ?? null;
  }
}

/** Whether payloads of equal bytes mean the same in both. */
export function areAlike(a: ChunkContext, b: ChunkContext): boolean {
  return a.dialect === b.dialect && a.chunk === b.chunk && a.palettes.isAlike(b.palettes);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

const NO_SOURCE: ChunkSource = { entries: [], epochs: [], events: [], subjects: [], isSegmented: false };

/**
 * The palettes of a chunk as they stand at its end. An index always means the same in one chunk (events §2, id 12), so
 * they also hold for every message before.
 */
export class Palettes {
  readonly #kinds: Uint8Array[][] = [];
  readonly #values: (Value | undefined)[][] = [];
  readonly #fix: NameFix | null;

  /** `fix` brings names up to date where they are asked for; entries stay as they are. */
  constructor(fix: NameFix | null = null) {
    this.#fix = fix;
  }

  /** Entries take the indices from 1 on, in the order added. */
  add(kind: number, entry: Uint8Array): void {
    for (let k = this.#kinds.length; k <= kind; k++) {
      this.#kinds.push([]);
      this.#values.push([]);
    }
    this.#kinds[kind]!.push(entry);
  }

  /** Whether every index means the same in both. */
  isAlike(other: Palettes): boolean {
    if (this.#fix !== null || other.#fix !== null || this.#kinds.length !== other.#kinds.length) return false;
    return this.#kinds.every((own, kind) => {
      const others = other.#kinds[kind]!;
      return own.length === others.length && own.every((entry, i) => areEqual(entry, others[i]!));
    });
  }

  /** Entries of one kind; the first has index 1. */
  entries(kind: number): readonly Uint8Array[] {
    return this.#kinds[kind] ?? [];
  }

  /** Null for an index that is not there. */
  bytes(kind: number, index: number): Uint8Array | null {
    return this.#kinds[kind]?.[index - 1] ?? null;
  }

  /** What the entry holds, see `entryValue`, names brought up to date; null for an index that is not there. */
  value(kind: number, index: number): Value {
    const bytes = this.bytes(kind, index);
    if (bytes === null) return null;
    const values = this.#values[kind]!;
    const known = values[index - 1];
    if (known !== undefined) return known;
    const value = this.read(kind, bytes);
    values[index - 1] = value;
    return value;
  }

  /** The same of an entry's bytes. */
  read(kind: number, bytes: Uint8Array): Value {
    const value = entryValue(bytes);
    return this.#fix === null ? value : this.#fix.value(kind, value);
  }

  /** A name that stands in an event itself, as in the production dialect. */
  fixed(kind: NameKind, name: string): string {
    return this.#fix === null ? name : this.#fix.name(kind, name);
  }

  /** A name for people; null for an index that is not there. */
  name(kind: number, index: number): string | null {
    const value = this.value(kind, index);
    if (typeof value === "string" || value === null) return value;
    if (typeof value !== "object" || value instanceof Uint8Array) return "";
    const fields = value as { readonly [key: string]: Value };
    const name = fields["name"] ?? fields["id"] ?? fields["text"];
    return typeof name === "string" ? name : "";
  }
}

/** A palette entry: nameless NBT (items) as its value, text as text, all else as bytes. */
export function entryValue(bytes: Uint8Array): Value {
  if (bytes[0] === 0x0a) {
    try {
      return nbtToValue(readNbt(bytes, { rootName: "network" }).root) as Value;
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
    }
  }
  try {
    return UTF8.decode(bytes);
  } catch {
    return bytes;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
