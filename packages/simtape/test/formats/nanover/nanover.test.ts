import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { nanover } from "../../../src/formats/nanover/format.ts";
import {
  type ByteSource,
  counted,
  type EntitySet,
  KEYFRAME,
  memory,
  type Message,
  open,
  type Recording,
  type SourceBundle,
  type State,
} from "../../../src/index.ts";
import { bundleOfFiles, describeFormat, type Specimen } from "../../conformance/describe-format.ts";
import {
  archiveOf,
  type Entry,
  interruptedOf,
  type Moment,
  stateOf,
  trajOf,
  zipOf,
} from "../../fixtures/nanover/containers.ts";
import { BUCKYBALL, EXAMPLE, fixtures, makeMoments, NANOTUBE } from "../../fixtures/nanover/make.ts";
import { sampleBytes, sampleNames, samplesDirectory } from "../../samples.ts";

const moments = makeMoments({ seconds: 3, rate: 8, isTimed: false, switchAt: 0.6 });
const timed = makeMoments({ seconds: 3, rate: 8, isTimed: true, switchAt: 0.6 });
const frameCount = moments.filter(({ frame }) => frame !== undefined).length;
const stateCount = moments.length - frameCount;
const [traj, state] = [trajOf(moments), stateOf(moments)];
const zip = zipOf(moments);

/** Frame and state in one message, as split files have them (spec §4.1). */
const joined: Moment[] = [];
for (const moment of moments) {
  const last = joined.at(-1);
  if (moment.frame !== undefined && last?.frame === undefined && last?.state !== undefined) {
    joined[joined.length - 1] = { ...last, frame: moment.frame };
  } else joined.push(moment);
}

