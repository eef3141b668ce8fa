import type { ByteBuilder } from "../../../bytes/builder.ts";
import { LayoutError } from "../../../bytes/error.ts";
import {
  type PropertyNode,
  propertyChild,
  propertyChildren,
  propertyInteger,
  propertyNode,
} from "../../../codec/properties.ts";

/** Signal types in the order in which their values lie in a record (spec §2.2). */
export const SIGNAL_TYPES = ["double", "float", "int", "int16", "int8", "bool"] as const;
export type SignalType = (typeof SIGNAL_TYPES)[number];

/** How a signal moves between two frames; for whole numbers and booleans the word has no effect (spec §2.4). */
export type SignalInterpolation = "discrete" | "linear" | "angular-rad" | "angular-deg";

/** One recorded property. */
export interface Signal {
  /** Path with zero indices left out: `/engines/engine[1]/rpm`. */
  readonly property: string;
  readonly type: SignalType;
  readonly interpolation: SignalInterpolation;
}

/** The signals of a recording, in byte order. */
export interface SignalList {
  readonly signals: readonly Signal[];
  /** How many of each type. */
  readonly counts: Readonly<Record<SignalType, number>>;
  /** Bytes their values take, without filler. */
  readonly bytes: number;
  /** What `recorder/record-size` must say: the values and 8 bytes (spec §2.3). */
  readonly recordSize: number;
  /** What `recorder/record-size` says; null when it is absent or 0. */
  readonly declaredSize: number | null;
  /** Listed, but without bytes in a record: of unknown type, or listed twice (spec §2.1). */
  readonly dropped: readonly { readonly property: string; readonly reason: string }[];
}

/** Filler at the end of each record, where the time once was (spec §2.3). */
export const FILLER_BYTES = 8;
/** Signals that a list may hold; FlightGear's largest has some hundreds. */
const MAX_SIGNALS = 65536;

const WIDTH: Readonly<Record<SignalType, number>> = { double: 8, float: 4, int: 4, int16: 2, int8: 1, bool: 0 };

/**
 * The signals of a config tree, as FlightGear's loader takes them from it: nested lists with prefix, count and `%i`, in
 * any order of types (spec §2.1). Throws `LayoutError` when there are more than 65,536.
 */
export function readSignalList(config: PropertyNode): SignalList {
  const listed: { property: string; type: string; interpolation: SignalInterpolation }[] = [];
  collect(config, "", 1, listed);
  const signals: Signal[] = [];
  const dropped: { property: string; reason: string }[] = [];
  const counts = { double: 0, float: 0, int: 0, int16: 0, int8: 0, bool: 0 };
  const seen = new Set<string>();
  for (const type of SIGNAL_TYPES) {
    for (const signal of listed) {
      if (signal.type !== type) continue;
      if (seen.has(signal.property)) {
        dropped.push({ property: signal.property, reason: "it is listed twice" });
        continue;
      }
      seen.add(signal.property);
      counts[type]++;
      signals.push({ property: signal.property, type, interpolation: signal.interpolation });
    }
  }
  for (const { property, type } of listed) {
    if (!isSignalType(type)) dropped.push({ property, reason: `its type ${JSON.stringify(type)} is not recorded` });
  }
  let bytes = Math.ceil(counts.bool / 8);
  for (const type of SIGNAL_TYPES) bytes += counts[type] * WIDTH[type];
  const recorder = propertyChild(config, "recorder");
  const size = recorder === undefined ? undefined : propertyChild(recorder, "record-size");
  const declared = size === undefined ? 0 : propertyInteger(size);
  return {
    signals,
    counts,
    bytes,
    recordSize: bytes + FILLER_BYTES,
    declaredSize: declared > 0 ? declared : null,
    dropped,
  };
}

/** The config tree FlightGear writes for signals, children of the node that holds it (spec §2.1). */
export function writeSignalList(name: string, list: readonly Signal[]): PropertyNode[] {
  const ordered = SIGNAL_TYPES.flatMap((type) => list.filter((signal) => signal.type === type));
  const signals = ordered.map((signal, index) =>
    propertyNode("signal", {
      index,
      children: [
        propertyNode("type", { type: "string", value: signal.type }),
        propertyNode("interpolation", { type: "string", value: signal.interpolation }),
        propertyNode("property", { type: "string", value: indexed(signal.property) }),
      ],
    }),
  );
  const nodes = [propertyNode("name", { type: "string", value: name }), propertyNode("signals", { children: signals })];
  let bytes = 0;
  for (const type of SIGNAL_TYPES) {
    const count = ordered.filter((signal) => signal.type === type).length;
    bytes += type === "bool" ? Math.ceil(count / 8) : count * WIDTH[type];
    nodes.push(propertyNode(type, { type: "int", value: String(count) }));
  }
  nodes.push(
    propertyNode("recorder", {
      children: [
        propertyNode("record-size", { type: "int", value: String(bytes + FILLER_BYTES) }),
        propertyNode("signal-count", { type: "int", value: String(ordered.length) }),
      ],
    }),
  );
  return nodes;
}

/** A path with zero indices left out and one leading slash: `/engines/engine[1]/rpm`. */
export function propertyPath(path: string): string {
  const steps = path.split("/").filter((step) => step !== "");
  return `/${steps.map((step) => (step.endsWith("[0]") ? step.slice(0, -3) : step)).join("/")}`;
}

/**
 * Hands each value of a record to `put`, in the order of `list.signals`; a value of type bool is 0 or 1.
 * Throws `LayoutError` when the record is shorter than the list needs.
 */
