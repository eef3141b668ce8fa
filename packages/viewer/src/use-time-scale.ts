import type { Timeline } from "simtape";
import { useMemo } from "react";
import { type TimeMode, type TimeScale, timeScale } from "./clock.ts";
import { useShared, useViewer } from "./hooks.ts";

const START: Timeline = { start: 0, end: 0, epoch: null, tick: null };

/** How times are shown here; kept in the address. */
export function useTimeScale(): TimeScale {
  const timeline = useViewer(({ decks }) => decks[0]?.opened.timeline);
  const [mode] = useTimeMode();
  return useMemo(() => timeScale(timeline ?? START, mode), [timeline, mode]);
}

export function useTimeMode(): readonly [unknown, (mode: TimeMode | undefined) => void] {
  return useShared<unknown>("time", "start") as readonly [unknown, (mode: TimeMode | undefined) => void];
}
