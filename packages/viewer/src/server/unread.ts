import { useEffect } from "react";
import { Observable } from "../observable.ts";
import { useObservable } from "../hooks.ts";
import { ask } from "./api.ts";

/** Between two questions, milliseconds. */
const LOOK_EVERY = 20_000;

/** Alerts that were not read; null: not known, or the server has none. */
export const unread: Observable<number | null> = new Observable<number | null>(null);

/** How many alerts are unread, as long as a component that asks for it is shown. */
export function useUnread(): number | null {
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => {
      if (document.hidden) return;
      ask("GET /api/alerts", { query: { limit: 1 }, signal: controller.signal })
        .then((found) => unread.set(found.unread))
        .catch(() => undefined);
    };
    look();
    const timer = setInterval(look, LOOK_EVERY);
    document.addEventListener("visibilitychange", look);
    return () => {
      controller.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return useObservable(unread, (count) => count);
}
