/**
 * Where two values differ, with what is expected and found there; null: nowhere. Order of keys does not matter; arrays of
 * numbers must be of one kind.
 */
export function difference(expected: unknown, found: unknown, at = ""): string | null {
  if (Object.is(expected, found)) return null;
  if (!isComposed(expected) || !isComposed(found) || kindOf(expected) !== kindOf(found)) {
    return `${at === "" ? "" : `${at}: `}expected ${shown(expected)}, found ${shown(found)}`;
  }
  if (ArrayBuffer.isView(expected)) return differenceOfNumbers(expected as Uint8Array, found as Uint8Array, at);
  const [of, other] = [expected as Readonly<Record<string, unknown>>, found as Readonly<Record<string, unknown>>];
  const keys = new Set([...Object.keys(of), ...Object.keys(other)]);
  for (const key of keys) {
    const where = difference(of[key], other[key], at === "" ? key : `${at}.${key}`);
    if (where !== null) return where;
  }
  return null;
}

function differenceOfNumbers(expected: Uint8Array, found: Uint8Array, at: string): string | null {
  const { length } = expected;
  if (length !== found.length) return difference(length, found.length, `${at}.length`);
  for (let i = 0; i < length; i++) {
    if (!Object.is(expected[i], found[i])) return difference(expected[i], found[i], `${at}[${i}]`);
  }
  return null;
}

function isComposed(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function kindOf(value: object): string {
  return Object.prototype.toString.call(value);
}

function shown(value: unknown): string {
  if (isComposed(value)) return `${kindOf(value).slice(8, -1)} of ${Object.keys(value).length}`;
  return typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? String(value));
}
