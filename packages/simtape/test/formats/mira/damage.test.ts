import { describe, expect, test } from "vitest";
import { mira, readMessageHeader } from "../../../src/formats/mira/format.ts";
import { INDEX, MESSAGE } from "../../../src/formats/mira/layout/layout.ts";
import { type ByteSource, memory, open as openRecording, type Recording } from "../../../src/index.ts";
import { deflateZlib } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { type Content, type ContentMessage, makeTape } from "../../fixtures/mira/tape.ts";

const open = (tape: Uint8Array): Promise<Recording> =>
  openRecording(bundleOfFiles({ "a.tape": tape }), { formats: [mira] });
const codes = (recording: Recording): string[] => [...new Set(recording.findings.map(({ code }) => code))].sort();

async function count(recording: Recording): Promise<number> {
  let messages = 0;
  for await (const batch of recording.batches()) messages += batch.length;
  return messages;
}

async function recordsOf(recording: Recording): Promise<{ kind: string; offset: number; length: number }[]> {
  const found: { kind: string; offset: number; length: number }[] = [];
  for await (const records of recording.records()) {
    for (const { kind, offset, bytes } of records) found.push({ kind, offset, length: bytes.length });
  }
  return found;
}

function content(count: number, message: (i: number) => Partial<ContentMessage>): Content {
  return {
    start: 1_777_883_400_000_000_000n,
    zoneOffset: 0n,
    channels: { "/a": { type: "uint32" }, "/b": { type: "T" } },
    messages: Array.from({ length: count }, (_, i) => ({
      channel: i % 3 === 0 ? "/b" : "/a",
      time: i * 1000,
      sequence: i,
      frame: `/f${i % 7}`,
      data: new Uint8Array(new Uint32Array([i]).buffer),
      ...message(i),
    })),
  };
}

describe("a walk goes on behind damage", () => {
  const whole = content(30, () => ({}));
  const tape = makeTape(whole);

  test("wherever a byte of a message's lengths is wrong, only that message is lost", async () => {
    await using sound = await open(tape);
    const messages = (await recordsOf(sound)).filter(({ kind }) => kind === "message");
    // Type, size, name length: bytes whose change cannot be taken for other content.
    for (const { offset } of messages.slice(1, -1)) {
      for (const at of [0, 1, 4, 13, 16]) {
        const broken = tape.slice();
        broken[offset + at] = broken[offset + at]! ^ 0x80;
        await using recording = await open(broken);
        expect(await count(recording), `${offset} + ${at}`).toBe(29);
        const damaged = (await recordsOf(recording)).filter(({ kind }) => kind === "damaged");
        expect(damaged).toHaveLength(1);
        expect(damaged[0]!.offset).toBe(offset);
        expect(recording.findings.some(({ severity }) => severity === "damage")).toBe(true);
      }
    }
  });

  test("foreign bytes between chunks are reported with their place and length", async () => {
    await using sound = await open(tape);
    const [, , , , fourth] = await recordsOf(sound);
    const junk = new Uint8Array(77).fill(0x0c);
    const broken = new Uint8Array(
      Buffer.concat([tape.subarray(0, fourth!.offset), junk, tape.subarray(fourth!.offset)]),
    );
    await using recording = await open(broken);
    expect(await count(recording)).toBe(30);
    const finding = recording.findings.find(({ severity }) => severity === "damage");
    expect(finding).toMatchObject({ offset: fourth!.offset, length: 77 });
  });

  test("when the first chunk is overwritten, the rest is still read", async () => {
    const broken = tape.slice();
    broken.fill(0xff, 32, 40);
    await using recording = await open(broken);
    expect(await count(recording)).toBe(30);
    expect(codes(recording)).toContain("unknown-record");
  });

  test("a channel info that is gone leaves its channel without a type", async () => {
    const broken = makeTape(whole, { lost: ["/a"] });
    await using recording = await open(broken);
    expect(await count(recording)).toBe(30);
    expect(recording.channel("/a").schema.name).toBe("unknown");
    expect(codes(recording)).toContain("missing-channel-info");
    for await (const { value } of recording.messages(recording.channel("/a"))) {
      expect(value).toEqual({ type: "unknown", hex: "01000000" });
      break;
    }
  });

  test("an index that points elsewhere is reported and not believed", async () => {
    await using sound = await open(tape);
    const index = (await recordsOf(sound)).findLast(({ kind }) => kind === "index")!;
    const broken = tape.slice();
    broken[index.offset + 9 + 8]! += 3;
    await using recording = await open(broken);
    expect(await count(recording)).toBe(30);
    expect(recording.findings).toMatchObject([
      { code: "index-mismatch", severity: "damage", offset: index.offset + 9 },
    ]);
  });

  test("a file cut anywhere keeps every message before the cut", async () => {
    await using sound = await open(tape);
    const messages = (await recordsOf(sound)).filter(({ kind }) => kind === "message");
    for (let cut = messages[0]!.offset; cut < tape.length; cut += 7) {
      await using recording = await open(tape.slice(0, cut));
      const expected = messages.filter(({ offset, length }) => offset + length <= cut).length;
      expect(await count(recording), `cut at ${cut}`).toBe(expected);
    }
  });

  test("files of other kinds are not taken for tapes", () => {
    const texts = [
      "",
      "<?xml",
      "{}",
      "\n".repeat(5000),
      "\0".repeat(32),
      "\0".repeat(5000),
      "\u0001\0\0\0".repeat(100),
    ];
    for (const text of texts) {
      const bytes = new TextEncoder().encode(text);
      expect(mira.sniff(bytes.subarray(0, 4096), { name: "a.tape", size: bytes.length })).toBe(null);
    }
  });
});

