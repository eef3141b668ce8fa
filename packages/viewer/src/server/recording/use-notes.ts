import { useCallback, useEffect, useState } from "react";
import { ask } from "../api.ts";
import type { Note } from "../shapes.ts";

const LOOK_EVERY = 10_000;

export interface Notes {
  /** By time. Null: this server keeps none. */
  readonly list: readonly Note[] | null;
  /** Rejects with `Refusal`. */
  readonly add: (note: {
    readonly time: number;
    readonly thing: string | null;
    readonly text: string;
  }) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
}

/** The notes of a recording, with those that others add. */
export function useNotes(recording: string): Notes {
  const [list, setList] = useState<readonly Note[] | null>(null);
  const path = `api/recordings/${encodeURIComponent(recording)}/notes`;
  const load = useCallback(
    async (signal?: AbortSignal): Promise<void> => {
      const { notes } = await ask<{ readonly notes: readonly Note[] }>(path, { signal });
      setList(notes.toSorted((a, b) => a.time - b.time));
    },
    [path],
  );
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => void (document.hidden || load(controller.signal).catch(() => undefined));
    look();
    const timer = setInterval(look, LOOK_EVERY);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [load]);
  return {
    list,
    add: async (note) => {
      await ask(path, { method: "POST", body: note });
      await load();
    },
    remove: async (id) => {
      await ask(`${path}/${encodeURIComponent(id)}`, { method: "DELETE" });
      await load();
    },
  };
}
