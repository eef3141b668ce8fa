import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, describe, expect, test, vi } from "vitest";
import { spooledSink } from "../../src/cli/output/spooled-sink.ts";
import { query, tableIn } from "../export/readers.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { over } from "../../src/cli/run/ending.ts";
import {
  bundleOf,
  type ByteSink,
  EXPORT_TARGETS,
  exportTo,
  memory,
  MemoryFiles,
  MutableState,
  open,
  type SinkBundle,
} from "../../src/index.ts";
import { simtape } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-export-"));
afterAll(() => rmSync(folder, { recursive: true }));

const corpus = (path: string): string => new URL(`../../../corpus/cases/${path}`, import.meta.url).pathname;
const town = corpus("carla/0.9.15/town.log");
const walk = corpus("hcrp/walk/run.hcrp");
const robot = corpus("mira/recommended/robot.tape");
const patrol = new URL("../../../../examples/patrol.tape", import.meta.url).pathname;
const molecule = new URL("../../../../examples/buckyball.nanover.zip", import.meta.url).pathname;
const place = (): string => mkdtempSync(join(folder, "out-"));

test("the values of a recording are not copied at each moment to see which targets fit", async () => {
  const freeze = vi.spyOn(MutableState.prototype, "freeze");
  try {
    expect((await simtape(["export", patrol, "--list"])).stdout).toContain("nothing: it carries");
    expect(freeze.mock.calls.length).toBeLessThan(100);
  } finally {
    freeze.mockRestore();
  }
});

async function ok(...words: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await simtape(["export", ...words]);
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: words.includes("--to") && !words.includes("-o") ? expect.stringMatching(/^-: /) : "",
  });
  return stdout;
}

