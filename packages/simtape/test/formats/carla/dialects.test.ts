import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { carla } from "../../../src/formats/carla/format.ts";
import { carlaBlocked } from "../../../src/formats/carla/queries/blocked.ts";
import { carlaCollisions } from "../../../src/formats/carla/queries/collisions.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import {
  check,
  MemoryFiles,
  open as openRecording,
  type Recording,
  rewrite,
  type RewriteReport,
} from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { sample, sampleBytes, sampleNames } from "../../samples.ts";

// ── a reader made from the specification alone ──────────────────────────

type Cell = number | string;

/** How a file of a release is laid out (spec §3.1, §4, §5). */
interface Layout {
  readonly wide: boolean;
  readonly wheel: number;
  readonly late: readonly string[];
}

const A = ["wheels", "biker"];
const B = ["door", "wheels", "biker", "weather"];
const C = ["wheels", "biker", "door", "weather"];
const LAYOUTS: Readonly<Record<string, Layout>> = {
  "0.9.10": { wide: false, wheel: 36, late: [] },
  "0.9.13": { wide: false, wheel: 48, late: [] },
  "0.9.15": { wide: false, wheel: 48, late: A },
  "0.9.16": { wide: false, wheel: 48, late: C },
  "0.10": { wide: true, wheel: 208, late: B },
  "2026-ue5": { wide: true, wheel: 208, late: C },
};

interface Packet {
  readonly kind: string;
  /** Of each record its numbers and texts in order; one record where the packet is no list. */
  readonly records: readonly (readonly Cell[])[];
}

/** Version, date, map and packets. `bits`: NaN is kept by the fraction of an f32. */
function packetsOf(bytes: Uint8Array, { wide, wheel, late }: Layout): { head: Cell[]; packets: Packet[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const u8 = (): number => view.getUint8(at++);
  const taken = (width: number): number => {
    at += width;
    return at - width;
  };
  const u16 = (): number => view.getUint16(taken(2), true);
  const u32 = (): number => view.getUint32(taken(4), true);
  const f32 = (): number => view.getFloat32(taken(4), true);
  const f64 = (): number => view.getFloat64(taken(8), true);
  const text = (): string => {
    const length = u16();
    at += length;
    return Buffer.from(bytes.subarray(at - length, at)).toString("latin1");
  };
  const times = (count: number, read: () => Cell): Cell[] => Array.from({ length: count }, read);
  const vectors = (): Cell[] => times(6, wide ? f64 : f32);
  const raw = (count: number): string => {
    at += count;
    return Buffer.from(bytes.subarray(at - count, at)).toString("hex");
  };
  const counted = (width: number): string => raw(view.getUint32(at, true) * width + 4);
  const records: Readonly<Record<number, () => Cell[]>> = {
    2: () => {
      const fixed = [u32(), u8(), ...vectors(), u32(), text()];
      const count = u16();
      return [...fixed, ...Array.from({ length: count }, () => [u8(), text(), text()]).flat()];
    },
    3: () => [u32()],
    4: () => [u32(), u32()],
    5: () => [u32(), u32(), u32(), u8(), u8()],
    6: () => [u32(), ...vectors()],
    7: () => [u32(), u8(), f32(), u8()],
    8: () => [u32(), f32(), f32(), f32(), u8(), u32()],
    9: () => [u32(), f32()],
    10: () => [u32(), u32()],
    11: () => [u32(), ...times(5, f32), u8(), u8()],
    12: () => [u32(), ...vectors()],
    13: () => [u32(), ...vectors()],
    15: () =>
      wide
        ? [
            raw(4 + 24 + 1 + 4 + 1 + 7 * 4 + 12 + 4 * 4 + 12 + 8 + 1),
            counted(8),
            counted(4),
            counted(4),
            counted(8),
            counted(wheel),
          ]
        : [raw(53), counted(8), counted(12), counted(8), counted(wheel)],
    16: () => [u32(), f32(), f32(), f32()],
    17: () => [u32(), ...vectors()],
    19: () => {
      const id = u32();
      const count = u16();
      return [id, ...Array.from({ length: count }, () => [text(), ...vectors()]).flat()];
    },
  };
  const lateRecords: Readonly<Record<string, () => Cell[]>> = {
    wheels: () => {
      const id = u32();
      const count = u32();
      return [id, ...Array.from({ length: count }, () => [u8(), f32(), f32()]).flat()];
    },
    biker: () => [u32(), f32(), f32()],
    door: () => [u32(), u8(), u8()],
    weather: () => times(14, f32),
  };
  const head: Cell[] = [u16(), text(), String(view.getBigInt64(taken(8), true)), text()];
  const packets: Packet[] = [];
  while (at < bytes.length) {
    const id = u8();
    const size = u32();
    const end = at + size;
    const kind = id > 20 && id < 25 ? (late[id - 21] ?? `late ${id}`) : String(id);
    const read = id > 20 && id < 25 ? lateRecords[kind] : records[id];
    if (read === undefined) packets.push({ kind, records: [[raw(size)]] });
    else {
      const total = u16();
      packets.push({ kind, records: Array.from({ length: total }, read) });
    }
    if (at !== end) throw new Error(`packet ${id} ends at ${at} and not at ${end}`);
  }
  return { head, packets };
}

// ── what is converted ───────────────────────────────────────────────────

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "run.log": bytes }), { formats: [carla] });
}

