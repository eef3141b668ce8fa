import { type TSchema, Type } from "typebox";

const MOST_RULES = 200;
const orNull = (type: TSchema): TSchema => Type.Union([type, Type.Null()]);
const time = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }));

const RANGE = { from: time("first time, inclusive"), until: time("last time, exclusive") };

/** The body of a request for statistics. */
export const STATS = Type.Object(RANGE, { additionalProperties: false, examples: [{}, { from: "10s", until: "1m" }] });

/** The body of a request for a comparison; the options of `simtape compare`. */
export const COMPARE = Type.Object(
  {
    other: Type.String({ minLength: 1, maxLength: 64, description: "id of the recording to compare with" }),
    align: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: "start (the default), utc, tick, mark:TEXT, event:KIND or correlate:PATH",
      }),
    ),
    match: Type.Optional(Type.Enum(["id", "name", "nearest"], { description: "which things are the same" })),
    rules: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
        maxItems: MOST_RULES,
        description: "how far paths may be apart: vehicles/*.position: 0.01 m",
      }),
    ),
    near: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1e6, description: "seconds between moments that count as one" }),
    ),
    ...RANGE,
  },
  {
    additionalProperties: false,
    examples: [
      { other: "06f2x6q8h7nr" },
      { other: "06f2x6q8h7nr", align: "utc", rules: ["vehicles/*.position: 0.01 m", "platform-time: ignore"] },
    ],
  },
);

const SHOWN = {
  id: Type.String(),
  kind: Type.Enum(["stats", "compare"]),
  recording: Type.String(),
  other: orNull(Type.String({ description: "id of the recording that it is compared with" })),
  options: Type.Record(Type.String(), Type.Unknown()),
  same: orNull(Type.Boolean({ description: "of a comparison: whether nothing differs" })),
  made: Type.String(),
};

export const ANALYSES = Type.Object({ analyses: Type.Array(Type.Object(SHOWN)) }, { $id: "Analyses" });

export const ANALYSIS = Type.Object(
  {
    ...SHOWN,
    result: Type.Record(Type.String(), Type.Unknown(), {
      description: "as `simtape stats --json` and `simtape compare --json` print it; `file` is the path in the library",
    }),
  },
  { $id: "Analysis" },
);
