import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessageHeader } from "../../../src/formats/mira/format.ts";
import { type MadeMessage, MemoryFiles, MutableState, type Reader, type State, type Time } from "../../../src/index.ts";
import { after, Columns, deflateZlib } from "../../../src/kit.ts";
import { fixtures, patrol } from "../../fixtures/mira/make.ts";
import { makeTape } from "../../fixtures/mira/tape.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";
import { messagesOf, readerOf, writing } from "./tapes.ts";

/** A made message as a batch of one. */
function batchOf({ channel, payload, context, sequence = 0 }: MadeMessage, time: Time): Columns {
  return new Columns(
    Float64Array.of(time),
    Uint16Array.of(channel.id),
    Float64Array.of(sequence),
    new Uint8Array(1),
    payload,
    Uint32Array.of(0),
    Uint32Array.of(payload.length),
    context ?? null,
  );
}

async function fold(reader: Reader, opening: readonly Columns[], start: Time | undefined, end: Time): Promise<State> {
  const state = new MutableState();
  reader.state.begin?.(state);
  for (const batch of opening) reader.state.apply(state, batch, 0);
  for await (const batch of reader.batches({ start, end: after(end) })) {
    for (let i = 0; i < batch.length; i++) reader.state.apply(state, batch, i);
  }
  state.time = end;
  return state.freeze();
}

const tapes: [string, Uint8Array][] = [
  ...fixtures(),
  [
    "with data that nothing opens",
    makeTape(
      { ...patrol(), messages: patrol().messages.slice(0, 80) },
      { compress: (data) => deflateZlib(data).map((byte) => byte ^ 0x5a) },
    ),
  ],
  ...["", "variants/"].flatMap((folder) =>
    sampleNames(`mira/${folder}`)
      .filter((name) => name.endsWith(".tape"))
      .map((name): [string, Uint8Array] => [name, sampleBytes(`mira/${folder}${name}`)]),
  ),
];

describe("restated messages and those that follow give the state of the whole", () => {
  test.each(tapes)("%s", async (_name, tape) => {
    const { reader } = await readerOf(tape);
    const { start, end } = await reader.timeline();
    const time = fc.integer({ min: start - 2, max: end + 2 });
    await fc.assert(
      fc.asyncProperty(time, fc.nat(Math.ceil(end - start) + 4), async (cut, more) => {
        const made = await writing.restate(reader, cut);
        const opening = made.map((message) => batchOf(message, cut));
        for (const until of [cut, cut + more]) {
          expect(await fold(reader, opening, after(cut), until)).toEqual(await fold(reader, [], undefined, until));
        }
      }),
      { numRuns: 12 },
    );
  });
});

test("a restated message keeps its frame id and sequence id, and the data as stored", async () => {
  const tape = makeTape(patrol(), { compress: (data) => deflateZlib(data, 9), maxBlock: 8192 });
  const { reader } = await readerOf(tape);
  const cut = 12_345_000_000;
  const made = await writing.restate(reader, cut);
  expect(made).toHaveLength(6);
  const to = new MemoryFiles();
  const writer = await writing.create(to, { like: reader });
  const channels = reader.channels.map(({ name }) => writer.channel({ name }));
  for (const message of made) writer.append(batchOf(message, cut), channels);
  await writer.close();
  const last = new Map<string, string>();
  const expected = await messagesOf(reader);
  for (const message of expected) {
    const [name, type, time, ...rest] = message.split(" | ");
    if (Number(time) <= cut) last.set(name!, [name, type, cut, ...rest].join(" | "));
  }
  const { reader: copy, findings } = await readerOf(to.bytes);
  expect(findings.list()).toEqual([]);
  expect((await messagesOf(copy)).toSorted()).toEqual([...last.values()].toSorted());
  for await (const batch of copy.batches({})) {
    for (let i = 0; i < batch.length; i++) {
      const isScan = copy.channels[batch.channel[i]!]!.name.includes("RangeFinder");
      expect(readMessageHeader(batch, i).compression).toBe(isScan ? "zlib" : null);
    }
  }
});

test("nothing holds before the first message", async () => {
  const { reader } = await readerOf(fixtures().get("patrol.tape")!);
  expect(await writing.restate(reader, -1)).toEqual([]);
});
