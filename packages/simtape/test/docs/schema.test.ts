import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EDIT_LIST_SCHEMA } from "../../src/ops/edit/list.ts";

test("the published schema of edit lists is the one in the code", () => {
  const published = readFileSync(new URL("../../../../docs/edit-list.schema.json", import.meta.url), "utf8");
  expect(JSON.parse(published)).toEqual(EDIT_LIST_SCHEMA);
});
