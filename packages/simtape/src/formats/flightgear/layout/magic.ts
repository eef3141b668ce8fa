/** What every tape says of itself, a NUL behind it (spec §0, §3.2). */
export const MAGIC = "FlightGear Flight Recorder Tape";
export const MAGIC_BYTES = 32;

/** Whether `bytes` hold the magic string and its NUL at `at`. */
export function isMagic(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < MAGIC.length; i++) if (bytes[at + i] !== MAGIC.charCodeAt(i)) return false;
  return bytes[at + MAGIC.length] === 0;
}