describe("near the beginning", () => {
  const whole = content(30, () => ({}));
  const tape = makeTape(whole);

  test.each([
    ["bytes are missing", tape.slice(7), 30],
    ["bytes were put in", new Uint8Array(Buffer.concat([new Uint8Array(9), tape])), 30],
    ["header and first block are gone", tape.slice(50), 30],
  ])("a tape is known for one when of its header %s", async (_what, broken, messages) => {
    expect(mira.sniff(broken.subarray(0, 4096), { name: null, size: broken.length })).toBe("possible");
    await using recording = await open(broken);
    expect(await count(recording)).toBe(messages);
    expect(recording.findings[0]).toMatchObject({ code: "bad-header", severity: "damage", offset: 0 });
    const [first] = await recordsOf(recording);
    expect(first).toMatchObject({ kind: "damaged", length: recording.findings[0]!.length });
  });

  test("a header alone is known by its two times", async () => {
    await using recording = await open(tape.slice(0, 45));
    expect(codes(recording)).toEqual(["bad-pointer", "block-count-mismatch", "truncated"]);
    expect((await recording.timeline()).epoch).toBe(whole.start);
  });

  test("blocks that span their contents are reported when the first one is damaged", async () => {
    const spanning = makeTape(whole, { blockSpans: true, maxBlock: 300 });
    await using sound = await open(spanning);
    const damaged = spanning.slice();
    damaged.fill(0xff, 32, 70);
    await using recording = await open(damaged);
    expect(recording.info.metadata["profile"]).toMatchObject({ block_spans: true });
    expect(recording.info.metadata["blocks"]).toBe((sound.info.metadata["blocks"] as number) - 1);
    // One block whose size is wrong does not make a tape of spanning ones.
    const plain = makeTape(whole, { maxBlock: 300 });
    plain[33] = 80;
    await using other = await open(plain);
    expect(other.info.metadata["profile"]).toMatchObject({ block_spans: false });
    expect(await count(other)).toBe(30);
  });
});

