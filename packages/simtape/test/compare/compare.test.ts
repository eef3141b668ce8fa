import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, type Comparison, type CompareOptions } from "../../src/compare/index.ts";
import { FORMATS, MemoryFiles, open, type Recording } from "../../src/index.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { REAL, SOUND, type SoundRecording } from "../specimens.ts";
import { differing, isAmong, perturbed, type Spot } from "./perturb.ts";

/** By format: how many changed values were found. */
const found = new Map<string, number>();
const ALL: readonly SoundRecording[] = [...SOUND, ...REAL.filter(({ files }) => size(files) < 130_000)];

function size(files: Readonly<Record<string, Uint8Array>>): number {
  return Object.values(files).reduce((sum, { length }) => sum + length, 0);
}

function opened(of: SoundRecording): Promise<Recording> {
  return open(of.bundle());
}

/** The messages of one recording, written by the format's own writer as those of `like`, and opened again. */
async function written(recording: Recording, like: Recording, name: string): Promise<Recording> {
  const to = new MemoryFiles(name);
  const writing = await FORMATS.find(({ id }) => id === like.info.format)!.writing!();
  const { epoch } = await like.timeline();
  const writer = await writing.create(to, { like: like.reader, epoch });
  const channels = recording.channels.map(({ name: called, schema, metadata }) =>
    writer.channel({ name: called, schema: schema.name, metadata }),
  );
  for await (const batch of recording.batches()) writer.append(batch, channels);
  await writer.close();
  return open(bundleOfFiles(Object.fromEntries(to.files)));
}

async function compared(a: Recording, b: Recording, options: CompareOptions = {}): Promise<Comparison> {
  const report = await compare(a, b, options);
  for (const { max, rms, curve } of report.paths)
    expect([max.error ?? 0, rms ?? 0, ...curve].every((number) => Number.isFinite(number) && number >= 0)).toBe(true);
  return report;
}

describe.each(ALL)("$format $name", (of) => {
  test("is the same as itself, without any state being folded", async () => {
    await using a = await opened(of);
    await using b = await opened(of);
    const { same, first, paths, onlyIn, events } = await compared(a, b);
    expect([same, first, paths, onlyIn]).toEqual([true, null, [], { a: [], b: [] }]);
    expect(events.differing).toBe(0);
  });

  test("is the same as itself, tick by tick", async () => {
    await using a = await opened(of);
    await using b = await opened(of);
    const { same, first, moments } = await compared(a, b, { align: "tick" });
    expect([same, first]).toEqual([true, null]);
    expect(moments).toBeGreaterThan(0);
  });

  test("a byte changed in one message is found at its time and path, when a value changes by that", async () => {
    await using a = await opened(of);
    const rows: { row: number; time: number; length: number }[] = [];
    for await (const batch of a.batches())
      for (let i = 0; i < batch.length; i++)
        if (a.reader.state.holds?.(batch.channel[i]!) !== false && batch.end[i]! > batch.start[i]!)
          rows.push({ row: batch.sequence[i]!, time: batch.time[i]!, length: batch.end[i]! - batch.start[i]! });
    let changed = 0;
    const spot = fc.record({ row: fc.nat(), at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(spot, async (any) => {
        const { row, time, length } = rows[any.row % rows.length]!;
        const place: Spot = { row, at: any.at % length, by: any.by };
        const paths = differing(await a.state(time), await perturbed(a, place).state(time));
        if (paths.size === 0) return;
        const b = await written(perturbed(a, place), a, Object.keys(of.files)[0]!);
        try {
          const there = differing(await a.state(time), await b.state(time));
          if (there.size === 0) return;
          changed++;
          const { same, first } = await compared(a, b);
          const reported = JSON.stringify([place, first, [...there].slice(0, 9)]);
          expect([same, first?.time], reported).toEqual([false, time]);
          if (first!.kind !== "event") expect(isAmong(first!.path, there), reported).toBe(true);
          const back = await compared(b, a);
          expect([back.first?.time, back.first?.path], reported).toEqual([time, first!.path]);
          expect([back.first?.a, back.first?.b], reported).toEqual([first?.b, first?.a]);
        } finally {
          await b.close();
        }
      }),
      { numRuns: tries(size(of.files) < 50_000 ? 12 : 4, 200), seed: 32 },
    );
    found.set(of.format, (found.get(of.format) ?? 0) + changed);
  });
});

test("values of every format were changed, and found", () => {
  expect([...found.keys()].sort()).toEqual(["carla", "flightgear", "hcrp", "mcap", "mira", "nanover"]);
  expect(Math.min(...found.values())).toBeGreaterThan(0);
});
