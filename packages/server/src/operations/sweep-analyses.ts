import { sql } from "kysely";
import type { Query } from "../database/database.ts";

/** Removes what was found of recordings that have changed since, or are gone. */
export async function sweepAnalyses(query: Query): Promise<void> {
  await query
    .deleteFrom("analyses")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("recordings")
            .select("id")
            .whereRef("recordings.id", "=", "analyses.recording")
            .where("state", "<>", "gone")
            .where(sql<boolean>`recordings.stamp = analyses.stamps[1]`)
            .where(
              sql<boolean>`(analyses.other is null or exists (select 1 from recordings o where o.id = analyses.other
                and o.state <> 'gone' and o.stamp = analyses.stamps[2]))`,
            ),
        ),
      ),
    )
    .execute();
}
