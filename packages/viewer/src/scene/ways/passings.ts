import { isTooFar } from "../../afar.ts";
import type { Deck, Session } from "../../session.ts";
import type { SceneView } from "../scene-view.ts";

/** Asks who passes the checkpoints when, where there are some, and marks them. */
export async function drawPassings(
  session: Session,
  view: SceneView,
  main: Deck | null,
  signal: AbortSignal,
): Promise<void> {
  if (main?.opened.showing.checkpoints === undefined) return;
  const ask = { recording: main.opened.recording, isReading: !isTooFar(main) };
  view.passings = await session.query("passings", ask, { signal });
}
