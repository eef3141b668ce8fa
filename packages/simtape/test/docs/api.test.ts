import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as core from "../../src/core.ts";
import * as everything from "../../src/index.ts";
import { apiReports } from "../support/api-reports.ts";

const folder = fileURLToPath(new URL("../../../../docs/api", import.meta.url));
const reports = apiReports();

describe("the API reports, of what was built last", () => {
  test("are those of the entries of the package, and no others", () => {
    expect(readdirSync(folder).sort()).toEqual([...reports.keys()].map((name) => `${name}.api.md`).sort());
  });

  test.each([...reports])("say what simtape exports, %s: write them again with npm run api", (name, report) => {
    expect(readFileSync(join(folder, `${name}.api.md`), "utf8")).toBe(report);
  });

  test.each([...reports])("find a doc comment on every public name, %s", (_, report) => {
    const undocumented = [...report.matchAll(/^\/\/ @.*\(undocumented\)\n(.*)$/gm)].map(
      ([, declaration]) => declaration,
    );
    expect(report).toContain("\nexport ");
    expect(undocumented).toEqual([]);
  });
});

test("simtape/core is simtape without the formats", () => {
  expect(Object.keys(core).concat("FORMATS").sort()).toEqual(Object.keys(everything).sort());
});
