import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import { sendFile } from "../bytes/send-file.ts";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import type { FileFact, RecordingState } from "../database/tables.ts";
import type { Routes } from "../http/app.ts";
import { FILE_BYTES } from "../http/openapi.ts";
import { notFound, Problem } from "../http/problem.ts";
import { hashOf, newId, newSecret } from "../ids.ts";
import { openData } from "../library/data.ts";
import { Audit } from "../people/audit.ts";
import { hasRole, isOwn } from "../people/person.ts";
import { Remembered } from "../remembered.ts";
import type { Settings } from "../settings.ts";

const MOST_SECONDS = 1e9;
const SECONDS = Type.Number({ minimum: -MOST_SECONDS, maximum: MOST_SECONDS });
// a union would make 0 of null
const BOUND = { type: ["number", "null"], minimum: -MOST_SECONDS, maximum: MOST_SECONDS, default: null };

const NEW = Type.Object(
  {
    recording: Type.String({ maxLength: 64 }),
    first: Type.Unsafe<number | null>({ ...BOUND, description: "seconds; null: its beginning" }),
    last: Type.Unsafe<number | null>({ ...BOUND, description: "seconds; null: its end" }),
    moment: Type.Optional(SECONDS),
    hours: Type.Integer({ minimum: 1, maximum: 8760, default: 168, description: "until it expires" }),
  },
  { additionalProperties: false },
);

const MADE = Type.Object({
  id: Type.String(),
  secret: Type.String({ description: "shown this once" }),
  page: Type.String({ description: "the link to give" }),
});

const SHARE = Type.Object(
  {
    id: Type.String(),
    recording: Type.Union([Type.String(), Type.Null()]),
    owner: Type.String(),
    first: Type.Union([Type.Number(), Type.Null()]),
    last: Type.Union([Type.Number(), Type.Null()]),
    state: Type.String({ description: "making, ready or failed" }),
    error: Type.Union([Type.String(), Type.Null()]),
    expires: Type.String(),
    made: Type.String(),
  },
  { $id: "Share" },
);

const SHOWN = Type.Object(
  {
    name: Type.String(),
    format: Type.Union([Type.String(), Type.Null()]),
    summary: Type.String(),
    first: Type.Union([Type.Number(), Type.Null()]),
    last: Type.Union([Type.Number(), Type.Null()]),
    state: Type.String({ description: "making: ask again soon; ready; failed" }),
    expires: Type.String(),
    url: Type.Union([Type.String(), Type.Null()], { description: "of its main file, its other files beside it" }),
    files: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Number() })),
  },
  { $id: "SharedRecording" },
);

const SEARCH = Type.Object({ recording: Type.Optional(Type.String({ maxLength: 64 })) });
const SECRET = Type.Object({ secret: Type.String({ maxLength: 100 }) });
const FILE = Type.Object({ secret: Type.String({ maxLength: 100 }), name: Type.String({ maxLength: 300 }) });

/** What a link shows. */
interface Shared {
  readonly id: string;
  readonly recording: string;
  readonly name: string;
  readonly format: string | null;
  readonly summary: string;
  readonly first: number | null;
  readonly last: number | null;
  readonly state: "making" | "ready" | "failed";
  readonly expires: Date;
  /** Of the recording, or of the copy that was cut of it. */
  readonly key: string;
  readonly isCut: boolean;
  readonly files: readonly FileFact[];
  readonly recordingState: RecordingState;
}

/** Milliseconds in which a link that was revoked may still be answered on another node. */
const KEPT = 900;