export function readSignals(
  view: DataView,
  start: number,
  end: number,
  list: SignalList,
  put: (index: number, value: number) => void,
): void {
  if (end - start < list.bytes) {
    const message = `signals of ${end - start} bytes, ${list.signals.length} signals take ${list.bytes}`;
    throw new LayoutError("truncated", message, 0);
  }
  const { counts } = list;
  let at = start;
  let index = 0;
  // spec §2.2
  for (let n = counts.double; n > 0; n--, at += 8) put(index++, view.getFloat64(at, true));
  for (let n = counts.float; n > 0; n--, at += 4) put(index++, view.getFloat32(at, true));
  for (let n = counts.int; n > 0; n--, at += 4) put(index++, view.getInt32(at, true));
  for (let n = counts.int16; n > 0; n--, at += 2) put(index++, view.getInt16(at, true));
  for (let n = counts.int8; n > 0; n--, at++) put(index++, view.getInt8(at));
  for (let k = 0; k < counts.bool; k++) put(index++, (view.getUint8(at + (k >> 3)) >> (k & 7)) & 1);
}

/** Where a record has the value of one signal. */
export interface SignalPlace {
  /** In `list.signals`. */
  readonly index: number;
  readonly type: Signal["type"];
  /** Bytes from the start of the record, and of type bool the bit in that byte. */
  readonly at: number;
  readonly bit: number;
}

/** The places of these signals, by their index in `list.signals`, ascending. */
export function placesOf({ signals, counts }: SignalList, indices: Iterable<number>): readonly SignalPlace[] {
  const wanted = new Set(indices);
  const places: SignalPlace[] = [];
  let at = 0;
  // spec §2.2
  for (const [index, { type }] of signals.entries()) {
    if (type === "bool") {
      const k = index - (signals.length - counts.bool);
      if (wanted.has(index)) places.push({ index, type, at: at + (k >> 3), bit: k & 7 });
      continue;
    }
    if (wanted.has(index)) places.push({ index, type, at, bit: 0 });
    at += WIDTHS[type];
  }
  return places;
}

const WIDTHS = { double: 8, float: 4, int: 4, int16: 2, int8: 1 } as const;

/** The value at a place of the record that begins at `start`; a value of type bool is 0 or 1. */
export function readSignal(view: DataView, start: number, { type, at, bit }: SignalPlace): number {
  const here = start + at;
  switch (type) {
    case "double":
      return view.getFloat64(here, true);
    case "float":
      return view.getFloat32(here, true);
    case "int":
      return view.getInt32(here, true);
    case "int16":
      return view.getInt16(here, true);
    case "int8":
      return view.getInt8(here);
    case "bool":
      return (view.getUint8(here) >> bit) & 1;
    default:
      return type satisfies never;
  }
}

/** The record of such values, in the order of `list.signals`; whole numbers are cut to the width of their type. */
export function writeSignals(
  builder: ByteBuilder,
  list: SignalList,
  values: ArrayLike<number>,
  filler: number = FILLER_BYTES,
): void {
  const { counts } = list;
  let index = 0;
  for (let n = counts.double; n > 0; n--) builder.f64le(values[index++]!);
  for (let n = counts.float; n > 0; n--) builder.f32le(values[index++]!);
  for (let n = counts.int; n > 0; n--) builder.i32le(values[index++]!);
  for (let n = counts.int16; n > 0; n--) builder.i16le(values[index++]!);
  for (let n = counts.int8; n > 0; n--) builder.i8(values[index++]!);
  for (let k = 0; k < counts.bool; k += 8) {
    let bits = 0;
    for (let bit = 0; bit < 8 && k + bit < counts.bool; bit++) bits |= (values[index++] === 0 ? 0 : 1) << bit;
    builder.u8(bits);
  }
  builder.zeros(filler);
}

/** A node's own signals, then those of the lists nested in it; a nested prefix takes the place of the inherited one. */
function collect(
  node: PropertyNode,
  inheritedPrefix: string,
  inheritedCount: number,
  listed: { property: string; type: string; interpolation: SignalInterpolation }[],
): void {
  let prefix = propertyChild(node, "prefix")?.value ?? inheritedPrefix;
  if (prefix !== "" && !prefix.endsWith("/")) prefix += "/";
  const countNode = propertyChild(node, "count");
  const count = countNode === undefined ? inheritedCount : propertyInteger(countNode);
  for (const signal of propertyChildren(node, "signal")) {
    const type = propertyChild(signal, "type")?.value ?? "float";
    const interpolation = interpolationOf(propertyChild(signal, "interpolation")?.value ?? "linear");
    const pattern = prefix + (propertyChild(signal, "property")?.value ?? "");
    const times = pattern.includes("%i") ? count : Math.min(count, 1);
    for (let i = 0; i < times; i++) {
      if (listed.length >= MAX_SIGNALS) throw new LayoutError("malformed", `more than ${MAX_SIGNALS} signals`, 0);
      listed.push({ property: propertyPath(pattern.replace("%i", String(i))), type, interpolation });
    }
  }
  for (const nested of propertyChildren(node, "signals")) collect(nested, prefix, count, listed);
}

// spec §2.1: an unknown word is linear
function interpolationOf(word: string): SignalInterpolation {
  if (word === "discrete" || word === "angular-rad" || word === "angular-deg") return word;
  return word === "angular" ? "angular-rad" : "linear";
}

function isSignalType(type: string): type is SignalType {
  return (SIGNAL_TYPES as readonly string[]).includes(type);
}

function indexed(path: string): string {
  return path.replace(/[^/]+/g, (step) => (step.endsWith("]") ? step : `${step}[0]`));
}
