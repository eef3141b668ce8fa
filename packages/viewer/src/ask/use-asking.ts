import { useEffect, useMemo } from "react";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import type { Deck } from "../session.ts";
import { askingOf, expressionIn, type Known } from "./asking.ts";

/** What is known of when the kept expression is true in what a deck plays. */
export function useAsking(deck: Deck): Known {
  const session = useSession();
  const text = useViewer(({ shared }) => expressionIn(shared));
  const asking = useMemo(() => askingOf(session, deck), [session, deck]);
  useEffect(() => void asking.ask(text), [asking, text]);
  return useObservable(asking.known, (value) => value);
}
