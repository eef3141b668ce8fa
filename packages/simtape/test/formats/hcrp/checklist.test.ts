import { expect, test } from "vitest";
import type { ChunkContext } from "../../../src/formats/hcrp/chunk/context.ts";
import { createHcrp, hcrp, type NameFixer } from "../../../src/formats/hcrp/format.ts";
import { writeSwing } from "../../../src/formats/hcrp/layout/entity-events.ts";
import {
  type Header,
  headerCrc,
  type IndexEntry,
  readHeader,
  readIndexEntry,
  TICK,
  writeHeader,
  writeIndexEntry,
} from "../../../src/formats/hcrp/layout/framing.ts";
import { aboveLimits, readHead, readPreamble } from "../../../src/formats/hcrp/read/preamble.ts";
import type { HcrpReader } from "../../../src/formats/hcrp/read/reader.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  check,
  type Finding,
  type Format,
  MemoryFiles,
  open as openRecording,
  type Recording,
  RecordingError,
  repair,
} from "../../../src/index.ts";
import { ByteBuilder, ByteCursor, loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { DICTIONARY_ID, dictionaryBytes, epochs, fixtures, twoEpochs, walk } from "../../fixtures/hcrp/make.ts";
import { compacted, type Content, event, segmented } from "../../fixtures/hcrp/recording.ts";

/** Rows of the checklist, spec §13. */

const zstd = await loadZstd();
const made = await fixtures();

function open(bytes: Uint8Array, format: Format = hcrp): Promise<Recording> {
  return openRecording(bundleOfFiles({ "a.hcrp": bytes }), { formats: [format] });
}

async function rows(recording: Recording): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name } = recording.channels[batch.channel[i]!]!;
      found.push(`${batch.time[i]! / TICK} ${name} ${Buffer.from(batch.payload(i)).toString("hex")}`);
    }
  }
  return found;
}

async function findingsOf(bytes: Uint8Array): Promise<readonly Finding[]> {
  await using recording = await open(bytes);
  for await (const _ of recording.batches());
  return recording.findings;
}

/** What opening says: the error, or the findings. */
async function toldBy(bytes: Uint8Array): Promise<string[]> {
  try {
    return (await findingsOf(bytes)).map(({ message }) => message);
  } catch (error) {
    if (!RecordingError.is(error)) throw error;
    return [error.message];
  }
}

/** Of one run only, so that a failure can be had again. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The header of spec §3.4, byte for byte. */
const GOLDEN = Uint8Array.from(
  Buffer.from(
    (
      "48 43 52 50 01 00 05 0f 5b a7 a2 6a 0e 4d 3b 9c 55 01 23 45 67 89 ab 00 00 00 00 00 00 00 00 00" +
      "00 00 00 00 00 00 07 00 00 01 9d 74 b0 3c 00 00 00 00 00 00 6c 00 00 00 1c 00 00 00 f0 00 00 00" +
      "02 01 14 00 00 00 00 13 27 00 00 00 00 00 00 00 00 00 00 01 d3 5b 7b 67 09 ad 81 8b 7d 11 11 11" +
      "11 22 22 43 33 84 44 55 55 55 55 55 55 00 00 00 01 00 00 00 00 00 00 01 9d 74 b0 6a e0 00 00 00" +
      "00".repeat(124) +
      "dd ab d5 a5"
    ).replaceAll(" ", ""),
    "hex",
  ),
);

test("row 12: the golden header is read and written byte for byte", () => {
  expect(GOLDEN).toHaveLength(256);
  const header = readHeader(new ByteCursor(GOLDEN));
  expect(header).toMatchObject({
    flags: 5,
    worldId: "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab",
    startedAt: 0x19d_74b0_3c00n,
    dictionaryId: 0,
    metadataLength: 108,
    indexLength: 28,
    tickCount: 240,
    chunkCount: 2,
    extension: {
      version: 1,
      ticksPerSecond: 20,
      dataVersion: 4903,
      totalLength: 467n,
      metadataCrc: 0x5b7b6709,
      indexCrc: 0xad818b7d,
      recordingId: "11111111-2222-4333-8444-555555555555",
      generation: 1,
      nextSegment: 0,
      finishedAt: 0x19d_74b0_6ae0n,
    },
  });
  expect(header.crc).toBe(headerCrc(GOLDEN));
  const builder = new ByteBuilder();
  writeHeader(builder, header);
  expect(builder.take()).toEqual(GOLDEN);
});