function concat(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function changed(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(values, at);
  return copy;
}

const shuffle = (entries: Entry[]): Entry[] => entries.map((_, i) => entries[(i * 7) % entries.length]!);
const sound: Specimen[] = [
  { name: "v2 traj", files: { "a.traj": traj } },
  { name: "v2 state", files: { "a.state": state } },
  { name: "v2 pair from the traj", files: { "a.traj": traj, "a.state": state }, stream: concat(traj, state) },
  { name: "v2 pair from the state", files: { "a.state": state, "a.traj": traj }, stream: concat(state, traj) },
  { name: "v2 pair with swapped names", files: { "a.traj": state, "a.state": traj }, stream: concat(state, traj) },
  { name: "v2 header alone", files: { "a.traj": traj.slice(0, 16) } },
  { name: "v1 traj", files: { "a.traj": trajOf(moments, 1) } },
  { name: "v1 state", files: { "a.state": stateOf(moments, 1) } },
  { name: "zip", files: { "a.nanover.zip": zip } },
  { name: "zip deflated", files: { "a.nanover.zip": zipOf(moments, { isDeflated: true }) } },
  { name: "zip64", files: { "a.nanover.zip": zipOf(moments, { isZip64: true }) } },
  { name: "zip with the index first", files: { "a.nanover.zip": zipOf(moments, { indexFirst: true }) } },
  { name: "zip with other members", files: { "a.nanover.zip": zipOf(moments, { extra: true }) } },
  { name: "zip with joined messages", files: { "a.nanover.zip": zipOf(joined) } },
  { name: "zip without types", files: { "a.nanover.zip": zipOf(joined, { omit: "types" }) } },
  { name: "zip without frame indices", files: { "a.nanover.zip": zipOf(moments, { omit: "frame.index" }) } },
  { name: "zip with shuffled entries", files: { "a.nanover.zip": zipOf(moments, { entries: shuffle }) } },
  {
    name: "zip with a subset of entries at broken times",
    files: {
      "a.nanover.zip": zipOf(moments, {
        entries: (all) =>
          all.filter((_, i) => i % 3 !== 1).map((entry) => ({ ...entry, timestamp: entry.timestamp! / 3 })),
      }),
    },
  },
];

const cutDirectory = zip.slice(0, zip.length - 30);
const indexAt = Buffer.from(zip).lastIndexOf("index.msgpack", zip.length - 200) + "index.msgpack".length;
/** Place of the fourth record's header. */
const fourth = (() => {
  const view = new DataView(traj.buffer, traj.byteOffset);
  let at = 16;
  for (let n = 0; n < 3; n++) at += 24 + view.getUint32(at + 16, true);
  return at;
})();
const overwritten = traj.slice();
overwritten.fill(0xee, fourth + 10, fourth + 110);
const zeroed = traj.slice();
zeroed.fill(0, 3000);
const damaged: Specimen[] = [
  { name: "v2 cut in a header", files: { "a.traj": concat(traj, new Uint8Array(11)) } },
  { name: "v2 cut in a message", files: { "a.traj": traj.slice(0, -100) } },
  { name: "v2 overwritten in the middle", files: { "a.traj": overwritten } },
  { name: "v2 with zeros from a crash", files: { "a.traj": zeroed } },
  { name: "v1 cut in a message", files: { "a.traj": trajOf(moments, 1).slice(0, -100) } },
  {
    name: "v2 pair with a cut sibling",
    files: { "a.traj": traj, "a.state": state.slice(0, -5) },
    stream: concat(traj, state.slice(0, -5)),
  },
  { name: "zip interrupted", files: { "a.nanover.zip": interruptedOf(timed) } },
  { name: "zip interrupted in a message, without times", files: { "a.nanover.zip": interruptedOf(moments, 77) } },
  {
    name: "zip interrupted, overwritten in the middle",
    files: { "a.nanover.zip": changed(interruptedOf(timed), 5000, ...new Array(40).fill(0xc1)) },
  },
  { name: "zip with its directory cut off", files: { "a.nanover.zip": cutDirectory } },
  { name: "zip cut in the index", files: { "a.nanover.zip": zip.slice(0, indexAt + 900) } },
  { name: "zip with a damaged index", files: { "a.nanover.zip": changed(zip, indexAt + 500, 0xc1, 0xc1, 0xc1, 0xc1) } },
  {
    name: "zip without an index",
    files: { "a.nanover.zip": archiveOf([["messages.msgpack", zip.slice(66, 20_000)]]) },
  },
  {
    name: "zip with entries that point outside",
    files: { "a.nanover.zip": zipOf(moments, { entries: (all) => [...all, { ...all[0]!, offset: 1e12 }] }) },
  },
  { name: "zip deflated and cut", files: { "a.nanover.zip": zipOf(moments, { isDeflated: true }).slice(0, 8000) } },
].map((specimen) => ({ ...specimen, isDamaged: true }));

const files: Specimen[] = [...fixtures().keys()].map((name) => ({
  name: `fixture ${name}`,
  files: {
    [name]: new Uint8Array(readFileSync(fileURLToPath(new URL(`../../fixtures/nanover/${name}`, import.meta.url)))),
  },
  isDamaged: name.startsWith("interrupted"),
}));
const real: Specimen[] = sampleNames("nanover").map((name) => ({
  name: `sample ${name}`,
  files: { [name]: sampleBytes(`nanover/${name}`) },
}));

describeFormat(nanover, [...sound, ...damaged, ...files, ...real]);

async function openFiles(of: Readonly<Record<string, Uint8Array>>): Promise<Recording> {
  return open(bundleOfFiles(of), { formats: [nanover] });
}

interface Row {
  readonly time: number;
  readonly sequence: number;
  readonly channel: string;
  readonly keyframe: boolean;
  readonly value: unknown;
}

async function rowsOf(recording: Recording): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const message of recording.messages()) {
    const { time, sequence, keyframe } = message;
    rows.push({ time, sequence, channel: message.channel.name, keyframe, value: message.value });
  }
  return rows;
}

function numbers(set: EntitySet | undefined, column: string): number[] {
  return Array.from(set!.columns.get(column)!.data as Float64Array);
}

