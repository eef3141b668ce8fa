import { LayoutError } from "../../../bytes/error.ts";
import type { Value } from "../../../model/values/value.ts";
import { CdrReader, ITEM, OBJECT, SIZES } from "./cdr.ts";
import { type RosField, rosTypes, type RosTypes, SCALARS } from "./ros-types.ts";
import type { Decode } from "./schema.ts";

const UTF8 = new TextDecoder();

/** ROS 1: numbers are little-endian and without gaps, text has its length before it (spec §6). */
export function ros1Decoder(definition: Uint8Array, root: string): Decode | null {
  const layout = { at: 0, isLittle: true, align: 1, hasZero: false };
  return decoder(definition, root, (payload) => new RosReader(new CdrReader(payload, layout)));
}

/**
 * ROS 2: a head of four bytes, then numbers at multiples of their size, counted from behind the head; text ends with a
 * zero that its length counts. The head tells the byte order, and whether the largest multiple is 8 or 4.
 */
export function cdrDecoder(definition: Uint8Array, root: string): Decode | null {
  return decoder(definition, root, (payload) => {
    const kind = payload.length < 4 || payload[0] !== 0 ? -1 : payload[1]!;
    if (kind !== 0 && kind !== 1 && kind !== 6 && kind !== 7) {
      throw new LayoutError("malformed", "the payload is no plain CDR", 0);
    }
    const layout = { at: 4, isLittle: (kind & 1) === 1, align: kind < 2 ? 8 : 4, hasZero: true };
    return new RosReader(new CdrReader(payload, layout));
  });
}

function decoder(definition: Uint8Array, root: string, open: (payload: Uint8Array) => RosReader): Decode | null {
  const types = rosTypes(UTF8.decode(definition), root);
  if (types === null) return null;
  const name = root.replace("/msg/", "/");
  return (payload) => open(payload).message(types, name);
}

class RosReader {
  readonly #from: CdrReader;

  constructor(from: CdrReader) {
    this.#from = from;
  }

  message(types: RosTypes, name: string): { [key: string]: Value } {
    this.#from.claim(OBJECT);
    const value: { [key: string]: Value } = {};
    for (const field of types.get(name) ?? []) value[field.name] = this.#field(types, field);
    return value;
  }

  #field(types: RosTypes, { type, count }: RosField): Value {
    if (count === "one") return this.#one(types, type);
    const length = count === "many" ? this.#from.number("uint32") : count;
    const size = SIZES[type];
    // every item but an empty message takes a byte at least
    if (SCALARS.has(type) && length * (size ?? 1) > this.#from.left) this.#from.cut(length * (size ?? 1));
    this.#from.claim(length * (size ?? ITEM));
    if (size !== undefined && type !== "bool") return this.#from.numbers(type, length, size);
    if (!SCALARS.has(type)) this.#from.claim(length * OBJECT);
    return Array.from({ length }, () => this.#one(types, type));
  }

  #one(types: RosTypes, type: string): Value {
    switch (type) {
      case "string":
        return this.#from.text();
      case "time":
        return { sec: this.#from.number("uint32"), nsec: this.#from.number("uint32") };
      case "duration":
        return { sec: this.#from.number("int32"), nsec: this.#from.number("int32") };
      default:
        return SCALARS.has(type) ? this.#from.one(type) : this.message(types, type);
    }
  }
}
