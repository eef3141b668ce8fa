import type { AnswerOf, Given, Route } from "simtape-client";
import { useCallback, useEffect, useState } from "react";
import { ask, messageOf } from "../api.ts";

/** A list of the server as it is now, and how to change something of it. */
export interface ServerList<T> {
  readonly list: T | null;
  /** Why there is none, or why a change was refused. */
  readonly failure: string | null;
  /** Changes something, and asks for the list again. Undefined: it was refused. */
  readonly change: <R extends Route>(route: R, ...given: Given<R>) => Promise<AnswerOf<R> | undefined>;
}

/** `every`: milliseconds between two looks; null: one look. */
export function useList<R extends Route>(
  route: R,
  every: number | null = null,
  ...given: Given<R>
): ServerList<AnswerOf<R>> {
  const [list, setList] = useState<AnswerOf<R> | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  const words = JSON.stringify(given);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when something was changed here
  useEffect(() => {
    const controller = new AbortController();
    const [asked] = JSON.parse(words) as Given<R>;
    const look = (): void => {
      ask(route, ...([{ ...asked, signal: controller.signal }] as unknown as Given<R>))
        .then((found) => {
          setList(() => found);
          setFailure(null);
        })
        .catch((error: unknown) => void (controller.signal.aborted || setFailure(messageOf(error))));
    };
    look();
    const timer = every === null ? null : setInterval(() => void (document.hidden || look()), every);
    return () => {
      controller.abort();
      if (timer !== null) clearInterval(timer);
    };
  }, [route, words, every, count]);
  const change = useCallback(async <C extends Route>(to: C, ...asked: Given<C>): Promise<AnswerOf<C> | undefined> => {
    try {
      const answer = await ask(to, ...asked);
      setCount((before) => before + 1);
      return answer;
    } catch (error) {
      setFailure(messageOf(error));
      return undefined;
    }
  }, []);
  return { list, failure, change };
}