describe("fixtures", () => {
  test("are what the script makes", () => {
    for (const { name, files: of } of files) {
      const made = fixtures().get(name.slice("fixture ".length))!;
      expect(Buffer.compare(made, Object.values(of)[0]!), name).toBe(0);
    }
  });
  test("show a molecule with the bonds it has in nature", () => {
    expect(BUCKYBALL.atoms.length).toBe(60);
    expect(BUCKYBALL.bonds.length).toBe(90);
    const degrees = new Uint8Array(60);
    for (const [a, b] of BUCKYBALL.bonds) {
      degrees[a]!++;
      degrees[b]!++;
    }
    expect(degrees.every((degree) => degree === 3)).toBe(true);
    expect(NANOTUBE.atoms.length).toBe(80);
  });
});

describe("every container tells the same", () => {
  /** Types of arrays differ between containers, and so do kinds of whole numbers; their content does not. */
  const plain = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value) || Array.isArray(value))
      return Array.from(value as unknown as ArrayLike<unknown>, plain);
    // Removals are a set; protobuf's maps have no order.
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      key === "removals" ? item.toSorted() : plain(item),
    ]);
    return Object.fromEntries(entries);
  };
  const simple = async (of: Readonly<Record<string, Uint8Array>>): Promise<unknown[]> => {
    await using recording = await openFiles(of);
    return (await rowsOf(recording)).map(({ time, channel, keyframe, value }) => ({
      ...{ time, channel, keyframe },
      value: plain(value),
    }));
  };
  test("a pair opened from either side, and the zip", async () => {
    const expected = await simple({ "a.nanover.zip": zip });
    expect(expected.length).toBe(moments.length);
    expect(await simple({ "a.traj": traj, "a.state": state })).toEqual(expected);
    expect(await simple({ "a.state": state, "a.traj": traj })).toEqual(expected);
    expect(await simple({ "a.nanover.zip": zipOf(moments, { omit: "types" }) })).toEqual(expected);
    expect(await simple({ "a.nanover.zip": zipOf(moments, { isDeflated: true, isZip64: true }) })).toEqual(expected);
  });
  test.runIf(samplesDirectory !== null)("the real recording that NanoVer itself converted", async () => {
    const pair = await simple({
      "nanotube-rust.traj": sampleBytes("nanover/nanotube-rust.traj"),
      "nanotube-rust.state": sampleBytes("nanover/nanotube-rust.state"),
    });
    const converted = await simple({ "nanotube-rust.nanover.zip": sampleBytes("nanover/nanotube-rust.nanover.zip") });
    expect(pair.length).toBe(1615);
    expect(converted).toEqual(pair);
  });
});