test("row 12: mutated headers never crash, nor ask for more than 16 MiB", { timeout: 3_600_000 }, async () => {
  const runs = Number(process.env["HEADER_FUZZ"] ?? 5_000);
  const whole = made.get("two-epochs.hcrp")!;
  const below = random(runs);
  let asked: ReturnType<typeof watchAllocations> | null = null;
  try {
    for (let run = 0; run < runs; run++) {
      // watching is slow: a tenth of them
      if (run === Math.floor(runs * 0.9)) asked = watchAllocations();
      const bytes = whole.slice();
      if (run % 2 === 0) bytes.set(GOLDEN);
      for (let k = below(6); k >= 0; k--) {
        // fields lie in the first 125 bytes
        const at = below(4) === 0 ? below(256) : below(125);
        const kind = below(3);
        if (kind === 0) bytes[at]! ^= 1 << below(8);
        else bytes.fill(kind === 1 ? 0xff : below(256), at, Math.min(256, at + 1 + below(8)));
      }
      try {
        const { head } = readHead(bytes, QUIET);
        if (aboveLimits(head) === null) readPreamble(head, bytes, QUIET);
      } catch (error) {
        expect(RecordingError.is(error), `run ${run}: ${String(error)}`).toBe(true);
      }
      // the search for chunks that a damaged header leads to takes longer
      if (run % 40 === 0) await toldBy(bytes);
    }
  } finally {
    asked?.end();
  }
  expect(asked?.largest()).toBeLessThanOrEqual(16 << 20);
});

const QUIET = { report: (): void => undefined };

/** The largest array that is asked for by a number until `end`. */
function watchAllocations(): { readonly largest: () => number; readonly end: () => void } {
  let largest = 0;
  const scope = globalThis as unknown as Record<string, unknown>;
  const originals = [ArrayBuffer, Uint8Array, Uint32Array] as const;
  for (const original of originals) {
    const width = "BYTES_PER_ELEMENT" in original ? original.BYTES_PER_ELEMENT : 1;
    scope[original.name] = new Proxy(original, {
      construct(target, words: unknown[], newTarget) {
        if (typeof words[0] === "number") largest = Math.max(largest, words[0] * width);
        return Reflect.construct(target, words, newTarget) as object;
      },
    });
  }
  return {
    largest: () => largest,
    end: () => {
      for (const original of originals) scope[original.name] = original;
    },
  };
}

test("row 13: the magic is HCRP, the version 1, and the production versions are reported by a fourth byte of 0", async () => {
  const plain = made.get("plain.hcrp")!;
  expect(new TextDecoder().decode(plain.subarray(0, 4))).toBe("HCRP");
  await using first = await open(plain);
  expect(first.info.version).toBe("1 (plain)");
  for (const version of [4, 5]) {
    const bytes = made.get(`production-${version}.hcrp`)!;
    expect([...bytes.subarray(4, 6)]).toEqual([0, version]);
    await using recording = await open(bytes);
    expect(recording.info.version).toBe(`${version} (production)`);
  }
  for (const [at, value, message] of [
    [4, 2, "header, version: expected 1, found 2"],
    [4, 255, "header, version: expected 1, found 255"],
    [4, 0, "header, production version: expected 4 or 5, found 0"],
  ] as const) {
    const bytes = plain.slice();
    bytes[at] = value;
    await expect(open(bytes)).rejects.toMatchObject({ code: "unsupported" });
    await expect(open(bytes)).rejects.toThrow(message);
  }
});

