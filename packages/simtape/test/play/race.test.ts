import fc from "fast-check";
import { expect, test } from "vitest";
import type { Bounds } from "../../src/play/passage.ts";
import type { Frame } from "../../src/play/frame.ts";
import { type Player, play } from "../../src/play/player.ts";
import { CountingReader, lastOf, recordingOf, STEP } from "./fake.ts";
import { ManualClock, settled } from "./manual-clock.ts";

const COUNT = 600;
const END = (COUNT - 1) * STEP;
const LITTLE = 30 * 16 * 512;

/** What a player must be like, said as simply as can be: what was asked of it last. */
class Model {
  wantsToPlay = false;
  rate = 1;
  loop: Bounds | null = null;
  /** Where it must come to before anything else; null when it has. */
  target: number | null = 0;
  /** Where it was sent since it came anywhere: what was overtaken may be shown in passing. */
  asked: number[] = [0];
  isClosed = false;
  /** The last frame, and when it was shown. */
  shown: { readonly time: number; readonly at: number } | null = null;
  /** Fastest since the last frame. */
  speed = 1;
}

interface World {
  readonly clock: ManualClock;
  readonly reader: CountingReader;
  readonly player: Player;
  readonly seeks: Promise<boolean>[];
}

class Asked implements fc.AsyncCommand<Model, World> {
  readonly #name: string;
  readonly #ask: (model: Model, world: World) => void | Promise<void>;

  constructor(name: string, ask: (model: Model, world: World) => void | Promise<void>) {
    this.#name = name;
    this.#ask = ask;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, world: World): Promise<void> {
    await this.#ask(model, world);
    const { phase } = world.player.status;
    if (model.isClosed) expect(phase).toBe("closed");
    else if (model.target !== null) expect(phase).toBe("loading");
    else if (model.wantsToPlay) expect(["playing", "buffering", "ended", "loading"]).toContain(phase);
    else expect(["paused", "ended"]).toContain(phase);
    const isActive = phase === "playing" || phase === "buffering" || phase === "loading";
    expect(world.clock.alarms, "one activity at a time").toBeLessThanOrEqual(isActive ? 1 : 0);
  }

  toString(): string {
    return this.#name;
  }
}

const rate = fc.constantFrom(1, 4, 64, 0.25, -1, -4, -64);
const time = fc.integer({ min: 0, max: END });

const commands = [
  fc.constant(
    new Asked("play", (model, { player }) => {
      const { time: at, phase } = player.status;
      const far = player.status.rate > 0 ? END : 0;
      // From the far edge it starts over, unless it loops there.
      if ((phase === "paused" || phase === "ended") && at === far && !isLooping(model, at)) {
        model.target = END - far;
        model.asked.push(END - far);
      }
      if (!model.isClosed) model.wantsToPlay = true;
      player.play();
    }),
  ),
  fc.constant(
    new Asked("pause", (model, { player }) => {
      model.wantsToPlay = false;
      player.pause();
    }),
  ),
  time.map(
    (to) =>
      new Asked(`seek ${to}`, (model, { player, seeks }) => {
        if (!model.isClosed) model.target = to;
        model.asked.push(to);
        // At the end a player rests: a seek from there does not play on.
        if (player.status.phase === "ended") model.wantsToPlay = false;
        seeks.push(player.seek(to));
      }),
  ),
  rate.map(
    (to) =>
      new Asked(`rate ${to}`, (model, { player }) => {
        model.rate = to;
        model.speed = Math.max(model.speed, Math.abs(to));
        player.setRate(to);
      }),
  ),
  fc.option(fc.tuple(time, time)).map(
    (range) =>
      new Asked(`loop ${String(range)}`, (model, { player }) => {
        model.loop = range === null || range[0] >= range[1] ? null : { start: range[0], end: range[1] };
        player.setLoop(model.loop);
      }),
  ),
  fc
    .integer({ min: 1, max: 500 })
    .map((milliseconds) => new Asked(`wait ${milliseconds}`, (_, { clock }) => clock.advance(milliseconds * 1e6))),
  fc
    .integer({ min: 1, max: 5000 })
    .map((milliseconds) => new Asked(`sleep ${milliseconds}`, (_, { clock }) => clock.sleep(milliseconds * 1e6))),
  fc.nat(3).map(
    (count) =>
      new Asked(`${count} chunks come`, async (_, { reader }) => {
        for (const go of reader.waiting.splice(0, count)) go();
        await settled();
      }),
  ),
  fc.boolean().map(
    (isSlow) =>
      new Asked(isSlow ? "slow" : "quick", async (_, { reader }) => {
        reader.isSlow = isSlow;
        if (!isSlow) for (const go of reader.waiting.splice(0)) go();
        await settled();
      }),
  ),
];

function isLooping({ loop, rate: by }: Model, at: number): boolean {
  return loop !== null && (by > 0 ? at <= loop.end : at >= loop.start);
}

/** What every frame must be, whatever was asked before. */
function watch(model: Model, world: World): (frame: Frame) => void {
  return (frame) => {
    const { clock } = world;
    expect(model.isClosed).toBe(false);
    expect(lastOf(frame.state), "a state of the recording, and of this time").toBe(Math.floor(frame.time / STEP));
    if (frame.cause === "seek") {
      expect(model.asked).toContain(frame.time);
      if (frame.time === model.target) {
        model.target = null;
        model.asked = [];
      }
    } else {
      expect(model.target, "nothing is shown before what was asked for").toBeNull();
      expect(model.wantsToPlay).toBe(true);
      const { time: before, at } = model.shown!;
      const gone = Math.min(clock.now() - at, 0.3e9 + 20e6) * model.speed;
      if (frame.cause === "play") expect(Math.abs(frame.time - before)).toBeLessThanOrEqual(gone + 2);
    }
    model.shown = { time: frame.time, at: clock.now() };
    model.speed = Math.abs(model.rate);
  };
}

test("whatever is asked in whatever order, over a source as slow as it likes, every state shown is right", async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60 }), async (asked) => {
      const clock = new ManualClock();
      const reader = new CountingReader(COUNT);
      const player = play(recordingOf(reader), { clock, memory: LITTLE, interpolate: false });
      const model = new Model();
      const world: World = { clock, reader, player, seeks: [] };
      const failures: unknown[] = [];
      const check = watch(model, world);
      player.subscribe((frame) => {
        try {
          check(frame);
        } catch (error) {
          failures.push(error);
        }
      });
      await fc.asyncModelRun(() => ({ model, real: world }), asked);
      // Everything comes in the end.
      reader.isSlow = false;
      for (let turn = 0; turn < 20 && reader.waiting.length > 0; turn++) {
        for (const go of reader.waiting.splice(0)) go();
        await settled();
      }
      await clock.advance(0.1e9);
      if (failures.length > 0) throw failures[0];
      expect(player.status.phase).not.toBe("failed");
      expect(player.status.phase).not.toBe("loading");
      expect(model.target).toBeNull();
      player.pause();
      model.wantsToPlay = false;
      model.isClosed = true;
      await player.close();
      await Promise.all(world.seeks);
      await clock.advance(1e9);
      expect(clock.alarms, "nothing goes on after the end").toBe(0);
      if (failures.length > 0) throw failures[0];
    }),
    { numRuns: Number(process.env["RACE_RUNS"] ?? 150) },
  );
});