describe.runIf(samplesDirectory !== null)("the real files hold what their table says", () => {
  /** name, frames, states, span in s, first time in us, atoms, sequences of resets, first index */
  const table: [string, number, number, number, number, number[], number[], number][] = [
    ["nanotube-rust.traj", 930, 0, 33.032, 3872, [65], [0, 1], 0],
    ["nanotube-rust.nanover.zip", 930, 685, 33.032, 3872, [65], [0, 2], 0],
    ["sim-switching.traj", 454, 0, 15.313, 2224, [65, 173, 65, 173], [104, 212, 339], 2019],
    ["hello_vel_force.traj", 86, 0, 3.268, 239_550, [173], [0], 0],
    ["17-ala-multiple.nanover.zip", 427, 1, 14.193, 59_268, [173], [1, 253, 368, 397], 0],
    ["nanotube-methane-01.nanover.zip", 326, 262, 10.839, 13, [65], [0], 0],
  ];
  test.each(table)("%s", async (name, frames, states, span, first, atoms, resets, firstIndex) => {
    await using recording = await openFiles({ [name]: sampleBytes(`nanover/${name}`) });
    const { start, end, tick } = await recording.timeline();
    expect(start).toBe(first * 1000);
    expect((end - start) / 1e9).toBeCloseTo(span, 2);
    expect(tick).toEqual({ name: "frame", count: frames, duration: null });
    expect((await recording.statistics()).map(({ messages }) => messages)).toEqual([frames, states]);
    expect(recording.info.metadata).toMatchObject({ atoms, firstIndex, resets: resets.length });
    const rows = await rowsOf(recording);
    const zeros = rows.filter(({ value }) => (value as { "frame.index"?: number })["frame.index"] === 0);
    expect(zeros.map(({ sequence }) => sequence)).toEqual(resets);
    const keyframes = rows.filter(({ keyframe }) => keyframe).map(({ sequence }) => sequence);
    expect(keyframes).toEqual(firstIndex === 0 ? resets : [0, ...resets]);
    // Reading all records compares checksums.
    for await (const records of recording.records()) expect(records.length).toBeGreaterThan(0);
    expect(recording.findings).toEqual([]);
  });
  test.each([
    ["nanotube-rust.state", 685, 19_053, 31.709],
    ["sim-switching.state", 1, 1994, 0],
  ] as const)("%s", async (name, states, first, span) => {
    await using recording = await openFiles({ [name]: sampleBytes(`nanover/${name}`) });
    const { start, end } = await recording.timeline();
    expect([start, Math.round((end - start) / 1e6) / 1e3]).toEqual([first * 1000, span]);
    expect((await recording.statistics()).map(({ messages }) => messages)).toEqual([0, states]);
  });
  test("the user of the real recording has a head and two hands, and pulls at one atom", async () => {
    await using recording = await openFiles({
      "nanotube-rust.traj": sampleBytes("nanover/nanotube-rust.traj"),
      "nanotube-rust.state": sampleBytes("nanover/nanotube-rust.state"),
    });
    const at = await recording.state(16.5e9);
    expect(at.sets.get("avatars")!.columns.get("kind")!.data).toEqual(["hand.left", "hand.right", "headset"]);
    expect(at.sets.get("interactions")!.columns.get("kind")!.data).toEqual(["spring"]);
    expect(numbers(at.sets.get("interactions"), "particle-count")).toEqual([1]);
    expect(numbers(at.sets.get("interactions"), "max-force")).toEqual([Number.POSITIVE_INFINITY]);
    expect(at.sets.get("particles")!.ids.length).toBe(65);
    expect((at.values.get("bond.pairs") as Uint32Array).length).toBe(352);
  });
});

describe("a pair of files", () => {
  test("is one recording: frames are numbered first, and findings name the file", async () => {
    await using recording = await openFiles({ "a.state": state.slice(0, -5), "a.traj": traj });
    const rows = await rowsOf(recording);
    const frames = rows.filter(({ channel }) => channel === "frame");
    const states = rows.filter(({ channel }) => channel === "state");
    expect(frames.map(({ sequence }) => sequence)).toEqual(frames.map((_, i) => i));
    expect(states.map(({ sequence }) => sequence)).toEqual(states.map((_, i) => frameCount + i));
    expect(states.length).toBe(stateCount - 1);
    expect(recording.info.metadata["container"]).toBe("traj+state");
    expect(recording.info.bytes).toBe(traj.length + state.length - 5);
    expect(recording.findings.map(({ code }) => code)).toEqual(["truncated"]);
  });
  test("gives records whose kind tells the file and the message", async () => {
    await using recording = await openFiles({ "a.traj": traj, "a.state": state });
    const kinds: string[] = [];
    for await (const records of recording.records()) for (const { kind } of records) kinds.push(kind);
    const expected = ["traj-header", ...new Array(frameCount).fill("frame"), "state-header"];
    expect(kinds).toEqual([...expected, ...new Array(stateCount).fill("state")]);
  });
  test("leaves out a sibling that does not go with it, and says so", async () => {
    for (const sibling of [traj, new Uint8Array(100), changed(state, 8, 9)]) {
      await using recording = await openFiles({ "a.traj": traj, "a.state": sibling });
      expect((await recording.statistics()).map(({ messages }) => messages)).toEqual([frameCount, 0]);
      expect(recording.findings.map(({ code, severity }) => [code, severity])).toEqual([
        ["sibling-unusable", "warning"],
      ]);
    }
  });
  test("is opened without a sibling that cannot be had", async () => {
    const main = memory(traj, "a.traj");
    const bundle: SourceBundle = {
      name: "a.traj",
      open: async (name): Promise<ByteSource | null> => (name ? null : main),
    };
    await using recording = await open(bundle, { formats: [nanover] });
    expect(recording.info.metadata["container"]).toBe("traj");
  });
});

