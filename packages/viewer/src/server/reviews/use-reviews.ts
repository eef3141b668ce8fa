import type { AskedOf } from "simtape-client";
import { useCallback, useEffect, useState } from "react";
import { ask, messageOf } from "../api.ts";
import type { Review } from "../shapes.ts";

type Query = NonNullable<AskedOf<"GET /api/reviews">["query"]>;

/** Between two looks at the queue, milliseconds: others take reviews, too. */
const LOOK_EVERY = 5000;

/** The reviews that a search gives, as they are now. */
export function useReviews(query: Query): {
  readonly reviews: readonly Review[] | null;
  readonly failure: string | null;
  readonly again: () => void;
} {
  const [reviews, setReviews] = useState<readonly Review[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when something was changed here
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => {
      ask("GET /api/reviews", { query, signal: controller.signal })
        .then((found) => {
          setReviews(found.reviews);
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
  }, [JSON.stringify(query), count]);
  return { reviews, failure, again: useCallback(() => setCount((before) => before + 1), []) };
}
