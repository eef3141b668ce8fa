import type { State } from "simtape";
import type { Subject } from "../../subject.ts";
import type { Cast } from "../cast.ts";
import type { Spot } from "../things/pick.ts";
import type { Reading } from "../presenters/readings.ts";
import type { World } from "../surroundings/world.ts";

/** Set, id and name of a thing that can be chosen. */
export interface Thing {
  readonly set: string;
  readonly id: number | string;
  readonly label: string;
}

/** What is shown of a recording and of its world, in words, for those who do not see it. */
export function describe(cast: Cast | undefined, world: World): string {
  return [cast?.describe() ?? "", world.describe()].filter((text) => text !== "").join(", ");
}

/** Whether nothing of a recording has a place now. */
export function isNowhere(cast: Cast | undefined): boolean {
  return (cast?.crowds ?? []).every(({ poses }) => poses.ids.every((_, row) => !poses.isKnown(row)));
}

/** Things of a recording that can be chosen, at most `limit`. */
export function thingsIn(cast: Cast | undefined, limit: number): Thing[] {
  const things: Thing[] = [];
  for (const crowd of cast?.crowds ?? []) {
    if (!crowd.isMain) continue;
    for (let row = 0; row < crowd.poses.count && things.length < limit; row++) {
      const label = crowd.poses.leftOut?.[row] === 1 ? "" : crowd.label(row);
      if (label !== "") things.push({ set: crowd.set, id: crowd.poses.ids[row]!, label });
    }
  }
  return things;
}

/** A thing by its name, and numbers of it. */
export interface Said {
  readonly name: string;
  readonly readings: readonly Reading[];
}

/** Numbers of what is looked at, `spot`, as recorded; where nothing is, what holds for all things. */
export function readingsOf(
  cast: Cast | undefined,
  spot: Spot | null,
  subject: Subject | null,
  recorded: State | null,
): Said {
  if (recorded === null) return { name: "", readings: [] };
  if (spot !== null) return { name: spot.crowd.label(spot.row), readings: spot.crowd.readings(spot.row, recorded) };
  if (subject !== null) return { name: "", readings: [] };
  const all = (cast?.crowds ?? []).map((crowd) => (crowd.poses.count > 0 ? crowd.readings(0, recorded) : []));
  return { name: "", readings: all.find(({ length }) => length > 0) ?? [] };
}
