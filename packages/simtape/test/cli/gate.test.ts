import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { soundly } from "../../src/cli/output/excerpt.ts";
import { writing } from "../../src/formats/hcrp/writing.ts";
import { open, rewrite, type SinkBundle, type Store } from "../../src/index.ts";
import { fromFile, toFile } from "../../src/io/node/index.ts";
import { isReadable, type ReadableSink } from "../../src/io/sink/sink.ts";
import { CASES, casesOf, tried } from "./cases.ts";
import { simtape } from "./run.ts";

/** A disk that has changed, when it says that all is safe, the middle third of what was written. */
const disk = vi.hoisted(() => ({ isBad: false, changed: 0 }));
vi.mock(import("../../src/io/node/file-sink.ts"), async (original) => {
  const { toFile } = await original();
  return { toFile: (path, options) => bad(toFile(path, options)) };
});
vi.mock(import("../../src/io/node/directory-store.ts"), async (original) => {
  const { directoryStore } = await original();
  return { directoryStore: (folder, options) => badStore(directoryStore(folder, options)) };
});

function bad(files: SinkBundle): SinkBundle {
  return {
    name: files.name,
    open: async (name) => {
      const sink = await files.open(name);
      const flush = sink.flush.bind(sink);
      return Object.assign(sink, {
        flush: async () => {
          await flush();
          if (disk.isBad && isReadable(sink)) await change(sink);
        },
      });
    },
  };
}

async function change(sink: ReadableSink): Promise<void> {
  const from = Math.floor(sink.position / 3);
  await sink.writeAt(from, new Uint8Array(from).fill(0xa5));
  disk.changed++;
}

function badStore(store: Store): Store {
  const put: Store["put"] = (key, bytes, options) => {
    if (!disk.isBad) return store.put(key, bytes, options);
    disk.changed++;
    const third = Math.floor(bytes.length / 3);
    return store.put(key, new Uint8Array(bytes).fill(0xa5, third, 2 * third), options);
  };
  return Object.assign(Object.create(store) as Store, {
    name: store.name,
    list: store.list.bind(store),
    head: store.head.bind(store),
    get: store.get.bind(store),
    source: store.source.bind(store),
    sink: store.sink.bind(store),
    delete: store.delete.bind(store),
    put,
  });
}

const folder = mkdtempSync(join(tmpdir(), "simtape-gate-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function onBadDisk<T>(work: () => Promise<T>): Promise<T> {
  [disk.isBad, disk.changed] = [true, 0];
  try {
    const done = await work();
    expect(disk.changed, "the disk has changed something").toBeGreaterThan(0);
    return done;
  } finally {
    disk.isBad = false;
  }
}

/** One line that says that the result is what is wrong. */
const REFUSED =
  /^simtape: .*(the result would be damaged|the copy differs from its source|the compacted file|cannot make a sound recording of it).*\n$/;
/** What they write is no recording, or is to be damaged. */
const OTHERS: ReadonlySet<string> = new Set(["table", "export", "sql", "dictionary train"]);

const SPECIMENS = [
  "carla/0.9.15/town.log",
  "hcrp/walk/run.hcrp",
  "mira/recommended/robot.tape",
  "nanover/zip/run.nanover.zip",
];

describe.each(SPECIMENS)("%s on a disk that changes what is written", (path) => {
  const bytes = new Uint8Array(readFileSync(new URL(`../../../corpus/cases/${path}`, import.meta.url)));
  const name = path.slice(path.lastIndexOf("/") + 1);
  const writing = casesOf(path.slice(0, path.indexOf("/"))).filter(
    ([, command, { words }]) => words.includes("OUT") && !OTHERS.has(command),
  );

  test.each(writing)("%s is refused, and nothing is left", async (_, command, one) => {
    const files = { [name]: bytes };
    const ran = await onBadDisk(() => tried(folder, command, one, files, files));
    expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringMatching(REFUSED), written: [] });
  });
});

test("every command with a recording as its output is tried above", () => {
  const writing = Object.entries(CASES).filter(
    ([command, all]) =>
      typeof all !== "string" && all.some(({ words }) => words.includes("OUT")) && !OTHERS.has(command),
  );
  const tried = new Set(SPECIMENS.flatMap((path) => casesOf(path.slice(0, path.indexOf("/")))).map(([, name]) => name));
  expect(writing.map(([command]) => command).filter((command) => !tried.has(command))).toEqual([]);
});

test.each(["carla", "flightgear", "hcrp", "mira", "nanover"])("a demo of %s is refused, too", async (format) => {
  const out = mkdtempSync(join(folder, "demo-"));
  const ran = await onBadDisk(() => simtape(["demo", format, "-o", out, "--seconds", "1"]));
  expect([ran.exit, ran.stdout, readdirSync(out)]).toEqual([1, "", []]);
  expect(ran.stderr).toMatch(REFUSED);
});

test("metadata are not changed where the rest of the file would be, too", async () => {
  const bytes = readFileSync(new URL("../../../corpus/cases/hcrp/walk/run.hcrp", import.meta.url));
  const file = join(mkdtempSync(join(folder, "meta-")), "run.hcrp");
  writeFileSync(file, bytes);
  const ran = await onBadDisk(() => simtape(["meta", "set", file, "reviewed=true"]));
  expect([ran.exit, ran.stdout]).toEqual([1, ""]);
  expect(ran.stderr).toMatch(REFUSED);
  expect(Buffer.compare(readFileSync(file), bytes)).toBe(0);
});

test("a recovery leaves the recording and its journal as they were", async () => {
  const out = mkdtempSync(join(folder, "recover-"));
  cpSync(fileURLToPath(new URL("../fixtures/hcrp/killed-mid-tick", import.meta.url)), out, { recursive: true });
  const files = (): unknown =>
    readdirSync(out)
      .filter((name) => !name.startsWith("."))
      .map((name) => [name, readFileSync(join(out, name), "hex")]);
  const before = files();
  const ran = await onBadDisk(() => simtape(["recover", out]));
  expect([ran.exit, ran.stdout]).toEqual([1, ""]);
  expect(ran.stderr).toMatch(REFUSED);
  expect(files()).toEqual(before);
  expect((await simtape(["recover", out])).exit).toBe(0);
  expect((await simtape(["check", out])).stdout).toContain("sound");
});

test("a cut of a recording, as a server makes for a link, is refused", async () => {
  const name = "run.hcrp";
  const from = fromFile(fileURLToPath(new URL(`../../../corpus/cases/hcrp/walk/${name}`, import.meta.url)));
  await using source = await open(from);
  for (const isBad of [true, false]) {
    const out = mkdtempSync(join(folder, "cut-"));
    const write = (to: SinkBundle): Promise<unknown> => rewrite(source, writing, to);
    const cut = (): Promise<unknown> => soundly(source, from, toFile(join(out, name)), write);
    if (isBad) await expect(onBadDisk(cut)).rejects.toThrow(/the result would be damaged/);
    else await cut();
    expect(readdirSync(out)).toEqual(isBad ? [] : [name]);
  }
});
