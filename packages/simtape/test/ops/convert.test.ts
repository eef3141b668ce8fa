import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { carryOriginal, originalsOf } from "../../src/formats/hcrp/write/originals.ts";
import { FORMATS, MemoryFiles, open, type Recording, type SourceBundle, type WritingFormat } from "../../src/index.ts";
import { check } from "../../src/ops/check.ts";
import { convert } from "../../src/ops/convert.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { REAL, SOUND } from "../specimens.ts";
import { tries } from "../soak.ts";

interface Original {
  readonly name: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

const examples = new URL("../../../../examples/", import.meta.url);
const EXAMPLES: readonly Original[] = readdirSync(examples)
  .filter((name) => name.includes("."))
  .sort()
  .map((name) => ({
    name: `example ${name}`,
    files: { [name]: new Uint8Array(readFileSync(new URL(name, examples))) },
  }));

const isLarge = ({ files }: Original): boolean => Object.values(files)[0]!.length > 1_200_000;
const ALL: readonly Original[] = [
  ...SOUND.filter(({ format }) => format !== "hcrp"),
  ...EXAMPLES.filter(({ name }) => !name.endsWith(".hcrp")),
  // Large ones take seconds each: one of them usually, all in the long run.
  ...REAL.filter((of) => of.format !== "hcrp" && !isLarge(of)),
  ...REAL.filter((of) => of.format !== "hcrp" && isLarge(of)).slice(0, tries(1, 100)),
];

function hcrp(): Promise<WritingFormat> {
  return FORMATS.find(({ id }) => id === "hcrp")!.writing!();
}

function opened(files: MemoryFiles): Promise<Recording> {
  return open(bundleOfFiles({ [files.name]: files.bytes }));
}

describe.each(ALL)("$name", ({ files }) => {
  test("goes to HCRP and comes back byte for byte", async () => {
    await using recording = await open(bundleOfFiles(files));
    const to = new MemoryFiles("run.hcrp");
    const report = await convert(recording, await hcrp(), to, {
      carry: async (writer) => {
        for (const [name, bytes] of Object.entries(files)) await carryOriginal(writer, name, [bytes]);
      },
    });
    // Never exact beside a loss, whatever is inside.
    expect(report).toMatchObject({ original: true, exact: report.lost.length === 0 });
    await using carried = await opened(to);
    expect((await check(carried)).findings.filter(({ severity }) => severity !== "note")).toEqual([]);
    const originals = originalsOf(carried.reader);
    expect(originals.map(({ name }) => name)).toEqual(Object.keys(files));
    for (const original of originals) {
      const pieces: Uint8Array[] = [];
      for await (const bytes of original.bytes()) pieces.push(bytes);
      expect(Buffer.compare(Buffer.concat(pieces), files[original.name]!), original.name).toBe(0);
    }
  });
});

test("a recording without the original's files carries none", async () => {
  const { files } = EXAMPLES.find(({ name }) => name.endsWith("town.log"))!;
  await using recording = await open(bundleOfFiles(files));
  const to = new MemoryFiles("run.hcrp");
  const report = await convert(recording, await hcrp(), to);
  expect(report.exact).toBe(false);
  await using bare = await opened(to);
  expect(originalsOf(bare.reader)).toEqual([]);
});

test("a result is read once to be compared and found sound", async () => {
  const source = ALL.find(({ name }) => name.endsWith(".log"))!;
  await using recording = await open(bundleOfFiles(source.files));
  const mira = (await FORMATS.find(({ id }) => id === "mira")!.writing?.())!;
  let readings = 0;
  const reopen = async (written: SourceBundle): Promise<Recording> => {
    const result = await open(written);
    const batches = result.reader.batches.bind(result.reader);
    result.reader.batches = (query) => {
      readings++;
      return batches(query);
    };
    return result;
  };
  const { verified } = await convert(recording, mira, new MemoryFiles("run.tape"), { verify: { reopen } });
  expect([verified, readings]).toEqual([true, 1]);
});
