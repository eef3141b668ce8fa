import { describe, expect, test } from "vitest";
import { FORMATS, makeSideCar, memory, open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { MADE, opened, rowsOf } from "./support.ts";

describe.each(Object.values(MADE))("%s with a seek index", (path) => {
  test("has the events of the index: no message is read", async () => {
    const { bytes } = await makeSideCar(fromFile(path), FORMATS, { room: 1 << 20 });
    await using kept = await open(fromFile(path), { seekIndex: memory(bytes) });
    const reader = kept.reader as { batches: typeof kept.reader.batches };
    let asked = 0;
    const batches = reader.batches.bind(reader);
    reader.batches = (...given) => {
      asked++;
      return batches(...given);
    };
    await using plain = await opened(path);
    const { start, end } = await plain.timeline();
    for (const rest of ["", `WHERE time >= ${(start + end) / 2e9}`, "WHERE kind = 'collision'"]) {
      const sql = `SELECT * FROM events ${rest}`;
      expect(await rowsOf([kept], sql), sql).toEqual(await rowsOf([plain], sql));
    }
    expect(asked).toBe(0);
  });
});
