import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import { sendFile } from "../bytes/send-file.ts";
import { Recordings } from "../catalog/access.ts";
import { ID } from "../catalog/shapes.ts";
import type { Context } from "../context.ts";
import type { FileFact, RecordingState } from "../database/tables.ts";
import type { Routes } from "../http/app.ts";
import { failpoint } from "../failpoint.ts";
import { FILE_BYTES } from "../http/openapi.ts";
import { notFound, Problem } from "../problem.ts";
import { hashOf, newId, newSecret } from "../ids.ts";
import { openData } from "../library/data.ts";
import { Audit } from "../people/audit.ts";
import { hasRole, isOwn, mayRead, type Owned, type Person } from "../people/person.ts";
import { Remembered } from "../remembered.ts";
import type { Settings } from "../settings.ts";

const MOST_SECONDS = 1e9;
const SECONDS = Type.Number({ minimum: -MOST_SECONDS, maximum: MOST_SECONDS });
// with a union, the serializer would turn null into 0
const BOUND = { type: ["number", "null"], minimum: -MOST_SECONDS, maximum: MOST_SECONDS, default: null };

const NEW = Type.Object(
  {
    recording: Type.String({ maxLength: 64 }),
    first: Type.Unsafe<number | null>({ ...BOUND, description: "seconds; null: from the start" }),
    last: Type.Unsafe<number | null>({ ...BOUND, description: "seconds; null: to the end" }),
    moment: Type.Optional(SECONDS),
    hours: Type.Integer({ minimum: 1, maximum: 8760, default: 168, description: "hours until the link expires" }),
  },
  { additionalProperties: false, examples: [{ recording: "06f2x6q8h7nq", first: 2, last: 6.5, hours: 24 }] },
);

const MADE = Type.Object({
  id: Type.String(),
  secret: Type.String({ description: "shown only once" }),
  page: Type.String({ description: "path of the page: the link to give away" }),
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
    url: Type.Union([Type.String(), Type.Null()], {
      description: "URL of its main file; the other files have URLs beside it",
    }),
    files: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Number() })),
  },
  { $id: "SharedRecording" },
);

const SEARCH = Type.Object({ recording: Type.Optional(Type.String({ maxLength: 64 })) });
const SECRET = Type.Object({ secret: Type.String({ maxLength: 100 }) });
const FILE = Type.Object({ secret: Type.String({ maxLength: 100 }), name: Type.String({ maxLength: 300 }) });

/** The target of a link. */
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
  /** Files of the recording, or of the copy that was cut from it. */
  readonly key: string;
  readonly isCut: boolean;
  readonly files: readonly FileFact[];
  readonly recordingState: RecordingState;
}

/** Milliseconds for which another node may still answer a revoked link. */
const KEPT = 900;

/** Links that show one recording, one range or one moment to all who have the link, for a while. */
export async function shareRoutes(settings: Settings): Promise<Routes> {
  const data = await openData(settings);
  return (app, context) => {
    const { query, library, jobs } = context;
    const recordings = Recordings.of(context);
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
        schema: {
          summary: "Create a link",
          description:
            "The link shows a recording, a range or a moment of it to all who have it, without an account, until it expires.",
          body: NEW,
          response: { 201: MADE },
        },
      },
      async (request, reply) => {
        const { recording, moment, hours } = request.body;
        const { person } = request;
        const [first, last] = moment === undefined ? [request.body.first, request.body.last] : [moment, moment];
        const found = await recordings.find(recording, request);
        if (!mayShare(person, found, settings.public))
          throw new Problem(403, "only staff and the owner of a recording may share it");
        const extent = await query
          .selectFrom("recordings")
          .select(["first", "last"])
          .where("id", "=", recording)
          .executeTakeFirstOrThrow();
        mustBeWithin(first, last, extent);
        app.limits.account("links", person);
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
        await failpoint("shares/made");
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
          summary: "List links",
          description: "Gives the links that the user made; staff get all links.",
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
        schema: {
          summary: "Delete a link",
          description: "The link stops working at once.",
          params: ID,
          response: { 204: Type.Null() },
        },
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
        schema: {
          summary: "Get what a link shows",
          description:
            "Gives the name, the range and the address of the files. `making` means that the range is still being cut.",
          params: SECRET,
          response: { 200: Type.Ref("SharedRecording") },
        },
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
          // the count also covers what is outside the range
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
      schema: {
        summary: "Read a file of a link",
        description: "Answers range requests and conditional requests.",
        params: FILE,
        ...FILE_BYTES,
      },
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

/** Only the staff, and an owner who may read the recording. */
function mayShare(person: Person, recording: Owned, usual: Settings["public"]): boolean {
  return mayRead(person, recording, usual) && (hasRole(person, "staff") || isOwn(person, recording));
}

/** Throws `Problem`. */
function mustBeWithin(
  first: number | null,
  last: number | null,
  extent: { readonly first: number | null; readonly last: number | null },
): void {
  if (first === null && last === null) return;
  const { first: start, last: end } = extent;
  if (start === null || end === null) throw new Problem(409, "the length of the recording is not known yet; try again");
  if ((first ?? start) > (last ?? end)) throw new Problem(400, "the range ends before it begins");
  if ((first ?? start) > end || (last ?? end) < start)
    throw new Problem(400, `the recording has ${start} s to ${end} s`);
}

async function sharedBy({ query, settings }: Context, hash: string): Promise<Shared | null> {
  const row = await query
    .selectFrom("shares")
    .innerJoin("recordings", "recordings.id", "shares.recording")
    .innerJoin("users", "users.id", "shares.owner")
    .select(["shares.id", "shares.first", "shares.last", "shares.state", "shares.expires", "shares.key as copy"])
    .select(["shares.files as copies", "recordings.id as recording", "recordings.name", "recordings.format"])
    .leftJoin("collections", "collections.id", "recordings.collection")
    .select(["users.id as maker", "users.role", "users.identities", "recordings.owner", "collections.public"])
    .select(sql<string[]>`array(select identity from subjects where recording = recordings.id)`.as("subjects"))
    .select(["recordings.summary", "recordings.key", "recordings.files", "recordings.state as recordingState"])
    .where("shares.hash", "=", hash)
    .where("shares.revoked", "is", null)
    .where("users.disabled", "=", false)
    .executeTakeFirst();
  if (row === undefined) return null;
  const {
    copy,
    copies,
    key,
    files,
    first,
    last,
    maker,
    role,
    identities,
    owner,
    subjects,
    public: policy,
    ...rest
  } = row;
  // the rights are those that the maker of the link has now
  const person: Person = { id: maker, name: "", role, identities, scopes: [], via: "none" };
  const owned = { id: rest.recording, owner, subjects, public: policy };
  if (!mayShare(person, owned, settings.public)) return null;
  // a link to a part must never show the whole recording
  const isCut = first !== null || last !== null;
  return { ...rest, first, last, isCut, key: isCut ? (copy ?? "") : key, files: isCut ? copies : files };
}
