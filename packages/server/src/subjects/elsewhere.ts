import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { lower, type Who } from "./who.ts";

/** A row in which other users name a subject. */
export interface Mention {
  /** `room`, `tag`, `collection`, `search`, `review`, `mark`, `hold` */
  readonly what: string;
  /** Id of the row; for a tag, that of the recording. */
  readonly id: string;
  readonly recording: string | null;
}

/** Most rows in a list. */
const MOST = 1000;

/**
 * Lists where other users have named a subject by name or UUID, which people must judge after an erasure. It does not
 * return the words themselves, because the list is stored.
 */
export async function mentionsOf(query: Query, { names, uuids }: Who): Promise<readonly Mention[]> {
  const called = lower([...names, ...uuids]);
  const { rows } = await sql<Mention>`
    select what, id, recording from (
      select 'room' as what, id, null as recording, name as words from rooms
      union all select 'tag', recording, recording, tag from tags
      union all select 'collection', id, null, name from collections
      union all select 'search', id, null, concat_ws(' ', name, query, expression) from searches
      union all select 'review', id, recording, concat_ws(' ', text, remark, verdict) from reviews
      union all select 'mark', review_marks.id, reviews.recording, label
        from review_marks join reviews on reviews.id = review
      union all select 'hold', id, recording, reason from holds
    ) as written
    where exists (select 1 from unnest(${called}::text[]) as name where position(name in lower(words)) > 0)
    order by what, id limit ${MOST}`.execute(query);
  return rows;
}