describe("damage", () => {
  test("in the middle of a file costs the records it lies in, and names the place", async () => {
    await using recording = await openFiles({ "a.traj": overwritten });
    const [whole, left] = [await rowsOf(await openFiles({ "a.traj": traj })), await rowsOf(recording)];
    const times = new Set(left.map(({ time }) => time));
    const lost = whole.filter(({ time }) => !times.has(time));
    expect(lost.length).toBe(1);
    expect(recording.findings).toHaveLength(1);
    const { code, offset, length } = recording.findings[0]!;
    expect(code).toBe("bad-record");
    expect(offset).toBe(fourth);
    expect(length!).toBeGreaterThanOrEqual(110);
  });
  test("of one length leaves the records behind it", async () => {
    // The size of the third record, made larger.
    const view = new DataView(traj.buffer, traj.byteOffset);
    let at = 16;
    for (let n = 0; n < 2; n++) at += 24 + view.getUint32(at + 16, true);
    await using recording = await openFiles({ "a.traj": changed(traj, at + 17, 7) });
    expect((await recording.statistics())[0]!.messages).toBe(frameCount - 1);
    expect(recording.findings.map((finding) => [finding.code, finding.offset])).toEqual([["bad-record", at]]);
  });
  test("at the end is reported as a cut, with the bytes there and expected", async () => {
    await using recording = await openFiles({ "a.traj": traj.slice(0, -100) });
    expect((await recording.statistics())[0]!.messages).toBe(frameCount - 1);
    expect(recording.findings[0]).toMatchObject({ code: "truncated", severity: "damage" });
    expect(recording.findings[0]!.message).toMatch(/\d+ of \d+ bytes are there/);
  });
  test("of a payload is left to who decodes it, and state passes over it", async () => {
    const second = 16 + 24 + new DataView(traj.buffer, traj.byteOffset).getUint32(32, true);
    const broken = changed(traj, second + 24 + 2, 0x12, 0xff);
    await using recording = await openFiles({ "a.traj": broken });
    const messages: Message[] = [];
    for await (const message of recording.messages()) messages.push(message);
    expect(messages.length).toBe(frameCount);
    expect(() => messages[1]!.value).toThrow(/0x/);
    const { time } = messages[1]!;
    expect((await recording.state(time)).values.get("frame.index")).toBe(0);
    expect((await recording.state(messages[2]!.time)).values.get("frame.index")).toBe(4);
  });
  test("of the version is refused", async () => {
    await expect(openFiles({ "a.traj": changed(traj, 8, 3) })).rejects.toMatchObject({
      code: "unsupported",
      format: "nanover",
    });
  });
  test("of a zip that is no NanoVer recording is refused", async () => {
    const other = archiveOf([["readme.txt", new Uint8Array(10)]]);
    await expect(openFiles({ "a.zip": other })).rejects.toMatchObject({ code: "malformed" });
  });
  test("of an index entry costs the time of that message, and is reported", async () => {
    const broken = changed(zip, indexAt + 500, 0xc1, 0xc1, 0xc1, 0xc1);
    await using recording = await openFiles({ "a.nanover.zip": broken });
    const rows = await rowsOf(recording);
    const whole = await rowsOf(await openFiles({ "a.nanover.zip": zip }));
    expect(rows.map(({ value }) => value)).toEqual(whole.map(({ value }) => value));
    expect(rows.filter(({ time }, i) => time !== whole[i]!.time).length).toBe(1);
    const codes = recording.findings.map(({ code }) => code);
    expect(codes).toEqual(["bad-index", "bad-checksum", "missing-index"]);
  });
  test("of a byte in the messages is found by their checksum when all records are read, and reported once", async () => {
    const at = Buffer.from(zip).indexOf("particle.positions") + 40;
    await using recording = await openFiles({ "a.nanover.zip": changed(zip, at, zip[at]! ^ 1) });
    expect((await rowsOf(recording)).length).toBe(moments.length);
    expect(recording.findings).toEqual([]);
    for (let n = 0; n < 2; n++)
      for await (const records of recording.records()) expect(records.length).toBeGreaterThan(0);
    expect(recording.findings.map(({ code, severity }) => [code, severity])).toEqual([["bad-checksum", "damage"]]);
  });
  test("in a compressed member gives what came out before it", async () => {
    const deflated = zipOf(moments, { isDeflated: true });
    await using recording = await openFiles({ "a.nanover.zip": changed(deflated, 9000, 0xff, 0xff, 0xff, 0xff, 0xff) });
    expect(recording.findings.some(({ severity }) => severity === "damage")).toBe(true);
    expect((await rowsOf(await openFiles({ "a.nanover.zip": deflated }))).length).toBe(moments.length);
  });
});

