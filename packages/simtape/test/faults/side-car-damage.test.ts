import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createMira } from "../../src/formats/mira/format.ts";
import {
  type ByteSource,
  FORMATS,
  makeSideCar,
  memory,
  open,
  type Recording,
  RecordingError,
  type SourceBundle,
  type Value,
} from "../../src/index.ts";
import { Budget } from "../../src/kit.ts";
import { keyOf } from "../../src/model/side-car/key.ts";
import { type Packed, packed, SideCarFile, writeSideCar } from "../../src/model/side-car/layout.ts";
import type { Plain } from "../../src/model/side-car/plain.ts";
import { stateText } from "../../src/testing/index.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { SOUND, type SoundRecording } from "../specimens.ts";

/** One of each format whose files have no index, and one that has. */
const SPECIMENS = ["made town 0.9.15", "short pair", "patrol.tape", "c172p-normal-mp.fgtape", "tower-race.hcrp"].map(
  (name) => SOUND.find((sound) => sound.name === name)!,
);

/** What is asked of a recording, as text. */
async function answers(recording: Recording, budget = 5): Promise<string> {
  const { start, end } = await recording.timeline();
  const lines = [JSON.stringify(await recording.statistics())];
  for (let n = budget; n >= 0; n--)
    lines.push(stateText(await recording.state(start + Math.round((n * (end - start)) / budget))));
  for await (const events of recording.events()) lines.push(...events.map(({ text }) => text));
  return lines.join("\n");
}

async function sideCarOf({ files }: SoundRecording, bundle: SourceBundle = bundleOfFiles(files)): Promise<Uint8Array> {
  const bytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
  return (await makeSideCar(bundle, FORMATS, { every: bytes / 6, room: 16 << 20 })).bytes;
}

const isIgnored = ({ findings }: Recording): boolean => findings.some(({ code }) => code === "seek-index-ignored");

describe.each(SPECIMENS.map((of) => [of.name, of] as const))("a damaged side-car of %s", (_, of) => {
  let whole: Uint8Array;
  let plain: string;
  beforeAll(async () => {
    whole = await sideCarOf(of);
    const recording = await open(of.bundle());
    plain = await answers(recording);
    await recording.close();
  });

  async function expectHarmless(bytes: Uint8Array): Promise<void> {
    const recording = await open(of.bundle(), { seekIndex: memory(bytes) });
    expect(await answers(recording)).toBe(plain);
    await recording.close();
  }

  test("that was cut is not used, and nothing else is wrong", async () => {
    const cuts = [0, 1, 7, 8, 23, 24, 100, whole.length >> 1, whole.length - 1];
    for (const cut of cuts) {
      await expectHarmless(whole.subarray(0, cut));
      const recording = await open(of.bundle(), { seekIndex: memory(whole.subarray(0, cut)) });
      expect(recording.sideCar).toBe(null);
      expect(isIgnored(recording)).toBe(true);
      await recording.close();
    }
  });

  test("that has another byte anywhere gives what is right all the same", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bytes = whole.slice();
        bytes[at]! ^= change;
        await expectHarmless(bytes);
      }),
      { numRuns: tries(25, 400) },
    );
  });

  test("that was made to mislead ends in typed errors at worst", async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (numbers) => {
        const bytes = await misleading(whole, () => numbers.next().value);
        try {
          const recording = await open(of.bundle(), { seekIndex: memory(bytes) });
          try {
            await answers(recording, 2);
          } finally {
            await recording.close();
          }
        } catch (error) {
          if (!RecordingError.is(error)) throw error;
        }
      }),
      { numRuns: tries(40, 1000) },
    );
  });
});

/** The same file with one value of one section changed, and every checksum right. */
async function misleading(whole: Uint8Array, next: () => number): Promise<Uint8Array> {
  const file = await SideCarFile.open(memory(whole), new Budget());
  const sections = new Map<string, Packed>();
  const chosen = next() % file.names.length;
  for (const [i, name] of file.names.entries()) {
    const value = await file.section(name);
    sections.set(name, packed(i === chosen ? changed(value, next) : value));
  }
  return writeSideCar(file.about, sections);
}

