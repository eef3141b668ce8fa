import { describe, expect, test } from "vitest";
import { matching } from "../../src/cli/input/glob.ts";
import { FORMATS, MemoryFiles, open, Recording, type State, type WritingFormat } from "../../src/index.ts";
import { Findings } from "../../src/model/error.ts";
import { applyEdits } from "../../src/ops/edit/apply.ts";
import type { Operation } from "../../src/ops/edit/list.ts";
import { writeEdited } from "../../src/ops/edit/write.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { SOUND, type SoundRecording } from "../specimens.ts";

function writingOf(of: SoundRecording): Promise<WritingFormat> {
  return FORMATS.find(({ id }) => id === of.format)!.writing!();
}

/** The recording with the operations laid over it; joining takes the recording itself once more. */
async function edited(of: SoundRecording, operations: readonly Operation[]): Promise<Recording> {
  const source = await open(of.bundle());
  const context = {
    writing: await writingOf(of),
    matching,
    open: async () => (await open(of.bundle())).reader,
  };
  const { reader } = await applyEdits(source.reader, { version: 1, operations }, context);
  return new Recording(reader, new Findings());
}

async function written(recording: Recording, of: SoundRecording): Promise<Recording> {
  const files = new MemoryFiles(Object.keys(of.files)[0]!);
  await writeEdited(recording.reader, await writingOf(of), files);
  const others = [...files.files].filter(([name]) => name !== files.name);
  return open(bundleOfFiles(Object.fromEntries([[files.name, files.bytes], ...others])));
}

/** What a format's writer lays out again: clocks and ends of frames, palettes, snapshots with their sections. */
const OWN: Readonly<Record<SoundRecording["format"], readonly string[]>> = {
  carla: ["frame-start", "frame-end"],
  hcrp: ["snapshot", "palette-add", "extension"],
  flightgear: [],
  mcap: [],
  mira: [],
  nanover: [],
};

/**
 * Time, channel and payload of every message that is not the format's own. Those of HCRP count from what stands before
 * them, and say the same in other bytes: their states are compared.
 */
async function messagesOf(recording: Recording, of: SoundRecording): Promise<string[]> {
  const found: string[] = [];
  const own = OWN[of.format];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name } = recording.channels[batch.channel[i]!]!;
      if (own.includes(name)) continue;
      const payload = of.format === "hcrp" ? "" : Buffer.from(batch.payload(i)).toString("base64");
      found.push(`${batch.time[i]} ${name} ${payload}`);
    }
  }
  return found;
}

function comparable({ values, sets }: State): unknown {
  return {
    // CARLA's frames are numbered, and reported how long they last, when they are written.
    values: Object.fromEntries([...values].filter(([path]) => path !== "frame" && path !== "frame-duration")),
    sets: Object.fromEntries(
      [...sets]
        .filter(([, set]) => set.ids.length > 0)
        .map(([name, set]) => [name, { ids: set.ids, columns: Object.fromEntries(set.columns) }]),
    ),
  };
}

describe.each(SOUND)("$format $name, edited and not written,", (of) => {
  const cases = async (): Promise<readonly (readonly Operation[])[]> => {
    await using original = await open(of.bundle());
    const { start, end, tick } = await original.timeline();
    const step = tick?.duration ?? 1e6;
    const at = (part: number): number => Math.round((start + (end - start) * part) / step) * step;
    const statistics = await original.statistics();
    const busy = original.channels.filter(({ id }) => statistics[id]!.messages > 0).map(({ name }) => name);
    const some = busy.findLast((name) => !OWN[of.format].includes(name))!;
    return [
      [{ op: "trim", from: at(0.3), until: at(0.8) }],
      [{ op: "shift", by: 20 * step }],
      [{ op: "filter", exclude: [some] }],
      [{ op: "redact", channels: [some], from: at(0.2), until: at(0.6) }],
      [{ op: "join", files: ["itself"], gap: 4 * step }],
      [
        { op: "trim", from: at(0.3), until: at(0.8) },
        { op: "join", files: ["itself"] },
        { op: "redact", channels: [some], from: at(0.5) },
      ],
      ...(of.format === "mira"
        ? [
            [{ op: "rename", channels: Object.fromEntries(busy.map((name) => [name, `/renamed${name}`])) } as const],
            [
              { op: "rename", channels: { [some]: "/renamed" } } as const,
              { op: "join", files: ["itself"] } as const,
              { op: "trim", from: at(0.5) } as const,
            ],
          ]
        : []),
    ];
  };

  test("has the messages and states of what is written", async () => {
    for (const operations of await cases()) {
      const reported = JSON.stringify(operations);
      await using virtual = await edited(of, operations);
      await using real = await written(virtual, of);
      const [timeline, again] = [await virtual.timeline(), await real.timeline()];
      const [before, after] = [await messagesOf(virtual, of), await messagesOf(real, of)];
      expect(after.length, reported).toBe(before.length);
      expect(after.find((text, i) => text !== before[i])?.slice(0, 80), reported).toBe(undefined);
      if (of.format !== "hcrp") expect([again.start, again.end], reported).toEqual([timeline.start, timeline.end]);
      for (const part of [0, 0.31, 0.62, 1]) {
        const time = Math.round(timeline.start + (timeline.end - timeline.start) * part);
        const state = comparable(await real.state(time));
        expect(state, `${reported} at ${time}`).toEqual(comparable(await virtual.state(time)));
      }
    }
  });
});
