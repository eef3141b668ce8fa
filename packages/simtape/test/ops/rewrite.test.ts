import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { demo as carla } from "../../../demo/src/carla.ts";
import { demo as flightgear } from "../../../demo/src/flightgear.ts";
import { demo as hcrp } from "../../../demo/src/hcrp.ts";
import { demo as mira } from "../../../demo/src/mira.ts";
import { demo as nanover } from "../../../demo/src/nanover.ts";
import { FORMATS, MemoryFiles, open } from "../../src/index.ts";
import { rewrite } from "../../src/ops/copy.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { type Content, makeTape } from "../fixtures/mira/tape.ts";
import { type Moment, stateOf, trajOf, zipOf } from "../fixtures/nanover/containers.ts";
import { tries } from "../soak.ts";

type Files = Readonly<Record<string, Uint8Array>>;

/** Reads the recording and writes its messages again: the files must be the same. */
async function expectSame(files: Files, reported: string): Promise<void> {
  await using recording = await open(bundleOfFiles(files));
  const to = new MemoryFiles(Object.keys(files)[0]!);
  const writing = await FORMATS.find(({ id }) => id === recording.info.format)!.writing!();
  await rewrite(recording, writing, to);
  expect([...to.files.keys()].sort(), reported).toEqual(Object.keys(files).sort());
  for (const [name, bytes] of Object.entries(files)) {
    expect(Buffer.compare(to.files.get(name)!, bytes), `${reported}: ${name}`).toBe(0);
  }
}

describe("a random recording that is read and written is the same to the byte", () => {
  test.each([
    ["town.log", carla],
    ["flight.fgtape", flightgear],
    ["race.hcrp", hcrp],
    ["robot.tape", mira],
    ["molecule.nanover.zip", nanover],
    ["molecule.traj", nanover],
  ] as const)("%s, simulated", async (name, demo) => {
    const options = fc.record({
      seconds: fc.integer({ min: 1, max: 30 }).map((tenths) => tenths / 10),
      entities: fc.integer({ min: 1, max: 8 }),
      seed: fc.integer({ min: 1, max: 1e6 }),
    });
    await fc.assert(
      fc.asyncProperty(options, async (of) => {
        const made = new MemoryFiles(name);
        await demo(of, made);
        const others = [...made.files].filter(([other]) => other !== name);
        await expectSame(Object.fromEntries([[name, made.bytes], ...others]), JSON.stringify(of));
      }),
      { numRuns: tries(4, 60) },
    );
  });

  test("tapes of any channels and payloads", async () => {
    const name = fc.stringMatching(/^\/[a-z]{1,6}(\/[a-z]{1,6})?$/);
    const content = fc.uniqueArray(name, { minLength: 1, maxLength: 4 }).chain((names) =>
      fc.record({
        types: fc.tuple(...names.map(() => fc.constantFrom("double", "std::string", "robot::Odometry2", "mine::T"))),
        metas: fc.tuple(...names.map(() => fc.uint8Array({ maxLength: 40 }))),
        messages: fc.array(
          fc.record({
            channel: fc.constantFrom(...names),
            step: fc.integer({ min: 0, max: 2e9 }),
            data: fc.uint8Array({ maxLength: 60 }),
            frame: fc.constantFrom("", "/map", "/robot"),
            sequence: fc.nat(0xffff_ffff),
          }),
          { maxLength: 30 },
        ),
        names: fc.constant(names),
      }),
    );
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 100, max: 4000 }), async (of, maxBlock) => {
        let time = 0;
        const messages = of.messages.map(({ step, ...message }) => {
          time += step;
          return { ...message, time };
        });
        const channels: Content["channels"] = Object.fromEntries(
          // A tape knows of the channels that speak.
          of.names.flatMap((channel, i) =>
            messages.some((message) => message.channel === channel)
              ? [[channel, { type: of.types[i]!, meta: of.metas[i]! }]]
              : [],
          ),
        );
        const tape = makeTape({ start: 1_777_883_400_000_000_000n, zoneOffset: 0n, channels, messages }, { maxBlock });
        await expectSame({ "a.tape": tape }, JSON.stringify(of));
      }),
      { numRuns: tries(40, 500) },
    );
  });

  test("NanoVer recordings of any frames and updates, in each container", async () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.string(), fc.boolean());
    const key = fc.stringMatching(/^[a-z]{1,8}(\.[a-z]{1,8})?$/);
    const frame = fc.dictionary(key, value, { maxKeys: 5 });
    const state = fc.record({
      updates: fc.dictionary(key, value, { maxKeys: 4 }),
      removals: fc.constant([] as string[]),
    });
    const moments = fc.array(
      fc.record({ step: fc.integer({ min: 1, max: 1e6 }), frame: fc.option(frame), state: fc.option(state) }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(moments, async (list) => {
        let microseconds = 0;
        let index = 0;
        const all = list.flatMap(({ step, frame: keys, state: update }): Moment[] => {
          microseconds += step;
          if (keys === null && update === null) return [];
          return [
            {
              microseconds,
              frame: keys === null ? undefined : { "frame.index": index++, ...keys },
              state: update ?? undefined,
            },
          ];
        });
        if (all.length === 0) return;
        await expectSame({ "a.nanover.zip": zipOf(all) }, JSON.stringify(all));
        if (all.some((of) => of.frame !== undefined) && all.some((of) => of.state !== undefined)) {
          await expectSame({ "a.traj": trajOf(all), "a.state": stateOf(all) }, JSON.stringify(all));
        }
      }),
      { numRuns: tries(40, 500) },
    );
  });
});
