import { firstChartOf } from "simtape";
import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";

/** The chart to begin with. */
export const charts: Query<"charts"> = (engine, { recording, from, isReading }, signal) => {
  const breather = new Breather(signal, engine);
  return firstChartOf(engine.recording(recording), { from, isReading, signal, onMoment: () => breather.breathe() });
};
