import { toJson } from "../../../model/values/json.ts";
import { parseRange } from "../../input/time.ts";
import { plainSeries } from "../../output/series-text.ts";
import { numberOf, RANGE, RECORDING, textOf, textsOf, type Tool } from "../tool.ts";

/** Steps of a series unless the question says otherwise. */
const POINTS = 100;

export const series: Tool = {
  name: "series",
  title: "Numbers over time",
  description:
    "The values of paths over time: the first, least, greatest and last of each step. Times are nanoseconds since the start.",
  properties: {
    recording: RECORDING,
    paths: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: 20,
      description: "vehicles/24/position.x",
    },
    ...RANGE,
    points: { type: "integer", minimum: 1, maximum: 5000, description: `steps of the range; ${POINTS} unless given` },
  },
  required: ["recording", "paths"],
  answer: (given, recordings, signal) =>
    recordings.with(textOf(given, "recording")!, async (recording) => {
      const range = await parseRange({ from: textOf(given, "from"), until: textOf(given, "until") }, recording);
      const points = numberOf(given, "points", POINTS);
      const found = await recording.series(textsOf(given, "paths")!, { ...range, points, signal });
      return { text: toJson({ series: found.map(plainSeries) }) };
    }),
};
