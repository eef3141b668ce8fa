import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { CORPUS, CORPUS_FORMATS } from "../../../../../scripts/make-corpus.ts";
import { openBundle } from "../../../src/model/open.ts";
import { pathsIn } from "../../../src/model/query/listing.ts";
import type { SeriesPath } from "../../../src/model/state/path.ts";
import type { Format } from "../../../src/model/format.ts";
import type { Recording } from "../../../src/model/recording.ts";
import { channelsOf } from "../../../src/model/scope.ts";
import type { State } from "../../../src/model/state/state.ts";
import { type CorpusIndex, loadCorpus } from "../../../src/testing/index.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { FORMATS } from "../../../src/index.ts";
import { tries } from "../../soak.ts";
import { SOUND } from "../../specimens.ts";
import { rowAt, rowOf, toldOf } from "./truth.ts";

const read = async (path: string): Promise<Uint8Array> => new Uint8Array(await readFile(new URL(path, CORPUS)));
const index = JSON.parse(readFileSync(new URL("index.json", CORPUS), "utf8")) as CorpusIndex;

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly formats: readonly Format[];
}

/** Every dialect there is, and damage of every kind. */
const cases: Case[] = SOUND.map(({ name, files }) => ({ name, files, formats: FORMATS }));
for await (const { case: of, files } of loadCorpus(read, index)) {
  if (of.expect.refused === null) cases.push({ name: of.id, files, formats: CORPUS_FORMATS });
}

/** States looked at, and paths asked for together at most. */
const STATES = 12;
const PATHS = tries(60, 400);

/** Some states of a recording, folded from all of it. */
async function statesOf(recording: Recording): Promise<State[]> {
  const { start, end } = await recording.timeline();
  const states: State[] = [];
  for await (const state of recording.states({ every: Math.max(1, (end - start) / STATES) })) states.push(state);
  return states;
}

describe("what is folded for some paths", () => {
  test.each(cases)("gives in $name what all of it gives", async ({ files, formats }) => {
    await using recording = await openBundle(bundleOfFiles(files), formats);
    const states = await statesOf(recording);
    const groups = new Map<string, Map<string, SeriesPath>>();
    for (const state of states) {
      for (const { path, text } of pathsIn(state)) {
        if ("item" in path && path.item === "speed") continue;
        const key = String(channelsOf(recording.reader, path));
        if (!groups.has(key)) groups.set(key, new Map());
        groups.get(key)!.set(text, path);
      }
    }
    const check = async (paths: readonly SeriesPath[]): Promise<void> => {
      for (const series of await recording.series(paths)) {
        for (const state of states) {
          const row = rowAt(series, state.time);
          const said = row < 0 ? undefined : rowOf(series, row);
          const reported = toldOf(state, series.path, series);
          expect([series.text, state.time, said]).toEqual([series.text, state.time, reported]);
        }
      }
    };
    for (const group of groups.values()) {
      const paths = [...group.values()];
      await check(paths.filter((_, i) => i % Math.ceil(paths.length / PATHS) === 0));
      await check([paths[paths.length >> 1]!]);
    }
  });
});
