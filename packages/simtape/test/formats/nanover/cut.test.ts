import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open, RecordingError } from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { sampleBytes, sampleNames } from "../../samples.ts";
import { tries } from "../../soak.ts";

interface Read {
  /** In the order of the file: time and content. */
  readonly messages: readonly { readonly time: number; readonly content: string }[];
  readonly reported: readonly string[];
}

async function read(bytes: Uint8Array): Promise<Read> {
  await using recording = await open(bundleOfFiles({ "run.nanover.zip": bytes }));
  const rows: { sequence: number; time: number; content: string }[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const content = `${batch.channel[i]} ${Buffer.from(batch.payload(i)).toString("latin1")}`;
      rows.push({ sequence: batch.sequence[i]!, time: batch.time[i]!, content });
    }
  }
  rows.sort((a, b) => a.sequence - b.sequence);
  return { messages: rows, reported: recording.findings.map(({ message }) => message) };
}

/** Messages whose times are reported to be made. */
function madeIn(reported: readonly string[]): number {
  return reported.reduce(
    (sum, message) => sum + Number(/no index entries for (\d+) messages/.exec(message)?.[1] ?? 0),
    0,
  );
}

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/nanover/${name}`, import.meta.url)));
const zips: readonly (readonly [string, Uint8Array])[] = [
  ["buckyball.nanover.zip", fixture("buckyball.nanover.zip")],
  ...sampleNames("nanover")
    .filter((name) => name.endsWith(".nanover.zip"))
    .map((name) => [name, sampleBytes(`nanover/${name}`)] as const),
];

describe.each(zips)("%s, cut at any byte", (_, bytes) => {
  test("has the times that it had, or tells how many it made, and none goes back", { timeout: 0 }, async () => {
    const whole = await read(bytes);
    const indexAt = Buffer.from(bytes).indexOf("index.msgpack");
    // Most cuts lie in the index and in the directory, where times are.
    const cut = fc.oneof(
      { weight: 1, arbitrary: fc.nat(bytes.length) },
      {
        weight: 4,
        arbitrary: fc.integer({ min: indexAt, max: bytes.length }),
      },
    );
    const isBig = bytes.length > 200_000;
    await fc.assert(
      fc.asyncProperty(cut, async (end) => {
        let found: Read;
        try {
          found = await read(bytes.subarray(0, end));
        } catch (error) {
          expect(RecordingError.is(error)).toBe(true);
          return;
        }
        let wrong = 0;
        let from = 0;
        let last = Number.NEGATIVE_INFINITY;
        for (const { time, content } of found.messages) {
          while (from < whole.messages.length && whole.messages[from]!.content !== content) from++;
          if (from === whole.messages.length) expect.fail(`the whole has no such message at ${time}`);
          if (whole.messages[from++]!.time !== time) wrong++;
          if (time < last) expect.fail(`the time goes back from ${last} to ${time}`);
          last = time;
        }
        expect(wrong).toBeLessThanOrEqual(madeIn(found.reported));
      }),
      { numRuns: isBig ? tries(10, 300) : tries(40, 2000), seed: 14 },
    );
  });
});
