import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { nanover } from "../../../src/formats/nanover/format.ts";
import { repair } from "../../../src/formats/nanover/repair/repair.ts";
import {
  check,
  corrupt,
  type Corruption,
  type Finding,
  MemoryFiles,
  open,
  planCorruption as plan,
} from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import {
  archiveOf,
  type Entry,
  interruptedOf,
  type Moment,
  stateOf,
  trajOf,
  zipOf,
} from "../../fixtures/nanover/containers.ts";
import { fixtures, makeMoments } from "../../fixtures/nanover/make.ts";
import { sampleBytes, sampleNames, samplesDirectory } from "../../samples.ts";
import { tries } from "../../soak.ts";
import { create } from "../../../src/formats/nanover/write/writer.ts";
import { appendAll, type Files, filesOf, openFiles, type Row, rowsOf, rowsOfFiles } from "./helpers.ts";

const moments = makeMoments({ seconds: 3, rate: 8, isTimed: false, switchAt: 0.6 });
const timed = makeMoments({ seconds: 3, rate: 8, isTimed: true, switchAt: 0.6 });
const zip = zipOf(moments);
const traj = trajOf(moments);

function changed(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(values, at);
  return copy;
}

interface Repaired {
  readonly files: Files;
  readonly lost: readonly Finding[];
  readonly rebuilt: readonly Finding[];
}

/** Repairs, and expects that nothing is wrong any more. */
async function repaired(files: Files): Promise<Repaired> {
  const name = Object.keys(files)[0]!;
  const reader = await openFiles(files);
  const to = new MemoryFiles(name);
  const lost: Finding[] = [];
  const rebuilt: Finding[] = [];
  await repair(reader, to, { lost: (finding) => lost.push(finding), rebuilt: (finding) => rebuilt.push(finding) });
  await using recording = await open(bundleOfFiles(filesOf(to)));
  expect((await check(recording)).findings).toEqual([]);
  return { files: filesOf(to), lost, rebuilt };
}

function keyOf(payload: Uint8Array): string {
  return Buffer.from(payload).toString("base64");
}

/** Payloads of the messages that lie wholly outside the damage; times by payload. */
async function outside(name: string, bytes: Uint8Array, damage: readonly Corruption[]): Promise<string[]> {
  const hits = (from: number, to: number): boolean =>
    damage.some(({ kind, offset, length }) => {
      if (kind === "lengthen") return offset > from && offset < to;
      const end = kind === "cut" ? bytes.length : offset + (kind === "swap" ? 2 : 1) * length;
      return offset < to && end > from;
    });
  const reader = await openFiles({ [name]: bytes });
  const header = name.endsWith(".zip") ? 0 : 24;
  const kept: string[] = [];
  for await (const records of reader.records()) {
    for (const { kind, offset, bytes: record } of records) {
      const isMessage = kind === "message" || kind === "frame" || kind === "state";
      if (isMessage && !hits(offset, offset + record.length)) kept.push(keyOf(record.subarray(header)));
    }
  }
  return kept;
}

