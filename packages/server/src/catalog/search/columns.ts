import { sql } from "kysely";
import type { RecordingState } from "../../database/tables.ts";

/** The properties of a recording in a list. */
export const COLUMNS = [
  "recordings.id",
  "recordings.name",
  "key",
  "state",
  "error",
  "format",
  "bytes",
  "started",
  "seconds",
  "summary",
  "owner",
  "collection",
  "added",
  "twin",
  sql<number>`jsonb_array_length(findings)`.as("count"),
  sql<string[]>`array(select tag from tags where tags.recording = recordings.id order by tag)`.as("tags"),
] as const;

/** What `COLUMNS` select. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: RecordingState;
  readonly error: string | null;
  readonly format: string | null;
  readonly bytes: number;
  readonly started: Date | null;
  readonly seconds: number | null;
  readonly summary: string;
  readonly owner: string | null;
  readonly collection: string | null;
  readonly added: Date;
  readonly twin: boolean;
  readonly count: number;
  readonly tags: string[];
}
