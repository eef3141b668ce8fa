import { LayoutError } from "../../../bytes/error.ts";
import { NBT, nbtEntry, nbtText, readNbt, writeNbt } from "../../../codec/nbt.ts";
import type { Reporter } from "../../../model/error.ts";
import type { Value } from "../../../model/values/value.ts";
import { withEntry } from "../layout/metadata-writing.ts";

/** What a name of the game stands for. */
export type NameKind = "block" | "item" | "entity-type" | "sound" | "particle" | "dimension";

/**
 * Brings a name of the game from an older data version to the newest; null: there is nothing like it any more. Names
 * that already are of the newest come back as they are. Block states come with their properties,
 * `minecraft:oak_stairs[facing=north]`.
 */
export type NameFixer = (kind: NameKind, name: string, fromDataVersion: number) => string | null;

/** Kinds by the number of their palette (events §2, id 12); texts and profiles are no names of the game. */
const KINDS: readonly (NameKind | null)[] = [
  "block",
  "item",
  "entity-type",
  "sound",
  "particle",
  null,
  null,
  "dimension",
];

/** Stands before a name that no longer resolves (spec §9). */
const UNRESOLVED = "unresolved:";
/** Our own names are of no game version. */
const OWN = "simtape:";

/** The names of chunks of one data version, brought to the newest. */
export class NameFix {
  readonly #fixer: NameFixer;
  readonly #dataVersion: number;
  readonly #report: Reporter;
  readonly #known = new Map<string, string>();

  constructor(fixer: NameFixer, dataVersion: number, report: Reporter) {
    this.#fixer = fixer;
    this.#dataVersion = dataVersion;
    this.#report = report;
  }

  /** What a palette entry holds, with its name brought up to date: that of an item's NBT is its `id`. */
  value(palette: number, value: Value): Value {
    const kind = KINDS[palette] ?? null;
    if (kind === null) return value;
    if (typeof value === "string") return this.name(kind, value);
    if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return value;
    const fields = value as { readonly [key: string]: Value };
    const { id } = fields;
    return typeof id === "string" ? { ...fields, id: this.name(kind, id) } : value;
  }

  /** The bytes of a palette entry, brought up to date in the same way; the very same where nothing changes. */
  entry(palette: number, bytes: Uint8Array): Uint8Array {
    const kind = KINDS[palette] ?? null;
    if (kind === null) return bytes;
    try {
      if (bytes[0] !== NBT.compound) return this.#text(kind, bytes);
      const document = readNbt(bytes, { rootName: "network" });
      const id = nbtEntry(document.root, "id");
      if (id?.type !== NBT.string || typeof id.value !== "string") return bytes;
      const name = this.name(kind, id.value);
      return name === id.value ? bytes : writeNbt({ ...document, root: withEntry(document.root, "id", nbtText(name)) });
    } catch (error) {
      if (!(error instanceof LayoutError || error instanceof TypeError)) throw error;
      return bytes;
    }
  }

  /** Throws `TypeError` for what is no text. */
  #text(kind: NameKind, bytes: Uint8Array): Uint8Array {
    const text = UTF8.decode(bytes);
    const name = this.name(kind, text);
    return name === text ? bytes : new TextEncoder().encode(name);
  }

  /** A name that no longer resolves is reported once, and becomes one that nothing in the game has. */
  name(kind: NameKind, name: string): string {
    if (name.startsWith(OWN)) return name;
    const key = `${kind} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const fixed = this.#fixer(kind, name, this.#dataVersion);
    if (fixed === null) {
      const message = `${kind} ${name} of data version ${this.#dataVersion} no longer exists; a placeholder replaces it`;
      this.#report.report({ code: "unresolved-name", severity: "warning", message });
    }
    const result = fixed ?? UNRESOLVED + name;
    this.#known.set(key, result);
    return result;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
