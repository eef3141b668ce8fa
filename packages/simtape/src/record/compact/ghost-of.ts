import { NBT, nbtEntry } from "../../codec/nbt.ts";
import type { ChunkContext } from "../../formats/hcrp/chunk/context.ts";
import { TICK } from "../../formats/hcrp/layout/framing.ts";
import { GRID } from "../../formats/hcrp/layout/motion.ts";
import { compoundIn } from "../../formats/hcrp/layout/metadata-writing.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import { type Ghost, ghost, readGhost } from "./ghost.ts";
import { type StrictOptions, StrictSource } from "./source.ts";

/** A ghost in the units of scenes. */
export interface GhostTrack {
  /** Seconds from one place to the next; the first is where the run begins. */
  readonly step: number;
  /** Blocks, to a thousandth. */
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly z: readonly number[];
  /** Degrees, to a tenth. */
  readonly yaw: readonly number[];
}

/** A ghost as plain numbers, with so many places at most: of longer ones every second, third … is left. */
export function trackOf({ step, x, y, z, yaw }: Ghost, most: number): GhostTrack {
  const every = Math.max(1, Math.ceil(x.length / most));
  const thin = (column: Float64Array, unit: number, parts: number): number[] => {
    const kept: number[] = [];
    for (let i = 0; i < column.length; i += every) kept.push(Math.round((column[i]! / unit) * parts) / parts);
    return kept;
  };
  return {
    step: (step * every * TICK) / 1e9,
    x: thin(x, GRID, 1000),
    y: thin(y, GRID, 1000),
    z: thin(z, GRID, 1000),
    yaw: thin(yaw, 65_536 / 360, 10),
  };
}

/**
 * The way of a recording's first subject: as its metadata hold it, or else read from all of its chunks. Null: it has no
 * subject that is ever seen. Throws `RecordingError`; chunks that are damaged are passed over.
 */
export async function ghostOf(bundle: SourceBundle, options: StrictOptions = {}): Promise<Ghost | null> {
  const source = await StrictSource.open(bundle, options);
  try {
    const { reader } = source;
    const kept = nbtEntry(compoundIn(reader.preamble.metadata.root, "hcrp"), "ghost");
    if (kept?.type === NBT.byteArray) return readGhost(kept.value);
    const visitor = ghost();
    visitor.begin?.(reader);
    for await (const { columns, problem } of source.chunks())
      if (columns !== null && problem === null) visitor.chunk(columns, columns.context as ChunkContext);
    const made = visitor.finish().entries?.["ghost"];
    return made?.type === NBT.byteArray ? readGhost(made.value) : null;
  } finally {
    await source.close();
  }
}
