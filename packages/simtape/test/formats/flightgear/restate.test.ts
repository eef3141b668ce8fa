import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { restate } from "../../../src/formats/flightgear/write/restate.ts";
import { type MadeMessage, MutableState, type Reader } from "../../../src/index.ts";
import { after, Columns } from "../../../src/kit.ts";
import { MADE, REAL, readerOf } from "./specimens.ts";

function apply(reader: Reader, state: MutableState, { channel, payload }: MadeMessage, time: number): void {
  const batch = new Columns(
    Float64Array.of(time),
    Uint16Array.of(channel.id),
    Float64Array.of(0),
    new Uint8Array(1),
    payload,
    Uint32Array.of(0),
    Uint32Array.of(payload.length),
    null,
  );
  reader.state.apply(state, batch, 0);
}

async function fold(reader: Reader, state: MutableState, from: number | undefined, until: number): Promise<void> {
  for await (const batch of reader.batches({ start: from, end: after(until) })) {
    for (let i = 0; i < batch.length; i++) reader.state.apply(state, batch, i);
  }
}

/** Everything that is held, the order of rows, sets and values aside. */
function comparable(state: MutableState): unknown {
  const { values, sets } = state.freeze();
  return {
    values: Object.fromEntries(values),
    sets: Object.fromEntries(
      [...sets].map(([name, { ids, columns }]) => [name, { ids, ...Object.fromEntries(columns) }]),
    ),
  };
}

describe.each([...MADE, ...REAL])("%s", (_, bytes) => {
  test("said again at any moment goes on as it would have", { timeout: 60_000 }, async () => {
    const reader = await readerOf(bytes);
    const { start, end } = await reader.timeline();
    const time = fc.integer({ min: Math.floor(start) - 1, max: Math.ceil(end) });
    await fc.assert(
      fc.asyncProperty(time, time, async (a, b) => {
        const [cut, later] = [Math.min(a, b), Math.max(a, b)];
        const reported = new MutableState();
        for (const message of await restate(reader, cut)) apply(reader, reported, message, cut);
        const whole = new MutableState();
        await fold(reader, whole, undefined, cut);
        expect(comparable(reported)).toEqual(comparable(whole));
        await fold(reader, reported, after(cut), later);
        await fold(reader, whole, after(cut), later);
        expect(comparable(reported)).toEqual(comparable(whole));
      }),
      { numRuns: bytes.length > 300_000 ? 4 : 15 },
    );
  });
});

test("what is said again is one frame: signals, a packet for each pilot, one set of properties", async () => {
  const reader = await readerOf(MADE.find(([name]) => name === "continuous")![1]);
  const { end } = await reader.timeline();
  const messages = await restate(reader, end);
  expect(messages.map(({ channel }) => channel.name)).toEqual([
    "signals",
    "multiplayer",
    "multiplayer",
    "extra-properties",
  ]);
  expect(await restate(reader, -1)).toEqual([]);
});
