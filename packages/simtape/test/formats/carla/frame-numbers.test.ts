import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repair } from "../../../src/formats/carla/repair/repair.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import {
  applyEdits,
  check,
  convert,
  MemoryFiles,
  open,
  type Operation,
  Recording,
  rewrite,
  writeEdited,
} from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";
import { tries } from "../../soak.ts";
import { SOUND } from "../../specimens.ts";

interface Frame {
  readonly id: number;
  readonly duration: number;
  readonly elapsed: number;
}

/** The frames of a recorder file, walked by its specification alone (spec §2, §3, §4.0). */
function framesOf(bytes: Uint8Array): Frame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  // magic
  at += 2 + view.getUint16(at, true);
  // date, and the map's name
  at += 8;
  at += 2 + view.getUint16(at, true);
  const frames: Frame[] = [];
  let isOpen = false;
  while (at < bytes.length) {
    const id = bytes[at]!;
    const size = view.getUint32(at + 1, true);
    const payload = at + 5;
    if (id === 0) {
      expect(isOpen, "a frame starts within another").toBe(false);
      isOpen = true;
      frames.push({
        id: Number(view.getBigUint64(payload, true)),
        duration: view.getFloat64(payload + 8, true),
        elapsed: view.getFloat64(payload + 16, true),
      });
    } else {
      expect(isOpen, "a packet outside of frames").toBe(true);
      if (id === 1) isOpen = false;
    }
    at = payload + size;
  }
  expect(at).toBe(bytes.length);
  expect(isOpen, "the last frame is not ended").toBe(false);
  return frames;
}

/** What CARLA's own metrics rely on: frame n is called n, and each lasts until the next. */
function expectContinuous(bytes: Uint8Array): Frame[] {
  const frames = framesOf(bytes);
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, n) => n + 1));
  frames.forEach(({ elapsed, duration }, n) => {
    const next = frames[n + 1];
    if (next !== undefined) expect(Math.abs(elapsed + duration - next.elapsed), `frame ${n + 1}`).toBeLessThan(2e-9);
  });
  return frames;
}

async function opened(bytes: Uint8Array): Promise<Recording> {
  return open(bundleOfFiles({ "run.log": bytes }));
}

async function edit(bytes: Uint8Array, operations: readonly Operation[]): Promise<Uint8Array> {
  await using recording = await opened(bytes);
  const context = {
    writing,
    open: async () => (await opened(bytes)).reader,
    matching: (globs: readonly string[]) => (name: string) => globs.includes(name),
  };
  const { reader } = await applyEdits(recording.reader, { version: 1, operations }, context);
  await using edited = new Recording(reader, new Findings());
  const to = new MemoryFiles("cut.log");
  await writeEdited(edited.reader, writing, to);
  return to.bytes;
}

const TOWNS = [
  ...RELEASES.filter((_, i) => i % tries(4, 1) === 0).map((release) => ({
    name: `made town ${release.name}`,
    bytes: makeTown(release, 30),
  })),
  ...sampleNames("carla")
    .filter((name) => name.endsWith(".log") && (name.startsWith("synthetic") || tries(0, 1) === 1))
    .map((name) => ({ name, bytes: sampleBytes(`carla/${name}`) })),
];

