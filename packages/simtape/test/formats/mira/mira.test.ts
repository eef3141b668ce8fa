import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mira, readMessageHeader } from "../../../src/formats/mira/format.ts";
import { open as openRecording, type Recording } from "../../../src/index.ts";
import { deflateZlib } from "../../../src/kit.ts";
import { bundleOfFiles, describeFormat, type Specimen } from "../../conformance/describe-format.ts";
import { fixtures, patrol } from "../../fixtures/mira/make.ts";
import { type Content, makeTape } from "../../fixtures/mira/tape.ts";
import { sample, sampleBytes, sampleNames, samplesDirectory } from "../../samples.ts";

const small: Content = { ...patrol(), messages: patrol().messages.slice(0, 60) };
const options = { compress: deflateZlib, maxBlock: 2000 };

const made: Specimen[] = [
  { name: "big endian", files: { "a.tape": makeTape(small, { ...options, isLittle: false }) } },
  {
    name: "sizes with headers, spanning blocks",
    files: { "a.tape": makeTape(small, { ...options, sizeIncludesHeader: true, blockSpans: true }) },
  },
  { name: "unclosed", files: { "a.tape": makeTape(small, { ...options, end: "unclosed" }) }, isDamaged: true },
  { name: "no message", files: { "a.tape": makeTape({ ...small, messages: [] }) } },
  {
    name: "in no known compression",
    files: { "a.tape": makeTape(small, { ...options, compress: (bytes) => deflateZlib(bytes).map((b) => b ^ 0x5a) }) },
  },
  {
    name: "channel infos lost",
    files: { "a.tape": makeTape(small, { ...options, lost: Object.keys(small.channels) }) },
    isDamaged: true,
  },
];
const fixed: Specimen[] = [...fixtures()].map(([name, bytes]) => ({
  name,
  files: { [name]: bytes },
  isDamaged: name === "patrol-torn.tape",
}));

const DAMAGED = ["corrupt-8bytes.tape", "crash-midmessage.tape", "crash-noindex.tape", "crash-unclosed.tape"];
const sampleTapes: string[] = ["", "variants/"].flatMap((folder) =>
  sampleNames(`mira/${folder}`)
    .filter((name) => name.endsWith(".tape"))
    .map((name) => folder + name),
);
const real: Specimen[] = sampleTapes.map((name) => ({
  name,
  files: { [name]: sampleBytes(`mira/${name}`) },
  isDamaged: DAMAGED.some((damaged) => name.endsWith(damaged)),
}));

describeFormat(mira, [...made, ...fixed, ...real]);

test("the fixtures are what their script makes", () => {
  for (const [name, bytes] of fixtures()) {
    const stored = readFileSync(new URL(`../../fixtures/mira/${name}`, import.meta.url));
    expect(Buffer.compare(stored, bytes), name).toBe(0);
  }
});

interface TruthMessage {
  readonly t: number;
  readonly frame: string;
  readonly seq: number;
  readonly compressed: boolean;
  readonly data: string;
}
interface Truth {
  readonly profile: { readonly [key: string]: unknown };
  readonly startNs: string;
  readonly zoneOffsetNs: string;
  readonly channels: {
    readonly [name: string]: {
      readonly type: string;
      readonly meta: string;
      readonly messages: readonly TruthMessage[];
    };
  };
}

/** The logical content of a recording in the words of the reference files. */
async function contentOf(recording: Recording): Promise<Truth["channels"]> {
  const channels: { [name: string]: { type: string; meta: string; messages: TruthMessage[] } } = {};
  for (const { name, metadata } of recording.channels) {
    channels[name] = { type: metadata["type"]!, meta: metadata["meta"] ?? "", messages: [] };
  }
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const header = readMessageHeader(batch, i);
      channels[recording.channels[batch.channel[i]!]!.name]!.messages.push({
        t: batch.time[i]!,
        frame: header.frameId,
        seq: header.sequenceId,
        compressed: header.compression !== null,
        data: Buffer.from(batch.payload(i)).toString("hex"),
      });
    }
  }
  return channels;
}