describe("simtape export", () => {
  test("writes what the name of the output says, and tells it", async () => {
    const out = place();
    for (const { id, extensions } of EXPORT_TARGETS.filter(({ carries }) => carries.startsWith("any set"))) {
      for (const ending of extensions) {
        const path = join(out, `x.${ending.toUpperCase()}`);
        expect(await ok(town, "-o", path)).toMatch(/^.*: 26 rows, vehicles, \d+(\.\d+)? kB\n$/);
        const again = await simtape(["export", town, "--to", id, "-o", path]);
        expect(again).toMatchObject({ exit: 2, stderr: expect.stringContaining("--force overwrites it") });
        const { files, ...report } = JSON.parse(await ok(town, "-o", path, "--force", "--json")) as { files: object[] };
        expect(report).toEqual({
          ...{ file: town, to: id, of: ["vehicles"], count: 26, unit: "row", lost: [], notes: [], findings: [] },
        });
        expect(files).toEqual([{ name: path, bytes: readFileSync(path).length }]);
      }
    }
  });

  test("takes the options of a table", async () => {
    const rows = ["--columns", "position,gear", "--id", "24", "--from", "100ms", "--until", "400ms", "--every", "50ms"];
    const path = join(place(), "x.csv");
    await ok(town, ...rows, "--axes", "standard", "-o", path);
    const found = await query(`select * from ${tableIn(path)}`);
    const { stdout } = await simtape(["table", town, ...rows, "--axes", "standard", "--time", "s"]);
    const lines = stdout.trimEnd().split("\n");
    const [header, ...cells] = lines.map((line) => line.split(","));
    expect(Object.keys(found[0]!)).toEqual(["t [s]", "utc", ...header!.slice(1)]);
    expect(found).toHaveLength(6);
    for (const [n, row] of found.entries())
      expect(Object.entries(row).flatMap(([name, cell]) => (name === "utc" ? [] : [Number(cell)]))).toEqual(
        cells[n]!.map(Number),
      );
    expect((await ok(town, "--to", "csv", "--no-units", "--time", "ns", "--until", "10ms")).split("\n")[0]).toMatch(
      /^time,utc,id,.*position\.x,/,
    );
  });

  test("of two files overwrites both with --force, and none without", async () => {
    const out = place();
    const [path, structure] = [join(out, "m.dcd"), join(out, "m.pdb")];
    writeFileSync(structure, "mine");
    const words = ["export", molecule, "-o", path];
    const refused = async (sentence: string, ...more: readonly string[]): Promise<void> => {
      const { exit, stderr } = await simtape([...words, ...more]);
      expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(sentence) });
      expect([readdirSync(out), readFileSync(structure, "utf8")]).toEqual([["m.pdb"], "mine"]);
    };
    await refused("exists already, remove it or choose another name: ");
    await refused(
      "exists already and does not belong to the file that --force overwrites, remove it first: ",
      "--force",
    );
    rmSync(structure);
    for (const more of [[], ["--force"]]) await ok(...words.slice(1), ...more);
    expect(readdirSync(out).sort()).toEqual(["m-2.dcd", "m-2.pdb", "m.dcd", "m.pdb"]);
    expect((await simtape(words)).exit).toBe(2);
  });

  test("goes to standard output, and through it", async () => {
    const { exit, bytes, stderr } = await simtape(["export", "-", "--to", "arrow"], new Uint8Array(readFileSync(town)));
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringMatching(/^-: 26 rows, vehicles/) });
    expect(tableFromIPC(bytes).numRows).toBe(26);
  });

  test("of several recordings goes into a folder, one file each; one that fails keeps no other from its turn", async () => {
    const [from, out] = [place(), `${place()}/new`];
    mkdirSync(join(from, "a", "b"), { recursive: true });
    for (const [name, source] of [
      ["town.log", town],
      ["a/b/town.log", town],
      ["run.hcrp", walk],
    ] as const)
      writeFileSync(join(from, name), readFileSync(source));
    await ok(from, robot, "--to", "parquet", "-o", `${out}/`);
    expect(readdirSync(out).sort()).toEqual(["a", "robot.parquet", "run.parquet", "town.parquet"]);
    expect(readdirSync(join(out, "a", "b"))).toEqual(["town.parquet"]);
    writeFileSync(join(from, "broken.log"), "no recording");
    const words = ["export", join(from, "broken.log"), town, "--to", "csv", "-o", out, "--json"];
    const { exit, stdout, stderr } = await simtape(words);
    expect(exit).toBe(1);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ error: { code: "unknown-format", exit: 1 } }, { file: town, count: 26 }]);
    expect(stderr).toMatch(/^simtape: .*broken\.log is not exported: .+\n$/);
    expect(readdirSync(out).filter((name) => name.endsWith(".csv"))).toEqual(["town.csv"]);
    const twice = await simtape(["export", town, join(from, "town.log"), "--to", "csv", "-o", out, "--force"]);
    expect(twice).toMatchObject({ exit: 1, stderr: expect.stringContaining("is written already, of ") });
    const inWay = await simtape(["export", from, "--to", "csv", "-o", `${join(from, "broken.log")}/`]);
    expect(inWay).toMatchObject({ exit: 2, stderr: expect.stringContaining("the folder cannot be made: ") });
    // no folder is left where all are refused
    const refused = join(place(), "deep", "none");
    const none = await simtape([
      "export",
      join(from, "run.hcrp"),
      join(from, "broken.log"),
      "--to",
      "dcd",
      "-o",
      `${refused}/`,
    ]);
    expect(none.exit).not.toBe(0);
    expect(existsSync(dirname(refused))).toBe(false);
    const noFolder = await simtape(["export", town, walk, "--to", "csv"]);
    expect(noFolder).toMatchObject({ exit: 2, stderr: expect.stringContaining("several recordings go into a folder") });
  });

  test("says which targets fit", async () => {
    const { exit, stdout } = await simtape(["export", town, robot, "--list", "--json"]);
    expect(exit).toBe(0);
    const [first, second] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Listed);
    expect(first!.targets.map(({ id }) => id)).toEqual(EXPORT_TARGETS.map(({ id }) => id));
    expect(first!.targets.find(({ id }) => id === "csv")!.fits.slice(0, 2)).toEqual(["vehicles", "walkers"]);
    expect(second!.targets.find(({ id }) => id === "npz")!.fits).toContain("/robot/RangeFinder/Front");
    expect(await ok(robot, "--list")).toMatch(/^ {2}parquet +poses, .* and \d+ more|^ {2}parquet +\S+, /m);
  });

  test("is refused in one line, with what there is, and leaves no file", async () => {
    const out = place();
    const refusals: readonly (readonly [words: readonly string[], reported: string])[] = [
      [["--set", "cars", "-o", "x.csv"], 'no set "cars"; there are: vehicles, walkers'],
      [["--columns", "colour", "-o", "x.npz"], 'no column "colour"; there are: time, id, kind'],
      [["--id", "3", "-o", "x.parquet"], "nothing in vehicles has the id 3; there are: "],
      [["-c", "nosuch", "-o", "x.csv"], "no channel is called nosuch; there are: "],
      [["-c", "event-*", "-o", "x.csv"], "matches several: event-add"],
      [["-c", "position", "--every", "1s", "-o", "x.csv"], "every"],
      [["--every", "soon", "-o", "x.csv"], "--every takes a time"],
      [["--every", "5 parsecs", "-o", "x.csv"], "--every takes a time"],
      [["--from", "2 km", "-o", "x.csv"], "not a time: "],
      [["--time", "hours", "-o", "x.csv"], "Allowed choices are ns, s"],
      [["--axes", "feet", "-o", "x.csv"], "Allowed choices are source, standard"],
      [["--from", "1h", "-o", "x.csv"], "is not in the recording"],
      [["--to", "xlsx", "-o", "x.csv"], "Allowed choices are csv, ndjson, parquet"],
      [["-o", "x.xlsx"], "say --to csv|ndjson|parquet"],
      [["-o", "."], "say --to csv|"],
      [[], "or -o FILE with such an ending"],
      [["--set", "vehicles", "-c", "position", "--to", "csv"], "cannot be used with"],
    ];
    for (const [words, reported] of refusals) {
      const at = words.indexOf("-o");
      const placed = words.map((word, k) => (k === at + 1 && at >= 0 ? join(out, word) : word));
      const { exit, stderr } = await simtape(["export", town, ...placed]);
      expect({ words, exit, stderr }).toEqual({ words, exit: 2, stderr: expect.stringContaining(reported) });
      expect(stderr.trimEnd().split("\n").length, stderr).toBeLessThanOrEqual(2);
    }
    expect(readdirSync(out)).toEqual([]);
  });

  test("of a damaged recording ends with 3, and says so", async () => {
    const bytes = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 5);
    const path = join(place(), "town.log");
    writeFileSync(path, bytes.subarray(0, bytes.length - 20));
    const { exit, stdout, stderr } = await simtape(["export", path, "-o", join(place(), "x.csv")]);
    expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.stringContaining("is damaged: ") });
    expect(stdout).toMatch(/rows, vehicles/);
  });
});

