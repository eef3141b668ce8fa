import { CompareError } from "../../../compare/error.ts";
import type { Alignment, Comparison, Match } from "../../../compare/report.ts";
import { toJson } from "../../../model/values/json.ts";
import { PathError } from "../../../model/state/path.ts";
import { parseRange } from "../../input/time.ts";
import { UsageError } from "../../run/failure.ts";
import { RANGE, RECORDING, textOf, textsOf, type Tool } from "../tool.ts";

/** Of each list in one answer. */
const MOST = 50;

export const compare: Tool = {
  name: "compare",
  title: "Compare two recordings",
  description:
    "Where two recordings differ: whether they are the same, the first difference with time, path and both values, for each path that differs the greatest and the RMS error, what only one has, events that differ. Times are nanoseconds of the first recording.",
  properties: {
    recording: RECORDING,
    other: { ...RECORDING, description: "name of the other recording, as the tool list has it" },
    align: {
      type: "string",
      description: "what is at the same time: start (unless given), utc, tick, mark:TEXT, event:KIND, correlate:PATH",
    },
    match: { type: "string", description: "which things are the same: by id (unless given), name, nearest" },
    rules: {
      type: "array",
      items: { type: "string" },
      maxItems: 50,
      description: "how far paths may be apart: vehicles/*.position: 0.01 m; frame: ignore",
    },
    ...RANGE,
  },
  required: ["recording", "other"],
  answer: (given, recordings, signal) =>
    recordings.with(textOf(given, "recording")!, (one) =>
      recordings.with(textOf(given, "other")!, async (other) => {
        const { start, end } = await parseRange({ from: textOf(given, "from"), until: textOf(given, "until") }, one);
        const match = textOf(given, "match") ?? "id";
        if (!MATCHES.includes(match)) throw new UsageError(`match is one of ${MATCHES.join(", ")}, not ${match}`);
        const { compare: compared } = await import("../../../compare/compare.ts");
        try {
          const found = await compared(one, other, {
            ...{ start, end, signal, rules: textsOf(given, "rules"), match: match as Match },
            align: (textOf(given, "align") ?? "start") as Alignment,
          });
          return { text: toJson(short(found)) };
        } catch (error) {
          throw error instanceof CompareError || error instanceof PathError ? new UsageError(error.message) : error;
        }
      }),
    ),
};

const MATCHES: readonly string[] = ["id", "name", "nearest"];

/** What matters, without curves: the command and the page have all of it. */
function short({ a, b, paths, onlyIn, events, ...found }: Comparison): object {
  const differing = paths.filter(({ differs }) => differs);
  const { same, alignment, range, moments, first, notes } = found;
  return {
    ...{ same, first, alignment, range, moments },
    formats: [a.format, b.format],
    paths: differing.slice(0, MOST).map(({ path, unit, first: of, last, moments: count, max, rms }) => {
      return { path, unit, first: of?.time ?? null, last, moments: count, max, rms };
    }),
    pathsAll: differing.length,
    onlyInFirst: onlyIn.a.slice(0, MOST),
    onlyInOther: onlyIn.b.slice(0, MOST),
    events: { ...events, differences: events.differences.slice(0, MOST) },
    notes,
  };
}
