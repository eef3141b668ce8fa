import fc from "fast-check";
import { describe, test } from "vitest";
import { open, type Recording, RecordingError } from "../../src/index.ts";
import { bundleOfFiles, mutate, mutation } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { SOUND } from "../specimens.ts";

/** Whether only errors come of it that say what is wrong with the file. */
async function readsOrRefuses(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!RecordingError.is(error)) throw error;
  }
}

async function readAll(recording: Recording): Promise<void> {
  const { start, end } = await recording.timeline();
  for await (const _ of recording.events());
  for await (const _ of recording.events({ start: start + (end - start) / 2 }));
  for (const channel of recording.channels) for await (const _ of await recording.table(channel));
  const { sets } = await recording.state(end);
  // a set may be gone as soon as it is there
  for (const name of sets.keys()) {
    const table = await recording.table(name).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      return [];
    });
    for await (const _ of table);
  }
}

describe("of a damaged recording events and tables are what is left, or a typed error", () => {
  test.each(SOUND)("$name", async ({ files }) => {
    const [main] = Object.keys(files) as [string];
    const bytes = files[main]!;
    const property = fc.asyncProperty(fc.array(mutation(bytes.length), { minLength: 1, maxLength: 6 }), (mutations) =>
      readsOrRefuses(async () => {
        const damaged = { ...files, [main]: mutate(bytes, mutations) };
        const recording = await open(bundleOfFiles(damaged));
        try {
          await readAll(recording);
        } finally {
          await recording.close();
        }
      }),
    );
    await fc.assert(property, { seed: 18, numRuns: tries(25, 1000) });
  });
});
