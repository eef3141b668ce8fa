import { type SourceBundle, SourceError } from "../io/source.ts";
import { openBundle } from "../model/open.ts";
import type { Recording } from "../model/recording.ts";
import { confront, SAME } from "../ops/confront.ts";
import type { Lost } from "../model/writer.ts";
import { areSame, areSameFiles, piecesOf } from "../ops/same-bytes.ts";
import { allFormats } from "./formats.ts";
import { originalsOf } from "./original.ts";
import { budgetOf, type ReadOptions } from "./recordings.ts";

/** What was written, opened again; the dictionary that it may need is still beside its source only. */
export function reopened(written: SourceBundle, source: SourceBundle, options: ReadOptions): Promise<Recording> {
  const bundle: SourceBundle = {
    name: written.name,
    open: async (name) => (await written.open(name)) ?? (name?.endsWith(".dict") === true ? source.open(name) : null),
  };
  return openBundle(bundle, allFormats(), { budget: budgetOf(options) });
}

/** Rejects when a copy has other bytes than its source. */
export async function mustBeSame({ reader }: Recording, bundle: SourceBundle, written: SourceBundle): Promise<void> {
  const { name } = written;
  const beside = (reader.siblings ?? [])
    .map((own) => [own, name === null ? own : (reader.siblingFor?.(own, name) ?? own)] as const)
    .filter(([, other]) => other !== name);
  if (await areSameFiles(bundle, written, beside)) return;
  throw new SourceError("failed", `the copy is not the same as its source: ${name ?? "standard output"}`);
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

/** What the state of a recording as it was written does not have; closes what was written. */
export async function differences(source: Recording, result: Recording): Promise<readonly Lost[]> {
  try {
    const lost: Lost[] = [];
    await confront(source, result, SAME, { time: 0, isCut: false }, {}, (path, reason, count) =>
      lost.push({ path, reason, count }),
    );
    return lost;
  } finally {
    await result.close();
  }
}
