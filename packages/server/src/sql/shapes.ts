import { type Static, Type } from "typebox";
import { FILTERS } from "../catalog/search/filters.ts";
import { FORMATS } from "./question.ts";

/** Most ids of a list, and letters of a statement. */
const MOST_IDS = 10_000;
const MOST_LETTERS = 100_000;

const CHOSEN = Type.Union(
  [
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: MOST_IDS }),
    Type.Object(
      { ...FILTERS.properties, folder: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })) },
      { additionalProperties: false },
    ),
  ],
  { description: "ids, or filters as in a list of recordings and a `folder`; by default all recordings" },
);
export type Chosen = Static<typeof CHOSEN>;

export const SQL = Type.Object(
  {
    sql: Type.String({ minLength: 1, maxLength: MOST_LETTERS, description: "one SELECT, in the dialect of DuckDB" }),
    recordings: Type.Optional(CHOSEN),
    format: Type.Enum([...FORMATS], { default: "json" }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: "most rows; the settings of the server have a limit, too" }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      { sql: "select recording, count(*) as collisions from events where kind = 'collision' group by all" },
      {
        sql: "select time, position_x from vehicles where id = 24 and time between 5 and 6",
        recordings: ["06f2x6q8h7nq"],
        limit: 1000,
      },
      {
        sql: "select id, max(forward_speed) as fastest from vehicles group by id",
        recordings: { folder: "monday", format: "carla" },
        format: "csv",
      },
    ],
  },
);

export const TABLES_ASKED = Type.Object(
  { recordings: Type.Optional(CHOSEN) },
  { additionalProperties: false, examples: [{}, { recordings: { format: "carla" } }] },
);

const COLUMN = Type.Object({
  name: Type.String(),
  type: Type.String({ description: "in the words of DuckDB: BIGINT, VARCHAR[], TIMESTAMP" }),
  unit: Type.Union([Type.String(), Type.Null()], { description: "as recorded; null: none is known" }),
});

export const SQL_ANSWER = Type.Object(
  {
    columns: Type.Array(COLUMN),
    rows: Type.Array(Type.Array(Type.Unknown()), {
      description:
        "cells in the order of the columns. Numbers that JSON cannot write are text: NaN, Infinity, integers above 2^53",
    }),
    truncated: Type.Boolean({ description: "there are more rows than the limit" }),
    unread: Type.Number({ description: "number of recordings that could not be read: their rows are missing" }),
    problems: Type.Array(Type.Object({ recording: Type.String(), code: Type.String(), message: Type.String() }), {
      description: "why; at most 100",
    }),
  },
  {
    $id: "SqlAnswer",
    examples: [
      {
        columns: [
          { name: "recording", type: "VARCHAR", unit: null },
          { name: "collisions", type: "BIGINT", unit: null },
        ],
        rows: [["monday/town.log", 3]],
        truncated: false,
        unread: 0,
        problems: [],
      },
    ],
  },
);

export const SQL_TABLES = Type.Object(
  {
    tables: Type.Array(Type.Object({ name: Type.String(), columns: Type.Array(Type.String()) })),
    recordings: Type.Number({ description: "number of recordings that a statement would reach" }),
    looked: Type.Number({ description: "number of recordings whose tables these are" }),
  },
  { $id: "SqlTables" },
);