async function converted(bytes: Uint8Array, dialect: string): Promise<readonly [Uint8Array, RewriteReport]> {
  await using recording = await open(bytes);
  const to = new MemoryFiles("to.log");
  const report = await rewrite(recording, writing, to, { dialect });
  await using result = await open(to.bytes);
  expect((await check(result)).status).toBe("sound");
  return [to.bytes, report];
}

function made(name: string): Uint8Array {
  return makeTown(RELEASES.find((release) => release.name === name)!, 30);
}

function samples(...names: readonly string[]): Uint8Array[] {
  return names.filter((name) => sampleNames("carla").includes(name)).map((name) => sampleBytes(`carla/${name}`));
}

const ATTRIBUTE_AT = 10;

/** An event add as another header version tells it (spec §4.2). */
function withTypes(record: readonly Cell[], by: number): Cell[] {
  return record.map((cell, i) => (i >= ATTRIBUTE_AT && (i - ATTRIBUTE_AT) % 3 === 0 ? Number(cell) + by : cell));
}

const UE4: readonly (readonly [release: string, bytes: Uint8Array])[] = [
  ...["0.9.10", "0.9.13", "0.9.15", "0.9.16"].map((name) => [name, made(name)] as const),
  ...samples("synthetic_0.9.15_ids.log").map((bytes) => ["0.9.15", bytes] as const),
];

const REAL: typeof UE4 = [
  ...samples("2020-DistanceBetweenVehicles.log").map((bytes) => ["0.9.10", bytes] as const),
  ...samples("2021-DistanceToLaneCenter.log").map((bytes) => ["0.9.13", bytes] as const),
];

test.each([...UE4, ...REAL])("a log of %s comes back from CARLA 0.10 byte for byte", async (release, bytes) => {
  const [wide] = await converted(bytes, "0.10");
  expect(Buffer.compare(wide, bytes)).not.toBe(0);
  const [back, { lost }] = await converted(wide, release);
  expect(lost).toEqual([]);
  expect(Buffer.compare(back, bytes)).toBe(0);
});

describe.each(UE4)("a log of %s", (release, bytes) => {
  test.each(["0.10", "2026-ue5"])(
    "has in CARLA %s the same numbers in 64 bits, and what else is reported lost",
    async (to) => {
      const [result, { lost }] = await converted(bytes, to);
      const before = packetsOf(bytes, LAYOUTS[release]!);
      const after = packetsOf(result, LAYOUTS[to]!);
      expect(after.head).toEqual([1, ...before.head.slice(1)]);
      const isLater = before.head[0] === 2;
      const refused = before.packets.filter(
        ({ kind }) => kind !== "201" && kind === "weather" && to === "0.10" && false,
      );
      expect(refused).toEqual([]);
      const noActor = release === "0.9.10" ? 0 : 0xffff_ffff;
      const expected = before.packets.map(({ kind, records }) => {
        if (kind === "2")
          return { kind, records: records.map((record) => asTypeFive(isLater ? withTypes(record, -1) : record)) };
        if (kind === "5")
          return {
            kind,
            records: records.map((cells) => cells.map((cell, i) => (i === 2 && cell === noActor ? 0xffff_ffff : cell))),
          };
        return { kind, records };
      });
      const isPhysics = ({ kind, records }: Packet): boolean => kind === "15" && records.length > 0;
      const physics = expected.filter(isPhysics);
      const isCarried = ({ kind }: Packet): boolean => kind === "201";
      expect(after.packets.filter((packet) => !isCarried(packet))).toEqual(
        expected.filter((packet) => !isPhysics(packet)),
      );
      expect(after.packets.filter(isCarried)).toHaveLength(physics.length);
      const count = physics.reduce((sum, { records }) => sum + records.length, 0);
      expect(lost.map((of) => [of.path, of.count])).toEqual(count === 0 ? [] : [["physics-control", count]]);
    },
  );
});

