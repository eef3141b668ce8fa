// What NanoVer writes of a zip (bytes/zip.ts): spec §4, seen in samples/nanover. Sizes of its local headers are not to be
// trusted, those of the directory are.

/** The two members that matter (spec §4). */
export const MESSAGES_NAME = "messages.msgpack";
/** Our own member: where the recording comes from. NanoVer looks for its two by name and passes over others (spec §4). */
export const PROVENANCE_NAME = "simtape.json";
export const INDEX_NAME = "index.msgpack";

/** How far from its beginning a damaged file is searched for what tells that it is a recording. */
const SEARCHED_BYTES = 256;

/** Whether a file with this beginning is a zip of NanoVer's whose first bytes are damaged: the name is still there. */
export function isDamagedZip(head: Uint8Array): boolean {
  return findText(head, MESSAGES_NAME, 0, Math.min(head.length, SEARCHED_BYTES)) >= 0;
}

/** Place of an ASCII text in `bytes[from, to)`, -1 when it is not there. */
export function findText(bytes: Uint8Array, text: string, from: number, to: number): number {
  const first = text.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at >= 0 && at + text.length <= to; at = bytes.indexOf(first, at + 1)) {
    let i = 1;
    while (i < text.length && bytes[at + i] === text.charCodeAt(i)) i++;
    if (i === text.length) return at;
  }
  return -1;
}
