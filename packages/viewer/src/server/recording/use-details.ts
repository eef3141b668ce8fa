import { useCallback, useEffect, useState } from "react";
import { ask, messageOf } from "../api.ts";
import type { Details } from "../shapes.ts";

/** Between two looks at a recording that is being made or read, milliseconds. */
const LOOK_EVERY = 3000;

/** All that the server knows of a recording; what goes on is asked for again and again. */
export function useDetails(id: string): {
  readonly details: Details | null;
  readonly failure: string | null;
  readonly again: () => void;
} {
  const [details, setDetails] = useState<Details | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  const state = details?.state ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when something was changed here
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => {
      ask("GET /api/recordings/{id}", { params: { id }, signal: controller.signal })
        .then((found) => {
          setDetails(found);
          setFailure(null);
        })
        .catch((error: unknown) => void (controller.signal.aborted || setFailure(messageOf(error))));
    };
    look();
    const isGoingOn = state === "new" || state === "live";
    const timer = isGoingOn ? setInterval(() => void (document.hidden || look()), LOOK_EVERY) : null;
    return () => {
      controller.abort();
      if (timer !== null) clearInterval(timer);
    };
  }, [id, state, count]);
  return { details, failure, again: useCallback(() => setCount((before) => before + 1), []) };
}
