import { ByteBuilder } from "../../../bytes/builder.ts";
import { LayoutError } from "../../../bytes/error.ts";
import {
  decodeMessagePack,
  encodeMessagePack,
  MessagePackFloat,
  type MessagePackValue,
} from "../../../codec/messagepack.ts";
import type { MutableColumn } from "../../../model/state/column.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { Value } from "../../../model/values/value.ts";
import { AXES, COLUMNS, type ColumnName, column, isColumnName, OWN_SETS, SHOWN_SETS } from "./columns.ts";

/**
 * Packet in which simtape puts the part of a state that CARLA's own packets cannot say, where a recording was cut. It
 * stands above 100, as the documentation recommends for private packets, and CARLA skips it.
 */
export const STATE_PACKET = 200;
/** Name of its channel. */
export const OWN_CHANNEL = "simtape-state";

/** What the payload begins with, then its version; behind it stands a MessagePack map. */
const SIGNATURE: Uint8Array = new TextEncoder().encode(OWN_CHANNEL);
const VERSION = 1;

type Id = number;

/** Cells of one column: `cells` holds those of row `ids[0]`, then those of `ids[1]` and so on. */
export interface PatchColumn {
  readonly ids: Float64Array;
  readonly cells: Float64Array | readonly string[];
}

/** What must be changed in an entity set: ids that go, ids that come, and columns with their new cells. */
export interface PatchSet {
  readonly remove: Float64Array;
  readonly add: Float64Array;
  readonly columns: Readonly<Record<string, PatchColumn>>;
}

/** What must be changed in a state. */
export interface StatePatch {
  readonly values: Readonly<Record<string, Value>>;
  readonly unset: readonly string[];
  readonly sets: Readonly<Record<string, PatchSet>>;
}

export function isStatePatch(payload: Uint8Array): boolean {
  return payload.length > SIGNATURE.length && SIGNATURE.every((byte, i) => payload[i] === byte);
}

/**
 * What turns `from` into `to`; null when they are equal. Order of rows does not count, nor who was added in this frame:
 * nothing of it follows. Number and duration of the frame are what the frame itself says.
 */
export function statePatch(from: MutableState, to: MutableState): StatePatch | null {
  const values: Record<string, Value> = {};
  for (const [path, value] of to.values) {
    if (!OF_FRAME.has(path) && !isSame(value, from.value(path))) values[path] = value;
  }
  const unset = [...from.values.keys()].filter((path) => !OF_FRAME.has(path) && to.value(path) === undefined);
  const sets: Record<string, PatchSet> = {};
  for (const name of [...SHOWN_SETS, ...OWN_SETS]) {
    if (name === ".fresh") continue;
    const patch = setPatch(from, to, name);
    if (patch !== null) sets[name] = patch;
  }
  const isEmpty = Object.keys(values).length === 0 && unset.length === 0 && Object.keys(sets).length === 0;
  return isEmpty ? null : { values, unset, sets };
}

const OF_FRAME: ReadonlySet<string> = new Set(["frame", "frame-duration"]);

function setPatch(from: MutableState, to: MutableState, name: string): PatchSet | null {
  const wanted = to.sets.get(name);
  const given = from.sets.get(name);
  const add = (wanted?.ids ?? []).filter((id) => given === undefined || given.find(id) < 0) as Id[];
  const remove = (given?.ids ?? []).filter((id) => wanted === undefined || wanted.find(id) < 0) as Id[];
  const columns: Record<string, PatchColumn> = {};
  for (const [key, cells] of wanted?.columns ?? []) {
    const { width, kind } = cells.spec;
    const present = given?.columns.get(key);
    const ids: Id[] = [];
    const changed: (number | string)[] = [];
    for (const [row, id] of (wanted?.ids ?? []).entries()) {
      const before = given === undefined ? -1 : given.find(id);
      if (before >= 0 ? isSameRow(cells, row, present, before) : isUnknown(cells, row)) continue;
      ids.push(id as Id);
      if (kind === "string") changed.push(cells.text(row));
      else for (let k = 0; k < width; k++) changed.push(cells.number(row, k));
    }
    if (ids.length === 0 && (present !== undefined || (wanted?.size ?? 0) === 0)) continue;
    const numbers = kind === "string" ? (changed as string[]) : Float64Array.from(changed as number[]);
    columns[key] = { ids: Float64Array.from(ids), cells: numbers };
  }
  if (add.length === 0 && remove.length === 0 && Object.keys(columns).length === 0) return null;
  return { remove: Float64Array.from(remove), add: Float64Array.from(add), columns };
}

function isSameRow(cells: MutableColumn, row: number, other: MutableColumn | undefined, at: number): boolean {
  if (other === undefined) return isUnknown(cells, row);
  if (cells.spec.kind === "string") return cells.text(row) === other.text(at);
  for (let k = 0; k < cells.spec.width; k++) if (!Object.is(cells.number(row, k), other.number(at, k))) return false;
  return true;
}

/** A cell that nothing was said about (docs/state.md). */
function isUnknown(cells: MutableColumn, row: number): boolean {
  const { kind, width } = cells.spec;
  if (kind === "string") return cells.text(row) === "";
  const unknown = kind === "f64" || kind === "f32" ? Number.NaN : 0;
  for (let k = 0; k < width; k++) if (!Object.is(cells.number(row, k), unknown)) return false;
  return true;
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Record<string, Value>, b as Record<string, Value>];
  return keys.every((key) => Object.hasOwn(b, key) && isSame(left[key], right[key]));
}

