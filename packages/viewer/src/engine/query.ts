import type { Engine } from "./engine.ts";
import type { Answer, Ask, Progress, QueryName } from "../protocol.ts";

/** Answers one kind of query. The page gets the error that it throws. */
export type Query<K extends QueryName> = (
  engine: Engine,
  ask: Ask<K>,
  signal: AbortSignal,
  report: (progress: Progress) => void,
) => Promise<Answer<K>>;
