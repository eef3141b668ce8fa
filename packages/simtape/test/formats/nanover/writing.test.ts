import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { nanover } from "../../../src/formats/nanover/format.ts";
import { create } from "../../../src/formats/nanover/write/writer.ts";
import { type ByteSink, MemoryFiles, type SinkBundle } from "../../../src/index.ts";
import { encodeMessagePack } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { type Entry, type Moment, stateOf, trajOf, type ZipOptions, zipOf } from "../../fixtures/nanover/containers.ts";
import { fixtures, makeMoments } from "../../fixtures/nanover/make.ts";
import { sampleBytes, samplesDirectory } from "../../samples.ts";
import { expectSame } from "../../support/same.ts";
import { appendAll, type Files, filesOf, openFiles, plain, rewritten, rowsOf, rowsOfFiles } from "./helpers.ts";

const moments = makeMoments({ seconds: 3, rate: 8, isTimed: true, switchAt: 0.6 });
const pair: Files = { "a.traj": trajOf(moments), "a.state": stateOf(moments) };
const first: Files = { "a.traj": trajOf(moments.slice(0, 12), 1), "a.state": stateOf(moments.slice(0, 12), 1) };
const zip: Files = { "a.nanover.zip": zipOf(moments) };

/** Frame and state in one message, as split files have them (spec §4.1). */
const joined: Moment[] = moments
  .filter(({ frame }) => frame !== undefined)
  .map((moment, i) => ({ ...moment, state: { updates: { n: i }, removals: [] } }));

function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(fileURLToPath(new URL(`../../fixtures/nanover/${name}`, import.meta.url))));
}

/** Records what a sink is given, and fails after so many bytes. */
class Witness implements SinkBundle {
  readonly name: string;
  readonly log: string[] = [];
  readonly written = new Map<string, number[]>();
  readonly #limit: number;

  constructor(name: string, limit: number = Number.POSITIVE_INFINITY) {
    this.name = name;
    this.#limit = limit;
  }

