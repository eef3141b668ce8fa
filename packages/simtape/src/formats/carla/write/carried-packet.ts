/**
 * Id of simtape's packet that carries physics control of another engine (private ids are those from 100 on, spec §3).
 * CARLA skips what it does not know.
 */
const CARRIED_PACKET = 201;
/** Its channel: private packets are called by their id. */
export const CARRIED_CHANNEL: string = `packet-${CARRIED_PACKET}`;
/** ASCII "simtape", version 1, then the bytes of a wheel in what follows, the payload of a physics control as it was. */
const HEAD: readonly number[] = [0x73, 0x69, 0x6d, 0x74, 0x61, 0x70, 0x65, 1];

/** What such a packet carries. */
export interface CarriedPacket {
  readonly kind: "physics-control";
  /** Bytes of a wheel. */
  readonly wheel: number;
  readonly payload: Uint8Array;
}

/** The payload of a packet that carries another. */
export function carrying(wheel: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEAD.length + 1 + payload.length);
  bytes.set(HEAD);
  bytes[HEAD.length] = wheel;
  bytes.set(payload, HEAD.length + 1);
  return bytes;
}

/** What a packet carries; null: it is another's. */
export function carriedIn(bytes: Uint8Array): CarriedPacket | null {
  if (bytes.length <= HEAD.length || HEAD.some((byte, i) => bytes[i] !== byte)) return null;
  return { kind: "physics-control", wheel: bytes[HEAD.length]!, payload: bytes.subarray(HEAD.length + 1) };
}
