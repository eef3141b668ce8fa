import { expect, test } from "vitest";
import { carla } from "../../../src/formats/carla/format.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import {
  applyEdits,
  check,
  EditError,
  MemoryFiles,
  MutableState,
  open as openRecording,
  type Reader,
  type Recording,
  type State,
  writeEdited,
} from "../../../src/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, type Release, RELEASES } from "../../fixtures/carla/make.ts";

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "run.log": bytes }), { formats: [carla] });
}

/** The things at the end and all that is known of them. */
async function ends(reader: Reader): Promise<State> {
  const state = new MutableState();
  reader.state.begin?.(state);
  for await (const batch of reader.batches({}))
    for (let i = 0; i < batch.length; i++) reader.state.apply(state, batch, i);
  return state.freeze();
}

/** Everything that `expected` has is in `found`, with no other things; columns that a recording before had may be empty. */
function expectWithin(found: State, expected: State, name: string): void {
  const setsOf = (state: State): unknown =>
    [...state.sets]
      .filter(([set, { ids }]) => ids.length > 0 && !set.startsWith("."))
      .map(([set, { ids }]) => [set, [...ids]])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  expect(setsOf(found), name).toEqual(setsOf(expected));
  for (const [set, { columns }] of expected.sets) {
    if (set.startsWith(".")) continue;
    const others = found.sets.get(set)!.columns;
    for (const [column, { data }] of columns)
      expect([...others.get(column)!.data], `${name}: ${set}/${column}`).toEqual([...data]);
  }
  for (const [path, value] of expected.values)
    if (!path.startsWith("frame")) expect(found.values.get(path), `${name}: ${path}`).toEqual(value);
}

/** One behind the other; null: they are refused. */
async function joined(names: readonly Release[]): Promise<{ bytes: Uint8Array; lost: number } | null> {
  const files = new Map(names.map((release, i) => [`${i}.log`, makeTown(release, 12)]));
  const [first, ...rest] = [...files.keys()];
  await using recording = await open(files.get(first!)!);
  const opened: Reader[] = [];
  try {
    const { reader } = await applyEdits(
      recording.reader,
      { version: 1, operations: [{ op: "join", files: rest }] },
      {
        writing,
        matching: () => () => false,
        open: async (name) => {
          const other = await open(files.get(name)!);
          opened.push(other.reader);
          return other.reader;
        },
      },
    );
    const to = new MemoryFiles("run.log");
    const { lost } = await writeEdited(reader, writing, to);
    return { bytes: to.bytes, lost: lost.length };
  } catch (error) {
    expect(error).toBeInstanceOf(EditError);
    expect((error as EditError).message).toMatch(/[12]\.log cannot be joined as it is: its .+, not .+; convert/);
    return null;
  } finally {
    for (const reader of opened) await reader.close();
  }
}

/** Whether packets of both can be read as one: of releases before 0.9.10 no packet has wheels. */
function areLike(one: Release, other: Release): boolean {
  const hasWheels = one.until >= 17 && other.until >= 17;
  return one.scalar === other.scalar && one.version === other.version && (!hasWheels || one.wheel === other.wheel);
}

test.each(RELEASES)("$name is joined with every release as a sound recording, or refused", async (one) => {
  for (const other of RELEASES) {
    const name = `${one.name} and ${other.name}`;
    const made = await joined([one, other]);
    expect(made !== null, name).toBe(areLike(one, other));
    if (made === null) continue;
    await using result = await open(made.bytes);
    const { status, findings } = await check(result);
    expect([status, findings], name).toEqual(["sound", []]);
    await using last = await open(makeTown(other, 12));
    if (made.lost === 0) expectWithin(await ends(result.reader), await ends(last.reader), name);
  }
});

test("a third recording is compared with all before it", async () => {
  const named = (wanted: string): Release => RELEASES.find(({ name }) => name === wanted)!;
  // the first has no wheels, and would be joined with either of the others
  expect(await joined([named("0.9.6"), named("0.9.10"), named("0.9.13")])).toBeNull();
});
