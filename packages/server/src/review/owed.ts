import type { Context } from "../context.ts";
import type { Owed } from "../jobs/reconcile.ts";

/** Reviews whose clip is not cut, and reviews whose verdict is not in their recording yet. */
export function owedReviews({ query }: Pick<Context, "query">): readonly Owed[] {
  return [
    {
      kind: "clip",
      subjects: async () => {
        const rows = await query
          .selectFrom("reviews")
          .leftJoin("recordings as clips", "clips.id", "reviews.clip")
          .select("reviews.id")
          .where("reviews.recording", "is not", null)
          .where("clip_error", "is", null)
          // the row of a clip exists before its file
          .where((is) => is.or([is("clips.id", "is", null), is("clips.stamp", "=", "")]))
          .execute();
        return rows.map(({ id }) => id);
      },
    },
    {
      kind: "verdict",
      subjects: async () => {
        const rows = await query
          .selectFrom("reviews")
          .select("id")
          .where("state", "=", "closed")
          .where("verdict", "is not", null)
          .where("written", "is", null)
          .where("written_error", "is", null)
          .execute();
        return rows.map(({ id }) => id);
      },
    },
  ];
}
