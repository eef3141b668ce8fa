import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Reader } from "../../../model/reader.ts";
import { after, type Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { MadeMessage } from "../../../model/writer.ts";
import { readExtraText } from "../layout/extra.ts";
import { isPacket, MESSAGE_POSITION, PROPERTIES_AT } from "../layout/packet.ts";
import { TEXT } from "../layout/layout.ts";
import { propertyPath } from "../layout/signals.ts";
import { tapeUnder } from "./tape-plan.ts";

/**
 * The last signals, the last packet of every pilot heard so far, and the whole set of extra properties: one frame that
 * says all that holds at `time`. Packets are as they came, chat and properties with them.
 */
export async function restate(from: Reader, time: Time): Promise<readonly MadeMessage[]> {
  const messages: MadeMessage[] = [];
  const add = (channel: ChannelInfo, payload: Uint8Array): void => {
    messages.push({ channel, payload, keyframe: false });
  };
  for (const channel of from.channels) {
    // A renamed channel still has its schema.
    switch (channel.schema.name) {
      case "flightgear/signals": {
        const signals = await lastSignals(from, channel, time);
        if (signals !== null) add(channel, signals);
        break;
      }
      case "flightgear/multiplayer":
        for (const packet of await lastPackets(from, channel, time)) add(channel, packet);
        break;
      case "flightgear/extra-properties": {
        const set = await wholeSet(from, channel, time);
        if (set.length > 0) add(channel, set);
        break;
      }
      default:
    }
  }
  return messages;
}

async function lastSignals(from: Reader, channel: ChannelInfo, time: Time): Promise<Uint8Array | null> {
  const least = tapeUnder(from)?.layout.signals.bytes ?? 0;
  for await (const batch of from.batches({ end: after(time), channels: [channel], reverse: true })) {
    for (let i = batch.length - 1; i >= 0; i--) {
      const payload = batch.payload(i);
      if (payload.length >= least) return payload.slice();
    }
  }
  return null;
}

/** In the order in which they came. */
async function lastPackets(from: Reader, channel: ChannelInfo, time: Time): Promise<Uint8Array[]> {
  const last = new Map<string, Uint8Array>();
  for await (const batch of from.batches({ end: after(time), channels: [channel] })) {
    for (let i = 0; i < batch.length; i++) {
      const payload = batch.payload(i);
      const callsign = positionOf(payload);
      if (callsign === null) continue;
      last.delete(callsign);
      last.set(callsign, payload);
    }
  }
  return Array.from(last.values(), (payload) => payload.slice());
}

/** Callsign of a packet that says where an aircraft is, as a key; null for any other. */
function positionOf(packet: Uint8Array): string | null {
  if (!isPacket(packet, 0, packet.length) || packet.length < PROPERTIES_AT) return null;
  if (new DataView(packet.buffer, packet.byteOffset).getUint32(8, true) !== MESSAGE_POSITION) return null;
  const end = packet.indexOf(0, 24);
  return TEXT.decode(packet.subarray(24, end >= 24 && end < 32 ? end : 32));
}

/** Path and value as they are in the file. */
interface Entry {
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

/** One item that sets every property that is set. */
async function wholeSet(from: Reader, channel: ChannelInfo, time: Time): Promise<Uint8Array> {
  const set = new Map<string, Entry>();
  for await (const batch of from.batches({ end: after(time), channels: [channel] })) {
    for (let i = 0; i < batch.length; i++) fold(set, batch.payload(i));
  }
  const builder = new ByteBuilder();
  for (const { path, value } of set.values()) {
    builder.i16le(path.length).raw(path).i16le(value.length).raw(value);
  }
  return builder.take();
}

/** As the fold of state does it, up to where an item is damaged. */
function fold(set: Map<string, Entry>, payload: Uint8Array): void {
  const cursor = new ByteCursor(payload);
  try {
    while (cursor.remaining > 0) {
      const first = readExtraText(cursor);
      const second = readExtraText(cursor);
      if (first.length > 0) {
        set.set(propertyPath(TEXT.decode(first)), { path: first.slice(), value: second.slice() });
        continue;
      }
      const removed = propertyPath(TEXT.decode(second));
      for (const path of [...set.keys()]) {
        if (path === removed || path.startsWith(`${removed}/`)) set.delete(path);
      }
    }
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
}
