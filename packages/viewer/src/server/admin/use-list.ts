import { useCallback, useEffect, useState } from "react";
import { ask, messageOf } from "../api.ts";

/** A list of the server as it is now, and how to change something of it. */
export interface ServerList<T> {
  readonly list: T | null;
  /** Why there is none, or why a change was refused. */
  readonly failure: string | null;
  /** Changes something, and asks for the list again; null: it was refused. */
  readonly change: <R>(path: string, method: string, body?: unknown) => Promise<R | null>;
}

/** `every`: milliseconds between two looks; absent: one. */
export function useList<T>(path: string, every?: number): ServerList<T> {
  const [list, setList] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when something was changed here
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => {
      ask<T>(path, { signal: controller.signal })
        .then((found) => {
          setList(found);
          setFailure(null);
        })
        .catch((error: unknown) => void (controller.signal.aborted || setFailure(messageOf(error))));
    };
    look();
    const timer = every === undefined ? null : setInterval(() => void (document.hidden || look()), every);
    return () => {
      controller.abort();
      if (timer !== null) clearInterval(timer);
    };
  }, [path, every, count]);
  const change = useCallback(async <R>(to: string, method: string, body?: unknown): Promise<R | null> => {
    try {
      const answer = await ask<R>(to, { method, body });
      setCount((before) => before + 1);
      return answer ?? ({} as R);
    } catch (error) {
      setFailure(messageOf(error));
      return null;
    }
  }, []);
  return { list, failure, change };
}
