import { ghostOf, isRecorded, trackOf } from "simtape/record";
import { runOf } from "simtape/retention";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import type { Work } from "../jobs/worker.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Most places of a track. */
const PLACES = 3000;

/** Records whether an indexed recording is a completed run; a job then makes the track of a new run. */
export async function keepRun({ query, library, jobs }: Context, id: string): Promise<void> {
  const row = await query
    .selectFrom("recordings")
    .select(["key", "digest"])
    .where("id", "=", id)
    .where("state", "=", "indexed")
    .executeTakeFirst();
  if (row?.digest == null) return;
  const { key, digest } = row;
  const bundle = library.bundle(key);
  // a clip may cover the whole run
  const clipped = await query.selectFrom("reviews").select("id").where("clip", "=", id).executeTakeFirst();
  const run = clipped === undefined && (await isRecorded(bundle)) ? await runOf(bundle) : null;
  const whose = run?.subjects[0];
  if (run === null || whose === undefined) {
    await query.deleteFrom("runs").where("recording", "=", id).execute();
    return;
  }
  const known = await query
    .selectFrom("runs")
    .select(["digest", "track"])
    .where("recording", "=", id)
    .executeTakeFirst();
  if (known?.digest === digest && known.track !== null) return;
  const { map, world, durationMs: milliseconds } = run;
  const { uuid, name } = whose;
  const facts = { digest, map, world, milliseconds, uuid, name, step: null, track: null };
  await query
    .insertInto("runs")
    .values({ recording: id, ...facts })
    .onConflict((conflict) => conflict.column("recording").doUpdateSet(facts))
    .execute();
  await failpoint("ghosts/run-kept");
  await jobs.add("ghost", id);
}

/** Makes the track of a run. */
export async function keepTrack({ query, library }: Context, id: string, { signal }: Work): Promise<unknown> {
  const row = await query
    .selectFrom("runs")
    .innerJoin("recordings", "recordings.id", "runs.recording")
    .select(["recordings.key", "runs.digest"])
    .where("runs.recording", "=", id)
    .where("recordings.state", "=", "indexed")
    .executeTakeFirst();
  if (row === undefined) return null;
  try {
    const ghost = await ghostOf(library.bundle(row.key), { signal });
    if (ghost === null) return null;
    const { step, ...track } = trackOf(ghost, PLACES);
    await query
      .updateTable("runs")
      .set({ step, track: JSON.stringify(track) })
      .where("recording", "=", id)
      .where("digest", "=", row.digest)
      .execute();
    return { places: track.x.length };
  } catch (error) {
    // the run stays in the list, without a track
    if (!isUnreadable(error)) throw error;
    return { problem: error.message };
  }
}
