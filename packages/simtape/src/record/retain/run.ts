import { nbtEntry } from "../../codec/nbt.ts";
import { LayoutError } from "../../bytes/error.ts";
import { compoundIn } from "../../formats/hcrp/layout/metadata-writing.ts";
import { readReserved } from "../../formats/hcrp/layout/metadata.ts";
import { FLAG_CLIP } from "../../formats/hcrp/layout/framing.ts";
import { type SourceBundle, SourceError } from "../../io/source/source.ts";
import { RecordingError } from "../../model/error.ts";
import { durationOf, NO_WORLD, readDocument, textOf } from "./facts.ts";

/** What makes a recording a run: how long it took, where, and whose it was. */
export interface Run {
  /** Name of the map in the metadata; null: none. */
  readonly map: string | null;
  /** UUID; null: the header names none. */
  readonly world: string | null;
  readonly durationMs: number;
  readonly subjects: readonly { readonly uuid: string; readonly name: string }[];
}

/** Null for what is no completed run with a time, is a clip, or is damaged. Reads the metadata alone. */
export async function runOf(bundle: SourceBundle, signal?: AbortSignal): Promise<Run | null> {
  const source = await bundle.open();
  if (source === null) throw new SourceError("failed", `nothing there: ${bundle.name ?? "recording"}`);
  try {
    const { head, document } = await readDocument(source, signal);
    const durationMs = durationOf(compoundIn(document.root, "hcrp"), (head.flags & FLAG_CLIP) !== 0);
    if (durationMs === null) return null;
    const map = textOf(nbtEntry(document.root, "map"));
    const subjects = readReserved(document).subjects.map(({ uuid, name }) => ({ uuid, name }));
    return { map, world: head.worldId === NO_WORLD ? null : head.worldId, durationMs, subjects };
  } catch (error) {
    if (!RecordingError.is(error) && !(error instanceof LayoutError)) throw error;
    return null;
  } finally {
    await source.close();
  }
}