describe("an interrupted zip", () => {
  test("keeps every whole message; times come from the server's clock", async () => {
    await using recording = await openFiles({ "a.nanover.zip": interruptedOf(timed, 50) });
    const rows = await rowsOf(recording);
    expect(rows.length).toBe(timed.length - 1);
    const frames = rows.filter(({ channel }) => channel === "frame").map(({ time }) => time);
    expect(frames).toEqual(frames.map((_, i) => i * 125e6));
    expect(rows.filter(({ keyframe }) => keyframe).length).toBe(2);
    const codes = recording.findings.map(({ code, severity }) => `${code} ${severity}`);
    expect(codes.sort()).toEqual(["missing-directory damage", "missing-index loss", "truncated damage"]);
    expect(recording.info.metadata["atoms"]).toEqual([60, 80]);
    expect(recording.info.seekIndex).toBe("built");
  });
  test("without server times has messages 1/30 s apart", async () => {
    await using recording = await openFiles({ "a.nanover.zip": interruptedOf(moments) });
    const rows = await rowsOf(recording);
    expect(rows.map(({ time }) => time)).toEqual(moments.map((_, i) => i * 33_333_333));
    expect(recording.findings.find(({ code }) => code === "missing-index")!.message).toContain("1/30 s");
  });
  test("loses nothing when only its directory is cut off", async () => {
    await using recording = await openFiles({ "a.nanover.zip": cutDirectory });
    const whole = await rowsOf(await openFiles({ "a.nanover.zip": zip }));
    expect(await rowsOf(recording)).toEqual(whole);
    expect(recording.findings.map(({ code }) => code)).toEqual(["missing-directory"]);
  });
  test("that was cut in its index keeps times as far as the index goes, and all messages", async () => {
    await using recording = await openFiles({ "a.nanover.zip": zip.slice(0, indexAt + 900) });
    const [whole, rows] = [await rowsOf(await openFiles({ "a.nanover.zip": zip })), await rowsOf(recording)];
    expect(rows.map(({ value }) => value)).toEqual(whole.map(({ value }) => value));
    expect(rows.slice(0, 10)).toEqual(whole.slice(0, 10));
    expect(recording.findings.some(({ code, severity }) => code === "missing-index" && severity === "loss")).toBe(true);
  });
});

