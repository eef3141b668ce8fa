/** Angles of the protocol: signed bytes, of which 256 are a turn. */

/** The nearest to `degrees`; at most 0.71 degrees away. */
export function byteAngle(degrees: number): number {
  return (Math.round((degrees * 256) / 360) << 24) >> 24;
}

/** From -180 to 180. */
export function degreesOf(byte: number): number {
  return (byte * 360) / 256;
}
