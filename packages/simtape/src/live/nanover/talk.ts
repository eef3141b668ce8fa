import { ByteBuilder } from "../../bytes/builder.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import {
  decodeMessagePack,
  type MessagePackValue,
  readMessagePack,
  skipMessagePack,
  writeMessagePack,
} from "../../codec/messagepack.ts";
import { type Entry, partsOf, valueIn } from "../../formats/nanover/write/entries.ts";

/** One item under "command" (NanoVer semantics §5.3): what is asked or answered, as bytes where it is only passed on. */
export interface CommandItem {
  readonly request: { readonly id: MessagePackValue; readonly name: string; readonly arguments: Arguments } | null;
  readonly register: { readonly name: string; readonly value: MessagePackValue } | null;
  /** An answer to `request`: its value as an entry named `response` or `exception`. */
  readonly answer: Entry | null;
  /** Entry of the request with its key, to be echoed. */
  readonly echo: Uint8Array;
  /** Entry of the arguments with its key; null: there are none. */
  readonly rawArguments: Uint8Array | null;
}

export type Arguments = { readonly [key: string]: MessagePackValue };

/** Items of the value of "command", and whether they came as a list, as older clients send them. Throws `LayoutError`. */
export function commandItems(value: Uint8Array): { readonly items: readonly CommandItem[]; readonly isList: boolean } {
  const mark = value[0]!;
  const isList = (mark >= 0x90 && mark <= 0x9f) || mark === 0xdc || mark === 0xdd;
  return { items: (isList ? slices(value) : [value]).map(itemOf), isList };
}

/** A message with one item: entries of its map. */
export function commandMessage(entries: readonly Uint8Array[], isList = false): Uint8Array {
  const builder = new ByteBuilder();
  builder.u8(0x81);
  writeMessagePack(builder, "command");
  if (isList) builder.u8(0x91);
  builder.u8(0x80 | entries.length);
  for (const entry of entries) builder.raw(entry);
  return builder.take();
}

/** Entry of a request that is passed on under another id. */
export function requestEntry(id: number, name: string, rawArguments: Uint8Array | null): Uint8Array {
  const builder = new ByteBuilder();
  writeMessagePack(builder, "request");
  builder.u8(rawArguments === null ? 0x82 : 0x83);
  writeMessagePack(builder, "id");
  writeMessagePack(builder, id);
  writeMessagePack(builder, "name");
  writeMessagePack(builder, name);
  if (rawArguments !== null) builder.raw(rawArguments);
  return builder.take();
}

function itemOf(bytes: Uint8Array): CommandItem {
  const entries = partsOf(bytes);
  const request = entries.find(({ key }) => key === "request");
  const answer = entries.find(({ key }) => key === "response" || key === "exception") ?? null;
  const register = entries.find(({ key }) => key === "register");
  const item = { request: null, register: null, answer, echo: new Uint8Array(0), rawArguments: null };
  if (register !== undefined) {
    const value = decodeMessagePack(valueIn(register.bytes));
    const name = isMap(value) ? value["name"] : null;
    return typeof name === "string" ? { ...item, register: { name, value } } : item;
  }
  if (request === undefined) return item;
  const inner = valueIn(request.bytes);
  const value = decodeMessagePack(inner);
  const name = isMap(value) ? value["name"] : null;
  if (!isMap(value) || typeof name !== "string") return item;
  const given = value["arguments"];
  const rawArguments = partsOf(inner).find(({ key }) => key === "arguments")?.bytes ?? null;
  const said = { id: value["id"] ?? null, name, arguments: given !== undefined && isMap(given) ? given : {} };
  return { ...item, request: said, echo: request.bytes, rawArguments };
}

function slices(list: Uint8Array): Uint8Array[] {
  const whole = new ByteCursor(list);
  const mark = whole.u8();
  const count = mark === 0xdc ? whole.u16be() : mark === 0xdd ? whole.u32be() : mark & 0x0f;
  if (count > whole.remaining) throw new LayoutError("truncated", `a list of ${count} commands`, 0);
  const found: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    const start = whole.position;
    skipMessagePack(whole);
    found.push(list.subarray(start, whole.position));
  }
  return found;
}

export function isMap(value: MessagePackValue): value is { readonly [key: string]: MessagePackValue } {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}

/** The value of an entry. */
export function decodedEntry(entry: Uint8Array): MessagePackValue {
  return readMessagePack(new ByteCursor(valueIn(entry)));
}
