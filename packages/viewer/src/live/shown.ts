import { createContext } from "react";
import type { Live } from "./use-live.ts";

/** What a page knows of the recording that is shown beside what is in it. */
export interface Shown {
  /** Null: it is not being made. */
  readonly live: Live | null;
  /** What its server calls it; null: as its file is called. */
  readonly name: string | null;
}

export const ShownContext: React.Context<Shown> = createContext<Shown>({ live: null, name: null });
