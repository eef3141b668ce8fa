import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matching } from "../../src/cli/input/glob.ts";
import { FORMATS, MemoryFiles, open as openRecording, type Recording } from "../../src/index.ts";
import { check } from "../../src/ops/check.ts";
import { applyEdits } from "../../src/ops/edit/apply.ts";
import type { Operation } from "../../src/ops/edit/list.ts";
import { writeEdited } from "../../src/ops/edit/write.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { SOUND, type SoundRecording } from "../specimens.ts";

/** The channel of which there is one message for each frame. */
const FRAMES: Readonly<Partial<Record<SoundRecording["format"], string>>> = {
  carla: "frame-start",
  flightgear: "signals",
  mira: "/robot/Odometry",
};
const FRAMED = SOUND.filter(({ format }) => FRAMES[format] !== undefined);

async function written(of: SoundRecording, operations: readonly Operation[]): Promise<Recording> {
  await using source = await openRecording(of.bundle());
  const writing = await FORMATS.find(({ id }) => id === of.format)!.writing!();
  const open = async () => (await openRecording(of.bundle())).reader;
  const { reader } = await applyEdits(source.reader, { version: 1, operations }, { writing, matching, open });
  const files = new MemoryFiles(Object.keys(of.files)[0]!);
  await writeEdited(reader, writing, files);
  return openRecording(bundleOfFiles({ [files.name]: files.bytes, ...Object.fromEntries(files.files) }));
}

interface Frame {
  readonly time: number;
  readonly value: unknown;
}

async function framesOf(recording: Recording, of: SoundRecording): Promise<Frame[]> {
  const channel = recording.channels.find(({ name }) => name === FRAMES[of.format])!;
  const found: Frame[] = [];
  for await (const batch of recording.batches({ channels: [channel] }))
    for (let i = 0; i < batch.length; i++)
      found.push({ time: batch.time[i]!, value: channel.schema.decode(batch.payload(i), batch.context) });
  return found;
}

/** An edit, by parts of a thousand of the recording's frames, and the times that its frames then have. */
interface Edit {
  readonly op: "trim" | "join" | "shift" | "filter" | "redact" | "trim and join";
  readonly a: number;
  readonly b: number;
  /** Between two frames. */
  readonly isBetween: boolean;
}
const edit: fc.Arbitrary<Edit> = fc.record({
  op: fc.constantFrom("trim", "join", "shift", "filter", "redact", "trim and join"),
  a: fc.nat(999),
  b: fc.nat(999),
  isBetween: fc.boolean(),
});

describe.each(FRAMED)("frames of $format $name, edited,", (of) => {
  test("have times that rise, and are as many as before", async () => {
    await using source = await openRecording(of.bundle());
    const times = (await framesOf(source, of)).map(({ time }) => time);
    const isRising = (all: readonly number[]): boolean => all.every((time, i) => i === 0 || time > all[i - 1]!);
    expect(isRising(times)).toBe(true);
    const own = new Set([FRAMES[of.format]!, "frame-end"]);
    const other = source.channels.find(({ name }) => !own.has(name))!.name;
    const binding = await bindingIn(source);
    const at = (part: number): number => Math.floor((part * times.length) / 1000 + 1e-9);
    const binds = (times.findIndex((time) => binding.has(time)) * 1000) / times.length;
    const expectRising = async ({ op, a, b, isBetween }: Edit): Promise<void> => {
      const [first, last] = [Math.min(at(a), at(b)), Math.max(at(a), at(b))];
      const by = isBetween && first > 0 ? Math.floor((times[first]! - times[first - 1]!) / 2e3) * 1e3 : 0;
      const from = times[first]! - by;
      const until = times[last]! + 1000;
      const range = { from, until };
      const cut = times.slice(first, last + 1).map((time) => time - from);
      const operations: Readonly<Record<Edit["op"], readonly Operation[]>> = {
        trim: [{ op: "trim", ...range }],
        join: [{ op: "join", files: ["itself"], gap: 1e6 }],
        shift: [{ op: "shift", by: 1e9 }],
        filter: [{ op: "filter", exclude: [other] }],
        redact: [{ op: "redact", channels: ["*", "/**"], ...range }],
        "trim and join": [
          { op: "trim", ...range },
          { op: "join", files: ["itself"] },
        ],
      };
      const reported = JSON.stringify(operations[op]);
      if (op === "redact" && last - first + 1 === times.length) return;
      await using result = await written(of, op === "redact" ? operations.redact.map(allOf(source)) : operations[op]);
      const frames = await framesOf(result, of);
      const found = frames.map(({ time }) => time);
      expect(isRising(found), `${reported}: ${found.slice(0, 9).join(" ")}`).toBe(true);
      // where a cut lies between frames, one of its own says what holds there
      const opening = from < times[first]! ? [0] : [];
      // one that binds actors cannot be a frame 1
      const begins =
        opening.length === 0 && binding.has(from) && first > 0 ? [0, 1, ...cut.slice(1)] : [...opening, ...cut];
      const left = [...times.slice(0, first), ...times.slice(last + 1)];
      if (op === "redact" && first === 0 && binding.has(left[0]!)) left.unshift(left[0]! - 1);
      const second = found[begins.length] ?? 0;
      const expected: Readonly<Record<Edit["op"], readonly number[]>> = {
        trim: begins,
        join: [...times, ...times.map((time) => time - times[0]! + found[times.length]!)],
        shift: times.map((time) => time + 1e9),
        filter: times,
        redact: left,
        "trim and join": [...begins, ...times.map((time) => time - times[0]! + second)],
      };
      expect(found, reported).toEqual(expected[op]);
      expect((await check(result)).status, reported).toBe("sound");
      if (of.format === "carla") expectAddedUp(frames, reported);
    };
    await fc.assert(fc.asyncProperty(edit, expectRising), {
      numRuns: tries(6, 500),
      examples: (["trim", "join", "trim and join"] as const)
        .map((op): Edit => ({ op, a: 300, b: 800, isBetween: false }))
        // a frame in which actors are bound
        .concat(...(binds < 0 ? [] : [{ op: "trim", a: binds, b: 999, isBetween: false } as const]))
        .concat(
          ...(binds < 0 ? [] : [{ op: "redact", a: 0, b: binds - 1000 / times.length, isBetween: false } as const]),
        )
        .map((one): [Edit] => [one]),
    });
  });
});

/** Times of CARLA's frames in which actors are bound to others. */
async function bindingIn(source: Recording): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const channel = source.channels.find(({ name }) => name === "event-parent");
  if (channel === undefined) return found;
  for await (const batch of source.batches({ channels: [channel] }))
    for (let i = 0; i < batch.length; i++) if (batch.end[i]! - batch.start[i]! > 2) found.add(batch.time[i]!);
  return found;
}

function allOf(source: Recording): (operation: Operation) => Operation {
  return (operation) => ({ ...operation, channels: source.channels.map(({ name }) => name) }) as Operation;
}

/** Frames are numbered one after the other, and each lasts until the next begins. */
function expectAddedUp(frames: readonly Frame[], reported: string): void {
  const all = frames.map(({ value }) => value as { frame: number; durationThis: number; elapsed: number });
  for (const [i, { frame, durationThis, elapsed }] of all.entries()) {
    expect(frame, reported).toBe(i + 1);
    if (i + 1 < all.length)
      expect(elapsed + durationThis, `${reported}, frame ${frame}`).toBeCloseTo(all[i + 1]!.elapsed, 9);
  }
}
