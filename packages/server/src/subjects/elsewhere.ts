import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { lower, type Who } from "./who.ts";

/** A row that names a subject in words of others. */
export interface Mention {
  /** `room`, `tag`, `collection`, `search`, `review`, `mark`, `hold` */
  readonly what: string;
  /** Of the row; of a tag the recording. */
  readonly id: string;
  readonly recording: string | null;
}

/** Rows in a list at most. */
const MOST = 1000;

/**
 * Where others have written of a subject by name or UUID, and what erasing leaves for people to judge. The words
 * themselves are not given: what lists them is kept.
 */
export async function mentionsOf(query: Query, { names, uuids }: Who): Promise<readonly Mention[]> {
  const called = lower([...names, ...uuids]);
  const { rows } = await sql<Mention>`
    select what, id, recording from (
      select 'room' as what, id, null as recording, name as words from rooms
      union all select 'tag', recording, recording, tag from tags
      union all select 'collection', id, null, name from collections
      union all select 'search', id, null, name || ' ' || query::text from searches
      union all select 'review', id, recording, concat_ws(' ', text, remark, verdict) from reviews
      union all select 'mark', review_marks.id, reviews.recording, label
        from review_marks join reviews on reviews.id = review
      union all select 'hold', id, recording, reason from holds
    ) as written
    where exists (select 1 from unnest(${called}::text[]) as name where position(name in lower(words)) > 0)
    order by what, id limit ${MOST}`.execute(query);
  return rows;
}
