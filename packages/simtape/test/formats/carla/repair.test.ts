import { describe, expect, test } from "vitest";
import { carla } from "../../../src/formats/carla/format.ts";
import type { CarlaReader } from "../../../src/formats/carla/read/reader.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import {
  check,
  corrupt,
  type Corruption,
  type Finding,
  MemoryFiles,
  open as openRecording,
  planCorruption as plan,
  type Reader,
  type Recording,
  RecordingError,
  type Value,
} from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";
import { tries } from "../../soak.ts";

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "run.log": bytes }), { formats: [carla] });
}

interface Found {
  readonly packet: string;
  readonly offset: number;
  readonly length: number;
  readonly time: number;
  readonly payload: Uint8Array;
}

/** Every packet with its place, in the order of the file. */
async function packetsOf(recording: Recording): Promise<Found[]> {
  const { file } = recording.reader as CarlaReader;
  const found: Found[] = [];
  let chunk = 0;
  for await (const records of file.records()) {
    const entry = file.chunks[chunk++]!;
    const rows = await file.decode(entry);
    const order: number[] = [];
    for (let row = 0; row < rows.length; row++) order[rows.sequence[row]! - entry.sequence] = row;
    let n = 0;
    for (const { kind, offset, bytes } of records) {
      if (kind === "damaged") continue;
      const row = order[n++]!;
      const packet = recording.channels[rows.channel[row]!]!.metadata["packet"]!;
      found.push({ packet, offset, length: bytes.length, time: rows.time[row]!, payload: rows.payload(row) });
    }
  }
  return found;
}

interface Repaired {
  readonly bytes: Uint8Array;
  readonly lost: Finding[];
  readonly rebuilt: Finding[];
}

async function repaired(bytes: Uint8Array): Promise<Repaired> {
  await using recording = await open(bytes);
  const to = new MemoryFiles();
  const [lost, rebuilt]: [Finding[], Finding[]] = [[], []];
  await writing.repair(recording.reader, to, {
    lost: (finding) => lost.push(finding),
    rebuilt: (finding) => rebuilt.push(finding),
  });
  await using result = await open(to.bytes);
  expect(await check(result)).toMatchObject({ status: "sound" });
  return { bytes: to.bytes, lost, rebuilt };
}

/** What a message is known by; the duration of a frame may change when frames behind it are lost. */
function keyOf({ packet, time, payload }: Found): string {
  const bytes = payload.slice();
  if (packet === "0") bytes.fill(0, 8, 16);
  return `${packet} ${time} ${Buffer.from(bytes).toString("base64")}`;
}

async function missing(
  original: readonly Found[],
  result: Uint8Array,
  corruptions: readonly Corruption[],
): Promise<string[]> {
  await using recording = await open(result);
  const there = new Map<string, number>();
  for (const found of await packetsOf(recording)) there.set(keyOf(found), (there.get(keyOf(found)) ?? 0) + 1);
  const gone: string[] = [];
  for (const found of original) {
    const end = found.offset + found.length;
    const isHit = corruptions.some(({ kind, offset, length }) => {
      if (kind === "cut") return offset < end;
      if (kind === "lengthen") return offset > found.offset && offset < end;
      return offset < end && offset + (kind === "swap" ? 2 * length : length) > found.offset;
    });
    if (isHit) continue;
    const count = there.get(keyOf(found)) ?? 0;
    if (count === 0) gone.push(`packet ${found.packet} at ${found.offset}`);
    else there.set(keyOf(found), count - 1);
  }
  return gone;
}

/** Nothing tells what a file is when its header and the start of its first frame are gone. */
async function isKnown(damaged: Uint8Array, corruptions: readonly Corruption[]): Promise<boolean> {
  try {
    await using recording = await open(damaged);
    return recording.info.format === "carla";
  } catch (error) {
    expect(RecordingError.is(error), String(error)).toBe(true);
    expect(corruptions.some(({ offset }) => offset < 32)).toBe(true);
    return false;
  }
}

