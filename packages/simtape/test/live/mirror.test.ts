import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allFormats } from "../../src/cli/input/formats.ts";
import { memoryStore, open, type Recording, type State, storeBundle, type Time } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { Mirror } from "../../src/live/mirror.ts";
import { record, type Recorder } from "../../src/record/index.ts";
import { META } from "../../src/record/live/recording-folder.ts";

const BALL = fileURLToPath(new URL("../../../../examples/buckyball.nanover.zip", import.meta.url));
const TICK = 50e6;

interface Mirrored {
  readonly result: Recording;
  readonly recorder: Recorder;
}

/** `reported` may tell other times than those of the source, and gaps. */
async function mirrored(
  source: Recording,
  reported: (mirror: Mirror, time: Time) => Time = (_, time) => time,
): Promise<Mirrored> {
  const store = memoryStore();
  const format = allFormats().find(({ id }) => id === source.info.format)!;
  let recorder: Recorder | null = null;
  const mirror = new Mirror(format, async (epoch) => {
    recorder = await record(store, { id: "run", epoch, buffer: { policy: "block" } });
    return recorder;
  });
  mirror.describe(0, { epoch: 5_000_000_000n });
  const ids = source.channels.map(({ name, metadata }) => mirror.channel({ name, metadata }));
  const { start } = await source.timeline();
  let count = 0;
  for await (const batch of source.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const time = reported(mirror, batch.time[i]! - start);
      mirror.write(ids[batch.channel[i]!]!, time, time, batch.payload(i));
      if (mirror.ready !== null) await mirror.ready;
      // folded in pieces, as it is while a program runs
      if (++count % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 210));
    }
  }
  await mirror.close();
  await recorder!.close();
  return {
    result: await open(storeBundle(store, `run/${META}`).source, { formats: allFormats(), seekIndex: false }),
    recorder: recorder!,
  };
}

/** Everything that holds, in an order of its own. */
function plain({ values, sets }: State): unknown {
  const order = ([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number =>
    a < b ? -1 : 1;
  const filled = [...sets].filter(([, { ids }]) => ids.length > 0);
  return {
    values: [...values].toSorted(order),
    sets: filled
      .map(([name, { ids, columns }]) => {
        const cells = [...columns].toSorted(order).map(([key, { data }]) => [key, [...data]]);
        return [name, [...ids].map(String), cells] as const;
      })
      .toSorted(order),
  };
}

describe("a mirror", () => {
  test("has the state that it is given, at every tick", { timeout: 60_000 }, async () => {
    await using source = await open(fromFile(BALL), { formats: allFormats(), seekIndex: false });
    const { result, recorder } = await mirrored(source);
    const { start, end } = await source.timeline();
    expect(recorder.status.dropped).toEqual({});
    expect((await result.timeline()).epoch).toBe(5_000_000_000n);
    const ticks = Math.floor((end - start) / TICK);
    for (let tick = 0; tick <= ticks; tick += 7) {
      const expected = await source.state(start + tick * TICK);
      expect(plain(await result.state(tick * TICK)), `tick ${tick}`).toEqual(plain(expected));
    }
    expect(plain(await result.state((ticks + 2) * TICK))).toEqual(plain(await source.state(end)));
    await result.close();
  });

  test("goes on where the clock of its source falls back, and marks gaps", { timeout: 60_000 }, async () => {
    await using source = await open(fromFile(BALL), { formats: allFormats(), seekIndex: false });
    const { start, end } = await source.timeline();
    const half = (end - start) / 2;
    let isOver = false;
    const { result } = await mirrored(source, (mirror, time) => {
      if (time < half) return time;
      if (!isOver) mirror.gap({ from: half, until: half + 3e9, reason: "a cable was cut" });
      isOver = true;
      // the program begins again at 0
      return time - half;
    });
    const { end: last } = await result.timeline();
    expect(last).toBeGreaterThan(end - start - 4 * TICK);
    expect(last).toBeLessThan(end - start + 4 * TICK);
    expect(plain(await result.state(last))).toEqual(plain(await source.state(end)));
    const labels: string[] = [];
    for await (const events of result.events()) for (const event of events) labels.push(JSON.stringify(event.value));
    expect(labels.filter((label) => label.includes("nothing for 3.0 s: a cable was cut"))).toHaveLength(1);
    await result.close();
  });
});
