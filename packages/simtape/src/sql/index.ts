/** Questions to recordings in SQL, answered by DuckDB. Needs the package `@duckdb/node-api`, which is loaded on use. */
export { Answer, type AnswerBatch, type AnswerCells, type AnswerColumn } from "./answer.ts";
export type { Limits } from "./duckdb.ts";
export { SqlError, type SqlErrorCode } from "./error.ts";
export type { TablePlan } from "./plan.ts";
export { query, type QueryResult } from "./query.ts";
export { openSource, type SqlOptions, type SqlProblem, SqlSession, type SqlSource } from "./session.ts";
export type { Catalogue } from "./tables.ts";
export type { Span, Wanted, WantedId } from "./wanted.ts";