const towns = RELEASES.map((release) => ({
  name: `town of ${release.name}`,
  bytes: makeTown(release),
  runs: tries(12, 200),
}));
const real = sampleNames("carla")
  .filter((name) => name.endsWith("Vehicles.log") || name.endsWith("Center.log"))
  .map((name) => ({ name, bytes: sampleBytes(`carla/${name}`), runs: tries(3, 200) }));

describe.each([...towns, ...real])("a damaged $name", ({ bytes, runs }) => {
  test("is repaired without losing a message that lies outside the damage", async () => {
    await using recording = await open(bytes);
    const original = await packetsOf(recording);
    for (let seed = 1; seed <= runs; seed++) {
      const corruptions = plan(bytes.length, seed, 1);
      const damaged = corrupt(bytes, corruptions, seed);
      if (!(await isKnown(damaged, corruptions))) continue;
      const { bytes: result } = await repaired(damaged);
      expect(await missing(original, result, corruptions), `seed ${seed}: ${JSON.stringify(corruptions)}`).toEqual([]);
    }
  });

  test("tells of every byte that was left out", async () => {
    for (let seed = 1; seed <= tries(4, 200); seed++) {
      const corruptions = plan(bytes.length, seed, 3);
      const damaged = corrupt(bytes, corruptions, seed);
      if (!(await isKnown(damaged, corruptions))) continue;
      await using recording = await open(damaged);
      const { lost } = await repaired(damaged);
      let end = 0;
      for (const { offset, length } of lost.toSorted((a, b) => a.offset! - b.offset!)) {
        expect(offset).toBeGreaterThanOrEqual(end);
        end = offset! + length!;
      }
      expect(end).toBeLessThanOrEqual(damaged.length);
      const gaps = new Set<number>();
      for await (const records of recording.records()) {
        for (const { kind, offset } of records) if (kind === "damaged") gaps.add(offset);
      }
      for (const { code, offset } of lost) if (code === "damaged-bytes") expect(gaps.has(offset!)).toBe(true);
    }
  });
});

