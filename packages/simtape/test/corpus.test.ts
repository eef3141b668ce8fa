import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import {
  CORPUS,
  CORPUS_FORMATS,
  corpusPaths,
  indexText,
  makeCorpus,
  plannedCases,
} from "../../../scripts/make-corpus.ts";
import {
  type ConformanceCase,
  type CorpusIndex,
  damaged,
  type Expectation,
  type LoadedCase,
  loadCorpus,
  runCase,
} from "../src/testing/index.ts";
import { tries } from "./soak.ts";

const read = async (path: string): Promise<Uint8Array> => new Uint8Array(await readFile(new URL(path, CORPUS)));
const indexBytes = readFileSync(new URL("index.json", CORPUS), "utf8");
const index = JSON.parse(indexBytes) as CorpusIndex;
const loaded = new Map<string, LoadedCase>();
for await (const one of loadCorpus(read, index)) loaded.set(one.case.id, one);

describe("every case of the corpus is as expected", () => {
  test.each(index.cases)("$id", async ({ id }) => {
    const { case: of, files } = loaded.get(id)!;
    const result = await runCase(of, files, CORPUS_FORMATS);
    expect(result.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(result).toMatchObject({ id, ok: true });
    expect(result.checks.length).toBeGreaterThan(of.expect.refused === null ? 10 : 0);
  });
});

describe("the corpus", () => {
  test("has the files that its index tells of, and no others", () => {
    const reported = index.cases.flatMap(({ id, files }) => files.map(({ name }) => `${id}/${name}`));
    expect(corpusPaths()).toEqual([...reported, "index.json"].sort());
    expect(new Set(index.cases.map(({ id }) => id)).size).toBe(index.cases.length);
  });

  test("has sound and damaged cases of every format", () => {
    for (const { id } of CORPUS_FORMATS) {
      const own = index.cases.filter(({ format }) => format === id);
      expect(own.filter(({ damage }) => damage === null).length, id).toBeGreaterThanOrEqual(10);
      expect(own.filter(({ damage }) => damage !== null).length, id).toBeGreaterThanOrEqual(10);
    }
  });

  test("holds the recordings that the script makes", async () => {
    const planned = await plannedCases();
    expect(planned.map(({ id }) => id)).toEqual(index.cases.map(({ id }) => id));
    for (const { id, about, features, files } of planned) {
      const { case: of, files: kept } = loaded.get(id)!;
      expect(of, id).toMatchObject({ about, features });
      expect(Object.keys(kept)).toEqual(Object.keys(files));
      for (const [name, bytes] of Object.entries(files)) {
        expect(Buffer.compare(bytes, kept[name]!), `${id}/${name}`).toBe(0);
      }
    }
  });

  test("holds the expectations that the script computes", async () => {
    const wants = (id: string): boolean => index.cases.findIndex((of) => of.id === id) % tries(25, 1) === 0;
    const { files } = await makeCorpus(wants);
    expect(new TextDecoder().decode(files.get("index.json")!)).toBe(
      indexText(index.cases.filter(({ id }) => wants(id))),
    );
    expect(indexText(index.cases)).toBe(indexBytes);
  });

  test("tells how each damaged recording came out of a sound one", () => {
    for (const { case: of, files } of loaded.values()) {
      if (of.damage === null) continue;
      const { files: before } = loaded.get(of.damage.of)!;
      const { file, steps } = of.damage;
      expect(Buffer.compare(files[file]!, damaged(before[file]!, steps)), of.id).toBe(0);
    }
  });
});

describe("the runner fails", () => {
  const sound = loaded.get("carla/0.9.15")!;
  const harmed = loaded.get("mira/recommended/cut")!;
  const failing = async (
    { case: of, files }: LoadedCase,
    expectation: Partial<Expectation>,
    change: Partial<ConformanceCase> = {},
  ): Promise<string[]> => {
    const expect = { ...of.expect, ...expectation };
    const result = await runCase({ ...of, ...change, expect }, files, CORPUS_FORMATS);
    return result.checks.filter(({ ok }) => !ok).map(({ check }) => check);
  };
  const { reading, states, records, ranges, repair } = sound.case.expect;

  test.each<[string, string[], Partial<Expectation>]>([
    ["a message differs", ["reading.messages"], { reading: { ...reading!, messages: "0".repeat(64) } }],
    [
      "a count differs",
      ["reading.channels"],
      { reading: { ...reading!, channels: reading!.channels.map(([name, schema, n]) => [name, schema, n + 1]) } },
    ],
    ["a channel is missing", ["reading.channels"], { reading: { ...reading!, channels: reading!.channels.slice(1) } }],
    [
      "the timeline differs",
      ["reading.timeline"],
      { reading: { ...reading!, timeline: { ...reading!.timeline, end: 1 } } },
    ],
    ["a finding is missing", ["reading.findings"], { reading: { ...reading!, findings: { truncated: 1 } } }],
    ["state differs", ["states"], { states: states!.map((state) => ({ ...state, sha256: "0".repeat(64) })) }],
    ["content differs", ["records"], { records: { ...records!, bytes: records!.bytes + 1 } }],
    ["ranges give fewer messages", ["ranges"], { ranges: ranges! + 1 }],
    ["a sound one should be repaired", ["repair.status"], { repair: { ...repair!, status: "repaired" } }],
    ["it should not open", ["refused"], { refused: "malformed" }],
  ])("when %s", async (_, checks, expectation) => {
    expect(await failing(sound, expectation)).toContain(checks[0]);
  });

  test("when the loss differs", async () => {
    const { repair: expected } = harmed.case.expect;
    const lost = expected!.lost.map(([code, offset, length]) => [code, offset! + 1, length] as const);
    expect(await failing(harmed, { repair: { ...expected!, lost } })).toEqual(["repair.lost"]);
  });

  test("when another format should recognise it, and looks no further", async () => {
    expect(await failing(sound, {}, { format: "mira" })).toEqual(["recognised"]);
  });

  test("when a writer keeps less than expected, not when it keeps more", async () => {
    const content = loaded.get("nanover/zip-deflated")!;
    expect(content.case.expect.writing).toEqual({ keeps: "messages" });
    expect(await failing(content, { writing: { keeps: "files" } })).toEqual(["writing.keeps"]);
    expect(await failing(sound, { writing: { keeps: "messages" } })).toEqual([]);
  });

  test("when the format is not there, in words", async () => {
    const result = await runCase(sound.case, sound.files, []);
    expect(result.ok).toBe(false);
    expect(result.checks[0]!.found).toMatch(/^unknown-format: /);
  });

  test("only in the parts asked for", async () => {
    const of = { ...sound.case, expect: { ...sound.case.expect, ranges: ranges! + 1 } };
    const result = await runCase(of, sound.files, CORPUS_FORMATS, { parts: ["reading", "records"] });
    expect(result.ok).toBe(true);
    expect(result.checks.map(({ check }) => check.split(".")[0])).not.toContain("ranges");
  });

  test("to load a file that is not the one the index tells of, or an index of a later version", async () => {
    const other = async (path: string): Promise<Uint8Array> => (await read(path)).slice(1);
    await expect(loadCorpus(other, index).next()).rejects.toThrow(/expected \d+ bytes with sha256/);
    const later = { version: 2, cases: [] } as unknown as CorpusIndex;
    await expect(loadCorpus(read, later).next()).rejects.toThrow(RangeError);
  });
});
