import { NBT, type NbtTag, nbtCompound, nbtText, readNbt, writeNbt } from "simtape/kit";

/** A tag in the form of the protocol's library. */
export interface PacketNbt {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has values of its own, which no type of the library tells
  readonly value: any;
}

/** Longest block entity, bytes. */
const MOST_BYTES = 2 << 20;
/** Numbers of types, by their names in the library. */
const NUMBERS: Readonly<Record<string, number>> = NBT;
const NAMES = new Map(Object.entries(NBT).map(([name, type]) => [type as number, name]));

/** A compound of a packet as bytes, without the named members. Throws `RangeError` for data that is no NBT. */
export function nbtBytes({ type, value }: PacketNbt, without: readonly string[] = []): Uint8Array {
  if (type !== "compound") throw new RangeError(`NBT that is ${type}`);
  const kept = Object.entries(value as Record<string, PacketNbt>).filter(([name]) => !without.includes(name));
  return writeNbt({ root: nbtCompound(Object.fromEntries(kept.map(([name, tag]) => [name, tagOf(tag)]))), name: null });
}

/** The inverse of `nbtBytes`. Throws `LayoutError` for data that is no NBT. */
export function packetNbt(bytes: Uint8Array): PacketNbt & { readonly name: string } {
  const { root } = readNbt(bytes, { rootName: "network", maxBytes: MOST_BYTES });
  return { ...plain(root), name: "" };
}

function tagOf({ type: name, value }: PacketNbt): NbtTag {
  const type = NUMBERS[name];
  switch (type) {
    case NBT.byte:
    case NBT.short:
    case NBT.int:
    case NBT.float:
    case NBT.double:
      return { type, value };
    case NBT.long:
      return { type, value: longOf(value) };
    case NBT.byteArray:
      return { type, value: Uint8Array.from(value as readonly number[]) };
    case NBT.string:
      return nbtText(value);
    case NBT.list: {
      const items = value.value as readonly unknown[];
      const itemType = NUMBERS[value.type] ?? NBT.end;
      return { type, itemType, items: items.map((item) => tagOf({ type: value.type, value: item })) };
    }
    case NBT.compound:
      return nbtCompound(
        Object.fromEntries(Object.entries(value as Record<string, PacketNbt>).map(([key, tag]) => [key, tagOf(tag)])),
      );
    case NBT.intArray:
      return { type, value: Int32Array.from(value as readonly number[]) };
    case NBT.longArray:
      return { type, value: BigInt64Array.from(value as readonly unknown[], longOf) };
    default:
      throw new RangeError(`NBT of a type ${name}`);
  }
}

function plain(tag: NbtTag): PacketNbt {
  const type = NAMES.get(tag.type)!;
  switch (tag.type) {
    case NBT.long:
      return { type, value: halves(tag.value) };
    case NBT.byteArray:
      return { type, value: Array.from(tag.value, (byte) => (byte << 24) >> 24) };
    case NBT.list:
      return { type, value: { type: NAMES.get(tag.itemType)!, value: tag.items.map((item) => plain(item).value) } };
    case NBT.compound:
      return { type, value: Object.fromEntries(tag.entries.map(({ name, tag: of }) => [name.value, plain(of)])) };
    case NBT.intArray:
      return { type, value: [...tag.value] };
    case NBT.longArray:
      return { type, value: Array.from(tag.value, halves) };
    default:
      return { type, value: tag.value };
  }
}

/** High and low half, or one number. */
function longOf(value: unknown): bigint {
  if (!Array.isArray(value)) return BigInt(value as bigint | number);
  const [high, low] = value as [number, number];
  return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low >>> 0));
}

function halves(value: bigint): [number, number] {
  return [Number(value >> 32n), Number(BigInt.asIntN(32, value))];
}
