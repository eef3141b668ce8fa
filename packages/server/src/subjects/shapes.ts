import { Type } from "typebox";

export const SUBJECT = Type.Object({
  id: Type.String({ minLength: 3, maxLength: 200, description: "name, UUID or account of a person" }),
});

export const OTHERS = Type.Array(Type.String({ minLength: 3, maxLength: 200 }), {
  maxItems: 50,
  default: [],
  description: "further names and UUIDs of the same person",
});

export const ASKED_FOR = Type.Object(
  { also: OTHERS },
  { examples: [{ also: ["069a79f4-44e9-4726-a5be-fca90e38aaf5"] }] },
);

const TEXT = Type.Union([Type.String(), Type.Null()]);

const OUTCOME = Type.Object({
  recording: Type.String(),
  did: Type.Enum(["deleted", "redacted", "kept"]),
  why: Type.String(),
  isWhole: Type.Boolean({ description: "nothing of the person is left in it" }),
});

const REMAINDER = Type.Object({
  where: Type.String({ description: "recording, file, folder, or a column such as rooms.name" }),
  id: TEXT,
  recording: TEXT,
  count: Type.Integer(),
  why: Type.String(),
  next: Type.String({ description: "what to do next" }),
});

const EXPORTED = Type.Object({
  recordings: Type.Integer(),
  bytes: Type.Number(),
  missing: Type.Integer({ description: "files that no longer exist" }),
});
const ERASED = Type.Object(
  {
    outcomes: Type.Array(OUTCOME),
    remains: Type.Optional(Type.Array(REMAINDER)),
    isComplete: Type.Optional(Type.Boolean({ description: "the search afterwards found nothing" })),
  },
  { additionalProperties: true },
);

/** A request and its result. */
export const REQUEST_SHOWN = Type.Object({
  id: Type.String(),
  kind: Type.Enum(["export", "erase"]),
  state: Type.Enum(["waiting", "done", "failed"]),
  report: Type.Union([EXPORTED, ERASED, Type.Null()], { description: "what was done; null until it is done" }),
  error: TEXT,
  made: Type.String(),
  ended: TEXT,
  url: Type.Union([Type.String(), Type.Null()], { description: "URL of the zip" }),
});

/** The proof of an erasure; the same as text is at the address with `.txt`. */
export const CERTIFICATE = Type.Object({
  request: Type.String(),
  asked: Type.String(),
  ended: Type.String(),
  token: Type.String({ description: "the opaque id that replaced the name" }),
  isComplete: Type.Boolean({ description: "the search afterwards found nothing" }),
  searched: Type.Object({ columns: Type.Integer(), recordings: Type.Integer(), files: Type.Integer() }),
  removed: Type.Array(OUTCOME),
  changed: Type.Record(Type.String(), Type.Integer(), {
    description: "number of values with the opaque id, by column",
  }),
  renamed: Type.Integer({ description: "number of renamed files" }),
  remains: Type.Array(REMAINDER),
  backups: Type.Array(Type.Object({ made: Type.String(), what: Type.String() })),
  outside: Type.Array(Type.String()),
});
