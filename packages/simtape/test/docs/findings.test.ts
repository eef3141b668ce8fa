import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { FINDING_CODES } from "../../src/index.ts";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../../docs/findings.md", import.meta.url));

/** Codes of which only the beginning or the end is in the code. */
const COMPOSED = [
  /^bad-(header|metadata|index)-checksum$/,
  /^packet-(size|count)$/,
  /^(damaged|gap|trailing)-bytes$/,
  /-ignored$/,
];

test("docs/findings.md says of every code what it means and what to do", () => {
  const page = readFileSync(PAGE, "utf8");
  const rows = Object.entries(FINDING_CODES)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { means, advice }]) => `| \`${code}\` | ${means} | ${advice} |`);
  expect(page.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows);
});

test("every code is reported somewhere", () => {
  const paths = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith("finding-codes.ts"),
  );
  const code = paths.map((path) => readFileSync(SRC + path, "utf8")).join("\n");
  const unused = Object.keys(FINDING_CODES).filter(
    (known) => !code.includes(`"${known}"`) && !COMPOSED.some((composed) => composed.test(known)),
  );
  expect(unused).toEqual([]);
});
