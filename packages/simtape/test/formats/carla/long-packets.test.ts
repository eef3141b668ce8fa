import { describe, expect, it } from "vitest";
import { type MessageBatch, open, type Recording, type RecordingEvent } from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { carla } from "../../support/bombs/carla.ts";
import { built } from "../../support/bombs/parts.ts";

const COUNT = 20_000;
/** Bytes of an actor. */
const RECORD = 38;

/** One packet that adds many actors, a collision of two of them, and one that removes them all but the last five. */
function crowd(cut: number): Uint8Array {
  return carla((log) => {
    log.frame(1);
    const added = built((out) => {
      out.u16le(COUNT);
      for (let i = 0; i < COUNT; i++) {
        out
          .u32le(i + 1)
          .u8(1)
          .zeros(24)
          .u32le(1)
          .u16le(1)
          .u8(0x61 + (i % 3))
          .u16le(0);
      }
    });
    log.packet(2, added.subarray(0, added.length - cut));
    log.frame(2);
    log.packet(
      5,
      built((out) => out.u16le(1).u32le(0).u32le(7).u32le(12).u8(1).u8(1)),
    );
    log.packet(
      3,
      built((out) => {
        out.u16le(COUNT - 5);
        for (let i = 0; i < COUNT - 5; i++) out.u32le(i + 1);
      }),
    );
    log.frame(3);
  });
}

/** Events of all rows as `read` gives them, one row after the other. */
async function readByRow(recording: Recording): Promise<RecordingEvent[]> {
  const reader = (await (await recording.traits()).events!(recording))!;
  const found: RecordingEvent[] = [];
  for await (const batch of recording.batches() as AsyncIterable<MessageBatch>) {
    for (let i = 0; i < batch.length; i++) {
      try {
        if (reader.channels.has(batch.channel[i]!)) reader.read(batch, i, found);
      } catch {
        // what does not fit has the events before it
      }
    }
  }
  return found;
}

describe("packets of very many records", () => {
  it.each([
    ["whole", 0, COUNT],
    ["cut inside the last actor", 3, COUNT - 1],
    ["cut inside an earlier one", 10_001, COUNT - Math.ceil(10_001 / RECORD)],
  ])("give their events in arrays of a few: %s", async (_name, cut, spawned) => {
    const recording = await open(bundleOfFiles({ "crowd.log": crowd(cut) }));
    const arrays: (readonly RecordingEvent[])[] = [];
    for await (const events of recording.events()) arrays.push(events);
    const all = arrays.flat();
    expect(all).toEqual(await readByRow(recording));
    expect(Math.max(...arrays.map(({ length }) => length))).toBeLessThanOrEqual(4096);
    expect(all.filter(({ kind }) => kind === "spawn")).toHaveLength(spawned);
    expect(all.filter(({ kind }) => kind === "removal")).toHaveLength(COUNT - 5);
    expect(all.find(({ kind }) => kind === "collision")?.text).toBe("a 7 hits c 12");
    expect(all.findLast(({ kind }) => kind === "removal")?.text).toMatch(/ 19995 is removed$/);
    await recording.close();
  });
});
