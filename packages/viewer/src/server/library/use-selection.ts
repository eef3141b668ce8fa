import { useState } from "react";
import type { Item } from "../shapes.ts";

/** Where a range of selected recordings begins, and what was selected beside it. */
interface Anchor {
  readonly id: string;
  readonly before: ReadonlySet<string>;
}

/** Recordings that the user has chosen among those that are shown. */
export interface Selection {
  /** In the order in which they are shown. */
  readonly items: readonly Item[];
  readonly has: (id: string) => boolean;
  readonly toggle: (index: number) => void;
  /** Selects all from where the range began, or `from`, to `to`. */
  readonly extend: (from: number, to: number) => void;
  readonly all: () => void;
  readonly clear: () => void;
}

/** Those that are no longer shown are not selected. */
export function useSelection(shown: readonly Item[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const begin = (index: number, before: ReadonlySet<string>): void => setAnchor({ id: shown[index]!.id, before });
  return {
    items: shown.filter(({ id }) => ids.has(id)),
    has: (id) => ids.has(id),
    toggle: (index) => {
      const next = new Set(ids);
      const { id } = shown[index]!;
      if (!next.delete(id)) next.add(id);
      setIds(next);
      begin(index, next);
    },
    extend: (from, to) => {
      const at = shown.findIndex(({ id }) => id === anchor?.id);
      const start = at < 0 ? from : at;
      const before = at < 0 ? ids : anchor!.before;
      if (at < 0) begin(from, ids);
      const [first, last] = [Math.min(start, to), Math.max(start, to)];
      setIds(new Set([...before, ...shown.slice(first, last + 1).map(({ id }) => id)]));
    },
    all: () => setIds(new Set(shown.map(({ id }) => id))),
    clear: () => {
      setIds(new Set());
      setAnchor(null);
    },
  };
}