/** Sensors have type 5 from 0.9.12 on (spec §4.2). */
function asTypeFive(record: readonly Cell[]): readonly Cell[] {
  const isSensor = record[1] === 0 && String(record[9]).startsWith("sensor.");
  return isSensor ? [record[0]!, 5, ...record.slice(2)] : record;
}

test("numbers that 32 bits do not hold are rounded, counted, and reported with the greatest error", async () => {
  const layout = LAYOUTS["0.10"]!;
  const bytes = made("0.10").slice();
  const view = new DataView(bytes.buffer);
  // the first position packet with records: its numbers become thirds
  let changed = 0;
  let greatest = 0;
  for (let at = 18 + 8 + 2 + new DataView(bytes.buffer).getUint16(26, true); at < bytes.length; ) {
    const [id, size] = [bytes[at]!, view.getUint32(at + 1, true)];
    if (id === 6 && size > 2 && changed === 0) {
      for (let k = 0; k < 6; k++) {
        const value = 1e5 * (k + 1) + 1 / 3;
        view.setFloat64(at + 5 + 2 + 4 + 8 * k, value, true);
        changed++;
        greatest = Math.max(greatest, Math.abs(Math.fround(value) - value));
      }
    }
    at += 5 + size;
  }
  expect(changed).toBe(6);
  const inexact = packetsOf(bytes, layout)
    .packets.filter(({ kind }) => kind === "6")
    .flatMap(({ records }) => records)
    .flatMap((record) => record.slice(1) as number[])
    .filter((value) => Math.fround(value) !== value);
  const [result, { lost, rounding }] = await converted(bytes, "0.9.15");
  const reported = lost.find(({ path, reason }) => path === "position" && reason.includes("rounded"))!;
  const worst = Math.max(...inexact.map((value) => Math.abs(Math.fround(value) - value)));
  expect(worst).toBeGreaterThanOrEqual(greatest);
  expect([reported.count, reported.reason]).toEqual([
    inexact.length,
    `numbers of 64 bits were rounded to 32, by ${Number(worst.toPrecision(3))} at most`,
  ]);
  expect(rounding).toBe(2 ** -23);
  const found = packetsOf(result, LAYOUTS["0.9.15"]!).packets.filter(({ kind }) => kind === "6");
  const given = packetsOf(bytes, layout).packets.filter(({ kind }) => kind === "6");
  expect(found).toEqual(
    given.map(({ kind, records }) => ({
      kind,
      records: records.map((record) => record.map((cell, i) => (i === 0 ? cell : Math.fround(cell as number)))),
    })),
  );
});

describe("CARLA's own queries", () => {
  const golden = (name: string): string => readFileSync(sample(`carla/golden/${name}`), "utf8");
  const [bytes] = samples("synthetic_0.9.15_ids.log");

  test.skipIf(bytes === undefined || !existsSync(sample("carla/golden")))(
    "find in a log in another dialect what they found in its own",
    async () => {
      for (const dialect of ["0.10", "2026-ue5"]) {
        const [result] = await converted(bytes!, dialect);
        await using recording = await open(result);
        const text = async (pieces: AsyncIterable<string>): Promise<string> => {
          let all = "";
          for await (const piece of pieces) all += piece;
          return all;
        };
        const like = "0.9.15" as const;
        expect(await text(carlaCollisions(recording, { utc: true, like }))).toBe(
          golden("synthetic_0.9.15_ids.collisions_aa.txt"),
        );
        // rows of who still stands at the end come in any order
        const rows = (all: string): string[] => all.split("\n").sort();
        expect(rows(await text(carlaBlocked(recording, { utc: true, like, minTime: 0, minDistance: 5 })))).toEqual(
          rows(golden("synthetic_0.9.15_ids.blocked_0_5.txt")),
        );
      }
    },
  );
});
