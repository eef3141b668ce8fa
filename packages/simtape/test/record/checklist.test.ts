import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

/** Rows of HCRP spec §13 that servers and viewers have to show. */
const ELSEWHERE: readonly number[] = [4, 5, 6, 7, 8, 33, 34, 35];

/** The table of the format's README, the last of them: row, files of tests, benchmarks. */
const README = read("../../src/formats/hcrp/README.md").split("\n## The checklist of the specification\n")[1]!;
const TABLE = [...README.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]+) \|$/gm)].map(([, row, files]) => ({
  row: Number(row),
  tests: files!
    .split(";")[0]!
    .split(",")
    .map((file) => file.trim()),
  benchmarks: [...files!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!),
}));

test("every row of the checklist is in the table of the README", () => {
  const rows = Array.from({ length: 36 }, (_, i) => i + 1).filter((row) => !ELSEWHERE.includes(row));
  expect(TABLE.map(({ row }) => row)).toEqual(rows);
});

test.each(TABLE)("row $row has the tests and benchmarks that the table says", ({ row, tests, benchmarks }) => {
  for (const file of tests) {
    const text = read(`../${file}.test.ts`);
    // in a name, or in that of what it belongs to
    expect(text, file).toMatch(new RegExp(`(?:test|describe)[^\\n]*(?:\\n[^\\n]*)?["\`]row ${row}\\b`));
  }
  for (const file of benchmarks) expect(read(`../../../../${file}`), file).toMatch(new RegExp(`\\brow ${row}\\b`));
});
