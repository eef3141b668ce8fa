/**
 * Writes the table of the slowest test files into CONTRIBUTING.md, from reports that vitest made:
 * `npx vitest run --reporter=json --outputFile=main.json`, then `npm run slowest -- main.json server.json`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Files in the table. */
const ROWS = 20;
const PAGE = fileURLToPath(new URL("../CONTRIBUTING.md", import.meta.url));
const [BEGIN, END] = ["<!-- slowest -->", "<!-- /slowest -->"];

const reports = process.argv.slice(2);
if (reports.length === 0) {
  process.stderr.write("name the JSON reports of vitest: npm run slowest -- main.json server.json\n");
  process.exit(2);
}
const files = reports.flatMap((path) => {
  const { testResults } = JSON.parse(readFileSync(path, "utf8"));
  return testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    // the path from the root of the repository on
    name: name.replace(/^.*?\/(?=(?:packages|examples|test)\/)/, ""),
    seconds: (endTime - startTime) / 1000,
    tests: assertionResults.length,
  }));
});
files.sort((a, b) => b.seconds - a.seconds);
const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
const rows = files.slice(0, ROWS);
const share = rows.reduce((sum, { seconds }) => sum + seconds, 0) / all;
const table = [
  BEGIN,
  "",
  "| test file | tests | seconds |",
  "|---|---:|---:|",
  ...rows.map(({ name, tests, seconds }) => `| \`${name}\` | ${tests} | ${seconds.toFixed(1)} |`),
  "",
  `These ${rows.length} of ${files.length} files take ${Math.round(100 * share)} % of ${Math.round(all)} seconds, summed over all workers.`,
  "",
  END,
].join("\n");
const page = readFileSync(PAGE, "utf8");
const [from, until] = [page.indexOf(BEGIN), page.indexOf(END)];
if (from < 0 || until < from) throw new Error(`${relative(process.cwd(), PAGE)} has no ${BEGIN} … ${END}`);
writeFileSync(PAGE, page.slice(0, from) + table + page.slice(until + END.length));
process.stdout.write(`${table}\n`);
