import { type Static, Type } from "typebox";

const NAME = Type.String({ minLength: 1, maxLength: 200 });
const TEXT = Type.String({ maxLength: 4000 });
const SECONDS = Type.Number({ minimum: 0, maximum: 1e9 });

/** A report as a client sends it. */
export const REPORT = Type.Object(
  {
    recording: Type.String({ maxLength: 64 }),
    subject: Type.String({ minLength: 1, maxLength: 200, description: "name or UUID of the reported thing or person" }),
    text: Type.String({ maxLength: 4000, default: "" }),
    first: Type.Optional(SECONDS),
    last: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1e9, description: "seconds; without a range, the last five minutes" }),
    ),
    score: Type.Optional(Type.Number({ minimum: 0, maximum: 1e6, description: "how sure a detector is" })),
    flags: Type.Optional(Type.Array(NAME, { maxItems: 50 })),
    reporter: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "staff and programs only: name of the reporter" }),
    ),
  },
  {
    examples: [
      {
        recording: "06f2x6q8h7nq",
        subject: "Alex",
        text: "left the track before the second checkpoint",
        first: 2,
        last: 6,
      },
    ],
  },
);
export type ReportInput = Static<typeof REPORT>;

export const QUEUE = Type.Object({
  state: Type.Optional(
    Type.Union([Type.Literal("open"), Type.Literal("assigned"), Type.Literal("closed"), Type.Literal("pending")], {
      description: "pending: open or assigned",
    }),
  ),
  assignee: Type.Optional(Type.String({ maxLength: 64, description: "id of a user, or `me`" })),
  subject: Type.Optional(NAME),
  recording: Type.Optional(Type.String({ maxLength: 64 })),
  sort: Type.Union([Type.Literal("score"), Type.Literal("age"), Type.Literal("newest")], { default: "score" }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type Queue = Static<typeof QUEUE>;

export const ASSIGN = Type.Object(
  {
    assignee: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], {
        description: "id of a user; absent: the user who asks; null: no user",
      }),
    ),
    from: Type.Optional(
      Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
        description: "id of the present assignee, to take the review over; absent: assigns only a free review",
      }),
    ),
  },
  { examples: [{}, { assignee: null, from: "06f2x6q8h7ab" }] },
);

export const MARK = Type.Object(
  {
    time: Type.Number({ minimum: 0, maximum: 1e9, description: "seconds from the start of the reported recording" }),
    thing: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
    label: Type.String({ minLength: 1, maxLength: 500 }),
    severity: Type.Integer({ minimum: 0, maximum: 127, default: 0 }),
  },
  { examples: [{ time: 4.2, thing: "Alex", label: "leaves the track", severity: 3 }] },
);
export type MarkInput = Static<typeof MARK>;

export const VERDICT = Type.Object(
  {
    verdict: NAME,
    remark: Type.String({ maxLength: 4000, default: "" }),
    keep: Type.Boolean({ default: true, description: "the recording stays on hold" }),
  },
  { examples: [{ verdict: "disqualified", remark: "missed a checkpoint", keep: true }] },
);
export type VerdictInput = Static<typeof VERDICT>;

/** A report as its reporter sees it: its state, and nothing else. */
export const OWN_REPORT = Type.Object(
  {
    id: Type.String(),
    recording: Type.Union([Type.String(), Type.Null()]),
    subject: Type.String(),
    text: TEXT,
    state: Type.Enum(["open", "assigned", "closed"]),
    made: Type.String(),
    closed: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: "Report" },
);

const MAYBE = Type.Union([Type.String(), Type.Null()]);
const MAYBE_SECONDS = Type.Union([Type.Number(), Type.Null()]);
const REVIEW_ROW = {
  id: Type.String(),
  recording: MAYBE,
  name: MAYBE,
  subject: Type.String(),
  reporter: MAYBE,
  text: Type.String(),
  first: MAYBE_SECONDS,
  last: MAYBE_SECONDS,
  score: Type.Number(),
  flags: Type.Array(Type.String()),
  state: Type.Enum(["open", "assigned", "closed"]),
  assignee: MAYBE,
  verdict: MAYBE,
  remark: MAYBE,
  judge: MAYBE,
  clip: MAYBE,
  clipError: MAYBE,
  clipLost: Type.Array(Type.Object({ path: Type.String(), count: Type.Integer(), reason: Type.String() })),
  written: MAYBE,
  writtenError: MAYBE,
  made: Type.String(),
  closed: MAYBE,
  page: MAYBE,
  clipPage: MAYBE,
};

/** A review as the staff see it. */
export const REVIEW = Type.Object(
  {
    ...REVIEW_ROW,
    marks: Type.Array(
      Type.Object({
        id: Type.String(),
        author: MAYBE,
        time: Type.Number(),
        thing: MAYBE,
        label: Type.String(),
        severity: Type.Integer(),
        made: Type.String(),
      }),
    ),
    holds: Type.Array(Type.Object({ id: Type.String(), recording: Type.String(), reason: Type.String() })),
  },
  { $id: "Review" },
);

export const REVIEWS = Type.Object({ reviews: Type.Array(Type.Object(REVIEW_ROW)), cursor: MAYBE });
