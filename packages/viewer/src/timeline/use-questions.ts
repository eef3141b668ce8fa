import { useMemo } from "react";
import { useAsking } from "../ask/use-asking.ts";
import { comparisons, shownPath, wantedIn } from "../compare/comparing.ts";
import { useObservable, useViewer } from "../hooks.ts";
import type { Deck } from "../session.ts";
import type { Questions } from "./lanes.ts";

/** What is asked of a recording, as lanes show it. */
export function useQuestions(deck: Deck): Questions {
  const asked = useAsking(deck);
  const comparison = useObservable(comparisons.of(deck).run, ({ answer }) => answer);
  const hasGhost = useViewer(({ decks }) => decks.length > 1);
  const path = useViewer(({ shared }) => wantedIn(shared).path);
  return useMemo(() => {
    const found = comparison === null || !hasGhost ? null : shownPath(comparison, path);
    return { asked, differing: found === null ? null : { window: comparison!.range, curve: found.curve } };
  }, [asked, comparison, hasGhost, path]);
}
