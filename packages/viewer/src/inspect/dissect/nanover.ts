import type { Fields } from "./fields.ts";

/** Maps and arrays inside one another, and items of one that are named. */
const DEEPEST = 12;
const MOST_ITEMS = 200;

/** Facts: packages/simtape/src/formats/nanover/README.md. */
export function dissectNanover(fields: Fields, kind: string): void {
  switch (kind) {
    case "traj-header":
    case "state-header":
      fields.u64("magic");
      fields.u64("version");
      break;
    case "frame":
    case "state":
      fields.u64("time, µs");
      fields.u64("time, upper half");
      fields.payload("payload", fields.u64("payload length"));
      break;
    case "message":
      fields.values(() => packed(fields, "", 0));
      break;
    case "index":
      packed(fields, "", 0);
      break;
    case "zip-header": {
      fields.raw("signature", 4);
      for (const name of ["version", "flags", "method", "time", "date"]) fields.u16(name);
      for (const name of ["crc-32", "compressed size", "size"]) fields.u32(name);
      const name = fields.u16("name length");
      const extra = fields.u16("extra length");
      fields.text("name", name);
      fields.raw("extra", extra);
      break;
    }
    default:
  }
}

/** MessagePack: every value that holds no others is a field, named by the keys on the way to it. */
function packed(fields: Fields, name: string, depth: number): void {
  if (depth > DEEPEST) throw new RangeError("nested too deeply");
  const { bytes, at } = fields;
  const type = bytes[at];
  if (type === undefined) throw new RangeError("a value is missing");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const own = name === "" ? "message" : name;
  const inner = (key: string): string => (name === "" ? key : `${name}.${key}`);
  const map = (count: number, head: number): void => {
    fields.add(own, head, `map of ${count}`);
    for (let i = 0; i < count; i++) packed(fields, inner(key(fields, own)), depth + 1);
  };
  const list = (count: number, head: number): void => {
    fields.add(own, head, `list of ${count}`);
    for (let i = 0; i < count; i++) packed(fields, i < MOST_ITEMS ? `${own}[${i}]` : `${own}[…]`, depth + 1);
  };
  const text = (head: number, length: number): void => {
    fields.add(`${own} length`, head, String(length));
    fields.text(own, length);
  };
  const binary = (head: number, length: number): void => {
    fields.add(`${own} length`, head, String(length));
    fields.raw(own, length);
  };
  if (type <= 0x7f) fields.add(own, 1, String(type));
  else if (type <= 0x8f) map(type & 15, 1);
  else if (type <= 0x9f) list(type & 15, 1);
  else if (type <= 0xbf) text(1, type & 31);
  else if (type >= 0xe0) fields.add(own, 1, String(type - 256));
  else if (type === 0xc0) fields.add(own, 1, "nil");
  else if (type === 0xc2 || type === 0xc3) fields.add(own, 1, String(type === 0xc3));
  else if (type === 0xc4) binary(2, view.getUint8(at + 1));
  else if (type === 0xc5) binary(3, view.getUint16(at + 1));
  else if (type === 0xc6) binary(5, view.getUint32(at + 1));
  else if (type === 0xc7) binary(3, view.getUint8(at + 1));
  else if (type === 0xc8) binary(4, view.getUint16(at + 1));
  else if (type === 0xc9) binary(6, view.getUint32(at + 1));
  else if (type === 0xca) fields.add(own, 5, String(view.getFloat32(at + 1)));
  else if (type === 0xcb) fields.add(own, 9, String(view.getFloat64(at + 1)));
  else if (type >= 0xcc && type <= 0xcf) {
    const length = 1 << (type - 0xcc);
    fields.add(own, 1 + length, String(unsigned(view, at + 1, length)));
  } else if (type >= 0xd0 && type <= 0xd3) {
    const length = 1 << (type - 0xd0);
    fields.add(own, 1 + length, String(BigInt.asIntN(8 * length, unsigned(view, at + 1, length))));
  } else if (type >= 0xd4 && type <= 0xd8) binary(2, 1 << (type - 0xd4));
  else if (type === 0xd9) text(2, view.getUint8(at + 1));
  else if (type === 0xda) text(3, view.getUint16(at + 1));
  else if (type === 0xdb) text(5, view.getUint32(at + 1));
  else if (type === 0xdc) list(view.getUint16(at + 1), 3);
  else if (type === 0xdd) list(view.getUint32(at + 1), 5);
  else if (type === 0xde) map(view.getUint16(at + 1), 3);
  else if (type === 0xdf) map(view.getUint32(at + 1), 5);
  else throw new RangeError(`type ${type} of MessagePack is never used`);
}

/** The text of a key, passed over as a field. */
function key(fields: Fields, of: string): string {
  const start = fields.all.length;
  packed(fields, `key in ${of}`, DEEPEST);
  return fields.all.slice(start).at(-1)?.text ?? "";
}

function unsigned(view: DataView, at: number, length: number): bigint {
  if (length === 8) return view.getBigUint64(at);
  return BigInt(length === 1 ? view.getUint8(at) : length === 2 ? view.getUint16(at) : view.getUint32(at));
}
