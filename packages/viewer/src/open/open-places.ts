import type { Place } from "../protocol.ts";
import type { Session } from "../session.ts";

/** Opens the first, and says that there were others; or lays all of them over what plays. */
export async function openPlaces(session: Session, places: readonly Place[], as: "main" | "ghosts"): Promise<void> {
  if (as === "ghosts") {
    for (const place of places) await session.addGhost(place);
    return;
  }
  const [first, ...others] = places;
  if (first === undefined) return;
  await session.open(first);
  if (others.length > 0) {
    const names = others.map(({ name }) => name).join(", ");
    session.tell(`Opened ${first.name}. One recording plays at a time: ${names} can be added as ghosts.`);
  }
}
