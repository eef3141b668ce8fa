import { ByteBuilder } from "../../../bytes/builder.ts";
import { writeModifiedUtf8 } from "../../../bytes/modified-utf8.ts";
import { NBT, type NbtCompound, type NbtTag, nbtEntry, nbtText } from "../../../codec/nbt.ts";
import type { Value } from "../../../model/values/value.ts";
import { FIRST_HOST } from "./events.ts";
import type { HostEvent } from "./metadata.ts";
import { uuidBytes } from "./framing.ts";

/** Our own compound in the metadata of recordings that were made here; the specification leaves other keys free. */
export const OWN_KEY = "simtape";
/** Fills the room that was kept for the preamble of a long recording. */
export const RESERVED_KEY = "reserved";

/** `compound` with `tag` under `name`, in the old one's place; null takes it out. */
export function withEntry(compound: NbtCompound, name: string, tag: NbtTag | null): NbtCompound {
  const at = compound.entries.findLastIndex((entry) => entry.name.value === name);
  if (at < 0) {
    if (tag === null) return compound;
    return { type: NBT.compound, entries: [...compound.entries, { name: nbtText(name), tag }] };
  }
  const entries = compound.entries.flatMap((entry, i) => {
    if (entry.name.value !== name) return [entry];
    return i === at && tag !== null ? [{ ...entry, tag }] : [];
  });
  return { type: NBT.compound, entries };
}

/** The compound of that name; an empty one when there is none. */
export function compoundIn(compound: NbtCompound, name: string): NbtCompound {
  const found = nbtEntry(compound, name);
  return found?.type === NBT.compound ? found : { type: NBT.compound, entries: [] };
}

/** Lays `changes` over `compound`: compounds into compounds, all else in place of what was there; null takes out. */
export function merged(compound: NbtCompound, changes: Readonly<Record<string, Value>>, path = ""): NbtCompound {
  let result = compound;
  for (const [name, value] of Object.entries(changes)) {
    const inner = path === "" ? name : `${path}.${name}`;
    if (value === null) result = withEntry(result, name, null);
    else if (isRecord(value)) result = withEntry(result, name, merged(compoundIn(result, name), value, inner));
    else {
      const tag = tagOf(value, inner);
      if (tag !== null) result = withEntry(result, name, tag);
    }
  }
  return result;
}

/**
 * Types that the specification gives to numbers and lists of the compound `hcrp` (spec §4): plain values do not tell
 * them. The name decides, wherever it stands below `hcrp`.
 */
const RESERVED_TYPES: ReadonlyMap<string, "long" | "byte" | "uuid" | "bytes"> = new Map([
  ["started", "long"],
  ["unix_ms", "long"],
  ["duration_ms", "long"],
  ["at", "long"],
  ["source_bytes", "long"],
  ["severity", "byte"],
  ["uuid", "uuid"],
  ["recording", "uuid"],
  ["dict_sha256", "bytes"],
]);

/** Plain value as a tag; null for what NBT has no room for. `path` is where it stands, with dots. */
export function tagOf(value: Value, path: string): NbtTag | null {
  const type_ = path.startsWith("hcrp.") ? RESERVED_TYPES.get(path.slice(path.lastIndexOf(".") + 1)) : undefined;
  if (type_ !== undefined) {
    const tag = reservedTag(type_, value);
    if (tag !== null) return tag;
  }
  switch (typeof value) {
    case "boolean":
      return { type: NBT.byte, value: value ? 1 : 0 };
    case "number":
      return numberTag(value);
    case "bigint":
      return BigInt.asIntN(64, value) === value ? { type: NBT.long, value } : nbtText(String(value));
    case "string":
      return textTag(value);
    default:
      if (value === null) return null;
      if (value instanceof Uint8Array) return { type: NBT.byteArray, value };
      if (value instanceof Int32Array) return { type: NBT.intArray, value };
      if (ArrayBuffer.isView(value)) return listOf(Array.from(value as Float64Array), path);
      if (Array.isArray(value)) return listOf(value as readonly Value[], path);
      return merged({ type: NBT.compound, entries: [] }, value as Readonly<Record<string, Value>>, path);
  }
}

