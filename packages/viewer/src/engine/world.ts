import type { EntitySet } from "simtape";
import type { Query } from "./query.ts";

/** Where the game is when a recording does not say so. */
const USUAL = "minecraft:overworld";

/** Whether the world that a recording was made in is kept beside it, where its things are at that time. */
export const world: Query<"world"> = async (engine, { recording: id, base, time }, signal) => {
  const recording = engine.recording(id);
  const backing = (await import("../blocks/backing.ts")).backingOf(recording, base);
  if (backing === null) return null;
  const { sets, values } = await recording.state(time, { signal });
  const dimension = values.get("world/dimension");
  const [x, z] = placeIn(sets.get("players")) ?? placeIn(sets.get("entities")) ?? placeIn(sets.get("blocks")) ?? [0, 0];
  const isThere = await backing.isThere(typeof dimension === "string" ? dimension : USUAL, x, z).catch(() => false);
  return { isThere };
};

/** Takes what companions have of a world of blocks, which `chunk` is given the number of. */
export const accompany: Query<"accompany"> = async (_, { places, skins }) =>
  (await import("../blocks/backing.ts")).accompany(places, skins);

/** What is seen of one chunk of that world. */
export const chunk: Query<"chunk"> = async (engine, { recording, base, beside, ...ask }) => {
  const { backingOf } = await import("../blocks/backing.ts");
  return (await backingOf(engine.recording(recording), base, beside)?.sight(ask)) ?? { mesh: null, problem: null };
};

/** Of the first thing that is somewhere. */
function placeIn(set: EntitySet | undefined): readonly [number, number] | null {
  const position = set?.columns.get("position");
  for (let row = 0; position !== undefined && row < set!.ids.length; row++) {
    const [x, z] = [Number(position.data[3 * row]), Number(position.data[3 * row + 2])];
    if (Number.isFinite(x + z)) return [x, z];
  }
  return null;
}
