import { toJson } from "../../../model/values/json.ts";
import { describe } from "../../output/described.ts";
import { holds } from "../../output/holds.ts";
import { RECORDING, textOf, type Tool } from "../tool.ts";

export const info: Tool = {
  name: "info",
  title: "What is in a recording",
  description:
    "Format, length, channels, findings of a recording, and what it is of. Times are nanoseconds since the start.",
  properties: { recording: RECORDING },
  required: ["recording"],
  answer: (given, recordings) => {
    const name = textOf(given, "recording")!;
    return recordings.with(name, async (recording) => ({
      text: toJson({ holds: await holds(recording), ...(await describe(recording, name)) }),
    }));
  },
};