test("row 14: flags 0 open; an unknown low bit is refused with its number, an unknown high bit is ignored", async () => {
  const plain = made.get("plain.hcrp")!;
  expect([...plain.subarray(5, 7)]).toEqual([0, 0]);
  expect(await findingsOf(plain)).toEqual([]);
  const withFlag = (bit: number, profile: "extended" | "plain"): Uint8Array =>
    compacted(zstd, walk(), { profile, header: (each) => ({ ...each, flags: each.flags | (1 << bit) }) });
  for (let bit = 4; bit < 8; bit++) {
    for (const profile of ["extended", "plain"] as const) {
      await expect(open(withFlag(bit, profile))).rejects.toMatchObject({ code: "unsupported" });
      await expect(open(withFlag(bit, profile))).rejects.toThrow(`flags: bit ${bit}`);
    }
  }
  for (let bit = 8; bit < 16; bit++) expect(await findingsOf(withFlag(bit, "extended"))).toEqual([]);
});

test("row 15: a recording of another world, or another version of it, says so and plays all the same", async () => {
  const bytes = made.get("tower-race.hcrp")!;
  await using plain = await open(bytes);
  const { worldId, worldVersion } = plain.info.metadata as { worldId: string; worldVersion: string };
  const reported = async (world: { id: string; version?: string | Uint8Array }): Promise<string[]> => {
    await using recording = await open(bytes, createHcrp({ world }));
    expect(await rows(recording)).toEqual(await rows(plain));
    expect(recording.findings.every(({ code, severity }) => code === "other-world" && severity === "warning")).toBe(
      true,
    );
    return recording.findings.map(({ message }) => message);
  };
  expect(await reported({ id: worldId })).toEqual([]);
  expect(await reported({ id: worldId.toUpperCase(), version: worldVersion })).toEqual([]);
  expect(await reported({ id: worldId, version: Uint8Array.from(Buffer.from(worldVersion, "hex")) })).toEqual([]);
  const other = "11111111-2222-4333-8444-555555555555";
  expect(await reported({ id: other, version: worldVersion })).toEqual([
    expect.stringContaining(`world id: expected ${other}, found ${worldId}; `),
  ]);
  expect(await reported({ id: worldId, version: "v2" })).toEqual([
    expect.stringMatching(/^world version: expected 7632(?:00){14}, found [0-9a-f]{32}; .*show it without this one$/),
  ]);
});

test("row 16: a recording with dictionary 32,769 opens with it, and fails clearly without it", async () => {
  const bytes = made.get("dictionary.hcrp")!;
  const given = createHcrp({ dictionaries: async () => dictionaryBytes() });
  await using recording = await open(bytes, given);
  await using same = await open(compacted(zstd, walk()));
  expect(await rows(recording)).toEqual(await rows(same));
  expect(recording.findings).toEqual([]);
  await expect(open(bytes)).rejects.toMatchObject({ code: "unsupported" });
  await expect(open(bytes)).rejects.toThrow(`zstd dictionary ${DICTIONARY_ID}`);
  // with the id but other content nothing wrong is read either
  const other = dictionaryBytes();
  other.fill(0x55, 300);
  const wrong = createHcrp({ dictionaries: async () => other });
  const found = await open(bytes, wrong).then(
    async (damaged) => {
      const known = new Set(await rows(same));
      const read = await rows(damaged);
      await damaged.close();
      return { read: read.filter((row) => !known.has(row)), reported: damaged.findings.length };
    },
    () => ({ read: [], reported: 1 }),
  );
  expect(found.read).toEqual([]);
  expect(found.reported).toBeGreaterThan(0);
});

