/** Whether bytes are well-formed UTF-8, as a fatal `TextDecoder` takes them; asked often, where most are not. */
export function isUtf8(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++]!;
    if (first < 0x80) continue;
    if (first < 0xc2 || first > 0xf4) return false;
    const more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (at + more > bytes.length) return false;
    // neither longer than need be, nor a surrogate, nor beyond the last character
    const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (bytes[at]! < least || bytes[at]! > most) return false;
    for (let n = 1; n < more; n++) if (bytes[at + n]! >> 6 !== 2) return false;
    at += more;
  }
  return true;
}
