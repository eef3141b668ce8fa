import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Database, joinDatabase } from "../../dist/database/database.js";
import { isSoak } from "../../../simtape/test/soak.ts";
import { startNode } from "../support/node.ts";
import { made, newLibrary, POINTS, survive, testKept } from "./kept.ts";

test("each failpoint is at one place", () => {
  expect(POINTS.length).toBeGreaterThan(30);
  expect(POINTS).toEqual([...new Set(POINTS)]);
});

describe("what was kept is brought to its end", () => testKept(() => Promise.resolve([])));

/** Every failpoint in a soak. */
describe("a process that is killed", () => {
  test.each(isSoak ? POINTS : ["uploads/piece-stored"])("at %s loses nothing", async (point) => {
    const { library, words } = newLibrary(point.replace("/", "-"));
    const data = join(library, ".simtape");
    const start = (failpoint: string) => startNode([library, ...words], { SIMTAPE_FAILPOINT: failpoint });
    const join_ = (): Promise<Database> => joinDatabase(`embedded:${join(data, "database")}`);
    let node = await start(point);
    let database = await join_();
    const ended = new Promise<void>((resolve) => node.process.once("exit", () => resolve()));
    const world = { address: () => node.address, query: () => database.query, library, data, made };
    try {
      await survive(
        world,
        point,
        1000 + POINTS.indexOf(point),
        () => ended,
        async () => {
          await database.close();
          node = await start("");
          database = await join_();
        },
      );
    } finally {
      await database.close();
      await node.stop();
    }
  });
});
