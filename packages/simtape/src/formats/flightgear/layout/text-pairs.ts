import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { readExtraText } from "./extra.ts";
import { TEXT } from "./layout.ts";
import { propertyPath } from "./signals.ts";

/** Properties that an item sets, and whether C++'s `stod` can read each value. */
export type ItemTexts = ReadonlyMap<string, boolean>;

export function textsOf(item: Uint8Array): ItemTexts {
  const texts = new Map<string, boolean>();
  const cursor = new ByteCursor(item);
  try {
    while (cursor.remaining > 0) {
      const path = readExtraText(cursor);
      const value = readExtraText(cursor);
      if (path.length > 0) texts.set(propertyPath(TEXT.decode(path)), isNumber(TEXT.decode(value)));
    }
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
  return texts;
}

/**
 * A property that ends FlightGear when these items are in two frames one behind the other and extra properties are
 * replayed: it interpolates what both set, by `stod`, which throws for what is no number (semantics §4.2, proven in
 * 2024.1.5: words, booleans, an empty text, 1e400; also when both are the same). Null: there is none.
 */
export function fatalPair(before: ItemTexts, after: ItemTexts): string | null {
  for (const [path, isReadable] of after) {
    const other = before.get(path);
    if (other !== undefined && !(isReadable && other)) return path;
  }
  return null;
}

/** What `stod` reads: a number at the beginning, that a double can hold and whose digits it does not lose. */
function isNumber(text: string): boolean {
  if (/^[ \t\n\v\f\r]*[+-]?(inf|nan|0x[\da-f])/i.test(text)) return true;
  const found = /^[ \t\n\v\f\r]*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i.exec(text);
  if (found === null) return false;
  const value = Math.abs(Number(found[1]));
  return Number.isFinite(value) && (value >= 2 ** -1022 || !/[1-9]/.test(found[1]!.split(/e/i)[0]!));
}
