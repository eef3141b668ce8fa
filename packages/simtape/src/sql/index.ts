/** Questions to recordings in SQL, answered by DuckDB. Needs the package `@duckdb/node-api`, which is loaded on use. */
export type { Answer, AnswerBatch, AnswerCells, AnswerColumn } from "./answer.ts";
export type { AskedTable, Elsewhere, FarReading, FarSource, ReadPart, TablePart } from "./elsewhere.ts";
export { SqlError, type SqlErrorCode } from "./error.ts";
export type { KnownCells } from "./known.ts";
export type { Limits } from "./limits.ts";
export { query, type QueryResult } from "./query.ts";
export { SqlSession } from "./session.ts";
export { openSource, type SqlOptions, type SqlProblem, type SqlSource } from "./source.ts";
export type { Catalogue } from "./tables.ts";
export type { Span, TablePlan, Wanted, WantedId } from "./wanted.ts";
