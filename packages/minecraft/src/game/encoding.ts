import type { Packet } from "./packet.ts";
import { createSerializer } from "./protocol.ts";

const serializers = new Map<string, ReturnType<typeof createSerializer>>();

/** A packet as bytes, which any client of the version takes. */
function encoded(version: string, [name, params]: Packet): Buffer {
  let serializer = serializers.get(version);
  if (serializer === undefined) {
    serializer = createSerializer({ state: "play" as never, isServer: true, version, customPackets: {} });
    serializers.set(version, serializer);
  }
  return serializer.createPacketBuffer({ name, params }) as Buffer;
}

/** Encodes each packet once, for all clients of one version. */
export function encodedAll(version: string, packets: readonly Packet[]): readonly Buffer[] {
  return packets.map((packet) => encoded(version, packet));
}