describe("repair", () => {
  const bytes = makeTown(RELEASES[5]!);
  const at = async (packet: string, n: number): Promise<Found> => {
    await using recording = await open(bytes);
    return (await packetsOf(recording)).filter((found) => found.packet === packet)[n]!;
  };
  const changed = (change: (copy: Uint8Array, view: DataView) => void): Uint8Array => {
    const copy = bytes.slice();
    change(copy, new DataView(copy.buffer));
    return copy;
  };
  const valuesOf = async (log: Uint8Array, name: string): Promise<Value[]> => {
    await using recording = await open(log);
    const values: Value[] = [];
    for await (const { value } of recording.messages(recording.channel(name))) values.push(value);
    return values;
  };
  const codes = (findings: readonly Finding[]): string[] => findings.map(({ code }) => code);

  test("of nothing but a wrong size of a packet gives the original", async () => {
    for (const packet of ["2", "6", "15", "19"]) {
      const { offset } = await at(packet, 0);
      const result = await repaired(changed((_, view) => view.setUint32(offset + 1, 77_777, true)));
      expect(codes(result.rebuilt), `packet ${packet}`).toEqual(["packet-size"]);
      expect(result.lost).toEqual([]);
      expect(Buffer.compare(result.bytes, bytes)).toBe(0);
    }
  });

  test("of a size that goes over whole packets behind it gives the original", async () => {
    await using recording = await open(bytes);
    const packets = await packetsOf(recording);
    for (const packet of ["2", "6", "8", "12"]) {
      const { offset: place } = await at(packet, 3);
      const n = packets.findIndex(({ offset }) => offset === place);
      // within the frame, up to its end, over the start of the next, and over some frames
      for (const over of [1, 2, 5, 12, 30]) {
        const [first, last] = [packets[n]!, packets[n + over]!];
        const size = last.offset + last.length - first.offset - 5;
        const result = await repaired(changed((_, view) => view.setUint32(first.offset + 1, size, true)));
        expect([...new Set(codes(result.rebuilt))], `packet ${packet}, ${over} behind it`).toEqual(["packet-size"]);
        expect(Buffer.compare(result.bytes, bytes)).toBe(0);
      }
    }
  });

  test("of nothing but a wrong count of a list gives the original", async () => {
    for (const packet of ["6", "7", "8", "12"]) {
      const { offset } = await at(packet, 3);
      const result = await repaired(changed((_, view) => view.setUint16(offset + 5, 31_337, true)));
      expect(codes(result.rebuilt), `packet ${packet}`).toEqual(["packet-count"]);
      expect(Buffer.compare(result.bytes, bytes)).toBe(0);
    }
  });

  test("of an impossible or wrong time of a frame gives the original", async () => {
    const { offset } = await at("0", 7);
    for (const seconds of [Number.NaN, -5, 1e200, 0.00001, 4000]) {
      const result = await repaired(changed((_, view) => view.setFloat64(offset + 5 + 16, seconds, true)));
      expect(codes(result.rebuilt), `${seconds} s`).toEqual(["frame-time"]);
      const [found, expected] = [await valuesOf(result.bytes, "frame-start"), await valuesOf(bytes, "frame-start")];
      const elapsed = (values: Value[]): number[] => values.map((value) => (value as { elapsed: number }).elapsed);
      for (const [i, value] of elapsed(found).entries()) expect(value).toBeCloseTo(elapsed(expected)[i]!, 9);
    }
  });

  test("gives a frame that has lost its start another, at the time it had", async () => {
    const { offset, time } = await at("0", 9);
    const result = await repaired(changed((copy) => copy.fill(0xee, offset, offset + 20)));
    expect(codes(result.rebuilt)).toEqual(["frame-start"]);
    expect(result.lost).toMatchObject([{ offset, length: 29 }]);
    const starts = (await valuesOf(result.bytes, "frame-start")) as unknown as { frame: number; elapsed: number }[];
    expect(starts).toHaveLength(40);
    expect(starts[9]!.frame).toBe(10);
    expect(Math.round(starts[9]!.elapsed * 1e9)).toBe(time);
  });

  test("lets the frame before lost ones last until the next that is left", async () => {
    const [from, to] = [await at("0", 10), await at("0", 14)];
    const result = await repaired(changed((copy) => copy.fill(0xee, from.offset - 3, to.offset - 40)));
    expect(codes(result.rebuilt)).toContain("frame-duration");
    const starts = (await valuesOf(result.bytes, "frame-start")) as unknown as {
      durationThis: number;
      elapsed: number;
    }[];
    for (let i = 1; i < starts.length; i++) {
      expect(starts[i - 1]!.elapsed + starts[i - 1]!.durationThis).toBeCloseTo(starts[i]!.elapsed, 9);
    }
  });

  test("closes the last frame of a recording that was cut off", async () => {
    const { offset } = await at("6", 20);
    const result = await repaired(bytes.slice(0, offset + 30));
    expect(codes(result.rebuilt)).toEqual(["frame-end"]);
    expect(result.lost).toMatchObject([{ offset, length: 30 }]);
    expect(await valuesOf(result.bytes, "frame-end")).toHaveLength(21);
  });

  test("of an event add keeps the actors around the one that is damaged", async () => {
    const { offset, payload } = await at("2", 0);
    const place = Buffer.from(payload).indexOf("walker.pedestrian.0001");
    // The length of the walker's blueprint: what follows it is found behind.
    const result = await repaired(changed((copy) => copy.fill(0xff, offset + 5 + place - 2, offset + 5 + place)));
    expect(codes(result.rebuilt)).toEqual(["packet-count"]);
    const [actors] = (await valuesOf(result.bytes, "event-add")) as unknown as { blueprint: string }[][];
    expect(actors!.map(({ blueprint }) => blueprint)).toEqual([
      "vehicle.tesla.model3",
      "vehicle.yamaha.yzf",
      "traffic.traffic_light",
      "traffic.stop",
    ]);
    expect(result.lost).toHaveLength(1);
  });

  test("finds the packets again when the length of the map's name is wrong", async () => {
    for (const length of [0, 4, 900, 65535]) {
      const damaged = changed((_, view) => view.setUint16(26, length, true));
      await using recording = await open(damaged);
      if (length > 6) {
        expect(codes(recording.findings)).toEqual(["bad-header"]);
        expect(recording.info.metadata["map"]).toBe("Town01");
        const result = await repaired(damaged);
        expect(codes(result.rebuilt)).toEqual(["header"]);
        expect(Buffer.compare(result.bytes, bytes)).toBe(0);
      } else expect(recording.findings.length).toBe(1);
    }
  });

  test("says of a magic whose length is wrong that it is, and mends it", async () => {
    for (const length of [0, 13, 128, 65535]) {
      const damaged = changed((_, view) => view.setUint16(2, length, true));
      await using recording = await open(damaged);
      expect(recording.findings).toMatchObject([
        { code: "bad-header", offset: 2, message: `the magic should have 14 bytes, and its length is ${length}` },
      ]);
      expect(recording.info.metadata["map"]).toBe("Town01");
      const result = await repaired(damaged);
      expect(codes(result.rebuilt)).toEqual(["header"]);
      expect(Buffer.compare(result.bytes, bytes)).toBe(0);
    }
  });

  test("of another format's recording is refused", async () => {
    const other = { info: { format: "mira" }, channels: [] } as unknown as Reader;
    const note = { lost: () => undefined, rebuilt: () => undefined };
    await expect(writing.repair(other, new MemoryFiles(), note)).rejects.toThrow(TypeError);
  });
});

