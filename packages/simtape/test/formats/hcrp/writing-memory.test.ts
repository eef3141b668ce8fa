import fc from "fast-check";
import { expect, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { type ByteSink, MemoryFiles, open, type SinkBundle } from "../../../src/index.ts";

/** Takes bytes in only when it says that it has: until then they must stay what they were. */
class SlowFiles implements SinkBundle {
  readonly name = "slow.hcrp";
  readonly #files = new MemoryFiles("slow.hcrp");
  readonly #delays: readonly number[];
  #writes = 0;

  constructor(delays: readonly number[]) {
    this.#delays = delays;
  }

  get bytes(): Uint8Array {
    return this.#files.bytes;
  }

  async open(name?: string): Promise<ByteSink> {
    const sink = await this.#files.open(name);
    const pause = (): Promise<void> =>
      new Promise((resolve) => setTimeout(resolve, this.#delays[this.#writes++ % this.#delays.length]!));
    return {
      name: sink.name,
      get position() {
        return sink.position;
      },
      write: async (bytes) => {
        await pause();
        await sink.write(bytes);
      },
      writeAt: async (offset, bytes) => {
        await pause();
        await sink.writeAt(offset, bytes);
      },
      flush: () => sink.flush(),
      close: () => sink.close(),
      abort: () => sink.abort(),
    };
  }
}

test("chunks whose memory is used again are written as they were, however late the sink takes them", async () => {
  const { create } = await hcrp.writing!();
  const sizes = fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 80, maxLength: 250 });
  const delays = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      sizes,
      delays,
      fc.constantFrom("store" as const, "fast" as const),
      async (all, late, compression) => {
        const to = new SlowFiles(late);
        const writer = await create(to, { compression });
        const channel = writer.channel({ name: "test:data", schema: "raw" });
        for (const [i, size] of all.entries()) {
          writer.write(channel, i * 50e6, new Uint8Array(size).fill(i + 1));
          if (writer.ready !== null) await writer.ready;
          // so that it goes on in the middle of a write, too
          if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
        }
        await writer.close();
        await using recording = await open(to.bytes);
        let count = 0;
        for await (const { payload } of recording.messages("test:data")) {
          const wanted = new Uint8Array(all[count]!).fill(++count);
          expect(Buffer.compare(payload, wanted), `message ${count}`).toBe(0);
        }
        expect(count).toBe(all.length);
        expect(recording.findings).toEqual([]);
      },
    ),
    { seed: 14, numRuns: 8, endOnFailure: true },
  );
});
