import { toJson } from "../../../model/values/json.ts";
import { parseRange } from "../../input/time.ts";
import { numberOf, RANGE, RECORDING, textOf, textsOf, type Tool } from "../tool.ts";

/** Events of one answer. */
const MOST = 200;

export const events: Tool = {
  name: "events",
  title: "What happened",
  description:
    "Events of a recording in order: collisions, spawns, chat, marks. Times are nanoseconds since the start.",
  properties: {
    recording: RECORDING,
    kinds: { type: "array", items: { type: "string" }, description: "only these kinds: collision, spawn, mark" },
    who: { type: "string", description: "only events of a participant with this id, or with this text in the name" },
    ...RANGE,
    skip: { type: "integer", minimum: 0, description: "events to leave out at the beginning" },
  },
  required: ["recording"],
  answer: (given, recordings, signal) =>
    recordings.with(textOf(given, "recording")!, async (recording) => {
      const range = await parseRange({ from: textOf(given, "from"), until: textOf(given, "until") }, recording);
      const query = { ...range, kinds: textsOf(given, "kinds"), who: textOf(given, "who"), signal };
      const skip = numberOf(given, "skip", 0);
      const found: unknown[] = [];
      let all = 0;
      for await (const batch of recording.events(query)) {
        for (const { time, kind, text, who, value } of batch)
          if (all++ >= skip && found.length < MOST) found.push({ time, kind, text, who, value });
      }
      return { text: toJson({ events: found, all }) };
    }),
};
