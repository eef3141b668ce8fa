import { readFileSync } from "node:fs";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { allFormats } from "../../../src/cli/input/formats.ts";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import type { IndexEntry } from "../../../src/formats/hcrp/layout/framing.ts";
import { loadZstd } from "../../../src/kit.ts";
import { open } from "../../../src/index.ts";
import { bundleOfFiles, describeFormat, type Specimen } from "../../conformance/describe-format.ts";
import { epochs, fixtures, twoEpochs, walk } from "../../fixtures/hcrp/make.ts";
import {
  chunkBytes,
  compacted,
  type Content,
  event,
  joined,
  production,
  segmented,
} from "../../fixtures/hcrp/recording.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import { samplesDirectory, sampleBytes } from "../../samples.ts";

const zstd = await loadZstd();
const made = await fixtures();

const segments = Object.fromEntries(
  [...made].filter(([name]) => name.startsWith("segmented/")).map(([name, bytes]) => [name.slice(10), bytes]),
);
const single: Specimen[] = [...made]
  .filter(([name]) => !name.includes("/") && name !== "dictionary.hcrp")
  .map(([name, bytes]) => ({ name, files: { [name]: bytes } }));

const broken = compacted(zstd, walk());
broken[broken.length - 20]! ^= 0x10;
const brokenColumns = compacted(zstd, walk(), { columns: true });
brokenColumns[brokenColumns.length - 20]! ^= 0x10;
const torn = { ...segments, "seg-00000001.hcs": segments["seg-00000001.hcs"]!.slice(0, 700) };
const { "seg-00000000.hcs": _, ...missing } = segments;
const walkContent = walk();
const later: Content = {
  ...twoEpochs(),
  metadata: epochs([1, 2]),
  chunks: twoEpochs().chunks.map((chunk, i) => ({
    ...chunk,
    records: i === 0 ? chunk.records : [{ tick: 1, events: [event(29)] }, ...chunk.records],
  })),
};

const variants: Specimen[] = [
  { name: "segmented", files: segments, stream: joined(Object.values(segments)) },
  { name: "plain and segmented", ...withStream(segmented(zstd, walk(), 3, { profile: "plain" })) },
  { name: "with gaps between chunks", files: { "a.hcrp": compacted(zstd, walk(), { gap: 9 }) } },
  { name: "columns", files: { "a.hcrp": compacted(zstd, walk(), { columns: true }) } },
  { name: "plain and columns", files: { "a.hcrp": compacted(zstd, walk(), { columns: true, profile: "plain" }) } },
  { name: "no chunk", files: { "a.hcrp": compacted(zstd, { chunks: [] }) } },
  {
    name: "chunks out of order in the file",
    files: { "a.hcrp": swapped(compacted(zstd, walkContent, { entry: (entry) => entry })) },
  },
  {
    name: "empty stretches",
    files: {
      "a.hcrp": compacted(zstd, {
        chunks: [
          { ticks: 50, snapshot: [], records: [] },
          { ticks: 12_000, snapshot: null, records: [] },
          { ...walkContent.chunks[0]! },
        ],
      }),
    },
  },
  { name: "a damaged frame", files: { "a.hcrp": broken }, isDamaged: true },
  { name: "a damaged frame in columns", files: { "a.hcrp": brokenColumns }, isDamaged: true },
  { name: "a torn segment", files: torn, stream: joined(Object.values(torn)), isDamaged: true },
  { name: "a missing segment", files: missing, stream: joined(Object.values(missing)), isDamaged: true },
  { name: "a later schema", files: { "a.hcrp": compacted(zstd, later) }, isDamaged: true },
  { name: "cut behind the third chunk", files: { "a.hcrp": compacted(zstd, walk()).slice(0, -200) }, isDamaged: true },
  { name: "bytes behind the last chunk", files: { "a.hcrp": joined([compacted(zstd, walk()), new Uint8Array(33)]) } },
];

function withStream(files: Record<string, Uint8Array>): Pick<Specimen, "files" | "stream"> {
  return { files, stream: joined(Object.values(files)) };
}

