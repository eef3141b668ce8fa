import type { Session } from "../../session.ts";
import { refused, type Scenery } from "../companion.ts";
import { wholeOf } from "../whole.ts";
import { misfit } from "./fill.ts";

/** Times of a recording that are looked at. */
const TIMES = 12;

/** A scenery whose molecules have the atoms of what plays at some time, from its beginning to its end; else why there are none. */
export async function fitting(session: Session, scenery: Scenery, signal: AbortSignal): Promise<Scenery> {
  const main = await wholeOf(session, signal);
  const { molecules = [] } = scenery;
  if (main === undefined || molecules.length === 0) return scenery;
  const { recording, timeline } = main.opened;
  const { start, end } = timeline;
  let why = "the recording has no particles";
  for (let i = 0; i < TIMES; i++) {
    const time = Math.round(start + ((end - start) * i) / (TIMES - 1));
    const { sets } = await session.query("state", { recording, time, interpolate: false }, { signal });
    const set = sets.get("particles");
    if (set === undefined || set.ids.length === 0) continue;
    const reasons = molecules.map((molecule) => misfit(molecule, set));
    if (reasons.includes(null)) return scenery;
    why = reasons[0]!;
  }
  return refused("other-atoms", why);
}
