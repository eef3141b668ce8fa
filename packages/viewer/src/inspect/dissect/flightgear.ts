import type { Fields } from "./fields.ts";

const CONTAINERS = ["magic", "meta tree", "config tree", "frames"];
const NORMAL = 0x11223344;

/** Facts: packages/simtape/src/formats/flightgear/README.md. `signals`: names of a frame's numbers, in their order. */
export function dissectFlightGear(
  fields: Fields,
  kind: string,
  metadata: Readonly<Record<string, unknown>>,
  signals: readonly string[],
): void {
  const isNormal = metadata["kind"] === "normal";
  if (kind === "header") header(fields);
  else if (kind === "container") container(fields);
  else if (kind === "frame") {
    fields.f64("time, s");
    const items = metadata["data"] as readonly string[] | undefined;
    if (isNormal) normalFrame(fields, metadata, signals);
    else if (metadata["compression"] === "none" || metadata["compression"] === null) {
      for (const item of items ?? []) {
        const length = fields.u32(`${item} length`);
        if (item === "signals") numbers(fields, length, metadata, signals);
        else fields.payload(item, length);
      }
    } else {
      fields.u8("items");
      fields.payload("deflated items", fields.u32("length"));
    }
  }
}

function header(fields: Fields): void {
  const magic = new DataView(fields.bytes.buffer, fields.bytes.byteOffset).getUint32(0, true);
  if (magic === NORMAL) {
    fields.u32("magic");
    while (fields.left >= 12) {
      const { name, size } = container(fields);
      fields.text(name, size);
    }
    return;
  }
  fields.text("magic", fields.bytes.indexOf(0) + 1);
  fields.text("tree", fields.u32("tree length"));
}

function container(fields: Fields): { readonly name: string; readonly size: number } {
  const type = fields.u32("container type");
  const name = CONTAINERS[type] ?? "container";
  return { name, size: fields.u64(`${name} size`) };
}

function normalFrame(fields: Fields, metadata: Readonly<Record<string, unknown>>, signals: readonly string[]): void {
  const generation = Number(metadata["generation"]);
  const size = Number(metadata["recordSize"]) - (generation === 1 ? 8 : 0);
  numbers(fields, size, metadata, signals);
  if (fields.left === 0) return;
  if (generation === 2) {
    const count = fields.u64("packets");
    for (let i = 0; i < count; i++) fields.payload(`packet ${i}`, fields.u64(`packet ${i} length`));
  } else {
    fields.u32("bytes of packets");
    for (let i = 0; fields.left > 0; i++) fields.payload(`packet ${i}`, fields.u16(`packet ${i} length`));
  }
}

/** Doubles, floats, ints, int16s, int8s, then bools as bits, lowest first. */
function numbers(
  fields: Fields,
  size: number,
  metadata: Readonly<Record<string, unknown>>,
  signals: readonly string[],
): void {
  const end = fields.at + size;
  const types = metadata["signalTypes"] as Readonly<Record<string, number>> | undefined;
  const widths = [
    ["double", 8, (name: string) => fields.f64(name)],
    ["float", 4, (name: string) => fields.f32(name)],
    ["int", 4, (name: string) => fields.i32(name)],
    ["int16", 2, (name: string) => fields.u16(name)],
    ["int8", 1, (name: string) => fields.u8(name)],
  ] as const;
  fields.values(() => {
    let signal = 0;
    for (const [type, , read] of widths) {
      for (let i = 0; i < (types?.[type] ?? 0); i++) read(signals[signal++] ?? type);
    }
    const bools = types?.["bool"] ?? 0;
    for (let bit = 0; bit < bools; bit += 8) {
      const names = signals.slice(signal + bit, signal + Math.min(bools, bit + 8));
      fields.u8(names.length === 0 ? "bools" : names.join(", "));
    }
    if (fields.at < end) fields.raw("filler", end - fields.at);
  });
}
