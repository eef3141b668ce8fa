import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSession, useViewer } from "./hooks.ts";

/** Unit of a value by its name; null: the format does not tell, or has not been heard yet. */
export type UnitOf = (value: string) => string | null;

/** Asks the format for units of the values that are rendered, each name once, and renders again when they are known. */
export function useUnits(): UnitOf {
  const session = useSession();
  const recording = useViewer(({ decks }) => decks[0]?.opened.recording);
  const [, setRound] = useState(0);
  // names of one recording mean nothing in another
  const known = useMemo(() => (recording === undefined ? null : new Map<string, string | null>()), [recording]);
  const wanted = useRef(new Set<string>());
  useEffect(() => {
    if (recording === undefined || known === null || wanted.current.size === 0) return;
    const values = [...wanted.current];
    wanted.current.clear();
    for (const value of values) known.set(value, null);
    session
      .query("units", { recording, values })
      .then((units) => {
        for (const [i, value] of values.entries()) known.set(value, units[i]!);
        if (units.some((unit) => unit !== null)) setRound((round) => round + 1);
      })
      // without a recording there are no units
      .catch(() => undefined);
  });
  return useCallback(
    (value) => {
      if (known?.has(value) === false) wanted.current.add(value);
      return known?.get(value) ?? null;
    },
    [known],
  );
}
