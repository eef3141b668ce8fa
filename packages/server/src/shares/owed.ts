import type { Context } from "../context.ts";
import type { Owed } from "../jobs/reconcile.ts";

/** Links to a part of a recording whose copy is not made yet. */
export function owedShares({ query }: Pick<Context, "query">): Owed {
  return {
    kind: "share",
    subjects: async () => {
      const rows = await query
        .selectFrom("shares")
        .select("id")
        .where("state", "=", "making")
        .where("revoked", "is", null)
        .where("recording", "is not", null)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
