import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkFloors } from "./support/floors.ts";

const ROOT = fileURLToPath(new URL("../src", import.meta.url));

test("the floors of the server hold: nothing imports upward or sideways", () => {
  const paths = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const files = new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(ROOT, path), "utf8")]));
  const { imports, wrong } = checkFloors(files);
  expect(wrong).toEqual([]);
  expect(files.size).toBeGreaterThan(100);
  expect(imports).toBeGreaterThan(300);
});

const SOUND: Readonly<Record<string, string>> = {
  "settings.ts": `import type { Log } from "./log.ts";`,
  "log.ts": "",
  "people/person.ts": `import { notFound } from "../http/problem.ts";`,
  "http/problem.ts": "",
  "http/app.ts": `import { notFound } from "./problem.ts";\nimport { hasRole } from "../people/person.ts";`,
  "live/routes.ts": "",
  "rooms/routes.ts": `import { Type } from "typebox";\nawait import("../http/app.ts");`,
  "jobs/queue.ts": "",
  "jobs/handlers.ts": `import { x } from "../live/routes.ts";\nimport { y } from "./queue.ts";`,
};

test.each([
  [null, {}],
  ["it is on a higher floor", { "people/person.ts": `import { createApp } from "../http/app.ts";` }],
  ["it is on a higher floor", { "http/problem.ts": `export * from "./app.ts";` }],
  ["it is on a higher floor", { "jobs/queue.ts": `const x = await import(\n  "./handlers.ts"\n);` }],
  ["it is a neighbour on the same floor", { "rooms/routes.ts": `import type { X } from "../live/routes.ts";` }],
  ["there is no such file", { "rooms/routes.ts": `import "../live/gone.ts";` }],
  ["has no floor", { "attic/box.ts": "" }],
])("the check of the floors finds: %s", (problem, changes) => {
  const { wrong } = checkFloors(new Map(Object.entries({ ...SOUND, ...changes })));
  expect(wrong).toEqual(problem === null ? [] : [expect.stringContaining(problem)]);
});