describe("a zip's index", () => {
  test("is all that is read at opening, whatever the messages' size", async () => {
    const many = makeMoments({ seconds: 30, rate: 30, isTimed: false });
    const bytes = zipOf(many);
    const source = counted(memory(bytes, "a.nanover.zip"));
    await using recording = await open(
      { name: null, open: async (name) => (name ? null : source) },
      { formats: [nanover] },
    );
    expect((await recording.statistics())[0]!.messages).toBe(900);
    expect(source.bytes).toBeLessThan(bytes.length / 2);
    expect(recording.info.seekIndex).toBe("stored");
  });
  test("may have entries in any order, left out, at times that are no whole microseconds", async () => {
    const entries = (all: Entry[]): Entry[] =>
      shuffle(all)
        .filter((_, i) => i % 2 === 0)
        .map((entry) => ({ ...entry, timestamp: entry.timestamp! + 0.25 }));
    await using recording = await openFiles({ "a.nanover.zip": zipOf(moments, { entries }) });
    const times = (await rowsOf(recording)).map(({ time }) => time);
    expect(times.length).toBe(Math.ceil(moments.length / 2));
    expect(times.every((time) => time % 1000 === 250)).toBe(true);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(recording.findings).toEqual([]);
  });
  test("gives a row on each channel for a message with frame and state", async () => {
    await using recording = await openFiles({ "a.nanover.zip": zipOf(joined) });
    expect(joined.length).toBeLessThan(moments.length);
    expect((await recording.statistics()).map(({ messages }) => messages)).toEqual([frameCount, stateCount]);
    const payloads: Uint8Array[] = [];
    for await (const message of recording.messages()) if (payloads.length < 2) payloads.push(message.payload);
    expect(payloads[0]).toEqual(payloads[1]);
  });
  test("without times keeps the messages at the time of the one before, and tells the loss", async () => {
    const entries = (all: Entry[]): Entry[] => all.map((entry, i) => (i === 5 ? { ...entry, timestamp: null } : entry));
    await using recording = await openFiles({ "a.nanover.zip": zipOf(moments, { entries }) });
    const rows = await rowsOf(recording);
    expect(rows[5]!.time).toBe(rows[4]!.time);
    expect(recording.findings.map(({ code, severity }) => [code, severity])).toEqual([["missing-timestamp", "loss"]]);
  });
  test("that states another number of entries than it has is reported, and all of it is read", async () => {
    await using recording = await openFiles({ "a.nanover.zip": zipOf(moments, { stated: 3 }) });
    expect((await rowsOf(recording)).length).toBe(moments.length);
    expect(recording.findings.map(({ code }) => code)).toEqual(["index-count"]);
  });
});

