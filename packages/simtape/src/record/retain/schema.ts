import {
  between,
  boolean,
  described,
  dictionary,
  filled,
  list,
  type MaybeShape,
  matching,
  maybe,
  number,
  object,
  oneOf,
  orNull,
  type Shape,
  text,
  union,
  whole,
} from "../../model/shape.ts";
import type { Outcome } from "../live/recorder-options.ts";

/** With words for who writes a policy, in an editor that knows JSON Schema. */
function optional<T>(shape: Shape<T>, description: string): MaybeShape<T> {
  return maybe(described(shape, description));
}

const from0 = whole(0, Number.MAX_SAFE_INTEGER);
const fromZero = between(0, Infinity, "a number from 0");
const days = orNull(fromZero);
const asDays = optional(days, "as days");
const forEver = optional(days, "for ever when absent or null");
const texts = filled(text);

const CLASS: Shape<RetentionClass> = object({
  name: described(matching(/^.+$/, "a text of one line"), "for people and reports"),
  match: optional(
    object({
      world: optional(texts, "UUIDs of worlds"),
      key: optional(texts, "globs of the recording's id in the store; * stops at /, ** does not"),
      profile: optional(texts, "what was recorded: ghost, standard, review, cinema"),
      metadata: optional(
        dictionary(filled(union(text, number, boolean)), text, 1),
        "values in the metadata by their path, such as server.mode; texts are globs",
      ),
    }),
    "all of these must hold, each by any of its values; absent: every recording",
  ),
  days: optional(days, "kept so many days after the end; 30 when absent; null: for ever"),
  outcomeDays: optional(
    object({ completed: asDays, reset: asDays, abandoned: asDays, crashed: asDays }),
    "other days by how a recording ended; one that was left open has crashed",
  ),
  most: optional(
    object({ count: whole(1, Number.MAX_SAFE_INTEGER), per: filled(oneOf("subject", "world")) }),
    "the newest so many of each subject, each world, or each subject in each world",
  ),
  quotaBytes: optional(from0, "of all recordings of the class; the oldest go first"),
  keepTop: optional(
    from0,
    "so many of the shortest duration_ms among the completed runs of each world, for ever; 0 when absent",
  ),
  keepBest: optional(boolean, "the shortest duration_ms of each subject in each world, for ever; true when absent"),
  keepFlagged: optional(
    union(
      boolean,
      object({
        kinds: optional(texts, "kinds of marks; report and anticheat when absent"),
        severity: optional(from0, "also marks of this severity or above"),
        days: forEver,
      }),
    ),
    "recordings with marks that matter; true when absent",
  ),
  keepClips: optional(
    union(boolean, object({ days: forEver })),
    "recordings that were cut out of others or saved from a ring; true when absent",
  ),
});

/** What a retention policy is; `docs/retention.schema.json` is made of it. */
export const RETENTION_POLICY: Shape<RetentionPolicy> = object({
  version: oneOf(1),
  graceHours: optional(fromZero, "between the mark and the deletion; 24 when absent"),
  hold: optional(
    list(matching(/^[A-Za-z0-9._/-]+$/, "an id or a UUID: letters, digits and . _ / -")),
    "never touched: ids in the store, or UUIDs of recordings",
  ),
  quotaBytes: optional(from0, "of all recordings of all classes; the oldest go first"),
  classes: described(filled(CLASS), "a recording is of the first that it matches"),
});

/** Which recordings stay, and for how long. What is absent has the default that `docs/retention.schema.json` tells. */
export interface RetentionPolicy {
  readonly version: 1;
  /** Hours between the mark and the deletion. */
  readonly graceHours?: number;
  /** Ids, or UUIDs of recordings, that are never touched. */
  readonly hold?: readonly string[];
  /** Of everything that has a class. */
  readonly quotaBytes?: number;
  /** A recording is of the first class that it matches, and stays when it matches none. */
  readonly classes: readonly RetentionClass[];
}

/** What holds for one kind of recordings: of a world, a server, a game mode. */
export interface RetentionClass {
  readonly name: string;
  readonly match?: RetentionMatch;
  /** Null: for ever. */
  readonly days?: number | null;
  readonly outcomeDays?: Readonly<Partial<Record<Exclude<Outcome, "open">, number | null>>>;
  readonly most?: { readonly count: number; readonly per: readonly ("subject" | "world")[] };
  readonly quotaBytes?: number;
  readonly keepTop?: number;
  readonly keepBest?: boolean;
  readonly keepFlagged?:
    | boolean
    | { readonly kinds?: readonly string[]; readonly severity?: number; readonly days?: number | null };
  readonly keepClips?: boolean | { readonly days?: number | null };
}

/** All of it must hold, each by any of its values. */
export interface RetentionMatch {
  readonly world?: readonly string[];
  readonly key?: readonly string[];
  readonly profile?: readonly string[];
  readonly metadata?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
}
