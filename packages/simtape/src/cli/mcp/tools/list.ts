import { toJson } from "../../../model/values/json.ts";
import { numberOf, textOf, type Tool } from "../tool.ts";

/** Names of one answer. */
const MOST = 500;

export const list: Tool = {
  name: "list",
  title: "List recordings",
  description: "Names of the recordings, in order. The tool info says what is in one.",
  properties: {
    contains: { type: "string", description: "only names that contain this text" },
    skip: { type: "integer", minimum: 0, description: "names to leave out at the beginning" },
  },
  required: [],
  answer: async (given, recordings) => {
    const text = textOf(given, "contains") ?? "";
    const names = (await recordings.list()).map(({ name }) => name).filter((name) => name.includes(text));
    const skip = numberOf(given, "skip", 0);
    return { text: toJson({ recordings: names.slice(skip, skip + MOST), all: names.length }) };
  },
};
