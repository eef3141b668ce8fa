import { type TSchema, Type } from "typebox";

const orNull = (type: TSchema): TSchema => Type.Union([type, Type.Null()]);

const FINDINGS = Type.Array(
  Type.Object({
    code: Type.String(),
    severity: Type.String(),
    message: Type.String(),
    offset: orNull(Type.Number()),
  }),
  { description: "damage in the part of the recording that was read" },
);
/** Numbers that JSON cannot write are text: NaN, Infinity, -Infinity, and integers above 2^53. */
const ANY = Type.Unknown();

/** Times in nanoseconds since the start, as `simtape` prints them everywhere. */
export const EVENTS = Type.Object(
  {
    events: Type.Array(
      Type.Object({
        time: Type.Number({ description: "nanoseconds since the start" }),
        kind: Type.String(),
        text: Type.String(),
        who: Type.Array(
          Type.Object({
            set: orNull(Type.String()),
            id: Type.Union([Type.Number(), Type.String()]),
            label: Type.String(),
          }),
        ),
        channel: orNull(Type.String()),
        sequence: orNull(Type.Number()),
        value: ANY,
      }),
    ),
    cursor: Type.Union([Type.String(), Type.Null()], { description: "leads to the next page; null on the last page" }),
    findings: FINDINGS,
  },
  { $id: "Events" },
);

export const SERIES = Type.Object(
  {
    series: Type.Array(
      Type.Object({
        path: Type.String(),
        unit: orNull(Type.String()),
        kind: Type.String({ description: "number, integer, boolean or text" }),
        interpolation: Type.String(),
        time: Type.Array(Type.Number(), { description: "nanoseconds since the start, ascending" }),
        value: Type.Array(Type.Union([Type.Number(), Type.String(), Type.Null()]), {
          description: "one for each time; null where there is no value",
        }),
      }),
    ),
    findings: FINDINGS,
  },
  { $id: "Series" },
);

export const STATE = Type.Object(
  {
    time: Type.Number({ description: "nanoseconds since the start" }),
    values: Type.Record(Type.String(), ANY),
    sets: Type.Record(
      Type.String(),
      Type.Object({
        ids: Type.Array(Type.Union([Type.Number(), Type.String()])),
        columns: Type.Record(
          Type.String(),
          Type.Object({ unit: orNull(Type.String()), width: Type.Number(), data: Type.Array(ANY) }),
        ),
        axes: Type.Optional(ANY),
      }),
    ),
    findings: FINDINGS,
  },
  { $id: "State" },
);

const EXTREME = {
  extreme: orNull(Type.Number({ description: "the greatest or least value of the number that is compared" })),
  at: orNull(Type.Number({ description: "when it was that" })),
  thing: orNull(Type.String({ description: "of an expression about each thing: which" })),
};

export const WHEN = Type.Object(
  {
    count: Type.Number({ description: "number of intervals" }),
    time: Type.Number({ description: "nanoseconds for which it is true in all" }),
    first: orNull(Type.Number({ description: "beginning of the first interval" })),
    ...EXTREME,
    measure: orNull(Type.Object({ how: Type.Enum(["min", "max"]), unit: Type.String() })),
    intervals: Type.Array(
      Type.Object({
        from: Type.Number({ description: "nanoseconds since the start" }),
        until: Type.Number({ description: "the same as `from` of an instant" }),
        ...EXTREME,
      }),
      { description: "in the order in which they end, as far as `limit` allows" },
    ),
    findings: FINDINGS,
  },
  { $id: "When" },
);

/** The targets, and what of a recording each can carry. */
export const EXPORT_TARGETS_SHAPE = Type.Object(
  {
    targets: Type.Array(
      Type.Object({
        id: Type.String({ description: "for `to`" }),
        name: Type.String(),
        extensions: Type.Array(Type.String(), { description: "endings of its files; the first is the usual one" }),
        mediaType: Type.String(),
        carries: Type.String({ description: "what it can carry of any recording" }),
        fits: Type.Array(Type.String(), {
          description: "sets of this recording, and channels, that it can carry; none: the target does not fit",
        }),
      }),
    ),
  },
  { $id: "ExportTargets" },
);
