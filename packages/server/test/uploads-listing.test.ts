import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localBus } from "../dist/bus/local.js";
import { type Database, openDatabase } from "../dist/database/database.js";
import { Jobs } from "../dist/jobs/queue.js";
import type { Library } from "../dist/library/library.js";
import { openLibrary } from "../dist/library/open.js";
import { settingsOf } from "../dist/settings.js";
import { Pieces } from "../dist/uploads/pieces.js";
import { placeUpload } from "../dist/uploads/place.js";

const EXAMPLE = new URL("../../../examples/town.log", import.meta.url);

const folder = mkdtempSync(join(tmpdir(), "simtape-uploads-listing-"));
const store = join(folder, "library");
let database: Database;

beforeAll(async () => {
  mkdirSync(store);
  writeFileSync(join(store, "other.log"), readFileSync(EXAMPLE));
  database = await openDatabase(`embedded:${join(folder, "database")}`);
});
afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("an upload is in the catalog when it is placed, and only its own folder was listed", async () => {
  const settings = await settingsOf({ store, data: join(folder, "data") }, undefined);
  const whole = await openLibrary(settings);
  const listed: (string | undefined)[] = [];
  const library: Library = {
    ...whole,
    list: (signal, under) => {
      listed.push(under);
      return whole.list(signal, under);
    },
  };
  const { query } = database;
  const jobs = new Jobs(query, localBus());
  const pieces = new Pieces(settings);
  const bytes = readFileSync(EXAMPLE);
  await pieces.begin("one", { bytes: bytes.length, name: "day/town.log", batch: "b", owner: "bo", begun: Date.now() });
  await pieces.append(
    "one",
    0,
    bytes.length,
    (async function* () {
      yield bytes;
    })(),
  );

  const work = { signal: new AbortController().signal, progress: () => undefined };
  const placed = await placeUpload({ library, settings, query, jobs }, "one", work);

  expect(placed).toEqual({ key: "uploads/bo/b/day/town.log" });
  expect(listed).toEqual(["uploads/bo/b/day"]);
  const rows = await query.selectFrom("recordings").select(["key", "state"]).execute();
  expect(rows).toEqual([{ key: "uploads/bo/b/day/town.log", state: "new" }]);
  const waiting = await query.selectFrom("jobs").select("kind").execute();
  expect(waiting).toEqual([{ kind: "index" }]);

  // once more, as after a node that ended in the middle of it
  await placeUpload({ library, settings, query, jobs }, "one", work);
  expect(await query.selectFrom("recordings").select("key").execute()).toHaveLength(1);
});