describe("state", () => {
  const example = zipOf(makeMoments(EXAMPLE));
  const at = async (seconds: number, interpolate = false): Promise<State> => {
    await using recording = await openFiles({ "a.nanover.zip": example });
    return await recording.state(seconds * 1e9, { interpolate });
  };
  test("has particles with place, element and name, and what is theirs together among the values", async () => {
    const { sets, values } = await at(1);
    const particles = sets.get("particles")!;
    expect(particles.ids.length).toBe(60);
    expect(particles.axes).toMatchObject({ handed: "right", up: "z", kind: "local" });
    expect(particles.columns.get("position")).toMatchObject({ width: 3, unit: "nm", interpolation: "linear" });
    expect((particles.columns.get("label")!.data as string[])[59]).toBe("C60");
    expect(numbers(particles, "element")).toEqual(new Array(60).fill(6));
    expect((values.get("bond.pairs") as Uint32Array).length).toBe(180);
    expect(values.has("particle.positions")).toBe(false);
    expect(values.get("state/simulation.name")).toBe("buckyball");
  });
  test("begins again with a frame of index 0, and shared state does not", async () => {
    const { sets, values } = await at(4.5);
    expect(sets.get("particles")!.ids.length).toBe(80);
    expect(values.get("system.simulation.name")).toBe("nanotube");
    expect(values.has("energy.user.total")).toBe(false);
    expect(values.get("state/imd.velocity_reset_available")).toBe(true);
    expect(values.get("state/scene")).toEqual([0, 1, 0, 0, 0, 0, 1, 0.5, 0.5, 0.5]);
  });
  test("has a head and hands for each user in the axes of the room", async () => {
    const avatars = (await at(0.01)).sets.get("avatars")!;
    expect(avatars.axes).toMatchObject({ handed: "left", up: "y", kind: "local" });
    expect(avatars.ids.map((id) => String(id).split("/")[1])).toEqual(["hand.left", "hand.right", "headset"]);
    expect(avatars.columns.get("label")!.data).toEqual(["Ada", "Ada", "Ada"]);
    expect(numbers(avatars, "position").slice(3, 6)).toEqual([0.25, 1.1, -0.5]);
    expect(numbers(avatars, "orientation").slice(4, 8)).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(avatars.columns.get("orientation")!.interpolation).toBe("quaternion");
  });
  test("has an interaction while it lasts", async () => {
    expect((await at(0.5)).sets.get("interactions")?.ids ?? []).toEqual([]);
    const during = (await at(2)).sets.get("interactions")!;
    expect(during.ids).toEqual(["b1f2c3d4-0001-4a5b-8c6d-7e8f90a1b2c3"]);
    expect(during.columns.get("position")).toMatchObject({ unit: "nm", width: 3 });
    expect(numbers(during, "scale")).toEqual([100]);
    const after = await at(3.4);
    expect(after.sets.get("interactions")!.ids).toEqual([]);
    expect([...after.values.keys()].filter((path) => path.includes("interaction."))).toEqual([]);
  });
  test("moves particles between frames when asked", async () => {
    await using recording = await openFiles({ "a.nanover.zip": example });
    const x = async (time: number, interpolate: boolean): Promise<number> =>
      numbers((await recording.state(time, { interpolate })).sets.get("particles"), "position")[0]!;
    const frames: number[] = [];
    for await (const message of recording.messages(recording.channel("frame"))) frames.push(message.time);
    const [a, b] = [frames[3]!, frames[4]!];
    const middle = await x((a + b) / 2, true);
    expect(middle).toBeCloseTo(((await x(a, false)) + (await x(b, false))) / 2, 5);
    expect(await x((a + b) / 2, false)).toBe(await x(a, false));
  });
  test("drops per-particle columns when their number changes without a reset", async () => {
    const some: Moment[] = [
      {
        microseconds: 10,
        frame: {
          "frame.index": 7,
          "particle.count": 2,
          "particle.positions": Float32Array.of(1, 2, 3, 4, 5, 6),
          "particle.names": ["A", "B"],
          "particle.elements": Uint8Array.of(1, 2),
        },
      },
      { microseconds: 20, frame: { "frame.index": 8, "particle.positions": Float32Array.of(1, 2, 3) } },
      { microseconds: 30, frame: { "frame.index": 9, "particle.count": 4 } },
      {
        microseconds: 40,
        frame: { "frame.index": 10, "particle.positions": Float32Array.of(7, 8, 9), "particle.names": ["C", "D"] },
      },
    ];
    await using recording = await openFiles({ "a.traj": trajOf(some) });
    const columns = async (time: number): Promise<[number, string[]]> => {
      const particles = (await recording.state(time)).sets.get("particles")!;
      return [particles.ids.length, [...particles.columns.keys()].sort()];
    };
    expect(await columns(10_000)).toEqual([2, ["element", "label", "position"]]);
    expect(await columns(20_000)).toEqual([1, ["position"]]);
    expect(await columns(30_000)).toEqual([0, []]);
    expect(await columns(40_000)).toEqual([1, ["position"]]);
    expect((await recording.state(40_000)).values.get("particle.names")).toEqual(["C", "D"]);
  });
  test("a stated number of particles alone makes none", async () => {
    const some: Moment[] = [{ microseconds: 1, frame: { "frame.index": 0, "particle.count": 4e9 } }];
    await using recording = await openFiles({ "a.traj": trajOf(some) });
    const { sets, values } = await recording.state(1000);
    expect(sets.get("particles")!.ids).toEqual([]);
    expect(values.get("particle.count")).toBe(4e9);
  });
});

describe("keyframes", () => {
  test("are frames of index 0 and the first, and hold for frames only", async () => {
    await using recording = await openFiles({ "a.traj": traj, "a.state": state });
    const { end } = await recording.timeline();
    const keyframe = await recording.keyframe(end);
    expect(keyframe!.channels).toEqual([0]);
    const flagged: number[] = [];
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) if ((batch.flags[i]! & KEYFRAME) !== 0) flagged.push(batch.sequence[i]!);
    }
    expect(flagged).toEqual([0, Math.round(frameCount * 0.6)]);
    expect(keyframe!.sequence).toBe(flagged[1]);
  });
});
