import { createContext, type ReactNode } from "react";
import type { Command } from "../../transport/commands.ts";

/** What a server's page puts around a recording. */
export interface Place {
  /** First in the bar: the way back. */
  readonly back: ReactNode;
  /** What the recording is called there. */
  readonly name: string;
  /** In the bar, in place of what opens and shares files of this machine. */
  readonly actions: ReactNode;
  /** Below the bar. */
  readonly below?: ReactNode;
  /** What can be done there besides. */
  readonly commands?: readonly Command[];
  /** Above the timeline, by the same times. */
  readonly strip?: ReactNode;
}

/** Null: the page is on its own. */
export const PlaceContext: React.Context<Place | null> = createContext<Place | null>(null);
