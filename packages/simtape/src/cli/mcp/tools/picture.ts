import { toJson } from "../../../model/values/json.ts";
import { UsageError } from "../../run/failure.ts";
import { parseTime } from "../../input/time.ts";
import { mapPicture } from "../map-picture.ts";
import { RECORDING, textOf, TIME, type Tool } from "../tool.ts";

export const picture: Tool = {
  name: "picture",
  title: "Picture of a moment",
  description:
    "A map from above of where things are at a time, as PNG, with a legend: colours of sets, metres of the grid, and the places of the first things.",
  properties: { recording: RECORDING, at: TIME },
  required: ["recording", "at"],
  answer: (given, recordings) =>
    recordings.with(textOf(given, "recording")!, async (recording) => {
      const state = await recording.state(await parseTime(textOf(given, "at")!, recording), { interpolate: true });
      const { showing } = await recording.traits();
      const map = mapPicture(state, showing?.things);
      if (map === null) throw new UsageError("nothing has a place at this time");
      return { text: toJson({ time: state.time, ...map.legend }), picture: map.png };
    }),
};
