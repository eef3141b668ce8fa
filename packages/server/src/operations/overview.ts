import { statfs } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { Remembered } from "../remembered.ts";

/** Milliseconds for which the counts are used again: counting a million recordings takes a while. */
const KEPT = 5000;

const COUNTS = Type.Record(Type.String(), Type.Number(), { description: "by state" });
const OVERVIEW = Type.Object({
  recordings: COUNTS,
  bytes: Type.Number({ description: "size of all recordings" }),
  live: Type.Number({ description: "recordings that are being made" }),
  rooms: Type.Number(),
  viewers: Type.Number({ description: "viewers in rooms that are connected to this node" }),
  jobs: COUNTS,
  oldest: Type.Union([Type.String(), Type.Null()], { description: "due time of the job that waits longest" }),
  reviews: Type.Number({ description: "reports without a verdict" }),
  disks: Type.Array(
    Type.Object({
      what: Type.String({ description: "data or recordings" }),
      free: Type.Number({ description: "bytes" }),
      bytes: Type.Number({ description: "size of the disk" }),
    }),
  ),
  memory: Type.Number({ description: "memory of this node, in bytes" }),
  seconds: Type.Number({ description: "seconds since this node was started" }),
});

declare module "fastify" {
  interface FastifyInstance {
    /** Number of viewers in rooms that are connected to this node. */
    viewers: () => number;
  }
}

/** The state of the server in numbers, for its pages; `/metrics` has more numbers, for programs. */
export function overviewRoutes(app: FastifyInstance, context: Context): void {
  const rows = new Remembered(KEPT, 1, () => counted(context));
  app.get(
    "/api/overview",
    {
      config: { role: "staff" },
      schema: {
        summary: "Get an overview of the server",
        description:
          "Counts recordings, jobs, rooms and open reviews, and gives the free space of disks and the memory of this node.",
        response: { 200: OVERVIEW },
      },
    },
    async () => ({
      ...(await rows.get("")),
      viewers: app.viewers(),
      disks: await disksOf(context),
      memory: process.memoryUsage.rss(),
      seconds: Math.round(process.uptime()),
    }),
  );
}

async function counted({ query }: Context) {
  const recordings = await query
    .selectFrom("recordings")
    .select(["state", sql<number>`count(*)`.as("count"), sql<number>`coalesce(sum(bytes), 0)`.as("bytes")])
    .where("state", "<>", "gone")
    .groupBy("state")
    .execute();
  const jobs = await query
    .selectFrom("jobs")
    .select(["state", sql<number>`count(*)`.as("count")])
    .groupBy("state")
    .execute();
  const { rows } = await sql<{ rooms: number; reviews: number; oldest: Date | null }>`
    select (select count(*) from rooms) as rooms, (select count(*) from reviews where state <> 'closed') as reviews,
      (select min(due) from jobs where state = 'waiting' and due <= now()) as oldest`.execute(query);
  const { rooms, reviews, oldest } = rows[0]!;
  const byState = byStateOf(recordings);
  return {
    recordings: byState,
    bytes: recordings.reduce((sum, { bytes }) => sum + Number(bytes), 0),
    live: byState["live"] ?? 0,
    rooms: Number(rooms),
    jobs: byStateOf(jobs),
    oldest: oldest?.toISOString() ?? null,
    reviews: Number(reviews),
  };
}

function byStateOf(rows: readonly { readonly state: string; readonly count: number }[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

/** A bucket is left out, and a folder whose disk cannot be examined. */
async function disksOf({ settings: { data, store } }: Context) {
  const folders = [["data", data] as const, ...(store.startsWith("s3://") ? [] : [["recordings", store] as const])];
  const found = await Promise.all(
    folders.map(async ([what, folder]) => {
      const disk = await statfs(folder).catch(() => null);
      return disk === null ? [] : [{ what, free: disk.bavail * disk.bsize, bytes: disk.blocks * disk.bsize }];
    }),
  );
  return found.flat();
}