test("row 17: every length and count that does not fit has an error of its own, with field, expected and found", async () => {
  const all = new Set<string>();
  for (const profile of ["extended", "plain"] as const) {
    const made = (change: (header: Header) => Partial<Header>): Uint8Array =>
      compacted(zstd, walk(), { profile, header: (each) => ({ ...each, ...change(each) }) });
    const cases: [string, Uint8Array, RegExp][] = [
      [
        "M above",
        made(({ metadataLength }) => ({ metadataLength: metadataLength + 1 })),
        /metadata length: expected \d+ as the NBT has, found \d+/,
      ],
      [
        "M below",
        made(({ metadataLength }) => ({ metadataLength: metadataLength - 1 })),
        /metadata length: expected \d+ as the NBT has, found \d+/,
      ],
      [
        "M beyond the end",
        made(() => ({ metadataLength: 0x7fff })),
        /metadata length: expected at most \d+, found 32767/,
      ],
      [
        "I above",
        made(({ indexLength }) => ({ indexLength: indexLength + 1 })),
        /index length: expected \d+ for 4 entries, found \d+/,
      ],
      [
        "I below",
        made(({ indexLength }) => ({ indexLength: indexLength - 1 })),
        /index length: expected \d+ for 4 entries, found \d+/,
      ],
      [
        "I beyond the end",
        made(() => ({ indexLength: 0x7fff })),
        /index length: expected \d+ for 4 entries, found 32767/,
      ],
      ["N above", made(() => ({ chunkCount: 5 })), /chunk count: expected 4 as in the index, found 5/],
      ["N below", made(() => ({ chunkCount: 3 })), /chunk count: expected 4 as in the index, found 3/],
      ["ticks above", made(() => ({ tickCount: 241 })), /tick count: expected 240 as in the index, found 241/],
      ["ticks below", made(() => ({ tickCount: 239 })), /tick count: expected 240 as in the index, found 239/],
    ];
    for (const [name, bytes, message] of cases) {
      const reported = await toldBy(bytes);
      const found = reported.filter((each) => message.test(each));
      expect(found, `${profile}, ${name}:\n${reported.join("\n")}`).toHaveLength(1);
      all.add(found[0]!);
    }
  }
  expect(all.size).toBeGreaterThanOrEqual(9);
  // one error for each field, whatever is wrong with it, and never two fields for one
  const fields = new Set([...all].map((message) => /^header, ([a-z ]+): expected/.exec(message)?.[1]));
  expect(fields).toEqual(new Set(["metadata length", "index length", "chunk count", "tick count"]));
});

test("row 18: 100,000 random index entries and the largest segment and offset survive", async () => {
  const below = random(18);
  const entry = (): IndexEntry => ({
    startTick: below(2 ** 31),
    tickCount: 1 + below(2 ** below(31)),
    flags: below(2),
    offsetHigh: below(2 ** 32),
    offsetLow: below(2 ** 32),
    compressedLength: 1 + below(2 ** below(24)),
    uncompressedLength: below(2 ** below(24)),
    formatVersion: null,
    dataVersion: null,
  });
  const edge: IndexEntry = { ...entry(), offsetHigh: 0xffff_ffff, offsetLow: 0xffff_ffff, startTick: 0x7fff_ffff };
  for (let index = 0; index < 100_000; index++) {
    const entries = index === 0 ? [edge] : Array.from({ length: 1 + below(3) }, entry);
    const builder = new ByteBuilder();
    for (const each of entries) writeIndexEntry(builder, each);
    const cursor = new ByteCursor(builder.take());
    for (const each of entries) {
      const found = readIndexEntry(cursor, false);
      // one comparison each: this runs 200,000 times
      if (Object.keys(each).some((key) => each[key as keyof IndexEntry] !== found[key as keyof IndexEntry]))
        expect(found).toEqual(each);
    }
    if (cursor.remaining > 0) expect(cursor.remaining).toBe(0);
  }
  const files = segmented(zstd, walk(), 4, { entry: (each) => ({ ...each, offsetHigh: 0xffff_ffff }) });
  const { "meta.hcrp": meta, "seg-00000000.hcs": segment } = files;
  const last = { "meta.hcrp": meta!, "seg-4294967295.hcs": segment! };
  await using recording = await openRecording(bundleOfFiles(last), { formats: [hcrp] });
  await using same = await open(compacted(zstd, walk()));
  expect(await rows(recording)).toEqual(await rows(same));
});

test("row 19: each chunk decodes alone, with header, metadata and its entry", async () => {
  const bytes = made.get("tower-race.hcrp")!;
  await using whole = await open(bytes);
  const all = await rows(whole);
  for (const { offset, length, first, last } of (whole.reader as HcrpReader).chunks) {
    const alone = bytes.slice();
    alone.fill(0, (whole.reader as HcrpReader).preamble.head.preambleLength);
    alone.set(bytes.subarray(offset, offset + length), offset);
    await using recording = await open(alone);
    const inside = all.filter((row) => {
      const time = Number(row.slice(0, row.indexOf(" "))) * TICK;
      return time >= first && time <= last;
    });
    const found: string[] = [];
    for await (const batch of recording.batches({ start: first, end: last + 1 })) {
      for (let i = 0; i < batch.length; i++) {
        const { name } = recording.channels[batch.channel[i]!]!;
        found.push(`${batch.time[i]! / TICK} ${name} ${Buffer.from(batch.payload(i)).toString("hex")}`);
      }
    }
    expect(found).toEqual(inside);
  }
});

