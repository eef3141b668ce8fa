import { describe, expect, test } from "vitest";
import { matching } from "../../../src/cli/input/glob.ts";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  applyEdits,
  check,
  MemoryFiles,
  open as openRecording,
  type Operation,
  type Recording,
  writeEdited,
} from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { productionRun } from "../../fixtures/hcrp/make.ts";
import { production } from "../../fixtures/hcrp/recording.ts";

const zstd = await loadZstd();
const open = (bytes: Uint8Array): Promise<Recording> =>
  openRecording(bundleOfFiles({ "run.hcrp": bytes }), { formats: [hcrp] });

async function edited(recording: Recording, operation: Operation): Promise<Recording> {
  const list = { version: 1, operations: [operation] } as const;
  const nothing = (): Promise<never> => Promise.reject(new RangeError("nothing is joined"));
  const { reader } = await applyEdits(recording.reader, list, { writing, matching, open: nothing });
  const files = new MemoryFiles("run.hcrp");
  await writeEdited(reader, writing, files);
  return open(files.bytes);
}

/** Ticks at which moves of a channel are, and where the subject is then. */
async function placesAt(recording: Recording, channel: string): Promise<Map<number, readonly number[]>> {
  const places = new Map<number, readonly number[]>();
  for await (const { time } of recording.messages(channel)) {
    const { sets } = await recording.state(time);
    const [x, y, z] = sets.get("players")!.columns.get("position")!.data as ArrayLike<number> & Iterable<number>;
    places.set(time / TICK, [x!, y!, z!]);
  }
  return places;
}

describe.each([4, 5] as const)("moves of the production dialect %i", (version) => {
  test.each([
    ["delta-move", { from: 20 * TICK, until: 40 * TICK }],
    ["*-move", { from: 20 * TICK, until: 40 * TICK }],
  ])("lead where they led behind a range without %s", async (channel, range) => {
    await using whole = await open(production(zstd, version, productionRun(version)));
    await using cut = await edited(whole, { op: "redact", channels: [channel], ...range });
    expect((await check(cut)).status).toBe("sound");
    const [before, after] = await Promise.all([whole, cut].map((one) => placesAt(one, "delta-move")));
    expect(after!.size).toBeGreaterThan(50);
    expect(after!.size).toBeLessThan(before!.size);
    for (const [tick, place] of after!)
      for (const [k, at] of place.entries()) expect(at, `tick ${tick}`).toBeCloseTo(before!.get(tick)![k]!, 3);
  });
});
