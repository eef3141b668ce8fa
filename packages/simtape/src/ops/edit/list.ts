import {
  described,
  dictionary,
  filled,
  list,
  literal,
  matching,
  maybe,
  number,
  object,
  oneOf,
  problemIn,
  type Shape,
  sized,
  tell,
  text,
  union,
  variant,
} from "../../model/shape.ts";
import type { Time } from "../../model/values/time.ts";
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
export const TIME: Shape<Time | string> = described(
  union(
    number,
    matching(
      /^-?((\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d))+|\d+(\.\d+)?|(\d+:(?=[0-5]\d:))?\d+:[0-5]\d(\.\d+)?)$/,
      "a duration such as 12.5s, 1m30s, 250ms, 0:03.400",
    ),
  ),
  "nanoseconds since the start, or a duration such as 12.5s, 1m30s, 250ms, 0:03.400; a text without a unit is seconds",
);
const time = maybe(TIME);
const channels = filled(text);

const OPERATIONS: Readonly<Record<Operation["op"], Shape<Written<Operation>>>> = {
  trim: object({ op: literal("trim"), from: time, until: time }),
  shift: object({ op: literal("shift"), by: TIME }),
  filter: object({ op: literal("filter"), channels: maybe(channels), exclude: maybe(channels) }),
  rename: object({ op: literal("rename"), channels: dictionary(sized(1, Infinity, "a name")) }),
  redact: object({ op: literal("redact"), channels, from: time, until: time }),
  annotate: object({ op: literal("annotate"), at: TIME, text, kind: maybe(text) }),
  join: object({ op: literal("join"), files: channels, gap: time }),
};

/** What an edit list is; `docs/edit-list.schema.json` is made of it. */
export const EDIT_LIST: Shape<WrittenEditList> = object({
  version: oneOf(1),
  source: maybe(described(text, "path or URL of the recording, relative to the list")),
  operations: list(variant("op", OPERATIONS)),
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
    const text = read[key];
    if (typeof text !== "string") continue;
    read[key] = time(text);
    if (read[key] === null) throw new EditError(`${path}.${key}`, `expected a time, found ${JSON.stringify(text)}`);
  }
  return read as unknown as Operation;
}
