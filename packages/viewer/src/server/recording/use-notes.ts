import { useEffect, useState } from "react";
import { ask } from "../api.ts";
import type { Note } from "../shapes.ts";

const LOOK_EVERY = 10_000;

export interface Notes {
  /** By time. Null: they are not known yet. */
  readonly list: readonly Note[] | null;
  /** Absent: notes are made in rooms only. Rejects with `Refusal`. */
  readonly add?: (note: {
    readonly time: number;
    readonly thing: string | null;
    readonly text: string;
  }) => Promise<void>;
}

/** The notes of a recording, with those that others add. */
export function useNotes(recording: string): Notes {
  const [list, setList] = useState<readonly Note[] | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const asked = { params: { id: recording }, signal: controller.signal };
      const { notes } = await ask("GET /api/recordings/{id}/notes", asked);
      setList(notes.toSorted((a, b) => a.time - b.time));
    };
    const look = (): void => void (document.hidden || load().catch(() => undefined));
    look();
    const timer = setInterval(look, LOOK_EVERY);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [recording]);
  return { list };
}