interface Listed {
  readonly targets: readonly { readonly id: string; readonly fits: readonly string[] }[];
}

test("files for objects of a store take changes at every place, and are there when they are closed", async () => {
  const there = new MemoryFiles("x.npz");
  const objects: SinkBundle = {
    name: there.name,
    open: async (name) =>
      Object.assign(await there.open(name), { writeAt: () => Promise.reject(new RangeError("it was sent")) }),
  };
  await using recording = await open(bundleOf(memory(new Uint8Array(readFileSync(town)), "town.log")));
  await expect(exportTo(recording, "npz", objects)).rejects.toThrow("it was sent");
  expect(there.files.size).toBe(0);
  const here = new MemoryFiles("x.npz");
  await exportTo(recording, "npz", here);
  await exportTo(recording, "npz", await spooledSink(objects));
  expect(Buffer.compare(there.bytes, here.bytes)).toBe(0);
  await over();
});

describe("exportTo", () => {
  /** Fails when so many bytes were written. */
  function full(files: MemoryFiles, room: number): SinkBundle {
    return {
      name: files.name,
      open: async (name) => {
        const sink = await files.open(name);
        const write = sink.write.bind(sink);
        return Object.assign(sink, {
          write: async (bytes: Uint8Array) => {
            if (sink.position + bytes.length > room) throw new Error("no room");
            await write(bytes);
          },
        }) as ByteSink;
      },
    };
  }

  test.each(["csv", "ndjson", "parquet", "arrow", "npz"])("leaves nothing of %s when it fails", async (target) => {
    await using recording = await open(bundleOf(memory(new Uint8Array(readFileSync(town)), "town.log")));
    const whole = new MemoryFiles();
    const { of, count } = await exportTo(recording, target, whole);
    expect({ of, count }).toEqual({ of: ["vehicles"], count: 26 });
    for (const room of [0, 100, whole.bytes.length - 1]) {
      const files = new MemoryFiles();
      await expect(exportTo(recording, target, full(files, room))).rejects.toThrow("no room");
      expect(files.files.size).toBe(0);
    }
  });

  test("has no target of another name, and says which fit where one does not", async () => {
    await using recording = await open(bundleOf(memory(new Uint8Array(readFileSync(town)), "town.log")));
    await expect(exportTo(recording, "xlsx", new MemoryFiles())).rejects.toThrow(
      /^no target "xlsx"; there are: csv, ndjson, parquet/,
    );
    const csv = await EXPORT_TARGETS[0]!.load();
    const none = { ...csv, id: "none", carries: "nothing", takes: [], fitting: async () => [] };
    await expect(exportTo(recording, { ...none, load: async () => none }, new MemoryFiles())).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(
        /^none carries nothing, and this recording has none; targets that fit it: csv, ndjson/,
      ),
    });
  });

  test("is about what the recording was converted from", async () => {
    const path = join(place(), "town.hcrp");
    expect((await simtape(["convert", town, path])).exit).toBe(0);
    expect(existsSync(path)).toBe(true);
    await using recording = await open(bundleOf(memory(new Uint8Array(readFileSync(path)), "town.hcrp")));
    expect((await exportTo(recording, "csv", new MemoryFiles())).of).toEqual(["vehicles"]);
    expect(await ok(path, "--to", "ndjson", "--until", "60ms")).toContain('"position.x [cm]"');
  });
});
