import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryStore, open, type Recording, s3Store, type Store } from "../../src/index.ts";
import { directoryStore } from "../../src/io/node/index.ts";
import { manifestsIn, recordingId, removeRecording, sweepLake } from "../../src/lake/index.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { REAL, SOUND, type SoundRecording } from "../specimens.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { did, keysOf, seen, sourceOf, sourcesOf, strays, toFolder, updated, WatchedStore } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-lake-"));
let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await DuckDBConnection.create();
});
afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

let count = 0;
const place = (): string => join(folder, `${count++}`);

type Row = Readonly<Record<string, unknown>>;

/** What another program reads; whole numbers as numbers. */
async function read(sql: string): Promise<Row[]> {
  const rows = (await duckdb.runAndReadAll(sql)).getRowObjects();
  const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

function specimen(name: string): SoundRecording {
  return SOUND.find((one) => one.name === name)!;
}

const TAPE = specimen("patrol.tape");
const TOWN = specimen("made town 0.9.15");
const FLIGHT = specimen("c172p-normal-mp.fgtape");

/** The same with fewer seconds, which every reader takes as damaged. */
function cut({ name, files }: SoundRecording, share: number): SoundRecording {
  const [[file, bytes]] = Object.entries(files) as [[string, Uint8Array]];
  const less = { [file]: bytes.subarray(0, Math.floor(bytes.length * share)) };
  return { name, format: "mira", files: less, bundle: () => bundleOfFiles(less) };
}

async function tablesIn(lake: Store): Promise<Set<string>> {
  const tables = new Set<string>();
  for await (const { files } of manifestsIn(lake)) for (const { table } of files) tables.add(table);
  return tables;
}

/** Rows of each set, and sums of what is a number in it, by going through the states. */
async function factsOf(recording: Recording): Promise<Record<string, { rows: number; sums: Record<string, number> }>> {
  const sets = new Set<string>();
  for await (const state of recording.states())
    for (const [name, { ids }] of state.sets) if (!name.startsWith(".") && ids.length > 0) sets.add(name);
  const found: Record<string, { rows: number; sums: Record<string, number> }> = {};
  for (const set of sets) {
    const sums: Record<string, number> = {};
    let rows = 0;
    // of a recording that has no moments, no set is a table
    const table = await recording.table(set).catch((error: unknown) => {
      if (error instanceof RangeError) return null;
      throw error;
    });
    if (table === null) continue;
    for await (const batch of table) {
      rows += batch.length;
      for (const { name, kind, data, valid } of batch.columns) {
        if (!["f64", "f32", "i32", "u32", "u8"].includes(kind) || name === "time" || name === "id") continue;
        const column = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
        let sum = 0;
        for (let row = 0; row < batch.length; row++)
          if (valid[row] === 1 && Number.isFinite(data[row])) sum += data[row] as number;
        sums[column] = (sums[column] ?? 0) + sum;
      }
    }
    found[set] = { rows, sums };
  }
  return found;
}

describe("DuckDB reads of a lake what the recording has", () => {
  const all = [
    ...SOUND,
    ...REAL.filter(({ files }) => Object.values(files).every(({ length }) => length < 1e6)).slice(0, 6),
  ];

  test.each(all.map((one) => [`${one.format} ${one.name}`, one] as const))("%s", async (_, one) => {
    const lake = place();
    const [change] = await updated(directoryStore(lake), [sourceOf(one.name, one.bundle)]);
    expect(change).toMatchObject({ did: "added", outcome: "whole", findings: 0 });
    const recording = await open(one.bundle());
    const { start, end, epoch } = await recording.timeline();
    const [row] = await read(`SELECT *, day::VARCHAR AS day_text FROM read_parquet('${lake}/recordings/**/*.parquet')`);
    const messages = (await recording.statistics()).reduce((sum, { messages: its }) => sum + its, 0);
    expect(row).toMatchObject({ recording: recordingId(one.name), file: one.name, format: one.format, messages });
    expect(row!["start"]).toBe(start / 1e9);
    expect(row!["end"]).toBe(end / 1e9);
    const day =
      epoch === null ? null : new Date(Number((epoch + BigInt(start)) / 1_000_000n)).toISOString().slice(0, 10);
    expect(row!["day_text"]).toBe(day);

    let events = 0;
    for await (const some of recording.events()) events += some.length;
    const tables = await tablesIn(directoryStore(lake));
    if (events > 0)
      expect(await read(`SELECT count(*) AS n FROM read_parquet('${lake}/events/**/*.parquet')`)).toEqual([
        { n: events },
      ]);
    const sets = await factsOf(recording);
    expect(
      [...tables].filter((table) => !["recordings", "channels", "events", "findings"].includes(table)).sort(),
    ).toEqual(
      Object.keys(sets)
        .map((set) => set.replace(/[^A-Za-z0-9]+/g, "_").toLowerCase())
        .sort(),
    );
    for (const [set, { rows, sums }] of Object.entries(sets)) {
      const files = `read_parquet('${lake}/${set.replace(/[^A-Za-z0-9]+/g, "_").toLowerCase()}/**/*.parquet')`;
      const sum = Object.keys(sums).map(
        (name) => `coalesce(sum("${name}"::DOUBLE) FILTER (isfinite("${name}"::DOUBLE)), 0) AS "${name}"`,
      );
      const [found] = await read(
        `SELECT count(*) AS rows_of_it, ${[...sum, "min(time) AS first"].join(", ")} FROM ${files}`,
      );
      expect(found!["rows_of_it"]).toBe(rows);
      for (const [name, value] of Object.entries(sums)) {
        const near = Math.max(1e-6, Math.abs(value) * 1e-6);
        expect(Math.abs((found![name] as number) - value), `${set} ${name}`).toBeLessThan(near);
      }
      expect(found!["first"]).toBeGreaterThanOrEqual(start / 1e9);
    }
    await recording.close();
  });

  test("times are seconds, and UTC where the recording says when it was; units are in the metadata", async () => {
    const lake = place();
    await updated(directoryStore(lake), sourcesOf([TOWN, FLIGHT]));
    const vehicles = `'${lake}/vehicles/**/*.parquet'`;
    const [town] = await read(
      `SELECT min(epoch_us(utc)) - min(time) * 1e6 AS began, count(*) = count(utc) AS all_known, typeof(any_value(id)) AS id FROM read_parquet(${vehicles})`,
    );
    const { epoch } = await (await open(TOWN.bundle())).timeline();
    expect(town).toEqual({ began: Number(epoch! / 1000n), all_known: true, id: "BIGINT" });
    const [flight] = await read(
      `SELECT count(utc) AS known, any_value(typeof(utc)) AS kind, any_value(day) AS day FROM read_parquet('${lake}/aircraft/**/*.parquet')`,
    );
    expect(flight).toEqual({ known: 0, kind: "TIMESTAMP WITH TIME ZONE", day: null });
    const [units] = await read(
      `SELECT decode(value) AS units FROM parquet_kv_metadata(${vehicles}) WHERE decode(key) = 'units'`,
    );
    expect(JSON.parse(units!["units"] as string)).toMatchObject({ time: "s", position_x: "cm", velocity_x: "m/s" });
  });

  test("one table has recordings of several formats, each with its own columns", async () => {
    const lake = place();
    await updated(directoryStore(lake), sourcesOf([TAPE, specimen("drive.mcap"), TOWN]));
    const rows = await read(
      `SELECT format, count(*) > 0 AS some FROM read_parquet('${lake}/poses/**/*.parquet', union_by_name = true) GROUP BY format ORDER BY format`,
    );
    expect(rows).toEqual([
      { format: "mcap", some: true },
      { format: "mira", some: true },
    ]);
  });

  test("with steps, some sets, channels, or facts alone", async () => {
    const lake = place();
    const store = directoryStore(lake);
    await updated(store, sourcesOf([TOWN]), { sets: ["vehicles"], every: 500_000_000, channels: true });
    const steps = await read(`SELECT DISTINCT time FROM read_parquet('${lake}/vehicles/**/*.parquet') ORDER BY time`);
    expect(steps.slice(0, 3)).toEqual([{ time: 0 }, { time: 0.5 }, { time: 1 }]);
    const tables = await tablesIn(store);
    expect([...tables].filter((table) => !table.startsWith("channel_")).sort()).toEqual([
      "channels",
      "events",
      "recordings",
      "vehicles",
    ]);
    const [named] = await read(
      `SELECT "table" FROM read_parquet('${lake}/channels/**/*.parquet') WHERE messages > 0 LIMIT 1`,
    );
    expect(tables).toContain(named!["table"]);
    // other options write it again
    expect(did(await updated(store, sourcesOf([TOWN]), { sets: [] }))).toEqual({ [TOWN.name]: "replaced" });
    expect(new Set((await keysOf(store)).map((key) => key.split("/")[0]))).toEqual(
      new Set(["_manifests", "channels", "events", "recordings"]),
    );
  });
});

describe("a lake is kept current", () => {
  test("a second run opens no recording and changes nothing", async () => {
    const lake = new WatchedStore(memoryStore());
    await updated(lake, sourcesOf([TAPE, TOWN]));
    const before = lake.changes.length;
    const unopened = [TAPE, TOWN].map(({ name }) => ({
      ...sourceOf(name, () => bundleOfFiles({})),
      open: () => Promise.reject(new Error("opened")),
    }));
    const changes = await updated(lake, unopened);
    expect(did(changes)).toEqual({ [TAPE.name]: "unchanged", [TOWN.name]: "unchanged" });
    expect(changes.every(({ rows, bytes }) => rows > 0 && bytes > 0)).toBe(true);
    expect(lake.changes.length).toBe(before);
  });

  test("what has changed is replaced, and nothing of it is left", async () => {
    const lake = memoryStore();
    await updated(lake, sourcesOf([TAPE, TOWN]));
    const town = (await seen(lake))[recordingId(TOWN.name)];
    const other = cut(TAPE, 0.5);
    expect(did(await updated(lake, [...sourcesOf([other], "2"), ...sourcesOf([TOWN])]))).toEqual({
      [TAPE.name]: "replaced",
      [TOWN.name]: "unchanged",
    });
    const alone = memoryStore();
    await updated(alone, sourcesOf([other]));
    const id = recordingId(TAPE.name);
    expect(await seen(lake)).toEqual({ [id]: (await seen(alone))[id], [recordingId(TOWN.name)]: town });
    expect(await strays(lake)).toEqual([]);
  });

  test("a file that was touched, and is the same, is not written again", async () => {
    const lake = new WatchedStore(memoryStore());
    await updated(lake, sourcesOf([TAPE]));
    const before = lake.changes.length;
    expect(did(await updated(lake, sourcesOf([TAPE], "2")))).toEqual({ [TAPE.name]: "replaced" });
    expect(lake.changes.slice(before)).toEqual([`put _manifests/${TAPE.name}.json`]);
  });

  test("what is gone is removed, or kept", async () => {
    const lake = memoryStore();
    await updated(lake, sourcesOf([TAPE, TOWN]));
    const before = await keysOf(lake);
    expect(did(await updated(lake, sourcesOf([TOWN]), { keepVanished: true }))[TAPE.name]).toBe("kept");
    expect(did(await updated(lake, sourcesOf([TOWN]), { dryRun: true }))[TAPE.name]).toBe("removed");
    expect(await keysOf(lake)).toEqual(before);
    expect(did(await updated(lake, sourcesOf([TOWN])))[TAPE.name]).toBe("removed");
    expect(Object.keys(await seen(lake))).toEqual([recordingId(TOWN.name)]);
    expect(await strays(lake)).toEqual([]);
    expect(await removeRecording(lake, recordingId(TOWN.name))).toMatchObject({ did: "removed" });
    expect(await keysOf(lake)).toEqual([]);
    expect(await removeRecording(lake, recordingId(TOWN.name))).toBeNull();
  });

  test("of a damaged recording it has what is readable, and findings; of an unreadable one, findings", async () => {
    const lake = place();
    const broken = sourceOf("broken.tape", () => bundleOfFiles({ "broken.tape": new Uint8Array(500).fill(7) }));
    const changes = await updated(directoryStore(lake), [...sourcesOf([cut(TAPE, 0.6), TOWN]), broken]);
    expect(changes.map(({ outcome }) => outcome)).toEqual(["damaged", "whole", "unreadable"]);
    const findings = await read(
      `SELECT recording, format, severity FROM read_parquet('${lake}/findings/**/*.parquet') WHERE severity IN ('damage', 'loss') ORDER BY recording`,
    );
    expect(findings.map(({ recording, format }) => [recording, format])).toEqual([
      ["broken.tape", "unknown"],
      ...findings.slice(1).map(() => [TAPE.name, "mira"]),
    ]);
    expect(findings.length).toBeGreaterThan(1);
    const [poses] = await read(`SELECT count(*) > 0 AS some FROM read_parquet('${lake}/poses/**/*.parquet')`);
    expect(poses).toEqual({ some: true });
    // and says so again
    const again = await updated(directoryStore(lake), [...sourcesOf([cut(TAPE, 0.6), TOWN]), broken]);
    expect(again.map(({ did: what, outcome }) => [what, outcome])).toEqual([
      ["unchanged", "damaged"],
      ["unchanged", "whole"],
      ["unchanged", "unreadable"],
    ]);
  });

  test("names in folders are safe, unique, and never numbers", () => {
    expect(recordingId("town.log")).toBe("town.log");
    expect(recordingId("2026-11-25")).toMatch(/^r-2026-11-25-[0-9a-f]{10}$/);
    expect(recordingId("a/b.log")).toMatch(/^a_b\.log-[0-9a-f]{10}$/);
    expect(recordingId("a b.log")).not.toBe(recordingId("a/b.log"));
    expect(recordingId("日本.log")).toMatch(/^r-_\.log-[0-9a-f]{10}$/);
    expect(recordingId("x".repeat(500)).length).toBeLessThan(100);
  });
});

describe("killed between any two writes", () => {
  const cases = [
    ["a first run", [], sourcesOf([TAPE, FLIGHT])],
    ["a replacement", sourcesOf([TAPE, FLIGHT]), [...sourcesOf([cut(TAPE, 0.5)], "2"), ...sourcesOf([FLIGHT])]],
    ["a removal", sourcesOf([TAPE, FLIGHT]), sourcesOf([FLIGHT])],
  ] as const;

  test.each(cases)(
    "%s is whole to its readers, and the next run mends it",
    async (_, first, second) => {
      const wanted = memoryStore();
      await updated(wanted, second);
      const final = await seen(wanted);
      for (let lives = 0; ; lives++) {
        const lake = memoryStore();
        await updated(lake, first);
        const before = await seen(lake);
        const killed = await updated(WatchedStore.killed(lake, lives), second).then(
          () => false,
          () => true,
        );
        // each recording is as it was before or as it is after
        for (const [id, files] of Object.entries(await seen(lake)))
          expect([before[id], final[id]], `${lives} ${id}`).toContainEqual(files);
        await updated(lake, second);
        expect(await seen(lake), `${lives}`).toEqual(final);
        expect(await strays(lake), `${lives}`).toEqual([]);
        if (!killed) break;
        expect(lives).toBeLessThan(200);
      }
    },
    120_000,
  );
});

test("a sweep deletes what no manifest names, and nothing else", async () => {
  const lake = memoryStore();
  await updated(lake, sourcesOf([TAPE, FLIGHT]));
  const before = await seen(lake);
  const own = (await keysOf(lake)).find((key) => key.startsWith("events/"))!;
  const bytes = new Uint8Array(10);
  for (const key of [own.replace(/[^/]+$/, "0000-11.parquet"), own.replace(/recording=[^/]+/, "recording=none")])
    await lake.put(key, bytes);
  await lake.put("events/notes.txt", bytes);
  expect(await sweepLake(lake)).toEqual({ files: 0, bytes: 0 });
  expect(await sweepLake(lake, { age: -1 })).toEqual({ files: 2, bytes: 20 });
  expect(await seen(lake)).toEqual(before);
  expect(await strays(lake)).toEqual(["events/notes.txt"]);
});

describe("several workers at once", () => {
  /** At each change of the one, the other may run as far as it likes: turns by a seed. */
  async function together(lake: Store, sources: readonly ReturnType<typeof sourceOf>[][], seed: number): Promise<void> {
    let random = seed;
    const turn = async (): Promise<void> => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      for (let n = (random >>> 16) % 40; n > 0; n--) await new Promise((resolve) => setImmediate(resolve));
      // no reader finds a manifest without its files
      await seen(lake);
    };
    await Promise.all(sources.map((its) => updated(new WatchedStore(lake, turn), its)));
  }

  test.each([1, 2, 3, 4, 5, 6])("write a lake that is whole at each moment (%i)", async (seed) => {
    const lake = memoryStore();
    const sources = sourcesOf([TAPE, FLIGHT]);
    await together(lake, [sources, [...sources].reverse(), sources], seed);
    // one of them may have been overtaken by all others
    await updated(lake, sources);
    const alone = memoryStore();
    await updated(alone, sources);
    expect(await seen(lake)).toEqual(await seen(alone));
    expect(await strays(lake)).toEqual([]);
  });

  test.each([7, 8, 9])("of different states of a recording, one wins whole (%i)", async (seed) => {
    const lake = memoryStore();
    const newer = cut(TAPE, 0.5);
    await together(lake, [sourcesOf([TAPE]), sourcesOf([newer], "2"), sourcesOf([TAPE])], seed);
    await updated(lake, sourcesOf([newer], "2"));
    const alone = memoryStore();
    await updated(alone, sourcesOf([newer], "2"));
    expect(await seen(lake)).toEqual(await seen(alone));
    expect(await strays(lake)).toEqual([]);
  });

  test("one that is overtaken leaves nothing of its own, and says so", async () => {
    const lake = memoryStore();
    let isFirst = true;
    const overtaken = new WatchedStore(lake, async (change) => {
      if (!isFirst || !change.startsWith("put recordings/")) return;
      isFirst = false;
      await updated(lake, sourcesOf([cut(TAPE, 0.5)], "2"));
    });
    const [change] = await updated(overtaken, sourcesOf([TAPE], "2"));
    // by its second try the other one is done
    expect(change).toMatchObject({ did: "unchanged" });
    expect(await strays(lake)).toEqual([]);
  });
});

describeWithCeph("in S3", (bucket) => {
  test("a lake is written, unchanged, changed, overtaken, and read by DuckDB", async () => {
    const lake = s3Store({ ...bucket(), prefix: "lake/day=1" });
    const sources = sourcesOf([TAPE, TOWN]);
    await Promise.all([updated(lake, sources), updated(lake, [...sources].reverse())]);
    await updated(lake, sources);
    expect(await strays(lake)).toEqual([]);
    const watched = new WatchedStore(lake);
    expect(did(await updated(watched, sources))).toEqual({ [TAPE.name]: "unchanged", [TOWN.name]: "unchanged" });
    expect(watched.changes).toEqual([]);
    const copy = place();
    await toFolder(lake, copy);
    const rows = await read(
      `SELECT recording, format FROM read_parquet('${copy}/recordings/**/*.parquet') ORDER BY format`,
    );
    expect(rows).toEqual([
      { recording: recordingId(TOWN.name), format: "carla" },
      { recording: TAPE.name, format: "mira" },
    ]);
    expect(did(await updated(lake, sourcesOf([TAPE])))[TOWN.name]).toBe("removed");
    expect(await strays(lake)).toEqual([]);
  }, 120_000);
});
