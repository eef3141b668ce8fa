import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matching } from "../../src/cli/input/glob.ts";
import { parseDuration } from "../../src/cli/input/time.ts";
import { FORMATS, MemoryFiles, open, Recording, type State } from "../../src/index.ts";
import { Findings } from "../../src/model/error.ts";
import { applyEdits } from "../../src/ops/edit/apply.ts";
import { EditError, type Operation, parseEditList } from "../../src/ops/edit/list.ts";
import { writeEdited } from "../../src/ops/edit/write.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { REAL, SOUND, type SoundRecording } from "../specimens.ts";

async function edited(
  of: SoundRecording,
  operations: readonly Operation[],
  others: readonly SoundRecording[] = [],
): Promise<Recording> {
  const source = await open(of.bundle());
  const { reader } = await applyEdits(
    source.reader,
    { version: 1, operations },
    {
      writing: await writingOf(of),
      matching,
      open: async (name) => (await open(others.find((other) => other.name === name)!.bundle())).reader,
    },
  );
  return new Recording(reader, new Findings());
}

function writingOf(of: SoundRecording) {
  return FORMATS.find(({ id }) => id === of.format)!.writing!();
}

/** Writes it, and opens what was written. */
async function written(recording: Recording, of: SoundRecording): Promise<Recording> {
  const files = new MemoryFiles(Object.keys(of.files)[0]!);
  await writeEdited(recording.reader, await writingOf(of), files);
  const names = [files.name, ...[...files.files.keys()].filter((name) => name !== files.name)];
  return open(bundleOfFiles(Object.fromEntries(names.map((name) => [name, files.files.get(name)!]))));
}

/** Values and rows, by name; sets without rows and the times of frames do not count. */
function comparable({ values, sets }: State): unknown {
  return {
    values: Object.fromEntries(
      [...values].filter(([path]) => !/^(frame|frame\.index|frame-duration|collisions|chat|marks?\b.*)$/.test(path)),
    ),
    sets: Object.fromEntries(
      [...sets]
        .filter(([, set]) => set.ids.length > 0)
        .map(([name, set]) => [
          name,
          { ids: set.ids, columns: Object.fromEntries([...set.columns].filter(([column]) => column !== "heard")) },
        ]),
    ),
  };
}

/** Real ones are large: every third usually, all in the long run. */
const some = REAL.filter((_, i) => i % tries(3, 1) === 0);

describe.each([...SOUND, ...some])("$format $name", (of) => {
  test("a trimmed recording has the original's state at every shared time, before and after writing", {
    timeout: 120_000,
  }, async () => {
    await using original = await open(of.bundle());
    const { start, end } = await original.timeline();
    const tick = (await original.timeline()).tick?.duration ?? 1;
    const grid = (time: number): number => Math.round(time / tick) * tick;
    const from = grid(start + (end - start) * 0.37);
    const until = grid(start + (end - start) * 0.81) + tick;
    if (until <= from) return;
    await using cut = await edited(of, [{ op: "trim", from, until }]);
    await using again = await written(cut, of);
    expect(again.findings.filter(({ severity }) => severity === "damage" || severity === "loss")).toEqual([]);
    const times = fc
      .sample(fc.integer({ min: from, max: until - tick }), {
        numRuns: SOUND.includes(of) ? tries(5, 30) : tries(1, 6),
        seed: 1,
      })
      .map(grid)
      .filter((time) => time >= from);
    for (const time of [from, ...times]) {
      const expected = comparable(await original.state(time));
      expect(comparable(await cut.state(time - from)), `edited at ${time}`).toEqual(expected);
      expect(comparable(await again.state(time - from)), `written at ${time}`).toEqual(expected);
    }
  });

  test("shifting keeps every message and its wall clock", async () => {
    await using original = await open(of.bundle());
    await using shifted = await edited(of, [{ op: "shift", by: 5e9 }]);
    const [a, b] = [await original.timeline(), await shifted.timeline()];
    expect(b.start - a.start).toBe(5e9);
    if (a.epoch !== null) expect(b.epoch! + BigInt(b.start)).toBe(a.epoch + BigInt(a.start));
    expect((await shifted.statistics()).map(({ messages }) => messages)).toEqual(
      (await original.statistics()).map(({ messages }) => messages),
    );
  });
});

describe("edit lists", () => {
  const parse = (document: unknown) => parseEditList(document, parseDuration);

  test("take times as numbers and as texts", () => {
    const list = parse({ version: 1, operations: [{ op: "trim", from: "1.5s", until: 2e9 }] });
    expect(list.operations).toEqual([{ op: "trim", from: 1.5e9, until: 2e9 }]);
  });

  test.each([
    [{ version: 2, operations: [] }, "version", "expected 1, found 2"],
    [{ version: 1 }, "operations", "expected a list, found nothing"],
    [
      { version: 1, operations: [{ op: "explode" }] },
      "operations[0].op",
      'expected one of trim, shift, filter, rename, redact, annotate, join, found "explode"',
    ],
    [{ version: 1, operations: [7] }, "operations[0]", "expected an object, found 7"],
    [
      { version: 1, operations: [{ op: "trim", from: "soon" }] },
      "operations[0].from",
      'expected a duration such as 12.5s, 1m30s, 250ms, 0:03.400, found "soon"',
    ],
    [
      { version: 1, operations: [{ op: "trim", from: null }] },
      "operations[0].from",
      "expected a number or a duration such as 12.5s, 1m30s, 250ms, 0:03.400, found null",
    ],
    [
      { version: 1, operations: [{ op: "trim", form: 1 }] },
      "operations[0]",
      'expected only op, from, until, found "form"',
    ],
    [
      { version: 1, operations: [{ op: "shift" }] },
      "operations[0].by",
      "expected a number or a duration such as 12.5s, 1m30s, 250ms, 0:03.400, found nothing",
    ],
    [
      { version: 1, operations: [{ op: "redact", channels: [] }] },
      "operations[0].channels",
      "expected a list of one or more, found []",
    ],
    [
      { version: 1, operations: [{ op: "rename", channels: { a: "" } }] },
      "operations[0].channels.a",
      'expected a name, found ""',
    ],
    [[], "list", "expected an object, found []"],
  ])("say where they are wrong: %j", (document, path, what) => {
    let found: unknown;
    try {
      parse(document);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(EditError);
    expect((found as EditError).path).toBe(path);
    expect((found as EditError).message).toBe(`${path}: ${what}`);
  });

  test("filter, redact and rename change what comes out", async () => {
    const of = SOUND.find(({ format }) => format === "mira")!;
    await using all = await open(of.bundle());
    const counts = async (recording: Recording): Promise<Map<string, number>> => {
      const statistics = await recording.statistics();
      return new Map(recording.channels.map(({ id, name }) => [name, statistics[id]!.messages]));
    };
    const before = await counts(all);
    const [name] = [...before].sort((a, b) => b[1] - a[1])[0]!;
    await using without = await edited(of, [{ op: "filter", exclude: [name] }]);
    expect((await counts(without)).get(name)).toBe(0);
    const { end } = await all.timeline();
    await using redacted = await edited(of, [{ op: "redact", channels: [name], from: 0, until: end / 2 }]);
    expect((await counts(redacted)).get(name)).toBeLessThan(before.get(name)!);
    expect((await counts(redacted)).get(name)).toBeGreaterThan(0);
    await using renamed = await written(await edited(of, [{ op: "rename", channels: { [name]: "/renamed" } }]), of);
    expect((await counts(renamed)).get("/renamed")).toBe(before.get(name));
  });
});
