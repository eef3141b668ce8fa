import { useCallback, useEffect, useRef, useState } from "react";
import { ask, messageOf } from "../api.ts";
import type { Alert } from "../shapes.ts";
import { unread } from "../unread.ts";

/** Alerts that are asked for at once. */
const PART = 50;
/** Between two looks at what is new, milliseconds. */
const LOOK_EVERY = 10_000;

/** The alerts of the user, the newest first. New ones come by themselves. */
export function useAlerts(isUnread: boolean): {
  readonly alerts: readonly Alert[] | null;
  readonly hasMore: boolean;
  readonly failure: string | null;
  readonly more: () => void;
  readonly again: () => void;
} {
  const [found, setFound] = useState<{ readonly alerts: readonly Alert[]; readonly cursor: string | null } | null>(
    null,
  );
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  /** How many are shown: a look asks for as many. */
  const most = useRef(PART);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when something was changed here
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => {
      ask("GET /api/alerts", { query: { unread: isUnread, limit: most.current }, signal: controller.signal })
        .then((page) => {
          unread.set(page.unread);
          setFound(page);
          setFailure(null);
        })
        .catch((error: unknown) => void (controller.signal.aborted || setFailure(messageOf(error))));
    };
    look();
    const timer = setInterval(() => void (document.hidden || look()), LOOK_EVERY);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [isUnread, count]);
  const again = useCallback(() => setCount((before) => before + 1), []);
  const more = useCallback(() => {
    most.current = Math.min(500, most.current + PART);
    again();
  }, [again]);
  const hasMore = found !== null && found.cursor !== null && most.current < 500;
  return { alerts: found?.alerts ?? null, hasMore, failure, more, again };
}