describe("chunks in the wrong place", () => {
  test("a message between two damaged ones is found", async () => {
    const tape = makeTape(content(30, () => ({})));
    await using sound = await open(tape);
    const messages = (await recordsOf(sound)).filter(({ kind }) => kind === "message");
    for (const i of [9, 11]) tape[messages[i]!.offset + 1]! ^= 0x80;
    await using recording = await open(tape);
    expect(await count(recording)).toBe(28);
  });

  test("compressed data that reaches over the next message does not hide it", async () => {
    // Noise, so that data is longer than the header and begins the same wherever it is cut.
    const noise = (i: number): Uint8Array =>
      Uint8Array.from({ length: 200 }, (_, k) => Math.imul(i * 977 + k, 40503) >> 7);
    const tape = makeTape(
      content(12, (i) => ({ data: noise(i), isCompressed: true, frame: "" })),
      { compress: deflateZlib },
    );
    await using sound = await open(tape);
    const messages = (await recordsOf(sound)).filter(({ kind }) => kind === "message");
    const { offset } = messages[5]!;
    const header = 5 + 25 + 2 + 4;
    const broken = tape.slice();
    broken.copyWithin(offset + 40, offset, offset + header);
    broken.fill(0xff, offset, offset + 40);
    await using recording = await open(broken);
    expect(await count(recording)).toBe(11);
    expect(codes(recording)).not.toContain("unknown-compression");
    expect(new Set(recording.findings.map(({ offset: at, code }) => `${code} ${at}`)).size).toBe(
      recording.findings.length,
    );
  });
});

describe("large tapes", () => {
  /** Three windows and more, unsorted by up to a third of a window. */
  const large = content(30_000, (i) => ({
    time: (i + ((i * 7919) % 4000)) * 1000,
    data: new Uint8Array(new Uint32Array(20).fill(i).buffer),
  }));
  const tape = makeTape(large, { maxBlock: 200_000 });

  test("come in order of time, with their headers, also where chunks overlap", async () => {
    await using recording = await open(tape);
    expect(tape.length).toBeGreaterThan(3 << 20);
    expect(recording.findings).toEqual([]);
    const expected = large.messages.map(({ time }, i) => ({ time, i })).sort((a, b) => a.time - b.time || a.i - b.i);
    let at = 0;
    for await (const batch of recording.batches()) {
      for (let row = 0; row < batch.length; row++) {
        const { time, i } = expected[at++]!;
        if (batch.time[row] !== time || batch.sequence[row] !== i)
          throw new Error(`row ${at} is message ${batch.sequence[row]}`);
        const header = readMessageHeader(batch, row);
        if (header.sequenceId !== i || header.frameId !== `/f${i % 7}`) throw new Error(`header of message ${i}`);
        if (batch.payload(row)[0] !== (i & 0xff)) throw new Error(`payload of message ${i}`);
      }
    }
    expect(at).toBe(30_000);
  });

  test("have the first and last entry of each index table looked at", async () => {
    await using sound = await open(tape);
    const index = (await recordsOf(sound)).findLast(({ kind }) => kind === "index")!;
    const broken = tape.slice();
    broken[index.offset + index.length - 24 + 8]! ^= 1;
    await using recording = await open(broken);
    expect(recording.findings.map(({ code }) => code)).toEqual(["index-mismatch"]);
  });

  test("give back every byte, damaged over more than a window too", async () => {
    const broken = tape.slice();
    broken.fill(0xee, 900_000, 2_300_000);
    await using recording = await open(broken);
    let place = 0;
    for (const { offset, length } of await recordsOf(recording)) {
      expect(offset).toBe(place);
      place += length;
    }
    expect(place).toBe(broken.length);
    const left = await count(recording);
    expect(left).toBeGreaterThan(15_000);
    expect(left).toBeLessThan(30_000);
    const total = (await recording.statistics()).reduce((sum, { messages }) => sum + messages, 0);
    expect(total).toBe(left);
  });
});

describe("long chunks", () => {
  test("an index table longer than a window is passed in pieces and checked", async () => {
    const many = content(60_000, () => ({ channel: "/a" }));
    const tape = makeTape(many);
    await using recording = await open(tape);
    const tables = (await recordsOf(recording)).filter(({ kind }) => kind === "index");
    expect(tables.reduce((sum, { length }) => sum + length, 0)).toBe(9 + 60_000 * 24);
    expect(recording.findings).toEqual([]);
    expect(recording.info.metadata["profile"]).toMatchObject({ rel_base: "content", index_order: "name" });
    expect(await count(recording)).toBe(60_000);
  });

  test("a message of several windows is one message", async () => {
    const big = content(5, (i) => (i === 2 ? { data: new Uint8Array(3 << 20).fill(7) } : {}));
    await using recording = await open(makeTape(big));
    expect(recording.findings).toEqual([]);
    expect(await count(recording)).toBe(5);
    const [, statistics] = await recording.statistics();
    expect(statistics!.bytes).toBe((3 << 20) + 8);
  });

  test("a size that a file of that length cannot hold asks for no memory", async () => {
    const tape = makeTape(content(3, () => ({})));
    const source = memory(tape);
    const longest = { read: 0 };
    const watched: ByteSource = {
      name: "watched",
      size: () => source.size(),
      read: (offset, length, signal) => {
        longest.read = Math.max(longest.read, length);
        return source.read(offset, length, signal);
      },
      close: () => source.close(),
    };
    const at = tape.lastIndexOf(MESSAGE);
    tape.fill(0xff, at + 1, at + 5);
    tape.fill(0xff, tape.lastIndexOf(INDEX) + 5, tape.lastIndexOf(INDEX) + 9);
    await using recording = await openRecording({ name: "a.tape", open: async () => watched }, { formats: [mira] });
    await count(recording);
    expect(longest.read).toBeLessThanOrEqual(1 << 20);
  });
});

