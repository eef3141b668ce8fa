const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/**
 * Whether lists and objects of JSON nest deeper than `most`. Readers of JSON call themselves once for each level, so that
 * deep nesting, of some thousands of levels, overflows their stack. Look at the depth first, then parse.
 */
export function isNestedDeeper(json: Uint8Array, most: number): boolean {
  // most JSON has fewer brackets altogether
  let opened = 0;
  for (let i = 0; i < json.length; i++) if (isOpening(json[i]!)) opened++;
  if (opened <= most) return false;
  let depth = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!;
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (isOpening(byte)) {
      if (++depth > most) return true;
    } else if (isOpening(byte - 2)) depth--;
  }
  return false;
}

/** `[` or `{`; the brackets that close are two farther on. */
function isOpening(byte: number): boolean {
  return (byte & ~0x20) === 0x5b;
}
