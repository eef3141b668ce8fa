import { describe, expect, test } from "vitest";
import { readMessageHeader } from "../../../src/formats/mira/format.ts";
import { MESSAGE } from "../../../src/formats/mira/layout/layout.ts";
import {
  check,
  corrupt,
  type Corruption,
  type Finding,
  MemoryFiles,
  planCorruption as plan,
  type Recording,
  RecordingError,
} from "../../../src/index.ts";
import { deflateZlib } from "../../../src/kit.ts";
import { fixtures, patrol } from "../../fixtures/mira/make.ts";
import { type Content, makeTape, type Writing } from "../../fixtures/mira/tape.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";
import { tries } from "../../soak.ts";
import { DiskSink, openTape, writing } from "./tapes.ts";

interface Repaired {
  readonly bytes: Uint8Array;
  readonly lost: readonly Finding[];
  readonly rebuilt: readonly Finding[];
}

async function repaired(recording: Recording): Promise<Repaired> {
  const to = new MemoryFiles();
  const lost: Finding[] = [];
  const rebuilt: Finding[] = [];
  await writing.repair(recording.reader, to, {
    lost: (finding) => lost.push(finding),
    rebuilt: (finding) => rebuilt.push(finding),
  });
  return { bytes: to.bytes, lost, rebuilt };
}

/** Everything that a message is but its type, by its place among the tape's messages. */
async function identities(recording: Recording): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { frameId, sequenceId } = readMessageHeader(batch, i);
      const { name } = recording.channels[batch.channel[i]!]!;
      const payload = Buffer.from(batch.payload(i)).toString("base64");
      found[batch.sequence[i]!] = [name, batch.time[i], frameId, sequenceId, payload].join(" | ");
    }
  }
  return found;
}

async function recordsOf(recording: Recording): Promise<{ kind: string; offset: number; length: number }[]> {
  const found: { kind: string; offset: number; length: number }[] = [];
  for await (const records of recording.records()) {
    for (const { kind, offset, bytes } of records) found.push({ kind, offset, length: bytes.length });
  }
  return found;
}

const small: Content = { ...patrol(), messages: patrol().messages.slice(0, 50) };
const options: Partial<Writing> = { compress: (data) => deflateZlib(data), maxBlock: 2000 };

describe("a repaired tape is sound and holds every message outside the damage", () => {
  const made: [string, Uint8Array, number][] = [
    ["little endian", makeTape(small, options), 10],
    ["big endian, sizes with headers", makeTape(small, { ...options, isLittle: false, sizeIncludesHeader: true }), 10],
    ["spanning blocks", makeTape(small, { ...options, blockSpans: true }), 10],
    ["patrol.tape", fixtures().get("patrol.tape")!, 4],
  ];
  const samples = ["", "variants/"].flatMap((folder) =>
    sampleNames(`mira/${folder}`)
      .filter((name) => name.endsWith(".tape") && !/crash|corrupt|empty/.test(name))
      .map((name): [string, Uint8Array, number] => [name, sampleBytes(`mira/${folder}${name}`), 15]),
  );

  test.each([...made, ...samples])("%s", async (_name, tape, seeds) => {
    await using sound = await openTape(tape);
    const all = await identities(sound);
    const places = (await recordsOf(sound)).filter(({ kind }) => kind === "message");
    expect(places).toHaveLength(all.length);
    let repairs = 0;
    const runs = tries(seeds, 200);
    for (let seed = 0; seed < runs; seed++) {
      const corruptions = plan(tape.length, seed, 1 + (seed % 3));
      const damaged = corrupt(tape, corruptions, seed);
      const what = JSON.stringify({ seed, corruptions });
      const recording = await openTape(damaged).catch((error: unknown) => {
        // Too little is left to be known for a tape.
        expect(RecordingError.is(error) && damaged.length < 400, what).toBe(true);
        return null;
      });
      if (recording === null) continue;
      const { bytes, lost } = await repaired(recording);
      await using result = await openTape(bytes);
      const report = await check(result);
      expect(
        report.findings.filter(({ severity }) => severity !== "warning"),
        what,
      ).toEqual([]);
      expect(report.status, what).toBe("sound");
      const left = new Map<string, number>();
      for (const one of await identities(result)) left.set(one, (left.get(one) ?? 0) + 1);
      const missing = all.filter((one, i) => {
        const count = left.get(one) ?? 0;
        left.set(one, count - 1);
        return count <= 0 && !corruptions.some((corruption) => touches(corruption, places[i]!));
      });
      expect(missing, what).toEqual([]);
      for (const { offset, length } of lost) expect(offset! + length!).toBeLessThanOrEqual(damaged.length);
      await recording.close();
      repairs++;
    }
    expect(repairs).toBeGreaterThan(runs / 2);
  });
});

function touches({ kind, offset, length }: Corruption, place: { offset: number; length: number }): boolean {
  const end = place.offset + place.length;
  if (kind === "lengthen") return offset > place.offset && offset < end;
  return offset < end && offset + (kind === "swap" ? 2 * length : length) > place.offset;
}

