import { describe, expect, test } from "vitest";
import { openBundle } from "../../../src/model/open.ts";
import { type PathInfo, parsePath, pathsIn } from "../../../src/model/query/listing.ts";
import { PathError, pathText } from "../../../src/model/state/path.ts";
import { readPath } from "../../../src/model/query/probe.ts";
import type { State } from "../../../src/model/state/state.ts";
import { FORMATS } from "../../../src/index.ts";
import { REAL, SOUND } from "../../specimens.ts";

type Where = Pick<PathInfo, "first" | "last" | "extent">;

/** Where each path is, and how far its numbers go, by its text, looked for in every state there is. */
async function whereAll(states: AsyncIterable<State>): Promise<Map<string, Where>> {
  const found = new Map<string, Where>();
  const texts = new Set<string>();
  for await (const state of states) {
    for (const { text, path } of pathsIn(state)) {
      const value = readPath(state, path);
      if (typeof value === "string") texts.add(text);
      const known = found.get(text);
      const { least = Infinity, most = -Infinity } = known?.extent ?? {};
      const number = "item" in path && path.item === "speed" ? Number.NaN : Number(value) + 0;
      const extent = Number.isFinite(number)
        ? { least: Math.min(least, number), most: Math.max(most, number) }
        : (known?.extent ?? null);
      found.set(text, { first: known?.first ?? state.time, last: state.time, extent });
    }
  }
  for (const text of texts) found.set(text, { ...found.get(text)!, extent: null });
  return found;
}

function partOf(paths: readonly PathInfo[]): Map<string, Where> {
  return new Map(paths.map(({ text, first, last, extent }) => [text, { first, last, extent }]));
}

/** Of large ones only the beginning: every state of theirs is looked into here. */
const MOMENTS = 60;

describe.each([...SOUND, ...REAL])("paths of $name", (sound) => {
  test("are all that ever was, from when until when, and from which number to which", async () => {
    await using recording = await openBundle(sound.bundle(), FORMATS);
    const times = new Set<number>();
    for await (const { time, channel, length } of recording.batches()) {
      for (let i = 0; i < length; i++) if (recording.reader.state.holds?.(channel[i]!) !== false) times.add(time[i]!);
    }
    const moments = [...times];
    const [from, to] = [moments[0]!, moments[Math.min(moments.length - 1, MOMENTS)]!];
    const holding = async function* (start: number): AsyncGenerator<State> {
      for await (const state of recording.states({ start, end: to })) if (times.has(state.time)) yield state;
    };
    expect(partOf(await recording.paths({ end: to }))).toEqual(await whereAll(holding(from)));
    // what holds at the beginning of a range is there at it
    const inside = moments[Math.min(moments.length - 1, 7)]!;
    if (inside >= to) return;
    const expected = await whereAll(holding(inside));
    expect(partOf(await recording.paths({ start: inside, end: to }))).toEqual(expected);
    expect(await recording.paths({ start: to, end: from })).toEqual([]);
  });

  test("are read from their texts, and so are those of a time", async () => {
    await using recording = await openBundle(sound.bundle(), FORMATS);
    const { start, end } = await recording.timeline();
    const at = (start + end) / 2;
    const state = await recording.state(at);
    const listed = await recording.paths({ at });
    expect(listed.map(({ text }) => text)).toEqual([...pathsIn(state)].map(({ text }) => text));
    for (const [i, { path, text, kind }] of listed.entries()) {
      expect(pathText(path)).toBe(text);
      const isSpeed = "item" in path && path.item === "speed";
      const value = readPath(state, path);
      const shown = typeof value === "string" ? "text" : typeof value === "boolean" ? "boolean" : "number";
      if (!isSpeed) expect([text, kind === "integer" ? "number" : kind]).toEqual([text, shown]);
      if (i % Math.ceil(listed.length / 400) === 0) expect(parsePath(text, state)).toEqual(path);
    }
    expect(() => parsePath("vehicles/no such/position.x", state)).toThrow(PathError);
  });
});

test("a text that is no path says what there is", () => {
  const column = { data: Float64Array.of(1, 2, 3), width: 3, unit: "deg deg ft", interpolation: "hold" } as const;
  const sets = new Map([["cars", { ids: [7], columns: new Map([["geodetic", column]]), axes: null }]]);
  const values = new Map([["pose", { "a.b": { x: 1 }, a: { b: "c" } }]]);
  const state: State = { time: 0, values, sets };
  const texts = [...pathsIn(state, { unitOf: () => "m" })].map(({ text, unit, kind }) => [text, unit, kind]);
  expect(texts).toEqual([
    ["pose.a.b.x", "m", "number"],
    ["pose.a.b", "m", "text"],
    ["cars/7/geodetic.x", "deg", "number"],
    ["cars/7/geodetic.y", "deg", "number"],
    ["cars/7/geodetic.z", "ft", "number"],
  ]);
  expect(parsePath("pose.a.b.x", state)).toEqual({ value: "pose", keys: ["a.b", "x"] });
  expect(parsePath("pose.a.b", state)).toEqual({ value: "pose", keys: ["a", "b"] });
  try {
    parsePath("cars/8/geodetic.x", state);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(PathError);
    expect((error as PathError).existing[0]).toBe("cars/7/geodetic.x");
    expect((error as PathError).message).toContain('no path "cars/8/geodetic.x"; there are: cars/7/geodetic.x');
  }
});
