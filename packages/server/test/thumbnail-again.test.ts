import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "../dist/database/database.js";
import { json, startNode, until } from "./support/node.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-drawings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("pictures of an earlier drawing are made again by a job, others are not", async () => {
  for (const name of ["race.hcrp", "town.log"])
    copyFileSync(fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url)), join(folder, name));
  interface Item {
    readonly id: string;
    readonly name: string;
    readonly state: string;
  }
  const first = await startNode([folder]);
  const { recordings } = await until(
    () => json<{ recordings: readonly Item[] }>(first.address, "/api/recordings"),
    (page) => page.recordings.length === 2 && page.recordings.every(({ state }) => state === "indexed"),
  );
  await first.stop();
  const [race, town] = ["race.hcrp", "town.log"].map((name) => recordings.find((one) => one.name === name)!.id);
  const database = await openDatabase(`embedded:${join(folder, ".simtape", "database")}`);
  const client = await database.connect();
  await client.query("update thumbnails set svg = '<svg>kept</svg>'");
  await client.query(`update thumbnails set drawing = 0 where recording = '${race}'`);
  await client.end();
  await database.close();
  const second = await startNode([folder]);
  const picture = async (id: string): Promise<string> =>
    (await fetch(`${second.address}/api/recordings/${id}/thumbnail`)).text();
  const again = await until(
    () => picture(race!),
    (svg) => !svg.includes("kept"),
    100,
  );
  expect(again).toContain("<path");
  expect(await picture(town!)).toBe("<svg>kept</svg>");
  await second.stop();
}, 180_000);
