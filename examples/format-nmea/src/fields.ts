import type { Dissector, Field, Fields, Kit } from "simtape/kit";
import { contentEnd, readSentence } from "./sentence.ts";
import { nameOf } from "./value.ts";

/** Names every byte of a line. Fields have the names of the members of the value. */
export function dissectorOf({ fieldsIn }: Kit): Dissector {
  const sentence = (bytes: Uint8Array, most: number | undefined): readonly Field[] =>
    fieldsIn(bytes, (fields) => nameAll(fields, bytes), most);
  return {
    record: async ({ kind, bytes }, options) => ({
      fields:
        kind === "text" || kind === "damaged"
          ? fieldsIn(bytes, (fields) => void fields.read("text", (cursor) => cursor.utf8(bytes.length)), options?.most)
          : sentence(bytes, options?.most),
      contents: null,
    }),
    message: (batch, row, options) => sentence(batch.payload(row), options?.most),
  };
}

function nameAll(fields: Fields, bytes: Uint8Array): void {
  const { talker, formatter, fields: texts } = readSentence(bytes);
  const text = (name: string, length: number): void => {
    if (length > 0) fields.read(name, (cursor) => cursor.utf8(length));
  };
  text("start", 1);
  fields.as("value", () => {
    text("talker", talker.length);
    text("formatter", formatter.length);
  });
  for (const [i, one] of texts.entries()) {
    text("comma", 1);
    fields.as("value", () => text(nameOf(formatter, i), one.length));
  }
  const end = contentEnd(bytes, 0, bytes.length);
  text("checksum", end - fields.cursor.position);
  text("line-ending", bytes.length - end);
}
