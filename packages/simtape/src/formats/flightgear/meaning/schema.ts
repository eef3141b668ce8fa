import { ByteCursor } from "../../../bytes/cursor.ts";
import { RAW, type Schema, untyped } from "../../../model/values/value.ts";
import type { ExtraProperties, FlightGearChannels, MultiplayerPacket, Signals } from "./channels.ts";
import { readExtraProperty } from "../layout/extra.ts";
import { entryValues, type Packet, PROTOCOL_2, paddedText, readPacket } from "../layout/packet.ts";
import { readSignals, type SignalList } from "../layout/signals.ts";

/** How payloads of a channel become values; data items that are not known stay bytes. */
export function schemaOf(channel: string, signals: SignalList): Schema {
  switch (channel) {
    case "signals":
      return schema(channel, (payload) => decodeSignals(payload, signals));
    case "multiplayer":
      return schema(channel, decodePacket);
    case "extra-properties":
      return schema(channel, decodeExtraProperties);
    default:
      return RAW;
  }
}

function schema<Name extends keyof FlightGearChannels>(
  name: Name,
  decode: (payload: Uint8Array) => FlightGearChannels[Name],
): Schema {
  return untyped<FlightGearChannels[Name]>({ name: `flightgear/${name}`, decode });
}

/** Property path to number, or boolean for a signal of type bool. Throws `LayoutError` when the record is too short. */
function decodeSignals(payload: Uint8Array, list: SignalList): Signals {
  const values: Record<string, number | boolean> = {};
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  readSignals(view, 0, payload.length, list, (index, value) => {
    const { property, type } = list.signals[index]!;
    values[property] = type === "bool" ? value !== 0 : value;
  });
  return values;
}

/** Throws `LayoutError` where the texts do not fit. */
function decodeExtraProperties(payload: Uint8Array): ExtraProperties {
  const cursor = new ByteCursor(payload);
  const changes: [string, string][] = [];
  const removals: string[] = [];
  while (cursor.remaining > 0) {
    const { path, value } = readExtraProperty(cursor);
    if (value === null) removals.push(path);
    else changes.push([path, value]);
  }
  return { changes, removals };
}

/** A packet in the units of the protocol; never throws, what is not understood is in `unread`. */
export function decodePacket(payload: Uint8Array): MultiplayerPacket {
  return packetValue(readPacket(new ByteCursor(payload)));
}

function packetValue(packet: Packet): MultiplayerPacket {
  const { header, position, entries, rest } = packet;
  const unread = rest.length > 0 ? { unread: rest } : {};
  if (header === null) return { unread: rest };
  const head = { messageId: header.messageId, callsign: paddedText(header.callsign), range: header.range };
  if (position === null) return { ...head, ...unread };
  const properties: Record<string, number | boolean | string> = {};
  let chat = "";
  for (const entry of entries) {
    entryValues(entry, (path, value) => {
      properties[path] = value;
      if (path === "sim/multiplay/chat") chat = String(value);
    });
  }
  const { doubles, floats } = position;
  return {
    ...head,
    model: paddedText(position.model),
    protocol: position.pad === PROTOCOL_2 ? 2 : 1,
    time: doubles[0]!,
    lag: doubles[1]!,
    position: doubles.subarray(2, 5),
    orientation: floats.subarray(0, 3),
    velocity: floats.subarray(3, 6),
    angularVelocity: floats.subarray(6, 9),
    acceleration: floats.subarray(9, 12),
    angularAcceleration: floats.subarray(12, 15),
    properties,
    ...(chat === "" ? {} : { chat }),
    ...unread,
  };
}
