import { describe, expect, test } from "vitest";
import { createHcrp } from "../../../src/formats/hcrp/format.ts";
import { SECTION } from "../../../src/formats/hcrp/layout/chunk.ts";
import { writeSwing } from "../../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT, EVENT_NAMES } from "../../../src/formats/hcrp/layout/events.ts";
import { TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import { PRODUCTION_NAMES } from "../../../src/formats/hcrp/layout/production.ts";
import { corrected } from "../../../src/formats/hcrp/read/correct.ts";
import type { HcrpReader } from "../../../src/formats/hcrp/read/reader.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  check,
  corrupt,
  type Finding,
  FORMATS,
  MemoryFiles,
  open as openRecording,
  planCorruption as plan,
  type Recording,
  RecordingError,
  repair,
} from "../../../src/index.ts";
import { crc32, loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { tries } from "../../soak.ts";
import { dictionaryBytes, fixtures, twoEpochs, walk } from "../../fixtures/hcrp/make.ts";
import { built, compacted, type Content, event, segmented } from "../../fixtures/hcrp/recording.ts";

const zstd = await loadZstd();
const made = await fixtures();
const format = createHcrp({ dictionaries: () => Promise.resolve(dictionaryBytes()) });

type Files = Readonly<Record<string, Uint8Array>>;

function open(files: Files | Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles(files instanceof Uint8Array ? { "a.hcrp": files } : files), { formats: [format] });
}

interface Row {
  readonly chunk: number;
  readonly text: string;
}

const CORE: ReadonlySet<string> = new Set([...EVENT_NAMES, ...PRODUCTION_NAMES, "snapshot"]);

/** Messages as text. Host events without their name, which is in the metadata: the payload of `extension` has more. */
async function rows(recording: Recording): Promise<Row[]> {
  const found: Row[] = [];
  for await (const batch of recording.batches()) {
    const { chunk } = batch.context as { chunk: number };
    for (let i = 0; i < batch.length; i++) {
      const { name } = recording.channels[batch.channel[i]!]!;
      let bytes = batch.payload(i);
      if (name === "extension") bytes = bytes.subarray(bytes.length - bytes.at(bytes[0]! < 0x80 ? 1 : 2)!);
      const kind = CORE.has(name) ? name : "host";
      found.push({ chunk, text: `${batch.time[i]! / TICK} ${kind} ${Buffer.from(bytes).toString("hex")}` });
    }
  }
  return found;
}

async function repaired(
  files: Files | Uint8Array,
): Promise<{ bytes: Uint8Array; lost: Finding[]; rebuilt: Finding[] }> {
  await using recording = await open(files);
  const to = new MemoryFiles("a.hcrp");
  const lost: Finding[] = [];
  const rebuilt: Finding[] = [];
  await writing.repair(recording.reader, to, {
    lost: (finding) => lost.push(finding),
    rebuilt: (finding) => rebuilt.push(finding),
  });
  return { bytes: to.bytes, lost, rebuilt };
}

async function sound(bytes: Uint8Array): Promise<Recording> {
  const recording = await open(bytes);
  expect((await check(recording)).findings).toEqual([]);
  return recording;
}

const texts = (list: readonly Row[]): string[] => list.map(({ text }) => text);

