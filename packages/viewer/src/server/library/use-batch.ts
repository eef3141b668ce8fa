import { useState } from "react";
import { messageOf } from "../api.ts";
import type { Item } from "../shapes.ts";

/** Recordings that are worked on at once. */
const AT_ONCE = 3;

/** What became of one recording. */
export interface Outcome<T> {
  readonly state: "waiting" | "done" | "failed";
  /** What the work gave. */
  readonly value?: T;
  /** Why it failed. */
  readonly message?: string;
}

/** The same work on many recordings, of which some may fail. */
export interface Batch<T> {
  readonly isBegun: boolean;
  readonly isDone: boolean;
  readonly of: (item: Item) => Outcome<T>;
  readonly failed: number;
  /** Does it with all, or again with those that failed. */
  readonly run: (work: (item: Item) => Promise<T>) => Promise<void>;
}

export function useBatch<T>(items: readonly Item[]): Batch<T> {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome<T>>>(new Map());
  const of = ({ id }: Item): Outcome<T> => outcomes.get(id) ?? { state: "waiting" };
  const note = (item: Item, outcome: Outcome<T>): void =>
    setOutcomes((before) => new Map(before).set(item.id, outcome));
  return {
    isBegun: outcomes.size > 0,
    isDone: outcomes.size > 0 && items.every((item) => of(item).state !== "waiting"),
    of,
    failed: items.filter((item) => of(item).state === "failed").length,
    run: async (work) => {
      const left = items.filter((item) => of(item).state !== "done");
      for (const item of left) note(item, { state: "waiting" });
      const next = async (): Promise<void> => {
        for (let item = left.shift(); item !== undefined; item = left.shift()) {
          const outcome = await work(item).then(
            (value): Outcome<T> => ({ state: "done", value }),
            (error: unknown): Outcome<T> => ({ state: "failed", message: messageOf(error) }),
          );
          note(item, outcome);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, next));
    },
  };
}
