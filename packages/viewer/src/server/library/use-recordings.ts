import { useCallback, useEffect, useRef, useState } from "react";
import { ask, messageOf, Refusal } from "../api.ts";
import type { Item } from "../shapes.ts";
import type { Query } from "./search.ts";

/** Recordings that are asked for at once, and at most. */
const PART = 60;
const MOST = 500;
/** Between two looks at what is new, milliseconds. */
const LOOK_EVERY = 3000;
/** Words are asked for when none was typed for so long. */
const PAUSE = 120;

export interface Recordings {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Whether `items` still answer the search before the last one. */
  readonly isOld: boolean;
  /** Why there is nothing new. */
  readonly failure: string | null;
  /** Asks for the next part. */
  readonly more: () => void;
  /** Asks for what there is now. */
  readonly again: () => void;
}

interface Found {
  readonly asked: string;
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

/** What the library has for a search. New recordings come, and changed ones change, by themselves. */
export function useRecordings(query: Query): Recordings {
  const asked = JSON.stringify(query);
  const [found, setFound] = useState<Found | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const newest = useRef<Found | null>(null);
  const seen = useRef("");
  const keep = useCallback((next: Found): void => {
    const text = JSON.stringify(next);
    newest.current = next;
    setFailure(null);
    if (text !== seen.current) setFound(next);
    seen.current = text;
  }, []);
  const look = useRef<() => Promise<void>>(() => Promise.resolve());
  const isBusy = useRef(false);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    look.current = async () => {
      isBusy.current = true;
      const known = newest.current?.asked === asked ? newest.current : null;
      const limit = Math.min(MOST, Math.max(PART, known?.items.length ?? 0));
      try {
        const page = await ask("GET /api/recordings", { query: { ...(JSON.parse(asked) as Query), limit }, signal });
        const rest = known !== null && known.items.length > limit ? known.items.slice(limit) : [];
        const ids = new Set(page.recordings.map(({ id }) => id));
        const items = [...page.recordings, ...rest.filter(({ id }) => !ids.has(id))];
        keep({ asked, items, cursor: rest.length > 0 ? known!.cursor : page.cursor });
      } finally {
        if (!signal.aborted) isBusy.current = false;
      }
    };
    const lookAgain = (): void => {
      look.current().catch((error: unknown) => {
        if (!signal.aborted) setFailure(messageOf(error));
      });
    };
    // the words of a search that is being typed are not asked for one by one
    const first = setTimeout(lookAgain, newest.current === null ? 0 : PAUSE);
    const timer = setInterval(() => void (document.hidden || isBusy.current || lookAgain()), LOOK_EVERY);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      controller.abort();
      isBusy.current = false;
    };
  }, [asked, keep]);

  const more = useCallback((): void => {
    const known = newest.current;
    if (known === null || known.cursor === null || known.asked !== asked || isBusy.current) return;
    isBusy.current = true;
    ask("GET /api/recordings", { query: { ...(JSON.parse(asked) as Query), limit: PART, cursor: known.cursor } })
      .then((page) => {
        if (newest.current !== known) return;
        const ids = new Set(known.items.map(({ id }) => id));
        const added = page.recordings.filter(({ id }) => !ids.has(id));
        keep({ asked, items: [...known.items, ...added], cursor: page.cursor });
      })
      .catch((error: unknown) => {
        // a cursor of before the server was changed: from the beginning
        if (error instanceof Refusal && error.status === 400) newest.current = null;
        else setFailure(messageOf(error));
      })
      .finally(() => {
        isBusy.current = false;
      });
  }, [asked, keep]);

  const again = useCallback((): void => {
    look.current().catch((error: unknown) => setFailure(messageOf(error)));
  }, []);
  return {
    items: found?.items ?? [],
    hasMore: found !== null && found.cursor !== null,
    isOld: found === null || found.asked !== asked,
    failure,
    more,
    again,
  };
}