test("row 21: 200,000 events in one tick survive writing and reading", async () => {
  const to = new MemoryFiles("a.hcrp");
  const writer = await writing.create(to, { compression: "fast" });
  const swing = writer.channel({ name: "swing" });
  const builder = new ByteBuilder();
  for (let i = 0; i < 200_000; i++) {
    writeSwing(builder, { entity: (i * i) % 65_537, hand: i & 1 });
    writer.write(swing, 7 * TICK, builder.take());
  }
  await writer.close();
  await using recording = await open(to.bytes);
  expect((await check(recording)).findings).toEqual([]);
  let at = 0;
  for await (const { time, value } of recording.messages(recording.channel("swing"))) {
    const expected = { entity: (at * at) % 65_537, hand: at & 1 };
    const { entity, hand } = value as typeof expected;
    if (time !== 7 * TICK || entity !== expected.entity || hand !== expected.hand) expect(value).toEqual(expected);
    at++;
  }
  expect(at).toBe(200_000);
});

test("row 22: a host event is known by name where it is known, and skipped and shown raw where it is not", async () => {
  const content = twoEpochs();
  await using known = await open(compacted(zstd, content));
  const values: unknown[] = [];
  for await (const { value } of known.messages(known.channel("my:event"))) values.push(value);
  // its number differs from chunk to chunk
  expect(values).toEqual([Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3)]);
  await using older = await open(compacted(zstd, { ...content, metadata: epochs([1, 1]) }));
  expect(older.findings).toEqual([]);
  const raw: unknown[] = [];
  for await (const { value } of older.messages(older.channel("extension"))) raw.push(value);
  expect(raw).toContainEqual({ type: 64, body: Uint8Array.of(1, 2, 3) });
  expect(raw).toContainEqual({ type: 70, body: Uint8Array.of(1, 2, 3) });
  // nothing else is any different
  const core = (list: string[]): string[] =>
    list.filter((row) => !/ (extension|my:event|other:thing|host-65) /.test(row));
  expect(core(await rows(older))).toEqual(core(await rows(known)));
});

/** Chunks of 20 ticks, of which each has a place, a block and host events; one epoch for each. */
function versions(schemas: readonly number[]): Content {
  const [chunk] = twoEpochs().chunks;
  const events = [
    { id: 64, name: "my:event", version: 1, sinceChunk: 0 },
    { id: 64, name: "my:event", version: 2, sinceChunk: 1 },
  ];
  return { chunks: schemas.map(() => chunk!), metadata: epochs(schemas, events), dataVersion: 3698 };
}

test("row 29: chunks of a later schema are refused alone, each with one finding; the next one that is known is read", async () => {
  const bytes = compacted(zstd, versions([1, 2, 2, 1]));
  await using recording = await open(bytes);
  const ticks = new Set((await rows(recording)).map((row) => Math.floor(Number(row.split(" ")[0]) / 20)));
  expect([...ticks]).toEqual([0, 3]);
  expect(recording.findings.map(({ message }) => message)).toEqual([
    "chunk 1 (ticks 20 to 39): schema world: expected at most version 1, found 2; the chunk is refused; state is in doubt until tick 40",
    "chunk 2 (ticks 40 to 59): schema world: expected at most version 1, found 2; the chunk is refused; state is in doubt until tick 60",
  ]);
  // seeking into what is refused shows what was before, behind it everything is right again
  expect((await recording.state(70 * TICK)).sets.get("blocks")!.ids).toEqual(["-3,64,8"]);
  // an event of a later schema in a chunk that says nothing of it
  const chunks = versions([1, 1, 1]).chunks.map((chunk, i) =>
    i === 1 ? { ...chunk, records: [{ tick: 0, events: [event(31)] }, ...chunk.records] } : chunk,
  );
  const found = await findingsOf(compacted(zstd, { ...versions([1, 1, 1]), chunks }));
  expect(found).toHaveLength(1);
  expect(found[0]!.message).toMatch(/chunk 1 \(ticks 20 to 39\): event type 31 is not known .*version 1 is known\)/);
});