describe.runIf(samplesDirectory !== null)("the reference tapes", () => {
  const truth = (name: string): Truth => JSON.parse(readFileSync(sample(`mira/${name}.json`), "utf8")) as Truth;
  const open = (name: string): Promise<Recording> =>
    openRecording(bundleOfFiles({ "a.tape": sampleBytes(`mira/${name}`) }), { formats: [mira] });

  test.each([
    ["multi.tape", {}],
    ["variants/multi.be.tape", { endian: ">" }],
    ["variants/multi.block-spans.tape", { block_spans: true }],
    ["variants/multi.ptr-payload.tape", { ptr: "payload" }],
    ["variants/multi.rel-blockheader.tape", { rel_base: "block-header" }],
    ["variants/multi.size-incl.tape", { size_incl_header: true }],
    ["compressed.tape", {}],
    ["variants/compressed.gzip.tape", { codec: "gzip" }],
    ["variants/compressed.raw.tape", { codec: "deflate" }],
  ])("%s has the expected content and reading", async (name, reading) => {
    const stem = name.includes("compressed") ? "compressed" : "multi";
    const { channels, profile, startNs, zoneOffsetNs } = truth(stem);
    await using recording = await open(name);
    expect(await contentOf(recording)).toEqual(channels);
    // Nothing in multi.* is compressed, so that no codec can be reported.
    const reported = { ...profile, codec: stem === "multi" ? null : profile["codec"], ...reading };
    expect(recording.info.metadata["profile"]).toMatchObject(reported);
    expect(recording.info.metadata["startNs"]).toBe(BigInt(startNs));
    expect(recording.info.metadata["zoneOffsetNs"]).toBe(Number(zoneOffsetNs));
    expect((await recording.timeline()).epoch).toBe(BigInt(startNs));
    expect(recording.findings).toEqual([]);
  });

  /** The content of multi.* without one message of /robot/Mileage. */
  function without(time: number): Truth["channels"] {
    const { channels } = truth("multi");
    const mileage = channels["/robot/Mileage"]!;
    return { ...channels, "/robot/Mileage": { ...mileage, messages: mileage.messages.filter(({ t }) => t !== time) } };
  }

  test.each([
    ["variants/multi.crash-noindex.tape", () => truth("multi").channels, ["missing-index"]],
    ["variants/multi.crash-unclosed.tape", () => truth("multi").channels, ["unclosed", "missing-index"]],
    ["variants/multi.crash-midmessage.tape", () => without(2_500_000_000), ["truncated", "unclosed", "missing-index"]],
    [
      "variants/multi.corrupt-8bytes.tape",
      () => without(0),
      ["bad-length", "block-mismatch", "data-size-mismatch", "index-mismatch", "index-mismatch"],
    ],
  ])("%s keeps everything outside the damage", async (name, content, codes) => {
    await using recording = await open(name);
    expect(await contentOf(recording)).toEqual(content());
    expect(recording.findings.map(({ code }) => code).sort()).toEqual(codes.sort());
  });

  test.each(["empty.tape", "empty-oneblock.tape"])("%s is a recording without messages", async (name) => {
    await using recording = await open(`variants/${name}`);
    expect(recording.channels).toEqual([]);
    expect(recording.findings).toEqual([]);
    expect(await recording.timeline()).toMatchObject({ start: 0, end: 0, epoch: 1_581_681_600_000_000_000n });
    expect(recording.info.metadata["blocks"]).toBe(name === "empty.tape" ? 0 : 1);
  });

  test("negative and unsorted times come in order", async () => {
    await using recording = await open("variants/negative-unsorted.tape");
    const rows: unknown[] = [];
    for await (const { time, sequence, value } of recording.messages()) rows.push([time, sequence, value]);
    expect(rows).toEqual([
      [-5_000_000, 0, 1],
      [1_000_000, 2, 1],
      [2_000_000, 3, 2],
      [3_000_000, 1, 3],
    ]);
    expect(recording.findings).toEqual([]);
  });

  test("payloads decode to the values meant", async () => {
    await using recording = await open("variants/multi.be.tape");
    const state = await recording.state(2_500_000_000);
    expect(Object.fromEntries(state.values)).toEqual({
      "/robot/Mileage": 1236,
      "/robot/Bumper": true,
      "/navigation/PilotEvent": "GoalReached ✓",
    });
    await using scans = await open("compressed.tape");
    const values: unknown[] = [];
    for await (const { value } of scans.messages(scans.channel("/robot/RangeFinder/Front"))) values.push(value);
    expect(values[0]).toMatchObject({ startAngle: -135, deltaAngle: 0.5, maximumRange: 30 });
    expect((values[0] as { range: Float32Array }).range).toHaveLength(181);
    expect(values[2]).toEqual({ type: "mira::robot::RangeScan", hex: "" });
  });
});