  async open(name: string = this.name): Promise<ByteSink> {
    const bytes: number[] = [];
    this.written.set(name, bytes);
    const note = (what: string) => async (): Promise<void> => {
      this.log.push(`${what} ${name}`);
    };
    return {
      name,
      get position() {
        return bytes.length;
      },
      write: async (more) => {
        if (bytes.length + more.length > this.#limit) throw new Error("disk full");
        bytes.push(...more);
      },
      writeAt: async (offset, more) => {
        more.forEach((byte, i) => {
          bytes[offset + i] = byte;
        });
      },
      ...{ flush: note("flush"), close: note("close"), abort: note("abort") },
    };
  }

  bytes(name: string = this.name): Uint8Array {
    return Uint8Array.from(this.written.get(name)!);
  }
}

describe("written again, files are the same to the byte", () => {
  const made: [string, Files][] = [
    ["a v2 pair from the traj", pair],
    ["a v2 pair from the state", { "a.state": pair["a.state"]!, "a.traj": pair["a.traj"]! }],
    ["a v2 traj alone", { "a.traj": pair["a.traj"]! }],
    ["a v2 state alone", { "a.state": pair["a.state"]! }],
    ["a v2 header alone", { "a.traj": pair["a.traj"]!.slice(0, 16) }],
    ["a v1 pair", first],
    ["a zip", zip],
    ["a zip whose messages are frame and state", { "a.nanover.zip": zipOf(joined) }],
    ["a zip without messages", { "a.nanover.zip": zipOf([]) }],
    ["the example", { "buckyball.nanover.zip": fixture("buckyball.nanover.zip") }],
    ["the short pair", { "short.traj": fixture("short.traj"), "short.state": fixture("short.state") }],
  ];
  const real: [string, Files][] =
    samplesDirectory === null
      ? []
      : [
          ["nanotube-rust.traj", "nanotube-rust.state"],
          ["nanotube-rust.state", "nanotube-rust.traj"],
          ["sim-switching.traj", "sim-switching.state"],
          ["hello_vel_force.traj"],
          ["nanotube-rust.nanover.zip"],
          ["17-ala-multiple.nanover.zip"],
          ["nanotube-methane-01.nanover.zip"],
        ].map((names) => [
          `sample ${names.join(" and ")}`,
          Object.fromEntries(names.map((name) => [name, sampleBytes(`nanover/${name}`)])),
        ]);
  test.each([...made, ...real])("%s", async (_, files) => {
    const result = await rewritten(files, Object.keys(files)[0]!);
    expect(Object.keys(result)).toEqual(Object.keys(files));
    for (const [name, bytes] of Object.entries(files)) {
      expect(Buffer.compare(bytes, result[name]!), `${name}: ${bytes.length}, ${result[name]!.length}`).toBe(0);
    }
  });
});

describe("written again, messages are the same", () => {
  /** The first frame stays the first: what comes first in the file is a keyframe. */
  const shuffle = (entries: Entry[]): Entry[] => [
    ...entries.slice(0, 2),
    ...entries.slice(2).map((_, i, rest) => rest[(i * 5) % rest.length]!),
  ];
  const variants: [string, readonly Moment[], ZipOptions][] = [
    ["deflated", moments, { isDeflated: true }],
    ["in 64-bit forms", moments, { isZip64: true }],
    ["with the index first", moments, { indexFirst: true }],
    ["with other members", moments, { extra: true }],
    ["without types", joined, { omit: "types" }],
    ["without indices of frames", moments, { omit: "frame.index" }],
    ["with shuffled entries", moments, { entries: shuffle }],
    [
      "with a subset of entries at broken times",
      moments,
      { entries: (all) => all.filter((_, i) => i % 3 !== 1).map((e) => ({ ...e, timestamp: e.timestamp! / 3 })) },
    ],
  ];
  test.each(variants)("of a zip %s", async (_, of, options) => {
    const files = { "a.nanover.zip": zipOf(of, options) };
    expect(await rowsOfFiles(await rewritten(files, "b.nanover.zip"))).toEqual(await rowsOfFiles(files));
  });
  test("and what was left out of the index is gone", async () => {
    const files = { "a.nanover.zip": zipOf(moments, { entries: (all) => all.slice(0, 3) }) };
    const result = await rewritten(files, "b.nanover.zip");
    const three = await rewritten({ "c.nanover.zip": zipOf(moments.slice(0, 3)) }, "b.nanover.zip");
    expect(result["b.nanover.zip"]!.length).toBe(three["b.nanover.zip"]!.length);
  });
});

describe("containers convert into each other", () => {
  const values = async (files: Files): Promise<unknown[]> =>
    (await rowsOfFiles(files)).map(({ time, channel, keyframe, value }) => ({
      time,
      channel,
      keyframe,
      value: plain(value),
    }));
  test("a pair to a zip, and a zip to a pair", async () => {
    const expected = await values(zip);
    expect(await values(await rewritten(pair, "b.nanover.zip"))).toEqual(expected);
    expect(await values(await rewritten(zip, "b.traj"))).toEqual(expected);
    expect(await values(await rewritten(zip, "b.state"))).toEqual(expected);
    expect(await values(await rewritten(await rewritten(zip, "b.traj"), "b.nanover.zip"))).toEqual(expected);
  });
  test("a zip with frame and state in one message becomes a pair with both", async () => {
    const result = await values(await rewritten({ "a.nanover.zip": zipOf(joined) }, "b.traj"));
    expect(result).toEqual(await values({ "a.nanover.zip": zipOf(joined) }));
  });
  test("version 1 gets indices, and only its first frame is a reset", async () => {
    for (const name of ["b.nanover.zip", "b.traj"]) {
      const dialect = name === "b.traj" ? "v2" : "zip";
      const rows = await rowsOfFiles(await rewritten(first, name, { dialect }));
      const frames = rows.filter(({ channel }) => channel === "frame");
      const indices = frames.map(({ value }) => (value as { "frame.index": number })["frame.index"]);
      expect(indices).toEqual(frames.map((_, i) => i));
      expect(frames.map(({ keyframe }) => keyframe)).toEqual(frames.map((_, i) => i === 0));
    }
  });
  test("a recording without a second simulation fits version 1 and comes back", async () => {
    const one = makeMoments({ seconds: 2, rate: 8, isTimed: false });
    const result = await rewritten({ "a.nanover.zip": zipOf(one) }, "b.traj", { dialect: "v1" });
    expect(result).toEqual({ "b.traj": trajOf(one, 1), "b.state": stateOf(one, 1) });
  });
  test("version 1 refuses a second simulation", async () => {
    await expect(rewritten(zip, "b.traj", { dialect: "v1" })).rejects.toThrow(/begins again/);
  });
  test("arrays take the types that NanoVer's own converter gives them", async () => {
    const frame = {
      "frame.index": 0,
      ...{ "particle.count": 2, "bond.orders": Float32Array.of(1, 2), "residue.ids": Float32Array.of(1, 7.5) },
      ...{ "particle.elements": Uint32Array.of(6, 1), "my.indices": Uint32Array.of(3, 70_000), "my.empty": [] },
      ...{
        "bond.pairs": [],
        "my.text": "a",
        "my.flag": true,
        "my.map": { a: [1, { b: 0.5 }] },
        "my.names": ["a", "b"],
      },
    };
    const rows = await rowsOfFiles(
      await rewritten({ "a.traj": trajOf([{ microseconds: 0, frame }]) }, "b.nanover.zip"),
    );
    expect({ ...(rows[0]!.value as object) }).toEqual({
      ...frame,
      ...{ "bond.orders": Uint8Array.of(1, 2), "particle.elements": Uint8Array.of(6, 1) },
      ...{ "residue.ids": Float64Array.of(1, 7.5), "my.indices": Float64Array.of(3, 70_000) },
      "bond.pairs": new Uint32Array(0),
    });
    const back = await rowsOfFiles(
      await rewritten(await rewritten({ "a.traj": trajOf([{ microseconds: 0, frame }]) }, "b.nanover.zip"), "c.traj"),
    );
    expect(plain(back[0]!.value)).toEqual(plain(frame));
    const exact = { "frame.index": 0, "my.numbers": Float64Array.of(0.1, 2) };
    const doubles = await rowsOfFiles(
      await rewritten({ "a.nanover.zip": zipOf([{ microseconds: 0, frame: exact }]) }, "c.traj"),
    );
    expect(plain(doubles[0]!.value)).toEqual({ "frame.index": 0, "my.numbers": [0.1, 2] });
  });
  test.runIf(samplesDirectory !== null)("the real recording, as NanoVer converted it", async () => {
    const names = ["nanotube-rust.traj", "nanotube-rust.state"];
    const original = Object.fromEntries(names.map((name) => [name, sampleBytes(`nanover/${name}`)]));
    const official = { "nanotube-rust.nanover.zip": sampleBytes("nanover/nanotube-rust.nanover.zip") };
    const expected = await values(official);
    expect(expected.length).toBe(1615);
    expectSame(await values(await rewritten(original, "x.nanover.zip")), expected);
    expectSame(await values(await rewritten(official, "x.traj")), await values(original));
    // Not only what it means: every part of the index but lengths of reordered messages.
    const ours = (await rewritten(original, "x.nanover.zip"))["x.nanover.zip"]!;
    // system.simulation.counter is an integer in the official file and float64 by today's converter: 8 bytes.
    expect(ours.length - official["nanotube-rust.nanover.zip"]!.length).toBe(8);
  });
});

describe("the container", () => {
  test("is that of the name's extension, then of the recording it is like, then a zip", async () => {
    const container = async (name: string, options = {}): Promise<string> => {
      const writer = await create(new MemoryFiles(name), options);
      await writer.abort();
      return writer.container;
    };
    const like = await openFiles(pair);
    const old = await openFiles(first);
    expect(await container("a.nanover.zip", { like })).toBe("zip");
    expect(await container("a.traj")).toBe("2");
    expect(await container("a.STATE")).toBe("2");
    expect(await container("a.traj", { like: old })).toBe("1");
    expect(await container("a", { like })).toBe("2");
    expect(await container("a", { like: old })).toBe("1");
    expect(await container("a")).toBe("zip");
    expect(await container("a.traj", { dialect: "zip" })).toBe("zip");
    await expect(container("a", { dialect: "v3" })).rejects.toThrow(/zip, v2, v1/);
  });
  test("of two files has the other beside, whatever the name, only when there is something in it", async () => {
    for (const [name, other] of [
      ["run.traj", "run.state"],
      ["run.state", "run.traj"],
      ["run", "run.state"],
      ["run.bin", "run.bin.state"],
      ["run_0.3", "run_0.3.state"],
      ["run_0.3.traj", "run_0.3.state"],
      ["RUN.TRAJ", "RUN.state"],
    ] as const) {
      const result = await rewritten(pair, name, { dialect: "v2" });
      expect(Object.keys(result)).toEqual([name, other]);
      const reader = await openFiles(result);
      expect(reader.siblings).toEqual([other]);
      expect((await rowsOf(reader)).length).toBe(moments.length);
    }
    expect(Object.keys(await rewritten({ "a.traj": pair["a.traj"]! }, "b.traj"))).toEqual(["b.traj"]);
    const states = await rewritten({ "a.state": pair["a.state"]! }, "b.traj");
    expect(Object.keys(states)).toEqual(["b.traj", "b.state"]);
    expect(states["b.traj"]!.length).toBe(16);
    expect((await rowsOfFiles(states)).length).toBe(moments.length - joined.length);
  });
});

describe("a writer", () => {
  const frame = (index: number): Uint8Array => encodeMessagePack({ frame: { "frame.index": index } });
  test("marks a keyframe that is not the first as a reset", async () => {
    const to = new MemoryFiles("a.nanover.zip");
    const writer = await create(to, {});
    const channel = writer.channel({ name: "frame" });
    writer.write(channel, 0, frame(7), true);
    writer.write(channel, 1000, frame(8), true);
    writer.write(channel, 2000, frame(9));
    await writer.close();
    const rows = await rowsOfFiles(filesOf(to));
    expect(rows.map(({ keyframe, value }) => [keyframe, (value as { "frame.index": number })["frame.index"]])).toEqual([
      [true, 7],
      [true, 0],
      [false, 9],
    ]);
  });
  test("joins recordings: the second begins with a reset", async () => {
    const late = moments.slice(moments.findIndex(({ frame: of }) => of !== undefined && of["frame.index"] !== 0));
    for (const name of ["b.nanover.zip", "b.traj"]) {
      const to = new MemoryFiles(name);
      const writer = await create(to, {});
      await appendAll(writer, await openFiles(pair));
      await appendAll(writer, await openFiles({ "c.nanover.zip": zipOf(late) }), 10e9);
      await writer.close();
      const rows = await rowsOfFiles(filesOf(to));
      expect(rows.length).toBe(moments.length + late.length);
      expect(rows.find(({ time, channel }) => time > 10e9 && channel === "frame")).toMatchObject({ keyframe: true });
    }
  });
  test("takes payloads of the other container too", async () => {
    const rows = await rowsOfFiles(pair);
    const to = new MemoryFiles("b.nanover.zip");
    const writer = await create(to, {});
    for (const { channel, time, payload, keyframe } of rows) {
      writer.write(writer.channel({ name: channel }), time, payload, keyframe);
    }
    await writer.close();
    expect(to.bytes).toEqual((await rewritten(pair, "b.nanover.zip"))["b.nanover.zip"]);
  });
  test("and a reader of one container decodes payloads of the other by their context, as joined recordings have them", async () => {
    const [zipped, paired] = [await openFiles(zip), await openFiles(pair)];
    const [ours, theirs] = [await rowsOf(zipped), await rowsOf(paired)];
    theirs.forEach(({ channel, payload }, i) => {
      const { schema } = zipped.channels.find(({ name }) => name === channel)!;
      expect(plain(schema.decode(payload, paired.payloads))).toEqual(plain(ours[i]!.value));
    });
  });
  test("leaves parts that are dropped out of messages that have several", async () => {
    const source = await openFiles({ "a.nanover.zip": zipOf(joined) });
    const to = new MemoryFiles("b.nanover.zip");
    const writer = await create(to, { like: source });
    const frames = writer.channel({ name: "frame" });
    for await (const batch of source.batches({})) writer.append(batch, [frames, null]);
    await writer.close();
    expect(to.bytes).toEqual(zipOf(joined.map(({ microseconds, frame: of }) => ({ microseconds, frame: of }))));
  });
  test("gives a part another name when its channel gets another", async () => {
    const source = await openFiles({ "a.nanover.zip": zipOf(joined.slice(0, 2)) });
    const to = new MemoryFiles("b.nanover.zip");
    const writer = await create(to, { like: source });
    const channels = [writer.channel({ name: "frame" }), writer.channel({ name: "old-state" })];
    for await (const batch of source.batches({})) writer.append(batch, channels);
    await writer.close();
    const rows = await rowsOfFiles(filesOf(to));
    expect(rows.map(({ channel }) => channel)).toEqual(["frame", "old-state", "frame", "old-state"]);
    expect(plain(rows[1]!.value)).toEqual({ updates: { n: 0 }, removals: [] });
  });
  test("refuses channels and times that the container cannot have", async () => {
    const writer = await create(new MemoryFiles("a.traj"), {});
    expect(() => writer.channel({ name: "command" })).toThrow(RangeError);
    const channel = writer.channel({ name: "frame" });
    for (const time of [-1000, Number.NaN, Number.POSITIVE_INFINITY, 1e20]) {
      expect(() => writer.write(channel, time, Uint8Array.of(18, 0))).toThrow(RangeError);
    }
    writer.write(channel, 1499, Uint8Array.of(18, 0));
    await writer.abort();
    const zipped = await create(new MemoryFiles("a.zip"), {});
    for (let i = 2; i < 24; i++) zipped.channel({ name: `c${i}` });
    expect(() => zipped.channel({ name: "one too many" })).toThrow(RangeError);
    expect(() => zipped.write(channel, Number.NaN, frame(0))).toThrow(RangeError);
    await zipped.abort();
  });
  test("keeps negative and broken times in a zip, and rounds to microseconds in version 2", async () => {
    const files: MemoryFiles[] = [];
    for (const [name, times] of [
      ["a.zip", [-1500, 0, 333, 2000]],
      ["a.traj", [0, 333, 1501, 2000]],
    ] as const) {
      const to = new MemoryFiles(name);
      const writer = await create(to, {});
      for (const time of times) writer.write(writer.channel({ name: "frame" }), time, frame(1));
      await writer.close();
      files.push(to);
    }
    expect((await rowsOfFiles(filesOf(files[0]!))).map(({ time }) => time)).toEqual([-1500, 0, 333, 2000]);
    expect((await rowsOfFiles(filesOf(files[1]!))).map(({ time }) => time)).toEqual([0, 0, 2000, 2000]);
  });
  test("leaves nothing when it is aborted, and aborting a closed one does nothing", async () => {
    for (const name of ["a.traj", "a.nanover.zip"]) {
      const to = new MemoryFiles(name);
      const writer = await create(to, {});
      writer.write(writer.channel({ name: "frame" }), 0, frame(0));
      await writer.abort();
      await writer.abort();
      expect(to.files.size).toBe(0);
      const other = await create(to, {});
      other.write(other.channel({ name: "frame" }), 0, frame(0));
      await other.close();
      await other.close();
      await other.abort();
      expect([...to.files.keys()]).toEqual([name]);
    }
  });
  test("tells a failing disk when it is waited for, and takes everything away", async () => {
    for (const name of ["a.traj", "a.nanover.zip"]) {
      const to = new Witness(name, 1000);
      const writer = await create(to, {});
      const big = encodeMessagePack({ frame: { "frame.index": 1, blob: "x".repeat(600_000) } });
      for (let i = 0; i < 4; i++) writer.write(writer.channel({ name: "frame" }), i * 1000, big);
      await expect(writer.flush()).rejects.toThrow("disk full");
      await expect(writer.ready).rejects.toThrow("disk full");
      await expect(writer.close()).rejects.toThrow("disk full");
      expect(to.log).toContain(`abort ${name}`);
      expect(to.log.filter((line) => line.startsWith("close"))).toEqual([]);
    }
  });
  test("asks to wait while much is behind", async () => {
    const writer = await create(new MemoryFiles("a.nanover.zip"), {});
    const big = encodeMessagePack({ frame: { "frame.index": 1, blob: "x".repeat(3_000_000) } });
    expect(writer.ready).toBeNull();
    for (let i = 0; i < 4; i++) writer.write(writer.channel({ name: "frame" }), i * 1000, big);
    expect(writer.ready).not.toBeNull();
    await writer.ready;
    expect(writer.ready).toBeNull();
    await writer.abort();
  });
  test("loses nothing of a pair that was flushed, and only times of a zip", async () => {
    for (const name of ["a.traj", "a.nanover.zip"]) {
      const source = await openFiles(zip);
      const to = new Witness(name);
      const writer = await create(to, { like: source });
      await appendAll(writer, source);
      await writer.flush();
      const names = name === "a.traj" ? [name, "a.state"] : [name];
      const crashed = Object.fromEntries(names.map((file) => [file, to.bytes(file)]));
      const findings = new Findings();
      const rows = await rowsOf(await openFiles(crashed, findings));
      expect(rows.length).toBe(moments.length);
      const codes = new Set(findings.list().map(({ code }) => code));
      expect(codes).toEqual(new Set(name === "a.traj" ? [] : ["missing-directory", "missing-index"]));
      await writer.abort();
    }
  });
  test("lets the file beside take its name before the main one does", async () => {
    const to = new Witness("a.state");
    const writer = await create(to, {});
    await appendAll(writer, await openFiles(pair));
    await writer.close();
    expect(to.log).toEqual(["flush a.state", "close a.traj", "close a.state"]);
  });
});

test("a page that lists the format loads reader and writer only when it opens or writes", async () => {
  const text = readFileSync(fileURLToPath(new URL("../../../src/formats/nanover/format.ts", import.meta.url)), "utf8");
  expect(text).not.toMatch(/^import (?!type).*\/(reader|writ)/m);
  expect(Object.keys(await nanover.writing!())).toEqual(["times", "create", "restate", "repair", "encoder"]);
  expect(fixtures().size).toBeGreaterThan(0);
});
