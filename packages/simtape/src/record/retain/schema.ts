import * as v from "valibot";
import {
  boolean,
  dictionary,
  filled,
  list,
  matching,
  number,
  object,
  oneOf,
  orNull,
  type Shape,
  text,
  whole,
} from "../../model/shape.ts";
import type { RetentionClass, RetentionPolicy } from "./policy.ts";

/** With words for who writes a policy, in an editor that knows JSON Schema. */
function told<T>(shape: Shape<T>, description: string): v.ExactOptionalSchema<Shape<T>, undefined> {
  return v.exactOptional(v.pipe(shape, v.description(description)));
}

const from0 = whole(0, Number.MAX_SAFE_INTEGER);
const days = orNull(v.pipe(number, v.minValue(0, "a number from 0")));
const asDays = told(days, "as days");
const forEver = told(days, "for ever when absent or null");
const texts = filled(text);

const CLASS: Shape<RetentionClass> = object({
  name: v.pipe(matching(/^.+$/, "a text of one line"), v.description("for people and reports")),
  match: told(
    object({
      world: told(texts, "UUIDs of worlds"),
      key: told(texts, "globs of the recording's id in the store; * stops at /, ** does not"),
      profile: told(texts, "what was recorded: ghost, standard, review, cinema"),
      metadata: told(
        v.pipe(
          dictionary(filled(v.union([text, number, boolean]))),
          v.minEntries(1, "an object with one field or more"),
        ),
        "values in the metadata by their path, such as server.mode; texts are globs",
      ),
    }),
    "all of these must hold, each by any of its values; absent: every recording",
  ),
  days: told(days, "kept so many days after the end; 30 when absent; null: for ever"),
  outcomeDays: told(
    object({ completed: asDays, reset: asDays, abandoned: asDays, crashed: asDays }),
    "other days by how a recording ended; one that was left open has crashed",
  ),
  most: told(
    object({ count: whole(1, Number.MAX_SAFE_INTEGER), per: filled(oneOf("subject", "world")) }),
    "the newest so many of each subject, each world, or each subject in each world",
  ),
  quotaBytes: told(from0, "of all recordings of the class; the oldest go first"),
  keepTop: told(
    from0,
    "so many of the shortest duration_ms among the completed runs of each world, for ever; 0 when absent",
  ),
  keepBest: told(boolean, "the shortest duration_ms of each subject in each world, for ever; true when absent"),
  keepFlagged: told(
    v.union([
      boolean,
      object({
        kinds: told(texts, "kinds of marks; report and anticheat when absent"),
        severity: told(from0, "also marks of this severity or above"),
        days: forEver,
      }),
    ]),
    "recordings with marks that matter; true when absent",
  ),
  keepClips: told(
    v.union([boolean, object({ days: forEver })]),
    "recordings that were cut out of others or saved from a ring; true when absent",
  ),
});

/** What a retention policy is; `docs/retention.schema.json` is made of it. */
export const RETENTION_POLICY: Shape<RetentionPolicy> = object({
  version: oneOf(1),
  graceHours: told(
    v.pipe(number, v.minValue(0, "a number from 0")),
    "between the mark and the deletion; 24 when absent",
  ),
  hold: told(
    list(matching(/^[A-Za-z0-9._/-]+$/, "an id or a UUID: letters, digits and . _ / -")),
    "never touched: ids in the store, or UUIDs of recordings",
  ),
  quotaBytes: told(from0, "of all recordings of all classes; the oldest go first"),
  classes: v.pipe(filled(CLASS), v.description("a recording is of the first that it matches")),
});