describe("a damaged recording", () => {
  test("loses the chunk that is damaged and nothing else; its ticks stay", async () => {
    const bytes = made.get("tower-race.hcrp")!;
    await using source = await open(bytes);
    const all = await rows(source);
    const { chunks } = source.reader as HcrpReader;
    for (const chunk of chunks) {
      const broken = bytes.slice();
      broken[chunk.offset + (chunk.length >> 1)]! ^= 0x20;
      const { bytes: repairedBytes, lost } = await repaired(broken);
      await using recording = await sound(repairedBytes);
      const kept = texts(all.filter((row) => row.chunk !== chunk.index));
      expect(texts(await rows(recording)), `chunk ${chunk.index}`).toEqual(
        // the first chunk must have a snapshot
        chunk.index === 0 ? ["0 snapshot ", ...kept] : kept,
      );
      expect(lost).toEqual([expect.objectContaining({ offset: chunk.offset, length: chunk.length })]);
      expect((await recording.timeline()).end).toBe((await source.timeline()).end);
      expect(recording.info.metadata["metadata"]).toMatchObject({ hcrp: { outcome: "crashed" } });
    }
  });

  test("keeps what comes before the place where a chunk's events break off", async () => {
    const content: Content = {
      chunks: walk().chunks.map((chunk, i) =>
        i === 1
          ? {
              ...chunk,
              records: [
                ...chunk.records.slice(0, 5),
                { tick: 59, events: [{ id: EVENT.swing, body: Uint8Array.of() }] },
              ],
            }
          : chunk,
      ),
    };
    const bytes = compacted(zstd, content);
    await using source = await open(bytes);
    const before = texts(await rows(source));
    const { bytes: again, lost } = await repaired(bytes);
    await using recording = await sound(again);
    expect(texts(await rows(recording))).toEqual(before);
    expect(lost.map(({ code }) => code)).toEqual(["damaged-chunk"]);
    expect((await recording.timeline()).end).toBe(240 * TICK);
  });

  test("leaves out payloads that do not decode, and of a snapshot the sections", async () => {
    const swing = event(EVENT.swing, (out) => writeSwing(out, { entity: 1, hand: 0 }));
    const sections = [
      { type: SECTION.entities, body: Uint8Array.of(99) },
      { type: SECTION.world, body: Uint8Array.of(2, 1) },
    ];
    const chunks = [{ ticks: 20, snapshot: sections, records: [{ tick: 3, events: [swing, swing] }] }];
    const { bytes, lost } = await repaired(compacted(zstd, { chunks }));
    await using recording = await sound(bytes);
    expect(texts(await rows(recording))).toEqual(["0 snapshot 04020201", "3 swing 0100", "3 swing 0100"]);
    expect((await recording.state(TICK)).values.get("world/weather")).toBe(1);
    expect(lost).toEqual([expect.objectContaining({ code: "bad-payload", time: 0 })]);
  });

  test("that is cut keeps every whole chunk", async () => {
    const bytes = made.get("tower-race.hcrp")!;
    await using source = await open(bytes);
    const all = await rows(source);
    const { chunks } = source.reader as HcrpReader;
    for (let i = 1; i < chunks.length; i++) {
      const cut = chunks[i]!.offset + 100;
      const { bytes: again, lost } = await repaired(bytes.slice(0, cut));
      await using recording = await sound(again);
      expect(texts(await rows(recording))).toEqual(texts(all.filter(({ chunk }) => chunk < i)));
      expect(lost.reduce((sum, { length }) => sum + (length ?? 0), 0)).toBe(100);
    }
  });

  test("whose metadata file is lost, or damaged, is made again from its segments", async () => {
    const files = segmented(zstd, walk(), 2);
    await using source = await open(files);
    const all = texts(await rows(source));
    const { "meta.hcrp": meta, ...segments } = files;
    const headless = meta!.slice();
    headless.fill(0xee, 4, 120);
    const indexless = meta!.slice();
    indexless.fill(0, -40);
    for (const damaged of [segments, { "meta.hcrp": headless, ...segments }, { "meta.hcrp": indexless, ...segments }]) {
      const main = Object.keys(damaged)[0]!;
      expect(
        FORMATS.filter(
          ({ sniff }) => sniff(damaged[main as keyof typeof damaged]!, { name: null, size: null }) !== null,
        ),
      ).toHaveLength(1);
      await using recording = await open(damaged);
      expect(texts(await rows(recording))).toEqual(all);
      expect((await check(recording)).status).toBe("damaged");
      let total = 0;
      for await (const records of recording.records()) for (const { bytes } of records) total += bytes.length;
      expect(total).toBe(Object.values(damaged).reduce((sum, { length }) => sum + length, 0));
      const { bytes, rebuilt } = await repaired(damaged);
      await using whole = await sound(bytes);
      expect(texts(await rows(whole))).toEqual(all);
      expect(rebuilt.length).toBeGreaterThan(0);
    }
    // segments without the first
    const { "seg-00000000.hcs": _, ...later } = segments;
    await using rest = await open(later);
    expect(rest.findings.map(({ code }) => code)).toContain("missing-metadata-file");
    expect((await rows(rest)).length).toBeGreaterThan(100);
    expect((await rest.state(239 * TICK)).sets.get("players")!.ids).toEqual([0, 1]);
  });

  test("of the production dialect takes the version that its index has", async () => {
    for (const version of [4, 5]) {
      const bytes = made.get(`production-${version}.hcrp`)!.slice();
      await using source = await open(bytes);
      bytes[5] = version === 4 ? 5 : 4;
      const { bytes: again } = await repaired(bytes);
      await using recording = await sound(again);
      expect(recording.info.version).toBe(`${version} (production)`);
      expect(texts(await rows(recording))).toEqual(texts(await rows(source)));
    }
  });

  test("is repaired by the same operation that leaves a sound one as it is", async () => {
    const bytes = made.get("plain.hcrp")!;
    for (const [main, status] of [
      [bytes, "sound"],
      [bytes.slice(0, -100), "repaired"],
    ] as const) {
      await using recording = await open(main);
      const to = new MemoryFiles("a.hcrp");
      const report = await repair(recording, bundleOfFiles({ "a.hcrp": main }), writing, to, (written) =>
        openRecording(written),
      );
      expect(report.status).toBe(status);
      expect(report.bytesKept + report.bytesLost).toBe(main.length);
      if (status === "sound") expect(to.bytes).toEqual(bytes);
    }
  });
});

