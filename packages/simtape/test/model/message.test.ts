import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ColumnBuilder, type MessageBatch } from "../../src/model/messages/batch.ts";
import { Message, Messages } from "../../src/model/messages/message.ts";
import type { Channel } from "../../src/model/values/value.ts";

const schema = { name: "raw", decode: (payload: Uint8Array) => payload };
const CHANNELS: readonly Channel<Uint8Array>[] = ["a", "b"].map((name, id) => ({ id, name, metadata: {}, schema }));
const channelOf = (id: number): Channel<Uint8Array> => CHANNELS[id]!;

/** What came of one call. */
type Outcome = { time: number | null; channel: string | null; done: boolean } | { error: unknown };

/** Batches of so many messages each, a failure behind them where asked for, and whether they were left in order. */
function made(
  lengths: readonly number[],
  fails: boolean,
): { batches: () => AsyncGenerator<MessageBatch>; left: string[] } {
  const left: string[] = [];
  async function* batches(): AsyncGenerator<MessageBatch> {
    left.push("begun");
    try {
      let time = 0;
      for (const length of lengths) {
        const rows = new ColumnBuilder();
        for (let i = 0; i < length; i++) rows.add(time, time++ % 2, 0, 1, 0);
        yield rows.build(new Uint8Array(1), time);
      }
      if (fails) throw new RangeError("no more");
    } finally {
      left.push("left");
    }
  }
  return { batches, left };
}

/** The same as an ordinary generator. */
async function* plain(batches: AsyncGenerator<MessageBatch>, isReverse: boolean): AsyncGenerator<Message<Uint8Array>> {
  for await (const batch of batches)
    for (let n = 0; n < batch.length; n++) {
      const row = isReverse ? batch.length - 1 - n : n;
      yield new Message(channelOf(batch.channel[row]!), batch, row);
    }
}

/** Makes the calls, waiting for those that it says, and gives what came of each in the order in which they settled. */
async function outcomes(
  of: AsyncGenerator<Message<Uint8Array>>,
  calls: readonly { what: "next" | "return" | "throw"; waits: boolean }[],
): Promise<[number, Outcome][]> {
  const settled: [number, Outcome][] = [];
  const all: Promise<void>[] = [];
  for (const [i, { what, waits }] of calls.entries()) {
    const call = what === "next" ? of.next() : what === "return" ? of.return(undefined) : of.throw(new Error("thrown"));
    const settling = call.then(
      ({ value, done }) =>
        void settled.push([
          i,
          {
            time: value instanceof Message ? value.time : null,
            channel: value?.channel.name ?? null,
            done: done === true,
          },
        ]),
      (error: unknown) => void settled.push([i, { error: String(error) }]),
    );
    all.push(settling);
    if (waits) await settling;
  }
  await Promise.all(all);
  return settled;
}

describe("messages one by one", () => {
  test("are what an async generator gives, whatever is called and awaited", async () => {
    const call = fc.record({
      what: fc.constantFrom("next", "next", "next", "next", "next", "return", "throw"),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        fc.array(call, { maxLength: 12 }),
        async (lengths, fails, isReverse, calls) => {
          const [ours, theirs] = [made(lengths, fails), made(lengths, fails)];
          const got = await outcomes(new Messages(ours.batches(), channelOf, isReverse), calls);
          expect(got).toEqual(await outcomes(plain(theirs.batches(), isReverse), calls));
          expect(ours.left).toEqual(theirs.left);
        },
      ),
      { seed: 14, numRuns: 1000 },
    );
  });

  test("leave their batches when a loop ends early, or their scope does", async () => {
    const looped = made([3, 3], false);
    for await (const { time } of new Messages(looped.batches(), channelOf, false)) if (time === 1) break;
    expect(looped.left).toEqual(["begun", "left"]);
    const disposed = made([3], false);
    {
      await using messages = new Messages(disposed.batches(), channelOf, false);
      expect((await messages.next()).value).toBeInstanceOf(Message);
    }
    expect(disposed.left).toEqual(["begun", "left"]);
  });
});
