import type { ByteCursor } from "../../../bytes/cursor.ts";
import type { Fields } from "../../../bytes/fields.ts";
import { TEXT } from "../layout/layout.ts";

/** As SimGear writes it: each node on lines of its own, leaves with their text (spec §1). */
const PROLOG = /\s*<\?[^>]*\?>\s*/y;
const LEAF = /\s*<([\w.-]+)([^<>]*)>([^<]*)<\/\1>\n?/y;
const OPEN = /\s*<([\w.-]+)([^<>]*)>\n?/y;
const CLOSE = /\s*<\/([\w.-]+)>\n?/y;
const END = /\s*\0/y;

/**
 * The text of a property tree and its NUL: a leaf with its tags is a field, named by its path; opening and closing tags
 * are of the frame. What does not look as SimGear writes it is one text to the end.
 */
export function propertyTree(fields: Fields, name: string): void {
  const { bytes, position, end } = fields.cursor;
  // a character for each byte
  const text = LATIN.decode(bytes.subarray(position, end));
  const path: string[] = [];
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = fields.cursor.position - position;
    return pattern.exec(text);
  };
  const at = (leaf: string): string => [...path, leaf].slice(1).join("/") || name;
  const frame = (found: RegExpExecArray, what: string): void => {
    fields.as("frame", () => fields.read(what, (cursor) => TEXT.decode(cursor.view(found[0].length)).trim()));
  };
  while (fields.left > 0) {
    const leaf = take(LEAF);
    if (leaf !== null) {
      const [whole, tag, attributes, content] = leaf as unknown as [string, string, string, string];
      const type = /type="([^"]*)"/.exec(attributes)?.[1] ?? null;
      const value = TEXT.decode(Uint8Array.from(content, (letter) => letter.charCodeAt(0)));
      fields.as("value", () => {
        const read = (cursor: ByteCursor): string => {
          cursor.skip(whole.length);
          return value;
        };
        fields.read(at(stepOf(tag, attributes)), read, type);
      });
      continue;
    }
    const close = take(CLOSE);
    if (close !== null) {
      frame(close, at(""));
      path.pop();
      continue;
    }
    const open = take(OPEN);
    if (open !== null) {
      path.push(stepOf(open[1]!, open[2]!));
      frame(open, at(""));
      continue;
    }
    const other = take(PROLOG) ?? take(END);
    if (other === null) break;
    frame(other, name);
  }
  if (fields.left > 0)
    fields.as("value", () => fields.read(name, (cursor) => TEXT.decode(cursor.view(cursor.remaining))));
}

const LATIN = new TextDecoder("latin1");

function stepOf(tag: string, attributes: string): string {
  const index = /n="(\d+)"/.exec(attributes)?.[1];
  return index === undefined ? tag : `${tag}[${index}]`;
}
