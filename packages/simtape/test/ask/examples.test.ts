import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ask } from "../../src/ask/index.ts";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { answersOf, example } from "./support.ts";

const page = readFileSync(new URL("../../../../docs/ask.md", import.meta.url), "utf8");
const part = page.slice(page.indexOf("<!-- examples -->"), page.indexOf("<!-- /examples -->"));
const rows = [...part.matchAll(/^\| `(.+)` \| (\S+\.\S+) \|$/gm)].map(([, text, file]) => [text!, file!] as const);

describe("the examples of docs/ask.md", () => {
  test("are thirty", () => {
    expect(rows.length).toBe(30);
  });

  test.each(rows)("%s is answered on %s", async (text, file) => {
    const recording = await open(fromFile(example(file)));
    const question = await ask(recording, text);
    const answers = await answersOf(recording, text);
    const { start, end } = await recording.timeline();
    for (const { from, until } of answers) {
      expect(from).toBeGreaterThanOrEqual(start);
      expect(until).toBeLessThanOrEqual(end);
      expect(until - from).toBeGreaterThanOrEqual(0);
      if (question.type === "instant") expect(until).toBe(from);
    }
    await recording.close();
  });
});