function reservedTag(type_: "long" | "byte" | "uuid" | "bytes", value: Value): NbtTag | null {
  if (type_ === "long" && typeof value === "bigint") return { type: NBT.long, value };
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    if (type_ === "long") return { type: NBT.long, value: BigInt(value) };
    if (type_ === "byte") return { type: NBT.byte, value: (value << 24) >> 24 };
  }
  if (type_ === "uuid" && typeof value === "string" && /^[0-9a-f-]{32,36}$/i.test(value)) {
    const view = new DataView(uuidBytes(value).buffer);
    return { type: NBT.intArray, value: Int32Array.from({ length: 4 }, (_, i) => view.getInt32(i * 4)) };
  }
  if (type_ === "uuid" && Array.isArray(value) && value.length === 4 && value.every(isInt))
    return { type: NBT.intArray, value: Int32Array.from(value as readonly number[]) };
  if (type_ === "bytes" && value instanceof Uint8Array) return { type: NBT.byteArray, value };
  return null;
}

function numberTag(value: number): NbtTag {
  if (isInt(value)) return { type: NBT.int, value };
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return { type: NBT.long, value: BigInt(value) };
  return { type: NBT.double, value };
}

/** Text that is too long for NBT goes in as its bytes. */
function textTag(value: string): NbtTag {
  if (value.length < 21_845) return nbtText(value);
  const builder = new ByteBuilder(value.length);
  writeModifiedUtf8(builder, value);
  return builder.length <= 0xffff ? nbtText(value) : { type: NBT.byteArray, value: new TextEncoder().encode(value) };
}

/** Items of one type: numbers of different ones become doubles, anything else that differs becomes text. */
function listOf(values: readonly Value[], path: string): NbtTag {
  const tags = values.map((value) => tagOf(value, path)).filter((tag) => tag !== null);
  const types = new Set(tags.map(({ type }) => type));
  if (types.size <= 1)
    return {
      type: NBT.list,
      itemType: tags[0]?.type ?? (path.startsWith("hcrp.") ? NBT.compound : NBT.end),
      items: tags,
    };
  if (values.every((value) => typeof value === "number")) {
    const items = values.map((value): NbtTag => ({ type: NBT.double, value: value as number }));
    return { type: NBT.list, itemType: NBT.double, items };
  }
  const items = values.map((value) => nbtText(typeof value === "string" ? value : JSON.stringify(value, plain)));
  return { type: NBT.list, itemType: NBT.string, items };
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function isInt(value: unknown): value is number {
  return typeof value === "number" && (value | 0) === value && !Object.is(value, -0);
}

function isRecord(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The names of host events' ids, as they stand in `hcrp.events`; ids for new names are added. */
export class HostTable {
  #events: HostEvent[];
  readonly #nameOf: (event: HostEvent) => string;
  #isChanged = false;

  /** `nameOf` is the name of an event's channel. */
  constructor(events: readonly HostEvent[], nameOf: (event: HostEvent) => string) {
    this.#events = [...events];
    this.#nameOf = nameOf;
  }

  get events(): readonly HostEvent[] {
    return this.#events;
  }

  /** All of `events` in place of those so far. */
  adopt(events: readonly HostEvent[]): void {
    this.#events = [...events];
    this.#isChanged = true;
  }

  /** Whether there are more than at the beginning. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** The id whose events go to channel `name` in a chunk; a new one when there is none. */
  idOf(name: string, version: number, chunk: number): number {
    for (const event of this.#events) {
      if (event.sinceChunk <= chunk && this.#nameOf(event) === name && this.#at(event.id, chunk) === event)
        return event.id;
    }
    const used = new Set(this.#events.map(({ id }) => id));
    const numbered = /^host-(\d{2,9})$/.exec(name);
    const wanted = numbered === null ? 0 : Number(numbered[1]);
    let id = wanted >= FIRST_HOST && !used.has(wanted) ? wanted : FIRST_HOST;
    while (used.has(id)) id++;
    this.#events.push({ id, name: id === wanted ? "" : name, version, sinceChunk: 0 });
    this.#isChanged = true;
    return id;
  }

  /** The entry that holds for an id in a chunk: the one since the latest chunk, of equal ones the first. */
  #at(id: number, chunk: number): HostEvent | null {
    let best: HostEvent | null = null;
    for (const event of this.#events) {
      if (event.id !== id || event.sinceChunk > chunk) continue;
      if (best === null || event.sinceChunk > best.sinceChunk) best = event;
    }
    return best;
  }
}
