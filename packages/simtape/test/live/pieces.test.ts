import { describe, expect, test } from "vitest";
import { allFormats } from "../../src/cli/input/formats.ts";
import { filesBundle, memory, MemoryFiles, open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { finishTake, openingFrom } from "../../src/live/finish.ts";
import { JournalReader, JournalWriter } from "../../src/live/journal.ts";
import { Pieces } from "../../src/live/pieces.ts";
import { mustBeSound } from "../../src/ops/sound.ts";
import { compareStates } from "./same-state.ts";
import { sample, samplesDirectory } from "../samples.ts";

/** Whose messages a program could have sent: see `every-format.test.ts`. */
const SAMPLES = [
  "nanover/17-ala-multiple.nanover.zip",
  "nanover/nanotube-methane-01.nanover.zip",
  "carla/2020-DistanceBetweenVehicles.log",
  "mira/multi.tape",
];
const PIECES = 4;
const MOST = 4000;
const EPOCH = 1_700_000_000_000_000_000n;

describe.skipIf(samplesDirectory === null)("a take in pieces", { timeout: 120_000 }, () => {
  test.each(SAMPLES)("has every message once, and each piece the whole state: %s", async (name) => {
    await using recording = await open(fromFile(sample(name)), { formats: allFormats() });
    const format = allFormats().find(({ id }) => id === recording.info.format)!;
    const times: number[] = [];
    for await (const batch of recording.batches())
      for (let i = 0; i < batch.length && times.length < MOST; i++) times.push(batch.time[i]!);
    const [start, last] = [times[0]!, times.at(-1)!];

    const journals: MemoryFiles[] = [];
    const next = async (): Promise<JournalWriter> => {
      const files = new MemoryFiles(`run-${journals.length}.take`);
      journals.push(files);
      return JournalWriter.begin(await files.open(), { version: 1, format: format.id, feed: "a test" }, 0n);
    };
    let ended = 0;
    const length = Math.floor((last - start) / PIECES);
    const keeper = new Pieces(await next(), { length, epoch: EPOCH, next, onEnd: () => void ended++ });
    const ids = recording.channels.map(({ name: channel, metadata }) => keeper.channel({ name: channel, metadata }));
    let count = 0;
    const often = Math.max(1, Math.floor(times.length / 100));
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length && count < MOST; i++, count++) {
        const time = batch.time[i]! - start;
        keeper.write(ids[batch.channel[i]!]!, time, time, batch.payload(i));
        if (count % often === 0) await keeper.flush();
      }
    }
    await keeper.close();
    expect(ended).toBe(journals.length);
    expect(journals.length).toBeGreaterThan(1);

    let messages = 0;
    let before: Recording | null = null;
    for (const [i, files] of journals.entries()) {
      const reader = await JournalReader.open(memory([...files.files.values()][0]!, "run.take"));
      const piece = new MemoryFiles(`run-${i}.${format.extensions[0]!}`);
      const opening = before === null ? [] : await openingFrom(before, format);
      messages += (await finishTake(reader, format, piece, opening)).messages;
      await reader.close();
      await before?.close();
      before = await open(filesBundle(piece.files, piece.name), { formats: allFormats() });
      const timeline = await before.timeline();
      await mustBeSound(before, []);
      // a recording may say less exactly when it began (CARLA: seconds), and not before it has a message
      const from = Number((reader.create.epoch ?? EPOCH) - EPOCH);
      const end = Math.min(last, start + from + timeline.end);
      compareStates(await before.state(timeline.end), await recording.state(end));
    }
    await before!.close();
    expect(messages).toBe(count);
  });
});
