import { describe, expect, test } from "vitest";
import { allFormats } from "../../src/cli/input/formats.ts";
import { filesBundle, memory, MemoryFiles, open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { JournalReader, JournalWriter } from "../../src/live/journal.ts";
import { LiveRing } from "../../src/live/ring.ts";
import { compareStates } from "./same-state.ts";
import { sample, samplesDirectory } from "../samples.ts";

/**
 * Recordings whose messages stand alone, so that a program could have sent them: those of FlightGear refer to the list of
 * signals in the head of the file, those of HCRP to palettes of their chunk.
 */
const SAMPLES = [
  "nanover/17-ala-multiple.nanover.zip",
  "nanover/nanotube-methane-01.nanover.zip",
  "carla/2020-DistanceBetweenVehicles.log",
  "carla/synthetic_0.9.15_ids.log",
];
/** Messages that are taken of each. */
const MOST = 4000;

describe.skipIf(samplesDirectory === null)("messages of every format", { timeout: 60_000 }, () => {
  test.each(SAMPLES)("come out of a journal, and a ring has the state of all of them: %s", async (name) => {
    await using recording = await open(fromFile(sample(name)), { formats: allFormats() });
    const format = allFormats().find(({ id }) => id === recording.info.format)!;
    const { start } = await recording.timeline();
    let last = start;
    let count = 0;
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length && count < MOST; i++, count++) last = batch.time[i]!;
      if (count === MOST) break;
    }
    // a short one is stretched, so that a ring of three seconds has something to drop
    const stretch = Math.max(1, Math.ceil(12e9 / (last - start)));
    const files = new MemoryFiles("run.take");
    const journal = await JournalWriter.begin(
      await files.open(),
      { version: 1, format: format.id, feed: "a test" },
      0n,
    );
    const ring = new LiveRing(format, { length: 3e9 });
    const ids = recording.channels.map(({ name: channel, metadata }) => [
      journal.channel({ name: channel, metadata }),
      ring.channel({ name: channel, metadata }),
    ]);
    const sent: string[] = [];
    let end = start;
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length && sent.length < MOST; i++) {
        const payload = batch.payload(i);
        const time = (batch.time[i]! - start) * stretch;
        const [inJournal, inRing] = ids[batch.channel[i]!] as [number, number];
        journal.write(inJournal, time, time, payload);
        ring.write(inRing, time, time, payload);
        sent.push(`${batch.channel[i]!} ${time} ${Buffer.from(payload).toString("base64")}`);
        end = batch.time[i]!;
      }
      await ring.flush();
      if (sent.length === MOST) break;
    }
    await journal.close();

    const found: string[] = [];
    const reader = await JournalReader.open(memory([...files.files.values()][0]!, "run.take"));
    const names: string[] = [];
    await reader.visit({
      channel: (id, channel) => {
        names[id] = channel.name;
      },
      message: (id, time, payload) => {
        const channel = recording.channels.find((one) => one.name === names[id])!;
        found.push(`${channel.id} ${time} ${Buffer.from(payload).toString("base64")}`);
      },
    });
    await reader.close();
    expect(found.length).toBe(sent.length);
    expect(found.toSorted()).toEqual(sent.toSorted());

    const clip = new MemoryFiles(`clip.${format.extensions[0]!}`);
    const { start: from } = await ring.save(clip, 0n);
    expect(from).toBeGreaterThan(0);
    await using kept = await open(filesBundle(clip.files, clip.name), { formats: allFormats() });
    compareStates(await kept.state((await kept.timeline()).end), await recording.state(end));
  });
});