describe("damage anywhere", () => {
  const specimens: [string, Uint8Array][] = [
    ["tower-race.hcrp", made.get("tower-race.hcrp")!],
    ["plain.hcrp", made.get("plain.hcrp")!],
    ["dictionary.hcrp", made.get("dictionary.hcrp")!],
    ["two-epochs.hcrp", compacted(zstd, twoEpochs())],
    ["production-4.hcrp", made.get("production-4.hcrp")!],
    ["production-5.hcrp", made.get("production-5.hcrp")!],
  ];

  const timeout = 600_000;
  test.each(specimens)(
    "in one place of %s costs the chunks that it hits and no other",
    { timeout },
    async (name, bytes) => {
      await using source = await open(bytes);
      const all = await rows(source);
      const { chunks } = source.reader as HcrpReader;
      let repairedCount = 0;
      const seeds = tries(bytes.length > 10_000 ? 8 : 20, 200);
      for (let seed = 1; seed <= seeds; seed++) {
        const corruptions = plan(bytes.length, seed, 1);
        const [{ kind, offset, length } = { kind: "flip", offset: 0, length: 0 }] = corruptions;
        const broken = corrupt(bytes, corruptions, seed);
        let recording: Recording;
        try {
          recording = await open(broken);
        } catch (error) {
          // nothing but a header, or less, or not this format
          expect(RecordingError.is(error), `seed ${seed}`).toBe(true);
          expect(
            kind === "cut" || offset < 8 || name === "plain.hcrp",
            `seed ${seed}: ${kind} at ${offset}: ${String(error)}`,
          ).toBe(true);
          continue;
        }
        const { status } = await check(recording);
        await recording.close();
        if (status === "sound") continue;
        repairedCount++;
        const { bytes: again } = await repaired(broken);
        await using result = await sound(again);
        const end = kind === "swap" ? offset + 2 * length : kind === "lengthen" ? offset + 1 : offset + length;
        const from = kind === "lengthen" ? offset - 1 : offset;
        const first = chunks[0]!.offset;
        // in front of the chunks a swap or a run of zeros may take several entries of the index with it
        if (from < first && kind !== "lengthen" && length > 4) continue;
        const isHit = (chunk: number): boolean => {
          const { offset: start, length: size } = chunks[chunk]!;
          return kind === "cut" ? offset < start + size : end > start && from + 1 < start + size;
        };
        const wanted = new Map<string, number>();
        for (const { chunk, text } of all) if (!isHit(chunk)) wanted.set(text, (wanted.get(text) ?? 0) + 1);
        for (const { text } of await rows(result)) {
          const count = wanted.get(text) ?? 0;
          if (count > 1) wanted.set(text, count - 1);
          else wanted.delete(text);
        }
        expect([...wanted.keys()], `seed ${seed}: ${kind} of ${length} at ${offset}`).toEqual([]);
      }
      expect(repairedCount).toBeGreaterThan(seeds / 3);
    },
  );
});

describe("bytes with a crc", () => {
  const bytes = new Uint8Array(300).map((_, i) => i * 11);
  const crc = crc32(bytes);

  test("are put right when one byte, or a bit in each of up to four neighbours, was changed", () => {
    for (let at = 0; at < bytes.length - 4; at += 13) {
      const one = bytes.slice();
      one[at]! ^= 1 + (at % 255);
      expect(corrected(one, crc)).toEqual(bytes);
      for (let count = 2; count <= 4; count++) {
        const several = bytes.slice();
        for (let i = 0; i < count; i++) several[at + i]! ^= 1 << ((at + i * 3) & 7);
        expect(corrected(several, crc)).toEqual(bytes);
      }
    }
    expect(corrected(bytes, crc ^ 0x0408_0100)).toEqual(bytes);
    expect(corrected(bytes, crc)).toBe(bytes);
  });

  test("are left alone when more was changed", () => {
    const other = bytes.slice();
    other.fill(0, 20, 60);
    expect(corrected(other, crc)).toBeNull();
    expect(corrected(new Uint8Array(5000), 1)).toBeNull();
    expect(built((out) => out.raw(bytes))).toEqual(bytes);
  });
});