export function writeStatePatch(patch: StatePatch): Uint8Array {
  const sets: Record<string, MessagePackValue> = {};
  for (const [name, { add, remove, columns }] of Object.entries(patch.sets)) {
    const cells: Record<string, MessagePackValue> = {};
    for (const [key, of] of Object.entries(columns)) {
      const isText = !(of.cells instanceof Float64Array);
      cells[key] = {
        ids: bytesOf(of.ids),
        cells: isText ? (of.cells as readonly string[]) : bytesOf(of.cells as Float64Array),
      };
    }
    sets[name] = { add: bytesOf(add), remove: bytesOf(remove), columns: cells };
  }
  const values: Record<string, MessagePackValue> = {};
  for (const [path, value] of Object.entries(patch.values)) values[path] = packed(value);
  const builder = new ByteBuilder(1024);
  builder
    .raw(SIGNATURE)
    .u8(VERSION)
    .raw(encodeMessagePack({ values, unset: patch.unset, sets }));
  return builder.take();
}

/** Throws `LayoutError` when the payload is no such packet, or names what the fold does not know. */
export function readStatePatch(payload: Uint8Array): StatePatch {
  if (!isStatePatch(payload)) throw wrong("no signature");
  const version = payload[SIGNATURE.length];
  if (version !== VERSION) throw wrong(`version ${version}`);
  const document = mapOf(decodeMessagePack(payload.subarray(SIGNATURE.length + 1)));
  const sets: Record<string, PatchSet> = {};
  for (const [name, entry] of Object.entries(mapOf(document["sets"]))) {
    if (!SHOWN_SETS.includes(name) && !OWN_SETS.includes(name)) throw wrong(`set ${JSON.stringify(name)}`);
    const { add, remove, columns: listed } = mapOf(entry);
    const columns: Record<string, PatchColumn> = {};
    for (const [key, cells] of Object.entries(mapOf(listed))) columns[key] = columnOf(key, mapOf(cells));
    sets[name] = { add: numbersOf(add), remove: numbersOf(remove), columns };
  }
  const values: Record<string, Value> = {};
  for (const [path, value] of Object.entries(mapOf(document["values"]))) values[path] = value as Value;
  return { values, unset: textsOf(document["unset"]), sets };
}

function columnOf(key: string, { ids: places, cells }: Record<string, MessagePackValue>): PatchColumn {
  if (!isColumnName(key)) throw wrong(`column ${JSON.stringify(key)}`);
  const ids = numbersOf(places);
  const { kind, width } = COLUMNS[key];
  const read = kind === "string" ? textsOf(cells) : numbersOf(cells);
  if (read.length !== ids.length * width) throw wrong(`${read.length} cells for ${ids.length} rows of ${key}`);
  return { ids, cells: read };
}

/** Changes `state`; a payload that is no such packet, or does not fit, changes nothing. */
export function applyStatePatch(state: MutableState, payload: Uint8Array): void {
  if (!isStatePatch(payload)) return;
  let patch: StatePatch;
  try {
    patch = readStatePatch(payload);
  } catch (error) {
    if (error instanceof LayoutError) return;
    throw error;
  }
  for (const path of patch.unset) state.deleteValue(path);
  for (const [path, value] of Object.entries(patch.values)) state.setValue(path, value);
  for (const [name, { add, remove, columns }] of Object.entries(patch.sets)) {
    const set = state.set(name, SHOWN_SETS.includes(name) ? AXES : null);
    for (const id of remove) set.remove(id);
    for (const id of add) set.row(id);
    for (const [key, { ids, cells }] of Object.entries(columns)) {
      const target = column(set, key as ColumnName);
      const { kind, width } = target.spec;
      ids.forEach((id, n) => {
        const row = set.row(id);
        if (kind === "string") target.putText(row, cells[n] as string);
        else for (let k = 0; k < width; k++) target.put(row, cells[n * width + k] as number, k);
      });
    }
  }
}

/** Numbers as float64, so that -0 and whole numbers come back as they were. */
function packed(value: Value): MessagePackValue {
  if (typeof value === "number")
    return Number.isInteger(value) && !Object.is(value, -0) ? value : new MessagePackFloat(value);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>, packed);
  if (Array.isArray(value)) return value.map(packed);
  const map: Record<string, MessagePackValue> = {};
  for (const [key, item] of Object.entries(value)) map[key] = packed(item as Value);
  return map;
}

function bytesOf(numbers: Float64Array): Uint8Array {
  const builder = new ByteBuilder(numbers.length * 8);
  for (const number of numbers) builder.f64le(number);
  return builder.take();
}

function numbersOf(value: MessagePackValue | undefined): Float64Array {
  if (!(value instanceof Uint8Array) || value.length % 8 !== 0) throw wrong("numbers");
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return Float64Array.from({ length: value.length / 8 }, (_, i) => view.getFloat64(i * 8, true));
}

function textsOf(value: MessagePackValue | undefined): readonly string[] {
  if (!Array.isArray(value) || !value.every((text) => typeof text === "string")) throw wrong("texts");
  return value as string[];
}

function mapOf(value: MessagePackValue | undefined): Record<string, MessagePackValue> {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
  if (!isMap) throw wrong("no map");
  return value as Record<string, MessagePackValue>;
}

function wrong(what: string): LayoutError {
  return new LayoutError("malformed", `state of simtape: ${what}`, 0);
}
