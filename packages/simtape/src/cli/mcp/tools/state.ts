import { stateToJson } from "../../output/json.ts";
import { partOf } from "../../input/state-part.ts";
import { parseTime } from "../../input/time.ts";
import { RECORDING, textOf, textsOf, TIME, type Tool } from "../tool.ts";

export const state: Tool = {
  name: "state",
  title: "State at a time",
  description:
    "Values and sets of things at a time, as columns with units. Name paths where there are many: vehicles, vehicles/24, vehicles/*/position.",
  properties: {
    recording: RECORDING,
    at: TIME,
    paths: { type: "array", items: { type: "string" }, description: "globs of values, sets, things or columns" },
  },
  required: ["recording", "at"],
  answer: (given, recordings) =>
    recordings.with(textOf(given, "recording")!, async (recording) => {
      const whole = await recording.state(await parseTime(textOf(given, "at")!, recording));
      const globs = textsOf(given, "paths");
      return { text: stateToJson(globs === undefined ? whole : partOf(whole, globs)) };
    }),
};