const ODD: readonly Plain[] = [
  0,
  -1,
  1e9,
  2 ** 53,
  Number.NaN,
  null,
  "odd",
  true,
  [],
  {},
  new Uint8Array(3),
  undefined,
];

function changed(value: Plain, next: () => number): Plain {
  if (next() % 6 === 0 || typeof value !== "object" || value === null) return ODD[next() % ODD.length];
  if (ArrayBuffer.isView(value)) {
    const copy = value.slice();
    if (copy.length > 0) copy[next() % copy.length] = [0, 1, 2 ** 31, 1e15, next()][next() % 5]!;
    return copy;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return ODD[next() % ODD.length];
    const at = next() % value.length;
    return (value as readonly Value[]).map((item, i) => (i === at ? (changed(item, next) as Value) : item));
  }
  const names = Object.keys(value);
  if (names.length === 0) return ODD[next() % ODD.length];
  const name = names[next() % names.length]!;
  const members = value as Record<string, Value>;
  return { ...members, [name]: changed(members[name], next) as Value };
}

describe("a side-car of another recording", () => {
  const [town] = SPECIMENS as [SoundRecording];
  const bytes = Object.values(town.files)[0]!;
  let sideCar: Uint8Array;
  beforeAll(async () => {
    sideCar = await sideCarOf(town);
  });

  async function usesIt(bundle: SourceBundle, formats = FORMATS): Promise<boolean> {
    const recording = await open(bundle, { formats, seekIndex: memory(sideCar) });
    const isUsed = recording.sideCar !== null;
    expect(isIgnored(recording)).toBe(!isUsed);
    await recording.close();
    return isUsed;
  }

  test("is used whatever the file is called", async () => {
    expect(await usesIt(bundleOfFiles({ "other.log": bytes }))).toBe(true);
  });

  test("is not used when a byte is another, or more have come", async () => {
    const other = bytes.slice();
    other[bytes.length - 9]! ^= 1;
    expect(await usesIt(bundleOfFiles({ "town.log": other }))).toBe(false);
    expect(await usesIt(bundleOfFiles({ "town.log": Uint8Array.from([...bytes, 0]) }))).toBe(false);
  });

  test("is not used when the file was changed at another time, where that is known of both", async () => {
    const at = (stamp: string | null): SourceBundle => ({ ...town.bundle(), stamp: async () => stamp });
    sideCar = await sideCarOf(town, at("mtime 1"));
    expect(await usesIt(at("mtime 1"))).toBe(true);
    expect(await usesIt(at("mtime 2"))).toBe(false);
    expect(await usesIt(at("etag 2"))).toBe(true);
    expect(await usesIt(at(null))).toBe(true);
  });

  test("is not used for a pair of which one file is another, came or went", async () => {
    const pair = SPECIMENS[1]!;
    sideCar = await sideCarOf(pair);
    const { "short.traj": frames, "short.state": state } = pair.files as Record<string, Uint8Array>;
    expect(await usesIt(bundleOfFiles({ "short.traj": frames!, "short.state": state! }))).toBe(true);
    expect(await usesIt(bundleOfFiles({ "short.traj": frames! }))).toBe(false);
    expect(await usesIt(bundleOfFiles({ "short.traj": frames!, "short.state": state!.slice(0, -5) }))).toBe(false);
    sideCar = await sideCarOf(pair, bundleOfFiles({ "short.traj": frames! }));
    expect(await usesIt(bundleOfFiles({ "short.traj": frames!, "short.state": state! }))).toBe(false);
  });

  test("is not used by a format that reads payloads in another way", async () => {
    const tape = SPECIMENS[2]!;
    sideCar = await sideCarOf(tape);
    expect(await usesIt(tape.bundle())).toBe(true);
    const own = createMira({ schemas: [{ name: "Own", fields: [{ name: "x", type: "double" }] }] });
    expect(await usesIt(tape.bundle(), [own] as never)).toBe(false);
  });
});

test("a file that can grow has no key", async () => {
  const still = memory(new Uint8Array(10));
  const growing: ByteSource = {
    name: "x",
    size: async () => null,
    read: (a, b) => still.read(a, b),
    close: async () => {},
  };
  expect(await keyOf(growing, null, null)).toBe(null);
});
