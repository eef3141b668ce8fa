import type { Packet } from "./packet.ts";
import { createSerializer } from "./protocol.ts";

type Serializer = ReturnType<typeof createSerializer>;

const serializers = new Map<string, Serializer>();

/** A packet as bytes, its number first. */
export function bytesOf(serializer: Serializer, [name, params]: Packet): Buffer {
  const bytes = serializer.createPacketBuffer({ name, params }) as Buffer;
  // The library skips the byte that says that a sound's name follows, so it would hold whatever was in memory.
  const { sound } = params as { readonly sound?: { readonly data?: object } };
  if (name === "sound_effect" && sound?.data !== undefined) bytes[1] = 0;
  return bytes;
}

/** A packet as bytes that any client of the version accepts. */
function encoded(version: string, packet: Packet): Buffer {
  let serializer = serializers.get(version);
  if (serializer === undefined) {
    serializer = createSerializer({ state: "play" as never, isServer: true, version, customPackets: {} });
    serializers.set(version, serializer);
  }
  return bytesOf(serializer, packet);
}

/** Encodes each packet once, for all clients of one version. */
export function encodedAll(version: string, packets: readonly Packet[]): readonly Buffer[] {
  return packets.map((packet) => encoded(version, packet));
}
