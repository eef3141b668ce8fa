import * as v from "valibot";
import {
  dictionary,
  filled,
  list,
  matching,
  number,
  object,
  oneOf,
  problemIn,
  type Shape,
  tell,
  text,
} from "../../model/shape.ts";
import type { Time } from "../../model/time.ts";
/** One step of an edit. Times are nanoseconds since the start of what the step is applied to; ranges are `[from, until)`. */
export type Operation =
  /** Keeps a range; its first moment carries what was true before it. Time 0 is then `from`. */
  | { readonly op: "trim"; readonly from?: Time | undefined; readonly until?: Time | undefined }
  /** Moves every message by so much; the wall clock stays what it was. */
  | { readonly op: "shift"; readonly by: Time }
  /** Keeps channels that match any of `channels` (globs; absent: all) and none of `exclude`. */
  | {
      readonly op: "filter";
      readonly channels?: readonly string[] | undefined;
      readonly exclude?: readonly string[] | undefined;
    }
  /** New names for channels, where the format keeps names. */
  | { readonly op: "rename"; readonly channels: Readonly<Record<string, string>> }
  /** Takes out messages of the channels that match, in the range; absent bounds are open. */
  | {
      readonly op: "redact";
      readonly channels: readonly string[];
      readonly from?: Time | undefined;
      readonly until?: Time | undefined;
    }
  /** A note at a moment, kept with the provenance. */
  | { readonly op: "annotate"; readonly at: Time; readonly text: string; readonly kind?: string | undefined }
  /** Other recordings of the same format behind this one, `gap` apart; each begins with what holds at its own start. */
  | { readonly op: "join"; readonly files: readonly string[]; readonly gap?: Time | undefined };

/** What is written down: a source and what is done to it, in order. */
export interface EditList {
  readonly version: 1;
  /** Path or URL, from where the list is. */
  readonly source?: string | undefined;
  readonly operations: readonly Operation[];
}

/** A list that cannot be carried out: `path` says where in the JSON. */
export class EditError extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.name = "EditError";
    this.path = path;
  }
}
/** An edit list as it is written: times are texts, too. */
export interface WrittenEditList extends Omit<EditList, "operations"> {
  readonly operations: readonly Written<Operation>[];
}

type Written<O> = O extends Operation
  ? { readonly [Key in keyof O]: Key extends (typeof TIMES)[number] ? O[Key] | string : O[Key] }
  : never;

/** Fields of operations that are times. */
const TIMES = ["from", "until", "by", "at", "gap"] as const;

/** `docs/edit-list.schema.json` has it under its name. */
export const TIME: Shape<Time | string> = v.pipe(
  v.union([
    number,
    matching(
      /^-?((\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d))+|\d+(\.\d+)?|(\d+:(?=[0-5]\d:))?\d+:[0-5]\d(\.\d+)?)$/,
      "a duration such as 12.5s, 1m30s, 250ms, 0:03.400",
    ),
  ]),
  v.description(
    "nanoseconds since the start, or a duration such as 12.5s, 1m30s, 250ms, 0:03.400; a text without a unit is seconds",
  ),
);
const time = v.optional(TIME);
const channels = filled(text);

const OPERATIONS = [
  object({ op: v.literal("trim"), from: time, until: time }),
  object({ op: v.literal("shift"), by: TIME }),
  object({ op: v.literal("filter"), channels: v.optional(channels), exclude: v.optional(channels) }),
  object({ op: v.literal("rename"), channels: dictionary(v.pipe(text, v.nonEmpty("a name"))) }),
  object({ op: v.literal("redact"), channels, from: time, until: time }),
  object({ op: v.literal("annotate"), at: TIME, text, kind: v.optional(text) }),
  object({ op: v.literal("join"), files: channels, gap: time }),
] as const;

/** What an edit list is; `docs/edit-list.schema.json` is made of it. */
export const EDIT_LIST: Shape<WrittenEditList> = object({
  version: oneOf(1),
  source: v.optional(v.pipe(text, v.description("path or URL of the recording, from where the list is"))),
  operations: list(
    v.variant("op", OPERATIONS, ({ path }) => {
      if (path === undefined) return "an object";
      return `one of ${OPERATIONS.map(({ entries }) => entries.op.literal).join(", ")}`;
    }),
  ),
});

/** Checks a parsed JSON document; `time` reads a time. Throws `EditError` with the place of what is wrong. */
export function parseEditList(document: unknown, time: (text: string) => Time | null): EditList {
  const problem = problemIn(EDIT_LIST, document);
  if (problem !== null) throw new EditError(problem.path || "list", tell(problem));
  const list = document as WrittenEditList;
  return { ...list, operations: list.operations.map((operation, i) => withTimes(operation, `operations[${i}]`, time)) };
}

/** With times as numbers. */
function withTimes(operation: Written<Operation>, path: string, time: (text: string) => Time | null): Operation {
  const read: Record<string, unknown> = { ...operation };
  for (const key of TIMES) {
    const told = read[key];
    if (typeof told !== "string") continue;
    read[key] = time(told);
    if (read[key] === null) throw new EditError(`${path}.${key}`, `expected a time, found ${JSON.stringify(told)}`);
  }
  return read as unknown as Operation;
}