describe.each(TOWNS)("$name", ({ bytes }) => {
  const source = framesOf(bytes);
  const end = Math.round(source.at(-1)!.elapsed * 1e9);
  const time = fc.integer({ min: 0, max: end });

  test("is trimmed to frames 1, 2, 3 …, each until the next", async () => {
    await fc.assert(
      fc.asyncProperty(time, time, async (a, b) => {
        const [from, until] = [Math.min(a, b), Math.max(a, b) + 1];
        const frames = expectContinuous(await edit(bytes, [{ op: "trim", from, until }]));
        const last = source.findLast(({ elapsed }) => Math.round(elapsed * 1e9) < until)!;
        expect(frames[0]!.elapsed).toBe(0);
        expect(frames.at(-1)!.elapsed).toBeCloseTo(Math.max(0, last.elapsed - from / 1e9), 8);
      }),
      { numRuns: tries(4, 300), seed: 1 },
    );
  });

  test("is joined without a frame too many, and no time lost between", async () => {
    const frames = expectContinuous(await edit(bytes, [{ op: "join", files: ["itself", "itself"] }]));
    const step = source.length < 2 ? 1e-6 : source.at(-1)!.elapsed - source.at(-2)!.elapsed;
    const once = source.at(-1)!.elapsed;
    expect(frames.at(-1)!.elapsed).toBeCloseTo(3 * once + 2 * step, 7);
    // before each, a frame in which the actors go; behind its first, one where what that binds had to wait
    expect(frames.length - 3 * source.length).toBeLessThanOrEqual(4);
    expect(frames.filter(({ elapsed }) => Math.abs(elapsed - once) < 1e-9).length).toBe(1);
  });

  test("keeps its bytes when it is rewritten, and its frames when packets are taken out", async () => {
    await using recording = await opened(bytes);
    const to = new MemoryFiles("again.log");
    await rewrite(recording, writing, to);
    expect(Buffer.compare(to.bytes, bytes)).toBe(0);
    const gap = 7e9;
    for (const operations of [
      [{ op: "redact", channels: ["position"], from: end / 3, until: end / 2 }],
      [{ op: "filter", exclude: ["event-add", "event-parent"] }],
      [{ op: "filter", exclude: ["frame-start", "frame-end"] }],
      [{ op: "shift", by: 3e9 }],
      [
        { op: "trim", from: Math.round(end / 3) },
        { op: "join", files: ["itself"], gap },
        { op: "trim", from: Math.round(end / 2) },
      ],
    ] as const)
      expectContinuous(await edit(bytes, operations));
  });

  test("is repaired to frames 1, 2, 3 …", async () => {
    const damage = fc.tuple(fc.nat({ max: bytes.length - 200 }), fc.integer({ min: 1, max: 150 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(damage, async ([offset, length, isCut]) => {
        const at = Math.max(60, offset);
        const damaged = isCut
          ? new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + length)])
          : bytes.slice().fill(0xa5, at, at + length);
        await using recording = await opened(damaged);
        const to = new MemoryFiles("whole.log");
        await repair(recording.reader, to, { lost: () => undefined, rebuilt: () => undefined });
        const ids = framesOf(to.bytes).map(({ id }) => id);
        expect(ids).toEqual(ids.map((_, n) => n + 1));
      }),
      { numRuns: tries(3, 300), seed: 2 },
    );
  });
});

test.each(SOUND.filter(({ format }) => format !== "carla"))("$name becomes frames 1, 2, 3 …", async (of) => {
  await using recording = await open(of.bundle());
  const to = new MemoryFiles("run.log");
  await convert(recording, writing, to);
  const frames = expectContinuous(to.bytes);
  const { start, end } = await recording.timeline();
  expect(frames.at(-1)!.elapsed).toBeLessThanOrEqual((end - start) / 1e9 + 1e-6);
});

test("actors bound in a frame that was the first stay where they are when it is not any more", async () => {
  const bytes = new Uint8Array(readFileSync(new URL("../../../../../examples/town.log", import.meta.url)));
  const joined = await edit(bytes, [{ op: "join", files: ["itself"] }]);
  expectContinuous(joined);
  await using whole = await opened(joined);
  await using one = await opened(bytes);
  expect((await check(whole)).status).toBe("sound");
  const { end } = await one.timeline();
  const length = (await whole.timeline()).end - end;
  for (const at of [0, end / 2, end]) {
    const [expected, found] = [await one.state(Math.round(at)), await whole.state(Math.round(at) + length)];
    for (const [name, set] of expected.sets) {
      if (set.ids.length === 0) continue;
      expect(found.sets.get(name)!.ids, name).toEqual(set.ids);
      const [a, b] = [set.columns.get("position"), found.sets.get(name)!.columns.get("position")];
      expect(b?.data, name).toEqual(a?.data);
    }
  }
});
