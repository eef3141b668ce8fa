import { Type } from "typebox";

const MOST_NAMES = 500;

const name = (description: string) => Type.String({ minLength: 1, maxLength: 300, description });
const time = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });

const TARGET = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "id of a target: csv, parquet, kml, mcap, …; see /api/recordings/{id}/export/targets",
});
const COLUMNS = "only these columns; position means position.x, position.y and position.z";
const IDS = "only these things of the set";

const COMMON = {
  set: Type.Optional(name("the things of this set")),
  channel: Type.Optional(name("the messages of this channel")),
  from: Type.Optional(time("first time, inclusive")),
  until: Type.Optional(time("last time, exclusive")),
  time: Type.Optional(Type.Enum(["s", "ns"], { description: "unit of the column of times" })),
  every: Type.Optional(time("of a set: rows at this interval instead of at recorded moments: 50ms")),
  axes: Type.Optional(
    Type.Union(
      ["source", "standard", "right-y", "left-z", "left-y"].map((axes) => Type.Literal(axes)),
      { description: "of a set: axes to which positions and rotations are turned, in metres" },
    ),
  ),
  origin: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "where a local plane touches the earth: latitude, longitude, altitude and heading, with commas",
    }),
  ),
};

const names = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: MOST_NAMES, description }),
  );
const LISTS = { columns: names(COLUMNS), ids: names(IDS) };

/** The body of a request for an export. */
export const EXPORT = Type.Union(
  [
    Type.Object(
      { format: Type.String({ maxLength: 64, description: "id of a format that simtape writes" }) },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        table: Type.Union([Type.Literal("csv"), Type.Literal("ndjson"), Type.Literal("parquet")]),
        ...COMMON,
        ...LISTS,
      },
      { additionalProperties: false },
    ),
    Type.Object({ to: TARGET, ...COMMON, ...LISTS }, { additionalProperties: false }),
  ],
  {
    examples: [
      { format: "hcrp" },
      { table: "csv", set: "vehicles" },
      { table: "parquet", set: "vehicles", columns: ["position"], from: "10s", until: "1m", every: "100ms" },
      { to: "kml", every: "1s" },
    ],
  },
);

/** One value, or the parameter given more than once. */
const list = (description: string) =>
  Type.Optional(
    Type.Union(
      [Type.String({ minLength: 1, maxLength: 3000 }), Type.Array(Type.String({ maxLength: 300 }), { maxItems: 50 })],
      { description },
    ),
  );

/** The query of a request for an export at once. */
export const EXPORT_QUERY = Type.Object({ to: TARGET, ...COMMON, columns: list(COLUMNS), ids: list(IDS) });
