import {
  NBT,
  type NbtCompound,
  type NbtDocument,
  type NbtTag,
  nbtCompound,
  nbtEntry,
  nbtText,
  readNbt,
} from "../../../codec/nbt.ts";
import { hexText, LIMITS, uuidBytes, uuidText } from "./framing.ts";

/** From which chunk on which versions hold (`epochs` in spec §4, §9). */
export interface Epoch {
  readonly chunk: number;
  readonly dataVersion: number;
  readonly protocol: number;
  readonly schema: string;
  readonly schemaVersion: number;
  readonly server: string;
  readonly started: bigint;
}

/** Name of a host event's id (spec §4 `events`). */
export interface HostEvent {
  readonly id: number;
  readonly name: string;
  readonly version: number;
  readonly sinceChunk: number;
}

/** A recorded player (spec §4 `subjects`). */
export interface Subject {
  readonly entity: number;
  readonly uuid: string;
  readonly name: string;
}

/** What of the compound `hcrp` is needed to read a recording; the rest stays in the document. */
export interface Reserved {
  /** Ascending by chunk. */
  readonly epochs: readonly Epoch[];
  readonly events: readonly HostEvent[];
  readonly subjects: readonly Subject[];
  /** Lower-case hexadecimal digits; null when not stated. */
  readonly dictionarySha256: string | null;
  /** Entries of those lists that are not what the specification says, for findings. */
  readonly oddities: readonly string[];
}

/** The metadata section: nameless NBT, an old-style root with an empty name tolerated (spec §4). */
export function readMetadata(bytes: Uint8Array): NbtDocument {
  return readNbt(bytes, { rootName: "sniff", maxBytes: LIMITS.metadata, maxDepth: 64 });
}

/** Picks what is ours out of a metadata document. Never throws: what does not fit is reported in `oddities`. */
export function readReserved(document: NbtDocument): Reserved {
  const oddities: string[] = [];
  const root = nbtEntry(document.root, "hcrp");
  if (root !== undefined && root.type !== NBT.compound) oddities.push("hcrp is not a compound");
  const hcrp: NbtCompound = root?.type === NBT.compound ? root : nbtCompound({});
  const epochs = compounds(hcrp, "epochs", oddities).map((entry) => ({
    chunk: int(entry, "chunk"),
    dataVersion: int(entry, "data_version"),
    protocol: int(entry, "protocol"),
    schema: text(entry, "schema"),
    schemaVersion: int(entry, "schema_version"),
    server: text(entry, "server"),
    started: long(entry, "started"),
  }));
  epochs.sort((a, b) => a.chunk - b.chunk);
  const events = compounds(hcrp, "events", oddities).map((entry) => ({
    id: int(entry, "id"),
    name: text(entry, "name"),
    version: int(entry, "version"),
    sinceChunk: int(entry, "since_chunk"),
  }));
  const subjects = compounds(hcrp, "subjects", oddities).map((entry) => ({
    entity: int(entry, "entity"),
    uuid: uuid(entry, "uuid", oddities),
    name: text(entry, "name"),
  }));
  const sha256 = nbtEntry(hcrp, "dict_sha256");
  let dictionarySha256: string | null = null;
  if (sha256?.type === NBT.byteArray && sha256.value.length === 32) dictionarySha256 = hexText(sha256.value);
  else if (sha256 !== undefined) oddities.push("hcrp.dict_sha256 is not a byte array of 32");
  return { epochs, events, subjects, dictionarySha256, oddities };
}

/** The compound `hcrp` with these entries and `more` behind them, in the order and the types of spec §4. */
export function writeReserved(
  reserved: Partial<Omit<Reserved, "oddities">>,
  more: Readonly<Record<string, NbtTag>> = {},
): NbtCompound {
  const tags: Record<string, NbtTag> = {};
  const { epochs, events, subjects, dictionarySha256 } = reserved;
  if (epochs !== undefined) {
    tags["epochs"] = list(
      epochs.map((epoch) => ({
        chunk: { type: NBT.int, value: epoch.chunk },
        data_version: { type: NBT.int, value: epoch.dataVersion },
        protocol: { type: NBT.int, value: epoch.protocol },
        schema: nbtText(epoch.schema),
        schema_version: { type: NBT.int, value: epoch.schemaVersion },
        server: nbtText(epoch.server),
        started: { type: NBT.long, value: epoch.started },
      })),
    );
  }
  if (events !== undefined) {
    tags["events"] = list(
      events.map((event) => ({
        id: { type: NBT.int, value: event.id },
        name: nbtText(event.name),
        version: { type: NBT.int, value: event.version },
        since_chunk: { type: NBT.int, value: event.sinceChunk },
      })),
    );
  }
  if (subjects !== undefined) {
    tags["subjects"] = list(
      subjects.map((subject) => ({
        entity: { type: NBT.int, value: subject.entity },
        uuid: uuidTag(subject.uuid),
        name: nbtText(subject.name),
      })),
    );
  }
  if (dictionarySha256 !== undefined && dictionarySha256 !== null) {
    const digits = dictionarySha256;
    const value = Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(digits.slice(i * 2, i * 2 + 2), 16));
    tags["dict_sha256"] = { type: NBT.byteArray, value };
  }
  return nbtCompound({ ...tags, ...more });
}

/** A UUID as NBT keeps it: four ints. */
export function uuidTag(uuid: string): NbtTag {
  const view = new DataView(uuidBytes(uuid).buffer);
  return { type: NBT.intArray, value: Int32Array.from({ length: 4 }, (_, i) => view.getInt32(i * 4)) };
}

/** The epoch that holds for a chunk; null when the metadata does not tell (spec §9). */
export function epochOf(epochs: readonly Epoch[], chunk: number): Epoch | null {
  return epochs.findLast((epoch) => epoch.chunk <= chunk) ?? null;
}

function list(items: readonly Readonly<Record<string, NbtTag>>[]): NbtTag {
  return { type: NBT.list, itemType: NBT.compound, items: items.map(nbtCompound) };
}

function compounds(parent: NbtCompound, name: string, oddities: string[]): NbtCompound[] {
  const tag = nbtEntry(parent, name);
  if (tag === undefined) return [];
  if (tag.type !== NBT.list || (tag.itemType !== NBT.compound && tag.items.length > 0)) {
    oddities.push(`hcrp.${name} is not a list of compounds`);
    return [];
  }
  return tag.items as NbtCompound[];
}

function int(compound: NbtCompound, name: string): number {
  const tag = nbtEntry(compound, name);
  switch (tag?.type) {
    case NBT.byte:
    case NBT.short:
    case NBT.int:
      return tag.value;
    default:
      return 0;
  }
}

function long(compound: NbtCompound, name: string): bigint {
  const tag = nbtEntry(compound, name);
  return tag?.type === NBT.long ? tag.value : 0n;
}

function text(compound: NbtCompound, name: string): string {
  const tag = nbtEntry(compound, name);
  return tag?.type === NBT.string ? tag.value : "";
}

function uuid(compound: NbtCompound, name: string, oddities: string[]): string {
  const tag = nbtEntry(compound, name);
  if (tag === undefined) return "";
  if (tag.type !== NBT.intArray || tag.value.length !== 4) {
    oddities.push(`hcrp.subjects: ${name} is not an array of four ints`);
    return "";
  }
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  tag.value.forEach((value, i) => {
    view.setInt32(i * 4, value);
  });
  return uuidText(bytes);
}
