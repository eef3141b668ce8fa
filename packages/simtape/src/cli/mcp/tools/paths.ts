import { toJson } from "../../../model/values/json.ts";
import { pathsIn } from "../../../model/query/listing.ts";
import { tellingOf } from "../../../model/query/source.ts";
import { matching } from "../../input/glob.ts";
import { parseTime } from "../../input/time.ts";
import { RECORDING, textOf, TIME, type Tool } from "../tool.ts";

/** Paths of one answer. */
const MOST = 300;

export const paths: Tool = {
  name: "paths",
  title: "List paths",
  description:
    "Paths of the numbers and texts that a recording has at a time, with their units: vehicles/24/position.x. Other tools take them.",
  properties: {
    recording: RECORDING,
    at: TIME,
    like: { type: "string", description: "only paths that match this glob: vehicles/*/position.*" },
  },
  required: ["recording"],
  answer: (given, recordings) =>
    recordings.with(textOf(given, "recording")!, async (recording) => {
      const time = await parseTime(textOf(given, "at") ?? "0%", recording);
      const state = await recording.state(time);
      const telling = await tellingOf({ reader: recording.reader, traits: () => recording.traits() });
      const like = textOf(given, "like");
      const isWanted = like === undefined ? () => true : matching([like]);
      const found: { readonly path: string; readonly unit: string | null }[] = [];
      let all = 0;
      for (const { text, unit } of pathsIn(state, telling)) {
        if (!isWanted(text)) continue;
        all++;
        if (found.length < MOST) found.push({ path: text, unit });
      }
      return { text: toJson({ time, paths: found, all }) };
    }),
};
