import { ByteBuilder } from "../../../bytes/builder.ts";
import { Palettes } from "../chunk/context.ts";
import { PALETTE, writePalettes } from "../layout/chunk.ts";

/** A kind is one byte (events §2, id 12). */
const KINDS = 256;
const UTF8 = new TextEncoder();

/** Palettes while they are filled: indices of names, new ones behind those that are there. */
export class PaletteIndex {
  readonly palettes: Palettes;
  readonly #indices: (Map<string, number> | undefined)[] = [];

  constructor(palettes: Palettes = new Palettes()) {
    this.palettes = palettes;
  }

  /** Index of the entry that `name()` gives `text` for; null when there is none. */
  find(kind: number, text: string): number | null {
    return this.#of(kind).get(text) ?? null;
  }

  /** As `find`, with the text put behind all others when it is not there. */
  index(kind: number, text: string): number {
    const indices = this.#of(kind);
    const known = indices.get(text);
    if (known !== undefined) return known;
    this.palettes.add(kind, UTF8.encode(text));
    const index = this.palettes.entries(kind).length;
    indices.set(text, index);
    return index;
  }

  /** Section 0 of a snapshot: all kinds. */
  section(): Uint8Array {
    const kinds: (readonly Uint8Array[])[] = [];
    for (let kind = 0; kind < KINDS; kind++) kinds.push(this.palettes.entries(kind));
    while (kinds.length > 0 && kinds.at(-1)!.length === 0) kinds.pop();
    const builder = new ByteBuilder();
    writePalettes(builder, kinds);
    return builder.take();
  }

  #of(kind: number): Map<string, number> {
    const known = this.#indices[kind];
    if (known !== undefined) return known;
    const indices = new Map<string, number>();
    const count = this.palettes.entries(kind).length;
    for (let index = 1; index <= count; index++) {
      const name = this.palettes.name(kind, index);
      if (name !== null && !indices.has(name)) indices.set(name, index);
    }
    this.#indices[kind] = indices;
    return indices;
  }
}

/** A copy that can grow; of dimensions only `dimension`, as the last one of a snapshot's is the one that holds. */
export function copiedPalettes(from: Palettes, dimension: Uint8Array | null): Palettes {
  const copy = new Palettes();
  for (let kind = 0; kind < 256; kind++) {
    if (kind === PALETTE.dimension) continue;
    for (const entry of from.entries(kind)) copy.add(kind, entry);
  }
  if (dimension !== null) copy.add(PALETTE.dimension, dimension);
  return copy;
}