test("row 29: a host event plays in both versions, and says which one it is", async () => {
  await using recording = await open(compacted(zstd, versions([1, 1])));
  const channel = recording.channel("my:event");
  const found: unknown[] = [];
  for await (const { context, length, time } of recording.batches({ channels: [channel] }))
    if (length > 0) found.push([time[0]! / TICK, (context as ChunkContext).hostVersion("my:event")]);
  expect(found).toEqual([
    [4, 1],
    [24, 2],
  ]);
});

test("row 29: repairing a recording keeps what only a later reader can read", async () => {
  const sound = compacted(zstd, versions([1, 2, 1]));
  const damaged = sound.slice();
  damaged[sound.length - 10]! ^= 1;
  await using recording = await open(damaged);
  const to = new MemoryFiles("a.hcrp");
  const again = (): Promise<Recording> => open(to.bytes);
  const report = await repair(recording, bundleOfFiles({ "a.hcrp": damaged }), writing, to, (written) =>
    openRecording(written),
  );
  expect(report.lost.map(({ message }) => message).join()).not.toContain("schema");
  await using result = await again();
  const contents = async (of: Recording): Promise<(string | null)[]> => {
    const reader = of.reader as HcrpReader;
    const found = await Promise.all(reader.chunks.map((chunk) => reader.contentOf(chunk)));
    return found.map(({ raw }) => (raw === null ? null : Buffer.from(raw).toString("hex")));
  };
  await using source = await open(sound);
  expect((await contents(result)).slice(0, 2)).toEqual((await contents(source)).slice(0, 2));
  expect(result.findings.map(({ code }) => code)).toEqual([]);
  expect((await check(result)).findings.map(({ code }) => code)).toEqual(["unsupported-schema"]);
});

const kindsAt = async (recording: Recording, tick: number): Promise<unknown> =>
  (await recording.state(tick * TICK)).sets.get("blocks")!.columns.get("kind")!.data;

test("row 30: a renamed block is the right one in both halves, as recorded or brought up to date", async () => {
  const bytes = made.get("two-epochs.hcrp")!;
  await using recorded = await open(bytes);
  expect([await kindsAt(recorded, 10), await kindsAt(recorded, 30)]).toEqual([
    ["minecraft:grass"],
    ["minecraft:short_grass"],
  ]);
  const asked: unknown[] = [];
  const fixer: NameFixer = (kind, name, from) => {
    asked.push([kind, name, from]);
    return name === "minecraft:grass" ? "minecraft:short_grass" : name;
  };
  await using fixed = await open(bytes, createHcrp({ fixer }));
  for (const tick of [10, 30]) expect(await kindsAt(fixed, tick)).toEqual(["minecraft:short_grass"]);
  for await (const { value } of fixed.messages(fixed.channel("set-block")))
    expect(value).toMatchObject({ blockName: "minecraft:short_grass" });
  // the newest version is not asked about, and every name once
  expect(asked).toEqual([["block", "minecraft:grass", 3698]]);
  expect(fixed.findings).toEqual([]);
  // payloads stay as they are
  expect(await rows(fixed)).toEqual(await rows(recorded));
});

test("row 30: a name that does not resolve is a placeholder and one finding, never another block", async () => {
  const fixer: NameFixer = () => null;
  await using recording = await open(made.get("two-epochs.hcrp")!, createHcrp({ fixer }));
  expect(await kindsAt(recording, 10)).toEqual(["unresolved:minecraft:grass"]);
  expect(await kindsAt(recording, 30)).toEqual(["minecraft:short_grass"]);
  for await (const _ of recording.messages(recording.channel("set-block")));
  expect(recording.findings).toMatchObject([{ code: "unresolved-name", severity: "warning" }]);
  expect(recording.findings[0]!.message).toContain("block minecraft:grass of data version 3698");
});