describe("a repair tells", () => {
  const tape = makeTape(small, options);

  test("which bytes it left out, and what it wrote again", async () => {
    await using sound = await openTape(tape);
    const messages = (await recordsOf(sound)).filter(({ kind }) => kind === "message");
    const broken = tape.slice();
    const hit = messages.filter((_, i) => i % 10 === 3);
    for (const { offset } of hit) broken[offset + 1] = broken[offset + 1]! ^ 0x80;
    await using recording = await openTape(broken);
    const { bytes, lost, rebuilt } = await repaired(recording);
    expect(lost.map(({ offset, length }) => ({ offset, length }))).toEqual(
      hit.map(({ offset, length }) => ({ offset, length })),
    );
    expect(lost[0]!.message).toContain("the size of the chunk");
    expect(new Set(rebuilt.map(({ code }) => code))).toEqual(
      new Set(["block-mismatch", "index-mismatch", "data-size-mismatch"]),
    );
    expect(rebuilt.every(({ severity }) => severity === "note")).toBe(true);
    await using result = await openTape(bytes);
    expect(result.info.metadata["messages"]).toBe(messages.length - hit.length);
  });

  test("of a tape that was not closed is the closed tape", async () => {
    const ascending = { ...small, messages: small.messages.toSorted((a, b) => a.time - b.time) };
    for (const end of ["no-index", "unclosed"] as const) {
      await using recording = await openTape(makeTape(ascending, { ...options, end }));
      const { bytes, lost } = await repaired(recording);
      expect(lost).toEqual([]);
      expect(Buffer.compare(bytes, makeTape(ascending, options))).toBe(0);
    }
  });

  test("leaves out a message whose data is in a known compression and damaged, and keeps all others as stored", async () => {
    await using sound = await openTape(tape);
    const view = new DataView(tape.buffer, tape.byteOffset, tape.length);
    const compressed = (await recordsOf(sound)).filter(
      ({ kind, offset, length }) => kind === "message" && length > 250 && view.getUint8(offset) === MESSAGE,
    );
    const broken = tape.slice();
    const { offset, length } = compressed[1]!;
    broken.fill(0xee, offset + length - 40, offset + length - 20);
    await using recording = await openTape(broken);
    expect(recording.findings.map(({ code, severity }) => [code, severity])).toEqual([["unknown-compression", "loss"]]);
    const { bytes, lost } = await repaired(recording);
    expect(lost).toMatchObject([{ code: "unknown-compression", offset, length }]);
    await using result = await openTape(bytes);
    expect((await check(result)).status).toBe("sound");
    const stored = Buffer.from(tape.subarray(compressed[2]!.offset, compressed[2]!.offset + compressed[2]!.length));
    expect(Buffer.from(bytes).includes(stored)).toBe(true);
  });

  test("keeps data in an unknown compression", async () => {
    const compress = (data: Uint8Array): Uint8Array => deflateZlib(data).map((byte) => byte ^ 0x5a);
    await using recording = await openTape(makeTape(small, { ...options, compress, end: "unclosed" }));
    const { bytes, lost } = await repaired(recording);
    expect(lost).toEqual([]);
    await using result = await openTape(bytes);
    expect((await check(result)).status).toBe("sound");
    expect((await identities(result)).toSorted()).toEqual((await identities(recording)).toSorted());
  });

  test("gives a channel whose info was lost one of unknown type, and keeps infos whose messages are gone", async () => {
    const lost = Object.keys(small.channels)[0]!;
    await using recording = await openTape(makeTape(small, { ...options, lost: [lost] }));
    const { rebuilt, bytes } = await repaired(recording);
    expect(rebuilt.map(({ code }) => code)).toContain("missing-channel-info");
    await using result = await openTape(bytes);
    expect((await check(result)).status).toBe("sound");
    expect(result.channel(lost).schema.name).toBe("unknown");
    const alone = { ...small, messages: small.messages.slice(0, 3) };
    const tape = makeTape(alone, options);
    await using whole = await openTape(tape);
    const only = (await recordsOf(whole)).filter(({ kind }) => kind === "message");
    for (const { offset } of only) tape[offset + 1] = tape[offset + 1]! ^ 0x80;
    await using silent = await openTape(tape);
    await using kept = await openTape((await repaired(silent)).bytes);
    expect((await check(kept)).status).toBe("sound");
    expect(kept.channels.map(({ name, schema }) => [name, schema.name])).toEqual(
      whole.channels.map(({ name, schema }) => [name, schema.name]),
    );
  });

  test("a header that was overwritten, and takes from it what can be believed", async () => {
    const broken = tape.slice(5);
    await using recording = await openTape(broken);
    expect(recording.findings[0]).toMatchObject({ code: "bad-header", severity: "damage", offset: 0 });
    const { bytes, lost, rebuilt } = await repaired(recording);
    expect(rebuilt[0]).toMatchObject({ code: "bad-header" });
    expect(lost[0]!.offset).toBe(0);
    await using result = await openTape(bytes);
    expect((await check(result)).status).toBe("sound");
    expect(await identities(result)).toHaveLength(50);
    const zeros = tape.slice();
    zeros.fill(0, 20, 61);
    await using first = await openTape(zeros);
    await using second = await openTape((await repaired(first)).bytes);
    expect((await second.timeline()).epoch).toBe(small.start);
    expect(second.info.metadata["zoneOffsetNs"]).toBe(Number(small.zoneOffset));
  });

  test("nothing, and leaves nothing, when the sink fails", async () => {
    await using recording = await openTape(makeTape(small, { ...options, end: "unclosed" }));
    const sink = new DiskSink();
    sink.failAt = 100;
    const to = { name: "disk", open: async (): Promise<DiskSink> => sink };
    const note = { lost: (): void => undefined, rebuilt: (): void => undefined };
    await expect(writing.repair(recording.reader, to, note)).rejects.toBe(sink.failure);
    expect(sink.end).toBe("aborted");
  });
});