describe("compressed data", () => {
  const zeros = content(40, () => ({ data: new Uint8Array(1 << 20), isCompressed: true }));
  const tape = makeTape(zeros, { compress: deflateZlib });

  test("that is long after decompression is decoded in parts", async () => {
    await using recording = await open(tape);
    expect(recording.findings).toEqual([]);
    let longest = 0;
    let messages = 0;
    for await (const batch of recording.batches()) {
      longest = Math.max(longest, batch.bytes.length);
      messages += batch.length;
      expect(readMessageHeader(batch, 0).compression).toBe("zlib");
    }
    expect(messages).toBe(40);
    expect(longest).toBe(4 << 20);
    const total = (await recording.statistics()).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBe(40 << 20);
  });

  test("in an unknown compression is no damage, where nothing of the tape can be opened", async () => {
    const scrambled = (data: Uint8Array): Uint8Array => deflateZlib(data).map((byte) => byte ^ 0x5a);
    const all = content(6, (i) => ({ data: new Uint8Array(100).fill(i), isCompressed: true }));
    await using unknown = await open(makeTape(all, { compress: scrambled }));
    expect(new Set(unknown.findings.map(({ severity }) => severity))).toEqual(new Set(["warning"]));
    let calls = 0;
    const once = (data: Uint8Array): Uint8Array => (calls++ === 0 ? scrambled(data) : deflateZlib(data));
    const one = makeTape({ ...all, messages: all.messages.slice(0, 1) }, { compress: once });
    calls = 0;
    await using alone = await open(one);
    expect(alone.findings.every(({ severity }) => severity === "warning")).toBe(true);
    await using known = await open(
      makeTape(all, { compress: (data) => (data[0] === 0 ? scrambled(data) : deflateZlib(data)) }),
    );
    expect(known.findings).toMatchObject([{ code: "unknown-compression", severity: "loss" }]);
  });

  test("that claims more than can be believed stays as stored, and the rest is read", async () => {
    const few = content(6, (i) => ({ data: new Uint8Array(100).fill(i), isCompressed: true }));
    const claimed = makeTape(few, { compress: deflateZlib });
    await using sound = await open(claimed);
    const message = (await recordsOf(sound)).filter(({ kind }) => kind === "message")[2]!;
    // The uncompressed size stands before the data, which ends the chunk.
    const stored = deflateZlib(few.messages[2]!.data);
    claimed.fill(
      0xff,
      message.offset + message.length - stored.length - 4,
      message.offset + message.length - stored.length,
    );
    await using recording = await open(claimed);
    expect(recording.findings).toMatchObject([
      { code: "unknown-compression", severity: "loss", offset: message.offset },
    ]);
    const values: unknown[] = [];
    for await (const { value, payload } of recording.messages()) values.push(payload.length === 100 ? "sound" : value);
    expect(values.filter((value) => value === "sound")).toHaveLength(5);
    expect(values[2]).toEqual({ compressed: true, uncompressedSize: 0xffff_ffff, bytes: stored });
    const total = (await recording.statistics()).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBe(500 + stored.length);
    const state = await recording.state(2500);
    expect(state.values.get("/a")).toEqual({ compressed: true, uncompressedSize: 0xffff_ffff, bytes: stored });
  });
});
