import { isPacket, PACKET_HEADER_BYTES } from "../../formats/flightgear/layout/packet.ts";

/** Words of the header that a tape has in the order of the machine, and the network in its own. */
const WORDS = [0, 4, 8, 12, 20] as const;

/** A packet of a tape as it goes over the network. Throws `RangeError` for bytes that are no packet. */
export function toWire(packet: Uint8Array): Uint8Array {
  if (!isPacket(packet, 0, packet.length)) throw new RangeError("no multiplayer packet");
  return swapped(packet);
}

/** A packet of the network as a tape has it; what is no packet stays as it is, as the recorder keeps it. */
export function fromWire(packet: Uint8Array): Uint8Array {
  const isWire = packet.length >= PACKET_HEADER_BYTES && packet[0] === 0x46 && packet[1] === 0x47;
  return isWire ? swapped(packet) : packet;
}

function swapped(packet: Uint8Array): Uint8Array {
  const out = packet.slice();
  for (const at of WORDS) for (let k = 0; k < 4; k++) out[at + k] = packet[at + 3 - k]!;
  return out;
}
