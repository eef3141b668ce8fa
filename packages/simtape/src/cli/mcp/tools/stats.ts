import { toJson } from "../../../model/values/json.ts";
import { matching } from "../../input/glob.ts";
import { parseRange } from "../../input/time.ts";
import { RANGE, RECORDING, textOf, type Tool } from "../tool.ts";

/** Of each list in one answer. */
const MOST = 100;

export const stats: Tool = {
  name: "stats",
  title: "Extents, means, rates, distances",
  description:
    "What the numbers of a recording are: count, least, most, mean, deviation and quantiles (1, 5, 25, 50, 75, 95, 99 percent) of each path over all things of its set, messages a second and longest gap of channels, metres that each thing went, events a minute. Times are nanoseconds since the start.",
  properties: {
    recording: RECORDING,
    like: { type: "string", description: "only paths that match this glob: vehicles/**, /position/*" },
    ...RANGE,
  },
  required: ["recording"],
  answer: (given, recordings, signal) =>
    recordings.with(textOf(given, "recording")!, async (recording) => {
      const range = await parseRange({ from: textOf(given, "from"), until: textOf(given, "until") }, recording);
      const { statistics } = await import("../../../stats/statistics.ts");
      const { paths, channels, travels, morePaths, moreTravels, ...found } = await statistics(recording, {
        ...range,
        signal,
      });
      const like = textOf(given, "like");
      const wanted = like === undefined ? paths : paths.filter(({ path }) => matching([like])(path));
      return {
        text: toJson({
          ...found,
          channels: channels.slice(0, MOST),
          paths: wanted.slice(0, MOST),
          pathsAll: wanted.length + morePaths,
          travels: travels.slice(0, MOST),
          travelsAll: travels.length + moreTravels,
        }),
      };
    }),
};
