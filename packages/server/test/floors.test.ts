import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkFloors } from "./support/floors.ts";

const ROOT = fileURLToPath(new URL("../src", import.meta.url));

test("the floors of the server hold: nothing imports upward, sideways or in a circle", () => {
  const paths = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const files = new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(ROOT, path), "utf8")]));
  const { imports, wrong, circles } = checkFloors(files);
  expect(wrong).toEqual([]);
  expect(circles).toEqual([]);
  expect(files.size).toBeGreaterThan(100);
  expect(imports).toBeGreaterThan(300);
});

const SOUND: Readonly<Record<string, string>> = {
  "settings.ts": `import type { Log } from "./log.ts";`,
  "log.ts": "",
  "people/person.ts": `import { notFound } from "../problem.ts";`,
  "problem.ts": "",
  "http/app.ts": `import { notFound } from "../problem.ts";\nimport { hasRole } from "../people/person.ts";`,
  "catalog/access.ts": `import { ID } from "./shapes.ts";`,
  "catalog/shapes.ts": "",
  "catalog/index/facts.ts": `import { momentsOf } from "./moments.ts";`,
  "catalog/index/moments.ts": "",
  "catalog/search/filters.ts": `import { Recordings } from "../access.ts";`,
  "catalog/scan/scan.ts": `import { factsOf } from "../index/facts.ts";`,
  "catalog/routes.ts": `import { filtersOf } from "./search/filters.ts";`,
  "live/routes.ts": "",
  "rooms/routes.ts": `import { Type } from "typebox";\nawait import("../http/app.ts");`,
  "jobs/queue.ts": "",
  "node/handlers.ts": `import { x } from "../live/routes.ts";\nimport { y } from "../jobs/queue.ts";`,
};

const HIGHER = "it is on a higher floor";
const SIDEWAYS = "it is a neighbour on the same floor";

test.each([
  [null, {}],
  [HIGHER, { "people/person.ts": `import { createApp } from "../http/app.ts";` }],
  [HIGHER, { "problem.ts": `export * from "./http/app.ts";` }],
  [HIGHER, { "jobs/queue.ts": `const x = await import(\n  "../node/handlers.ts"\n);` }],
  [HIGHER, { "catalog/access.ts": `import { filtersOf } from "./search/filters.ts";` }],
  [HIGHER, { "catalog/index/facts.ts": `import { scan } from "../scan/scan.ts";` }],
  [HIGHER, { "catalog/search/filters.ts": `import { routes } from "../routes.ts";` }],
  [SIDEWAYS, { "catalog/index/facts.ts": `import { clean } from "../search/filters.ts";` }],
  [SIDEWAYS, { "rooms/routes.ts": `import type { X } from "../live/routes.ts";` }],
  ["there is no such file", { "rooms/routes.ts": `import "../live/gone.ts";` }],
  ["has no floor", { "attic/box.ts": "" }],
])("the check of the floors finds: %s", (problem, changes) => {
  const { wrong } = checkFloors(new Map(Object.entries({ ...SOUND, ...changes })));
  expect(wrong).toEqual(problem === null ? [] : [expect.stringContaining(problem)]);
});

test.each([
  ["files", { "live/routes.ts": `import "./leases.ts";`, "live/leases.ts": `import "./routes.ts";` }],
  ["folders", { "jobs/queue.ts": `import "../live/routes.ts";`, "live/leases.ts": `import "../jobs/worker.ts";` }],
])("the check of the floors finds a circle of %s", (kind, changes) => {
  expect(checkFloors(new Map(Object.entries(SOUND))).circles).toEqual([]);
  const names = Object.keys(changes).map((path) => (kind === "files" ? path : path.split("/")[0]!));
  expect(checkFloors(new Map(Object.entries({ ...SOUND, ...changes }))).circles).toEqual(names.sort());
});
