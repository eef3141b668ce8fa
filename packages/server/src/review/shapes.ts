import { type Static, Type } from "typebox";

const NAME = Type.String({ minLength: 1, maxLength: 200 });
const TEXT = Type.String({ maxLength: 4000 });
const SECONDS = Type.Number({ minimum: 0, maximum: 1e9 });

/** A report as it is sent. */
export const REPORT = Type.Object({
  recording: Type.String({ maxLength: 64 }),
  subject: Type.String({ minLength: 1, maxLength: 200, description: "who is reported: a name or UUID" }),
  text: Type.String({ maxLength: 4000, default: "" }),
  first: Type.Optional(SECONDS),
  last: Type.Optional(Type.Number({ minimum: 0, maximum: 1e9, description: "absent: the last five minutes" })),
  score: Type.Optional(Type.Number({ minimum: 0, maximum: 1e6, description: "how sure a detector is" })),
  flags: Type.Optional(Type.Array(NAME, { maxItems: 50 })),
  reporter: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "staff and programs: for whom" })),
});
export type ReportInput = Static<typeof REPORT>;

export const QUEUE = Type.Object({
  state: Type.Optional(
    Type.Union([Type.Literal("open"), Type.Literal("assigned"), Type.Literal("closed"), Type.Literal("pending")], {
      description: "pending: open or assigned",
    }),
  ),
  assignee: Type.Optional(Type.String({ maxLength: 64, description: "id, or me" })),
  subject: Type.Optional(NAME),
  recording: Type.Optional(Type.String({ maxLength: 64 })),
  sort: Type.Union([Type.Literal("score"), Type.Literal("age"), Type.Literal("newest")], { default: "score" }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type Queue = Static<typeof QUEUE>;

export const ASSIGN = Type.Object({
  assignee: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], { description: "absent: oneself" }),
  ),
  from: Type.Optional(
    Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
      description: "who has it now, to take it over; absent: it is taken only when it is free",
    }),
  ),
});

export const MARK = Type.Object({
  time: Type.Number({ minimum: 0, maximum: 1e9, description: "seconds, in the recording that was reported" }),
  thing: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
  label: Type.String({ minLength: 1, maxLength: 500 }),
  severity: Type.Integer({ minimum: 0, maximum: 127, default: 0 }),
});
export type MarkInput = Static<typeof MARK>;

export const VERDICT = Type.Object({
  verdict: NAME,
  remark: Type.String({ maxLength: 4000, default: "" }),
  keep: Type.Boolean({ default: true, description: "whether the recording stays on hold" }),
});
export type VerdictInput = Static<typeof VERDICT>;

/** As its reporter sees it: what is done about it, nothing else. */
export const OWN_REPORT = Type.Object(
  {
    id: Type.String(),
    recording: Type.Union([Type.String(), Type.Null()]),
    subject: Type.String(),
    text: TEXT,
    state: Type.String(),
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
  state: Type.String({ description: "open, assigned or closed" }),
  assignee: MAYBE,
  verdict: MAYBE,
  remark: MAYBE,
  judge: MAYBE,
  clip: MAYBE,
  clipError: MAYBE,
  written: MAYBE,
  writtenError: MAYBE,
  made: Type.String(),
  closed: MAYBE,
  page: MAYBE,
  clipPage: MAYBE,
};

/** As the staff see it. */
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
