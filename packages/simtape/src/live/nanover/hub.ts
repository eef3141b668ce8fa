/** How NanoVer's clients find servers: ESSD, a datagram twice a second to each network (NanoVer semantics §4). */
export const HUB_PORT = 54_545;
/** Milliseconds. */
export const HUB_EVERY = 500;
/** Bytes of a datagram at most. */
const LONGEST = 1024;

/** The datagram of a server at `address`. Throws `RangeError` if the name makes it too long. */
export function hubMessage(name: string, address: string, port: number, id: string): Uint8Array {
  const hub = { name, address, id, essd_version: "1.0.0", services: { ws: port } };
  const message = new TextEncoder().encode(JSON.stringify(hub));
  if (message.length > LONGEST) throw new RangeError(`a name of ${name.length} characters is too long to be announced`);
  return message;
}
