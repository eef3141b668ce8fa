import type { Format, Recording, Showing } from "simtape";

/** How to show a recording. What is bulk in any of the formats is so here too: a conversion keeps the names of values. */
export async function showingOf(recording: Recording, formats: readonly Format[]): Promise<Showing> {
  const { showing } = await recording.traits();
  const all = await Promise.all(formats.map(async (format) => format.traits?.()));
  return { ...showing, bulk: [...new Set(all.flatMap((traits) => traits?.showing?.bulk ?? []))] };
}
