import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ByteSource } from "simtape";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localBus } from "../dist/bus/local.js";
import { Scanner } from "../dist/catalog/scan/scan.js";
import { type Database, openDatabase } from "../dist/database/database.js";
import { armFailpoint } from "../dist/failpoint.js";
import { Jobs } from "../dist/jobs/queue.js";
import { openLibrary } from "../dist/library/open.js";
import { settingsOf } from "../dist/settings.js";

const EXAMPLE = new URL("../../../examples/town.log", import.meta.url);

const folder = mkdtempSync(join(tmpdir(), "simtape-scan-erased-"));
const store = join(folder, "library");
let database: Database;

beforeAll(async () => {
  mkdirSync(join(store, "Bob"), { recursive: true });
  database = await openDatabase(`embedded:${join(folder, "database")}`);
});
afterAll(async () => {
  armFailpoint(null);
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a scan adds no row of a recording that was deleted since the scan listed it, new or known before", async () => {
  const { query } = database;
  const library = await openLibrary(await settingsOf({ store, data: join(folder, "data") }, undefined));
  const scanner = new Scanner(query, library, new Jobs(query, localBus()));
  const rows = () => query.selectFrom("recordings").select("key").execute();
  const path = join(store, "Bob/town.log");
  const erase = async (): Promise<void> => {
    rmSync(path);
    await query.deleteFrom("recordings").where("state", "<>", "new").execute();
  };

  writeFileSync(path, readFileSync(EXAMPLE));
  armFailpoint("catalog/noted", erase);
  await scanner.scan();
  expect(await rows()).toEqual([]);

  armFailpoint(null);
  writeFileSync(path, readFileSync(EXAMPLE));
  await scanner.scan();
  expect(await rows()).toEqual([{ key: "Bob/town.log" }]);

  // changed, listed as changed, and then erased before the scan writes what it found
  writeFileSync(path, readFileSync(EXAMPLE).subarray(0, -1));
  let isErased = false;
  const bundle: typeof library.bundle = (key) => {
    const plain = library.bundle(key);
    const open = async (): Promise<ByteSource | null> => {
      const source = await plain.open();
      if (source === null || isErased) return source;
      // after the scan has read the file, before it writes the row
      const close = source.close.bind(source);
      return Object.assign(source, {
        close: async () => {
          await close();
          isErased = true;
          rmSync(path);
          await query.deleteFrom("recordings").execute();
        },
      });
    };
    return { name: plain.name, open };
  };
  const erasing = new Scanner(query, { ...library, bundle }, new Jobs(query, localBus()));
  await erasing.scan();
  expect(isErased).toBe(true);
  expect(await rows()).toEqual([]);
});