/** Links that show one recording, one range or one moment to all who have them, for a while. */
export async function shareRoutes(settings: Settings): Promise<Routes> {
  const data = await openData(settings);
  return (app, context) => {
    const { query, library, jobs } = context;
    const recordings = new Recordings(context);
    const audit = new Audit(query);
    const known = new Remembered<Shared | null>(KEPT, 10_000, (hash) => sharedBy(context, hash));
    for (const schema of [SHARE, SHOWN]) app.addSchema(schema);

    const find = async (secret: string, request: FastifyRequest, reply: FastifyReply): Promise<Shared> => {
      await app.limits.forgeries(request, reply);
      const found = await known.get(hashOf(secret));
      if (found !== null && found.recordingState !== "gone" && found.expires.getTime() > Date.now()) return found;
      await app.limits.forged(request, reply);
      throw notFound("what was shared");
    };

    app.post<{ Body: Static<typeof NEW> }>(
      "/api/shares",
      {
        config: { role: "viewer", scope: "write" },
        schema: { summary: "a link to a recording, a range or a moment of it", body: NEW, response: { 201: MADE } },
      },
      async (request, reply) => {
        const { recording, moment, hours } = request.body;
        const { person } = request;
        const [first, last] = moment === undefined ? [request.body.first, request.body.last] : [moment, moment];
        const found = await recordings.find(recording, request);
        if (!hasRole(person, "staff") && !isOwn(person, found))
          throw new Problem(403, "a recording is shared by staff, or by whose it is");
        const extent = await query
          .selectFrom("recordings")
          .select(["first", "last"])
          .where("id", "=", recording)
          .executeTakeFirstOrThrow();
        mustBeWithin(first, last, extent);
        const isCut = first !== null || last !== null;
        const secret = newSecret("share");
        const id = newId();
        const expires = new Date(Date.now() + hours * 3_600_000);
        await query
          .insertInto("shares")
          .values({
            id,
            hash: hashOf(secret),
            recording,
            first,
            last,
            owner: person.id!,
            expires,
            state: isCut ? "making" : "ready",
          })
          .execute();
        if (isCut) await jobs.add("share", id);
        await audit.note(request, { action: "share made", recording, details: { share: id, first, last, hours } });
        return reply
          .code(201)
          .header("cache-control", "no-store")
          .send({ id, secret, page: `/s/${secret}` });
      },
    );

    app.get<{ Querystring: Static<typeof SEARCH> }>(
      "/api/shares",
      {
        config: { role: "viewer" },
        schema: {
          summary: "links that one has made; staff: all",
          querystring: SEARCH,
          response: { 200: Type.Object({ shares: Type.Array(Type.Ref("Share")) }) },
        },
      },
      async ({ person, query: { recording } }) => {
        let rows = query
          .selectFrom("shares")
          .selectAll()
          .where("revoked", "is", null)
          .where(sql<boolean>`expires > now()`)
          .orderBy("made", "desc")
          .limit(1000);
        if (!hasRole(person, "staff")) rows = rows.where("owner", "=", person.id);
        if (recording !== undefined) rows = rows.where("recording", "=", recording);
        const shares = (await rows.execute()).map(({ expires, made, ...row }) => ({
          ...row,
          expires: expires.toISOString(),
          made: made.toISOString(),
        }));
        return { shares };
      },
    );

    app.delete<{ Params: Static<typeof ID> }>(
      "/api/shares/:id",
      {
        config: { role: "viewer", scope: "write" },
        schema: { summary: "take a link back", params: ID, response: { 204: Type.Null() } },
      },
      async (request, reply) => {
        const { person, params } = request;
        let change = query
          .updateTable("shares")
          .set({ revoked: sql`now()` })
          .where("id", "=", params.id)
          .where("revoked", "is", null);
        if (!hasRole(person, "staff")) change = change.where("owner", "=", person.id);
        const revoked = await change.returning(["recording", "hash"]).executeTakeFirst();
        if (revoked === undefined) throw notFound("the link");
        known.forget(revoked.hash);
        await audit.note(request, {
          action: "share revoked",
          recording: revoked.recording,
          details: { share: params.id },
        });
        return reply.code(204).send();
      },
    );

    app.get<{ Params: Static<typeof SECRET> }>(
      "/api/shares/:secret",
      {
        config: { role: null },
        schema: { summary: "what a link shows", params: SECRET, response: { 200: Type.Ref("SharedRecording") } },
      },
      async (request, reply) => {
        const { secret } = request.params;
        const { name, format, summary, first, last, state, expires, key, files, isCut } = await find(
          secret,
          request,
          reply,
        );
        const main = key.split("/").at(-1)!;
        const isReady = state === "ready";
        return {
          ...{ name, format, first, last, state },
          // counts what is outside a range, too
          summary: isCut ? "" : summary,
          expires: expires.toISOString(),
          url: isReady ? `/api/shares/${secret}/files/${encodeURIComponent(main)}` : null,
          files: isReady ? files.map(({ name: file, bytes }) => ({ name: file, bytes })) : [],
        };
      },
    );

    app.route<{ Params: Static<typeof FILE> }>({
      method: ["GET", "HEAD"],
      exposeHeadRoute: false,
      url: "/api/shares/:secret/files/:name",
      config: { role: null },
      schema: { summary: "a file of what a link shows, by ranges", params: FILE, ...FILE_BYTES },
      handler: async (request, reply) => {
        const { secret, name } = request.params;
        const { id, recording, state, key, files, isCut } = await find(secret, request, reply);
        if (state !== "ready" || !files.some((file) => file.name === name)) throw notFound("the file");
        await audit.noteRead(request, { id: recording, owner: null, subjects: [] }, { share: id });
        const path = key.slice(0, key.lastIndexOf("/") + 1) + name;
        return sendFile(isCut ? data : library, path, request, reply);
      },
    });
  };
}

/** Throws `Problem`. */
function mustBeWithin(
  first: number | null,
  last: number | null,
  extent: { readonly first: number | null; readonly last: number | null },
): void {
  if (first === null && last === null) return;
  const { first: start, last: end } = extent;
  if (start === null || end === null)
    throw new Problem(409, "it is not known yet how long the recording is; try again");
  if ((first ?? start) > (last ?? end)) throw new Problem(400, "the range ends before it begins");
  if ((first ?? start) > end || (last ?? end) < start)
    throw new Problem(400, `the recording has ${start} s to ${end} s`);
}

async function sharedBy({ query }: Context, hash: string): Promise<Shared | null> {
  const row = await query
    .selectFrom("shares")
    .innerJoin("recordings", "recordings.id", "shares.recording")
    .innerJoin("users", "users.id", "shares.owner")
    .select(["shares.id", "shares.first", "shares.last", "shares.state", "shares.expires", "shares.key as copy"])
    .select(["shares.files as copies", "recordings.id as recording", "recordings.name", "recordings.format"])
    .select(["recordings.summary", "recordings.key", "recordings.files", "recordings.state as recordingState"])
    .where("shares.hash", "=", hash)
    .where("shares.revoked", "is", null)
    .where("users.disabled", "=", false)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { copy, copies, key, files, first, last, ...rest } = row;
  // never the recording itself where a part of it is meant
  const isCut = first !== null || last !== null;
  return { ...rest, first, last, isCut, key: isCut ? (copy ?? "") : key, files: isCut ? copies : files };
}