describe("a list that damage cuts", () => {
  const town = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 12);
  const position = 6;
  /** Bytes of a record: id, location, rotation. */
  const width = 28;

  /** Every record of every position packet, and where the last packet with several stands. */
  async function positions(bytes: Uint8Array): Promise<{ records: string[]; offset: number; count: number }> {
    await using recording = await open(bytes);
    const records: string[] = [];
    let [offset, count] = [0, 0];
    for await (const run of recording.records()) {
      for (const of of run) {
        if (of.bytes[0] !== position || of.kind === "damaged") continue;
        const whole = (of.bytes.length - 7) / width;
        if (whole >= 2) [offset, count] = [of.offset, whole];
        for (let i = 0; i < whole; i++) {
          const at = 7 + i * width;
          records.push(Buffer.from(of.bytes.subarray(at, at + width)).toString("hex"));
        }
      }
    }
    return { records, offset, count };
  }

  test("keeps its whole records when the file ends in it", async () => {
    const { records, offset, count } = await positions(town);
    const until = Buffer.from(town).indexOf(Buffer.from(records.at(-1)!, "hex"), offset);
    const { bytes } = await repaired(town.slice(0, until + 10));
    expect((await positions(bytes)).records).toEqual(records.slice(0, -1));
    expect(count).toBeGreaterThan(1);
  });

  test("keeps no record that is a mixture, when bytes came into its first", async () => {
    const { records, offset } = await positions(town);
    const at = offset + 7 + 9;
    const damaged = new Uint8Array([...town.subarray(0, at), ...new Uint8Array(11).fill(0xa5), ...town.subarray(at)]);
    const known = new Set(records);
    const found = await positions((await repaired(damaged)).bytes);
    expect(found.records.filter((record) => !known.has(record))).toEqual([]);
    expect(found.records.length).toBeGreaterThan(records.length - 6);
  });
});
