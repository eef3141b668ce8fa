import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { notFound, Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import { Audit } from "../people/audit.ts";
import { Recordings } from "./access.ts";
import { REPORTS } from "./reports.ts";
import { ID } from "./shapes.ts";

const NAME = Type.String({ minLength: 1, maxLength: 200, pattern: "^\\S(.*\\S)?$" });
const POLICY = Type.Union([Type.Literal("off"), Type.Literal("own"), Type.Literal("all")], {
  description: "who may read its recordings: off: staff; own: also the owner of a recording; all: all users",
});
const NEW = Type.Object(
  { name: NAME, public: POLICY },
  { additionalProperties: false, examples: [{ name: "races", public: "own" }] },
);
const CHANGE = Type.Object(
  { name: Type.Optional(NAME), public: Type.Optional(POLICY) },
  { minProperties: 1, additionalProperties: false, examples: [{ public: "all" }] },
);
const COLLECTION = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    public: POLICY,
    count: Type.Number({ description: "number of recordings in it" }),
  },
  { $id: "Collection" },
);
// with a union, the serializer would turn null into text
const PUT = Type.Object(
  {
    collection: Type.Unsafe<string | null>({ type: ["string", "null"], maxLength: 64, description: "id; null: none" }),
  },
  { additionalProperties: false, examples: [{ collection: "06f2x6q8h7nq" }] },
);

/** Collections: a recording is in one collection or in none, and the collection says who may read it. */
export function collectionRoutes(app: FastifyInstance, context: Context): void {
  const { query } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  app.addSchema(COLLECTION);
  const admin = { role: "admin", scope: "write" } as const;

  app.get(
    "/api/collections",
    {
      config: { role: "staff" },
      schema: {
        summary: "List collections",
        description: "Each has its number of recordings, and says who may read them.",
        response: { 200: Type.Object({ collections: Type.Array(Type.Ref("Collection")) }) },
      },
    },
    async () => ({ collections: await collections() }),
  );

  app.post<{ Body: Static<typeof NEW> }>(
    "/api/collections",
    {
      config: admin,
      schema: {
        summary: "Create a collection",
        description: "A recording is in one collection or in none. The collection decides who may read its recordings.",
        body: NEW,
        response: { 201: Type.Ref("Collection") },
      },
    },
    async (request, reply) => {
      const id = newId();
      const made = await query
        .insertInto("collections")
        .values({ id, ...request.body })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .returning("id")
        .executeTakeFirst();
      if (made === undefined) throw new Problem(409, "a collection of this name exists");
      await audit.note(request, { action: "collection made", details: { collection: id, ...request.body } });
      return reply.code(201).send((await collections(id))[0]);
    },
  );

  app.patch<{ Params: Static<typeof ID>; Body: Static<typeof CHANGE> }>(
    "/api/collections/:id",
    {
      config: admin,
      schema: {
        summary: "Change a collection",
        description:
          "Changes its name, or who may read its recordings. The collection of clips that the server makes cannot be changed.",
        params: ID,
        body: CHANGE,
        response: { 200: Type.Ref("Collection") },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { name } = request.body;
      mustBeTheirs(id);
      if (name !== undefined) {
        const other = query.selectFrom("collections").select("id").where("name", "=", name).where("id", "<>", id);
        if ((await other.executeTakeFirst()) !== undefined) throw new Problem(409, "a collection of this name exists");
      }
      const changed = await query
        .updateTable("collections")
        .set(request.body)
        .where("id", "=", id)
        .returning("id")
        .executeTakeFirst();
      if (changed === undefined) throw notFound("the collection");
      await audit.note(request, { action: "collection changed", details: { collection: id, ...request.body } });
      return (await collections(id))[0];
    },
  );

  app.delete<{ Params: Static<typeof ID> }>(
    "/api/collections/:id",
    {
      config: admin,
      schema: {
        summary: "Delete a collection",
        description: "Only an empty collection can be deleted.",
        params: ID,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      mustBeTheirs(id);
      const [found] = await collections(id);
      if (found === undefined) throw notFound("the collection");
      // otherwise all its recordings would suddenly be readable under the default policy
      const { rows } = await sql`
        delete from collections where id = ${id}
        and not exists (select 1 from recordings where collection = ${id}) returning id`.execute(query);
      if (rows.length === 0) throw new Problem(409, `there are ${found.count} recordings in it: take them out first`);
      await audit.note(request, { action: "collection deleted", details: { collection: id, name: found.name } });
      return reply.code(204).send();
    },
  );

  app.put<{ Params: Static<typeof ID>; Body: Static<typeof PUT> }>(
    "/api/recordings/:id/collection",
    {
      config: { role: "staff", scope: "write" },
      schema: {
        summary: "Set the collection of a recording",
        description: "`null` takes the recording out of its collection.",
        params: ID,
        body: PUT,
        response: { 200: PUT },
      },
    },
    async (request) => {
      const { id } = await recordings.find(request.params.id, request);
      const { collection } = request.body;
      if (collection !== null && (await collections(collection)).length === 0) throw notFound("the collection");
      await query.updateTable("recordings").set({ collection }).where("id", "=", id).execute();
      recordings.forget(id);
      await audit.note(request, { action: "collection", recording: id, details: { collection } });
      return { collection };
    },
  );

  async function collections(id?: string): Promise<{ id: string; name: string; public: string; count: number }[]> {
    let rows = query
      .selectFrom("collections")
      .select(["id", "name", "public"])
      .select(
        sql<string>`(select count(*) from recordings where collection = collections.id and state <> 'gone')`.as(
          "count",
        ),
      )
      .orderBy("name");
    if (id !== undefined) rows = rows.where("id", "=", id);
    return (await rows.execute()).map((row) => ({ ...row, count: Number(row.count) }));
  }
}

/** Throws `Problem` for the collection of clips, which the server itself needs. */
function mustBeTheirs(id: string): void {
  if (id === REPORTS)
    throw new Problem(409, "this collection cannot be changed: the server keeps clips of reports in it");
}
