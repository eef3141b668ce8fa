import type { SourceBundle } from "../../io/source/source.ts";
import type { MessageBatch } from "../../model/messages/batch.ts";
import { openBundle } from "../../model/open.ts";
import type { Recording } from "../../model/recording.ts";
import { compareStates, SAME } from "../../ops/compare-states.ts";
import type { Lost } from "../../model/writer.ts";
import { areSame, piecesOf } from "../../ops/same-bytes.ts";
import { allFormats } from "../input/formats.ts";
import { originalsOf } from "../input/original.ts";
import { budgetOf, type ReadOptions } from "../input/recordings.ts";

/** What was written, opened again; the dictionary that it may need is still beside its source only. */
export function reopened(written: SourceBundle, source: SourceBundle, options: ReadOptions): Promise<Recording> {
  return openBundle(withDictionary(written, source), allFormats(), { budget: budgetOf(options) });
}

/** What was written, with the dictionaries that lie beside its source. */
export function withDictionary(written: SourceBundle, source: SourceBundle): SourceBundle {
  return {
    name: written.name,
    open: async (name) => (await written.open(name)) ?? (name?.endsWith(".dict") === true ? source.open(name) : null),
  };
}

/** Whether the result carries the files of the source, byte for byte. */
export async function hasOriginal(result: Recording, source: Recording, bundle: SourceBundle): Promise<boolean> {
  const originals = await originalsOf(result);
  const names = [undefined, ...(source.reader.siblings ?? [])];
  if (originals.length !== names.length) return false;
  for (const [i, name] of names.entries()) {
    const file = await bundle.open(name);
    if (file === null) return false;
    try {
      if (!(await areSame(piecesOf(file), originals[i]!.bytes()))) return false;
    } finally {
      await file.close();
    }
  }
  return true;
}

/** What the state of a recording as it was written does not have; `batches`, `rounding`: as of `compareStates`. */
export async function differences(
  source: Recording,
  result: Recording,
  batches: AsyncIterable<MessageBatch>,
  rounding = 0,
): Promise<readonly Lost[]> {
  const lost: Lost[] = [];
  const missing = (path: string, reason: string, count: number): number => lost.push({ path, reason, count });
  await compareStates(source, result, SAME, { time: 0, isCut: false }, {}, missing, undefined, rounding, batches);
  return lost;
}