/** The same file with its first two frames changed over, and an index that knows. */
function swapped(file: Uint8Array): Uint8Array {
  const frames = walkContent.chunks.map((chunk) => zstd.compress(chunkBytes(chunk), { level: 19 }));
  const [a, b] = [frames[0]!.length, frames[1]!.length];
  const start = file.length - frames.reduce((sum, { length }) => sum + length, 0);
  const move = (entry: IndexEntry, i: number): IndexEntry =>
    i > 1 ? entry : { ...entry, offsetLow: i === 0 ? start + b : start };
  const again = compacted(zstd, walkContent, { entry: move });
  again.set(file.subarray(start + a, start + a + b), start);
  again.set(file.subarray(start, start + a), start + b);
  return again;
}

const golden: Specimen[] =
  samplesDirectory === null
    ? []
    : [{ name: "golden-v1.hcrp", files: { "golden-v1.hcrp": sampleBytes("hypercube/golden-v1.hcrp") } }];

describeFormat(hcrp, [...single, ...variants, ...golden]);

describe("fixtures", () => {
  test("are what their script makes", () => {
    for (const [name, bytes] of made) {
      const stored = readFileSync(new URL(`../../fixtures/hcrp/${name}`, import.meta.url));
      expect(Buffer.compare(stored, bytes), name).toBe(0);
    }
  });

  test("the race is a race: all runners finish, higher than they started", async () => {
    await using recording = await open(bundleOfFiles({ "a.hcrp": made.get("tower-race.hcrp")! }), { formats: [hcrp] });
    const { end } = await recording.timeline();
    const first = (await recording.state(0)).sets.get("players")!;
    const last = (await recording.state(end)).sets.get("players")!;
    expect(last.columns.get("label")!.data).toEqual(["Amaya", "Bo_Jumps", "cedar", "Dov", "Elif"]);
    const climb = last.ids.map(
      (_, i) =>
        Number(last.columns.get("position")!.data[3 * i + 1]) - Number(first.columns.get("position")!.data[3 * i + 1]),
    );
    for (const height of climb) expect(height).toBeGreaterThanOrEqual(28);
    expect((await recording.state(end)).sets.get("blocks")!.ids).toHaveLength(180);
    expect((await recording.state(end)).values.get("world/dimension")).toBe("minecraft:overworld");
    expect(last.columns.get("health")!.data).toEqual(new Float64Array(5).fill(20));
  });
});

test("a replay of ReplayMod is answered with the command that converts it; another zip is not", async () => {
  const zipped = (member: string): Uint8Array =>
    zipSync({ [member]: new Uint8Array(9), "more.bin": new Uint8Array(9) });
  for (const member of ["metaData.json", "recording.tmcpr"])
    await expect(openFiles({ "a.mcpr": zipped(member) }, allFormats())).rejects.toThrow(
      "converted first: simtape-mc import IN.mcpr OUT.hcrp: a.mcpr",
    );
  await expect(openFiles({ "a.mcpr": zipped("readme.txt") }, allFormats())).rejects.toThrow("zip without messages");
});

test.skipIf(samplesDirectory === null)("a real replay is answered so, too", async () => {
  const bytes = sampleBytes("hypercube/cap8-flyingsquid-1.16.5.mcpr");
  await expect(openFiles({ "a.mcpr": bytes }, allFormats())).rejects.toThrow("simtape-mc import IN.mcpr OUT.hcrp");
});

test("production files of both formats say the same, names aside", async () => {
  const positions = await Promise.all(
    ([4, 5] as const).map(async (version) => {
      const file = production(zstd, version, (await import("../../fixtures/hcrp/make.ts")).productionRun(version));
      await using recording = await open(bundleOfFiles({ "a.hcrp": file }), { formats: [hcrp] });
      const state = await recording.state(5e9);
      return state.sets.get("players")!.columns.get("position")!.data;
    }),
  );
  expect(positions[0]).toEqual(positions[1]);
});