async function expectNothingElseLost(name: string, bytes: Uint8Array, seed: number): Promise<void> {
  const damage = plan(bytes.length, seed, 1 + (seed % 3));
  const broken = corrupt(bytes, damage, seed);
  const said = `${name} ${JSON.stringify(damage)}`;
  const head = damage.some(({ offset }) => offset < 64 && !name.endsWith(".zip"));
  const recording = await open(bundleOfFiles({ [name]: broken })).catch((error: unknown) => {
    // Without its header nothing tells what a file is.
    if (head) return null;
    throw error;
  });
  if (recording === null) return;
  const { findings } = await check(recording);
  await recording.close();
  const isSound = !findings.some(({ severity }) => severity === "damage" || severity === "loss");
  const files = isSound ? { [name]: broken } : (await repaired({ [name]: broken })).files;
  const left = new Map<string, number>();
  for (const { payload } of await rowsOfFiles(files)) {
    const key = keyOf(payload);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  const missing = (await outside(name, bytes, damage)).filter((key) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
  expect(missing.length, said).toBe(0);
}

describe("a repaired recording is sound and holds every message outside the damage", () => {
  const named = (name: string): Uint8Array =>
    new Uint8Array(readFileSync(fileURLToPath(new URL(`../../fixtures/nanover/${name}`, import.meta.url))));
  const names = [...fixtures().keys()].filter(
    (name) => !name.startsWith("interrupted") && !name.startsWith("headerless"),
  );
  test.each(names)("fixture %s", async (name) => {
    for (let seed = 0; seed < tries(10, 200); seed++) await expectNothingElseLost(name, named(name), seed);
  });
  const real = sampleNames("nanover").filter((name) => name !== "sim-switching.state");
  test.runIf(samplesDirectory !== null).each(real)("sample %s", async (name) => {
    const bytes = sampleBytes(`nanover/${name}`);
    for (let seed = 300; seed < tries(301, 500); seed++) await expectNothingElseLost(name, bytes, seed);
  });
});

describe("repair", () => {
  const fourth = (() => {
    const view = new DataView(traj.buffer, traj.byteOffset);
    let at = 16;
    for (let n = 0; n < 3; n++) at += 24 + view.getUint32(at + 16, true);
    return at;
  })();
  const without = (rows: readonly Row[], i: number): Row[] => rows.filter((_, k) => k !== i);

  test("leaves out a cut last record, and says where and how much", async () => {
    const whole = await rowsOfFiles({ "a.traj": traj });
    const { files, lost, rebuilt } = await repaired({ "a.traj": traj.slice(0, -100) });
    expect(await rowsOfFiles(files)).toEqual(whole.slice(0, -1));
    const length = whole.at(-1)!.payload.length + 24 - 100;
    expect(lost).toMatchObject([{ code: "damaged", severity: "loss", offset: traj.length - 100 - length, length }]);
    expect(rebuilt).toEqual([]);
  });
  test("leaves out a message that does not decode", async () => {
    const broken = changed(traj, fourth + 24 + 4, 0xff, 0xff, 0xff);
    const whole = await rowsOfFiles({ "a.traj": traj });
    const { files, lost } = await repaired({ "a.traj": broken });
    expect(await rowsOfFiles(files)).toEqual(without(whole, 3));
    expect(lost).toMatchObject([
      { code: "bad-payload", offset: fourth + 24, length: whole[3]!.payload.length, time: whole[3]!.time },
    ]);
  });
  test("keeps both files of a pair", async () => {
    const files = { "a.state": stateOf(moments).slice(0, -3), "a.traj": changed(traj, fourth + 20, 0xff) };
    const whole = await rowsOfFiles({ "a.state": stateOf(moments), "a.traj": traj });
    const result = await repaired(files);
    expect(Object.keys(result.files)).toEqual(["a.state", "a.traj"]);
    expect((await rowsOfFiles(result.files)).length).toBe(whole.length - 2);
    expect(result.lost.length).toBe(2);
  });
  test("writes a header that is damaged again", async () => {
    for (const at of [0, 5, 9, 15]) {
      const { files, rebuilt } = await repaired({ "a.traj": changed(traj, at, 0xaa) });
      expect(Buffer.compare(files["a.traj"]!, traj), `byte ${at}`).toBe(0);
      expect(rebuilt.map(({ code }) => code)).toEqual(["bad-header"]);
    }
    const moved = Uint8Array.from([...traj.subarray(0, 3), 1, 2, 3, ...traj.subarray(3)]);
    expect((await repaired({ "a.traj": moved })).files["a.traj"]).toEqual(traj);
  });
  test("takes a time that does not fit for damage", async () => {
    const { files, rebuilt } = await repaired({ "a.traj": changed(traj, fourth + 6, 0x05).slice(0, -1) });
    const [rows, whole] = [await rowsOfFiles(files), await rowsOfFiles({ "a.traj": traj })];
    expect(rows.map(({ payload }) => payload)).toEqual(whole.slice(0, -1).map(({ payload }) => payload));
    expect(rows[3]!.time).toBe(whole[2]!.time);
    expect(rebuilt).toMatchObject([{ code: "bad-time" }]);
  });
  test("gives an interrupted zip its index and directory", async () => {
    const { files, lost, rebuilt } = await repaired({ "a.zip": interruptedOf(timed, 100) });
    expect((await rowsOfFiles(files)).length).toBe(moments.length - 1);
    expect(lost.map(({ code }) => code)).toEqual(["damaged"]);
    expect(rebuilt.map(({ code }) => code)).toEqual(["bad-index", "missing-directory"]);
    expect((await openFiles(files)).info.seekIndex).toBe("stored");
  });
  test("makes zips whole again whose own structures are damaged, to the byte", async () => {
    const view = Buffer.from(zip);
    const directory = view.lastIndexOf("messages.msgpack") - 46;
    const index = view.indexOf("index.msgpack") - 30;
    const places = [0, 8, 16, 26, 28, 40, 50, 56, index, index + 8, index + 26, index + 35];
    const behind = [directory, directory + 10, directory + 22, directory + 28, directory + 42, directory + 50];
    for (const at of [...places, ...behind, directory + 62 + 20, zip.length - 22, zip.length - 8, zip.length - 4]) {
      const reader = await openFiles({ "a.zip": changed(zip, at, zip[at]! ^ 0x41) });
      const to = new MemoryFiles("a.zip");
      await repair(reader, to, { lost: () => undefined, rebuilt: () => undefined });
      expect(Buffer.compare(to.bytes, zip), `byte ${at}`).toBe(0);
    }
  });
  test("finds messages again that the index names in the wrong place", async () => {
    const at = Buffer.from(zip).indexOf("particle.positions") + 60;
    const inserted = Uint8Array.from([...zip.subarray(0, at), 9, 9, 9, 9, 9, ...zip.subarray(at)]);
    const removed = Uint8Array.from([...zip.subarray(0, at), ...zip.subarray(at + 17)]);
    const whole = await rowsOfFiles({ "a.zip": zip });
    for (const broken of [inserted, removed]) {
      const { files } = await repaired({ "a.zip": broken });
      const rows = await rowsOfFiles(files);
      const kept = whole.filter(({ payload }) => rows.some((row) => keyOf(row.payload) === keyOf(payload)));
      expect(kept.length).toBe(whole.length - 1);
      const times = new Map(whole.map(({ payload, time }) => [keyOf(payload), time]));
      for (const { payload, time } of rows) expect(times.get(keyOf(payload))).toBe(time);
    }
  });
  test("gives a message whose entry is lost a time between those around it", async () => {
    const entry = Buffer.from(zip).indexOf("timestamp", Buffer.from(zip).indexOf("timestamp") + 1);
    const { files } = await repaired({ "a.zip": changed(zip, entry, 0xc1) });
    const [rows, whole] = [await rowsOfFiles(files), await rowsOfFiles({ "a.zip": zip })];
    expect(rows.map(({ payload }) => payload)).toEqual(whole.map(({ payload }) => payload));
    const [before, at, after] = rows.slice(0, 3).map(({ time }) => time);
    expect(at).toBe(Math.round((before! + after!) / 2));
  });
  test("keeps the sound part of a message whose other part is damaged", async () => {
    const joined: Moment[] = moments
      .filter(({ frame }) => frame !== undefined)
      .map((moment, i) => ({ ...moment, state: { updates: { n: i }, removals: [] } }));
    const bytes = zipOf(joined);
    const key = Buffer.from(bytes).indexOf("updates");
    const { files, lost } = await repaired({ "a.zip": changed(bytes, key + 7, 0x92) });
    const rows = await rowsOfFiles(files);
    expect(rows.filter(({ channel }) => channel === "frame").length).toBe(joined.length);
    expect(rows.filter(({ channel }) => channel === "state").length).toBe(joined.length - 1);
    expect(lost.map(({ code }) => code)).toEqual(["bad-payload"]);
  });
  test("leaves out what an index leaves out that is sound", async () => {
    const entries = (all: Entry[]): Entry[] => all.filter((_, i) => i % 2 === 0);
    const bytes = zipOf(moments, { entries });
    const { files, lost } = await repaired({ "a.zip": bytes.slice(0, -10) });
    expect((await rowsOfFiles(files)).length).toBe(Math.ceil(moments.length / 2));
    expect(lost.every(({ code }) => code === "unindexed")).toBe(true);
  });
  test("repairs deflated and index-less zips", async () => {
    const cut = zipOf(moments, { isDeflated: true }).slice(0, 8000);
    expect((await rowsOfFiles((await repaired({ "a.zip": cut })).files)).length).toBeGreaterThan(5);
    const bare = archiveOf([["messages.msgpack", zip.slice(66, 20_000)]]);
    expect((await rowsOfFiles((await repaired({ "a.zip": bare })).files)).length).toBeGreaterThan(5);
  });
  test("refuses a version 1 file in which nothing is left, and readers of other recordings", async () => {
    const note = { lost: () => undefined, rebuilt: () => undefined };
    const first = trajOf(moments.slice(0, 3), 1);
    const reader = await openFiles({ "a.traj": changed(first, 400, ...new Array(8).fill(0xff)) });
    const to = new MemoryFiles("a.traj");
    if ((await reader.statistics())[0]!.messages === 0) {
      await expect(repair(reader, to, note)).rejects.toMatchObject({ code: "malformed" });
    }
    await expect(repair({ info: reader.info } as never, to, note)).rejects.toThrow(TypeError);
    expect(to.files.size).toBe(0);
  });
  test("tells a format that is recognised by what is left of its beginning", () => {
    const hint = { name: null, size: 1000 };
    expect(nanover.sniff(changed(zip, 1, 0x4c), hint)).toBe("possible");
    expect(nanover.sniff(changed(traj, 2, 0x4c), hint)).toBe("possible");
    expect(nanover.sniff(new Uint8Array(1000), hint)).toBeNull();
    expect(new Findings().list()).toEqual([]);
  });
});

test("reading a damaged zip again gives the same", async () => {
  const reader = await openFiles({ "a.zip": interruptedOf(timed, 100) });
  expect(await rowsOf(reader)).toEqual(await rowsOf(reader));
});

describe("what the recording says of itself", () => {
  const text = JSON.stringify({
    simtape: "provenance",
    version: 1,
    annotations: [{ at: 5, text: "hi", kind: "note" }],
  });

  test("is kept wherever the zip is cut behind it, and is said to be lost where it is cut", async () => {
    const reader = await openFiles({ "a.nanover.zip": zip });
    const to = new MemoryFiles("a.nanover.zip");
    const writer = await create(to, { like: reader, metadata: { provenance: text } });
    await appendAll(writer, reader);
    await writer.close();
    const bytes = filesOf(to)["a.nanover.zip"]!;
    const end = Buffer.from(bytes).indexOf(text) + text.length;
    for (let length = bytes.length; length > end - text.length; length -= 7) {
      const findings = new Findings();
      const cut = await openFiles({ "a.nanover.zip": bytes.slice(0, length) }, findings);
      const isWhole = length >= end;
      expect(cut.info.metadata["provenance"], `${length} bytes`).toBe(isWhole ? text : undefined);
      const lost = findings.list().filter(({ severity, message }) => severity === "loss" && message.includes("notes"));
      expect(lost.length, `${length} bytes`).toBe(isWhole ? 0 : 1);
      if (isWhole) {
        const { files } = await repaired({ "a.nanover.zip": bytes.slice(0, length) });
        expect((await openFiles(files)).info.metadata["provenance"]).toBe(text);
      }
    }
  });
});
