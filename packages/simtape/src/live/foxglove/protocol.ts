import { ByteBuilder } from "../../bytes/builder.ts";
import type { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";

/*
 * The Foxglove WebSocket protocol (the specification in foxglove/ws-protocol), and what the Foxglove SDK added to it
 * (playback control: foxglove/foxglove-sdk, rust/foxglove/src/protocol). Numbers are little-endian. JSON messages have the
 * member `op`; binary ones begin with an opcode of one byte.
 */

/** Subprotocols, today's first. Their messages are the same, but for playback control, which only today's has. */
export const PROTOCOLS = ["foxglove.sdk.v1", "foxglove.websocket.v1"] as const;
export const SDK_PROTOCOL: string = PROTOCOLS[0];

/** Opcodes of a server. */
export const SERVER_OP = { message: 1, time: 2, serviceResponse: 3, asset: 4, playbackState: 5 } as const;
/** Opcodes of a client. */
export const CLIENT_OP = { message: 1, serviceRequest: 2, playbackControl: 3 } as const;
/** Bytes before the payload of a message: opcode, subscription, log time. */
export const MESSAGE_HEAD = 13;
/** Where the subscription and the log time are. */
export const SUBSCRIPTION_AT = 1;
export const TIME_AT = 5;

/** What a server says of a playback (SDK, `PlaybackStatus`). */
export const PLAYBACK = { playing: 0, paused: 1, buffering: 2, ended: 3 } as const;
export type PlaybackStatus = keyof typeof PLAYBACK;

/** Of a status message. */
export const LEVEL = { info: 0, warning: 1, error: 2 } as const;

/** A channel as a server advertises it. */
export interface Advertised {
  readonly id: number;
  readonly topic: string;
  readonly encoding: string;
  readonly schemaName: string;
  /** Text, or base64 of what is no text. */
  readonly schema: string;
  readonly schemaEncoding?: string | undefined;
}

/** A parameter; without a value there is none of that name. */
export interface Parameter {
  readonly name: string;
  readonly value?: unknown;
  readonly type?: "byte_array" | "float64" | "float64_array" | undefined;
}

/** What a client asks of a playback. Times: nanoseconds of the file's clock. */
export interface PlaybackControl {
  readonly isPlaying: boolean;
  readonly speed: number;
  /** Null: it stays where it is. */
  readonly seek: bigint | null;
  /** The answer has it. */
  readonly request: string;
}

/** Content behind the opcode: command, float32 speed, whether to seek, uint64 time, text with its uint32 length. */
export function readPlaybackControl(cursor: ByteCursor): PlaybackControl {
  const at = cursor.position;
  const command = cursor.u8();
  if (command > 1) throw new LayoutError("malformed", `no playback command ${command}`, at);
  const speed = cursor.f32le();
  const isSeek = cursor.u8() !== 0;
  const low = BigInt(cursor.u32le());
  const time = (BigInt(cursor.u32le()) << 32n) | low;
  const request = readText(cursor);
  return { isPlaying: command === 0, speed, seek: isSeek ? time : null, request };
}

/** What a server says of its playback. */
export interface PlaybackState {
  readonly status: PlaybackStatus;
  readonly time: bigint;
  readonly speed: number;
  /** What was shown before no longer holds. */
  readonly isSeek: boolean;
  /** Of the request that is answered; "": none. */
  readonly request: string;
}

/** With the opcode: status, uint64 time, float32 speed, whether it jumped, text with its uint32 length. */
export function writePlaybackState({ status, time, speed, isSeek, request }: PlaybackState): Uint8Array {
  const builder = new ByteBuilder(32).u8(SERVER_OP.playbackState).u8(PLAYBACK[status]);
  writeU64(builder, time);
  builder.f32le(speed).u8(isSeek ? 1 : 0);
  writeText(builder, request);
  return builder.take();
}

/** An asset, or why there is none: opcode, uint32 request, uint8 0 or 1, text of the error with its length, the bytes. */
export function writeAsset(request: number, asset: Uint8Array | string): Uint8Array {
  const isError = typeof asset === "string";
  const builder = new ByteBuilder(16)
    .u8(SERVER_OP.asset)
    .u32le(request)
    .u8(isError ? 1 : 0);
  writeText(builder, isError ? asset : "");
  if (!isError) builder.raw(asset);
  return builder.take();
}

function readText(cursor: ByteCursor): string {
  const length = cursor.u32le();
  return cursor.utf8(length);
}

function writeText(builder: ByteBuilder, text: string): void {
  const at = builder.reserve(4);
  const before = builder.length;
  builder.utf8(text);
  builder.patchU32le(at, builder.length - before);
}

function writeU64(builder: ByteBuilder, value: bigint): void {
  builder.u32le(Number(value & 0xffff_ffffn)).u32le(Number((value >> 32n) & 0xffff_ffffn));
}

/** Encodings of schemas that are text; all others are bytes, which JSON has as base64. */
const TEXTS: ReadonlySet<string> = new Set(["jsonschema", "ros1msg", "ros2msg", "ros2idl", "omgidl"]);
/** The encoding of schemas that goes without saying, by the encoding of messages. */
const USUAL: Readonly<Record<string, string>> = {
  json: "jsonschema",
  protobuf: "protobuf",
  flatbuffer: "flatbuffer",
  ros1: "ros1msg",
  cdr: "ros2msg",
};

/** How the schema of an advertised channel is encoded: as it says, or as is usual for its messages. */
export function schemaEncodingOf({
  encoding,
  schemaEncoding,
}: Pick<Advertised, "encoding" | "schemaEncoding">): string {
  return schemaEncoding !== undefined && schemaEncoding !== "" ? schemaEncoding : (USUAL[encoding] ?? "");
}

/** The bytes of an advertised schema; null: it is no base64, though its encoding is no text. */
export function schemaBytes(schema: string, encoding: string): Uint8Array | null {
  if (schema === "") return new Uint8Array(0);
  if (encoding === "" || TEXTS.has(encoding)) return new TextEncoder().encode(schema);
  try {
    return Uint8Array.from(atob(schema.replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** A schema as it is advertised. */
export function schemaText(data: Uint8Array, encoding: string, base64: (bytes: Uint8Array) => string): string {
  return encoding === "" || TEXTS.has(encoding)
    ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(data)
    : base64(data);
}
