import { useMemo } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { clamped, isWindow, type Window } from "./window.ts";

const KEY = "window";

/** The part of the recording that lanes and plots show, kept in the address, and how to show another. */
export function useWindow(all: Window): readonly [Window, (next: Window) => void] {
  const session = useSession();
  const kept = useViewer(({ shared }) => shared[KEY]);
  const name = useViewer(({ decks }) => decks[0]?.place.name);
  // That of another recording means nothing in this one.
  const isOwn = (kept as { readonly of?: unknown } | undefined)?.of === name;
  const window = useMemo(() => (isOwn && isWindow(kept) ? clamped(kept, all) : all), [isOwn, kept, all]);
  const show = (next: Window): void => {
    const { start, end } = clamped(next, all);
    session.share(KEY, start <= all.start && end >= all.end ? undefined : { start, end, of: name });
  };
  return [window, show];
}
