/** The first and the last eight bytes of a file; the sixth is the major version, `0` (MCAP spec §1). */
export const MAGIC: Uint8Array = Uint8Array.of(0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a);

/** Bytes of a record before its content: opcode u8, length u64 (MCAP spec §2). */
export const PREFIX = 9;

/** Opcodes of the records (MCAP spec §2). 0x00 is no record; 0x80 to 0xff belong to applications. */
export const OP = {
  header: 0x01,
  footer: 0x02,
  schema: 0x03,
  channel: 0x04,
  message: 0x05,
  chunk: 0x06,
  messageIndex: 0x07,
  chunkIndex: 0x08,
  attachment: 0x09,
  attachmentIndex: 0x0a,
  statistics: 0x0b,
  metadata: 0x0c,
  metadataIndex: 0x0d,
  summaryOffset: 0x0e,
  dataEnd: 0x0f,
} as const;

const KINDS: readonly string[] = [
  "",
  "header",
  "footer",
  "schema",
  "channel",
  "message",
  "chunk",
  "message index",
  "chunk index",
  "attachment",
  "attachment index",
  "statistics",
  "metadata",
  "metadata index",
  "summary offset",
  "data end",
];

/** The name of a kind of record, as `chunk index`; `record 0x7f` for an opcode that has no name. */
export function kindOf(opcode: number): string {
  return KINDS[opcode] || `record 0x${opcode.toString(16).padStart(2, "0")}`;
}

/** The opcode of a name that `kindOf` gave; 0 for another text. */
export function opcodeOf(kind: string): number {
  const found = KINDS.indexOf(kind);
  if (found > 0) return found;
  const number = /^record 0x([0-9a-f]{2})$/.exec(kind)?.[1];
  return number === undefined ? 0 : Number.parseInt(number, 16);
}
