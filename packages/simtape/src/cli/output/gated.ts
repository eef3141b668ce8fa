import { held } from "../../io/sink/held.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import type { Finding } from "../../model/error.ts";
import { openBundle } from "../../model/open.ts";
import type { Recording } from "../../model/recording.ts";
import { mustBeSound, readBack } from "../../ops/sound.ts";
import { heed } from "../run/ending.ts";
import { allFormats } from "../input/formats.ts";
import { budgetOf, type ReadOptions, withGiven } from "../input/recordings.ts";
import type { Target } from "./target.ts";

/** Where a result goes, and what lies there already. */
export type Place = Pick<Target, "path" | "sink" | "written">;

/** Looks at what was written; gives what is damaged in it and may be. Rejects when it must not take its name. */
export type Inspect = (written: Recording, files: SourceBundle) => Promise<readonly Finding[]>;

/**
 * The last gate before what a command writes takes its name: `work` writes, the result is opened and read in full, and
 * only when `inspect` finds nothing in it do its files get their names. What is damaged in it as in its source is said
 * when the command ends.
 */
export async function gated<T>(
  place: Place,
  options: ReadOptions,
  work: (to: SinkBundle) => Promise<T>,
  inspect: Inspect,
): Promise<T> {
  return held(place.sink, async (files) => {
    const made = await work(files);
    await inspected(files.written, place, options, inspect);
    return made;
  });
}

/** `inspect` for what was written of `sources`: as sound as they are. */
export function soundAs(...sources: readonly Recording[]): Inspect {
  return (written) => mustBeSound(written, sources);
}

/** Opens what was written and has it inspected; gives whether nothing is damaged in it. */
export async function inspected(
  files: SourceBundle,
  { path, written: there }: Place,
  options: ReadOptions,
  inspect: Inspect,
): Promise<boolean> {
  const bundle = withGiven(besides(files, there), options);
  const written = await readBack(openBundle(bundle, allFormats(), { budget: budgetOf(options) }));
  try {
    const damage = await inspect(written, files);
    if (damage.length > 0) heed(path, { findings: damage });
    return damage.length === 0;
  } finally {
    await written.close();
  }
}

/** What was written, and what else lies where it will be: a dictionary. */
export function besides(written: SourceBundle, there: SourceBundle): SourceBundle {
  return {
    name: written.name,
    open: async (name) => (await written.open(name)) ?? (name === undefined ? null : there.open(name)),
  };
}
