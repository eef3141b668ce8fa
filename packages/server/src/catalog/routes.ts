import type { FastifyInstance, FastifyRequest } from "fastify";
import { FORMATS } from "simtape";
import { formatOfFolder, mayBelong, PROVENANCE_ENDING, showsWorld, showsWorldOf } from "simtape/serving";
import { type Static, Type } from "typebox";
import { CHANGING, sendFile } from "../bytes/send-file.ts";
import type { Context } from "../context.ts";
import { asIs, FILE_BYTES } from "../http/openapi.ts";
import { notFound } from "../problem.ts";
import { Audit } from "../people/audit.ts";
import { type Reachable, Recordings } from "./access.ts";
import { Companions } from "./companions.ts";
import { filtersOf, LIST, type ListQuery, orderOf } from "./search/filters.ts";
import { itemOf } from "./items.ts";
import { COLUMNS } from "./search/columns.ts";
import { cursorAt } from "./search/order.ts";
import { listOf } from "./search/page.ts";
import { filtered } from "./search/search.ts";
import { SeekIndexes } from "./index/seek-indexes.ts";
import { DETAILS, ID, PAGE, RECORDING } from "./shapes.ts";

const FILE = Type.Object({ id: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 300 }) });

const PICTURE = Type.Object({
  moving: Type.Boolean({ default: false, description: "the things move along their paths, again and again" }),
});

/** Headers of files: HEAD gives the length of the content without sending it. */
const READ = ["GET", "HEAD"] as const;

/** The catalog over HTTP: lists, single recordings, and their files. */
export function catalogRoutes(app: FastifyInstance, context: Context): void {
  const { query, library } = context;
  const recordings = Recordings.of(context);
  const audit = new Audit(query);
  const indexes = new SeekIndexes(context.settings);
  const companions = new Companions(context);
  const leases = (request: FastifyRequest, found: Reachable) => [
    app.authentication.leaseOf(request),
    recordings.leaseOf(found),
  ];
  app.addSchema(RECORDING);
  app.addSchema(DETAILS);
  app.addSchema(PAGE);

  app.get<{ Querystring: ListQuery }>(
    "/api/recordings",
    {
      config: { role: "viewer" },
      schema: {
        summary: "List recordings",
        description:
          "Searches the library. Filters can be parameters or words in `q`: `format:carla`, `longer than 30 s`, `altitude > 3000 ft`. The answer has one page; `cursor` leads to the next one.",
        querystring: LIST,
        response: { 200: Type.Ref("RecordingPage") },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      const order = orderOf(request.query);
      const asked = { filters: filtersOf(request.query), order, cursor, limit: limit + 1 };
      const found = await listOf(asked, request.person, context);
      const rows = found.slice(0, limit).flatMap(({ row }) => (row === null ? [] : [itemOf(row)]));
      const last = found.length > limit ? found[limit - 1]! : null;
      return { recordings: rows, cursor: last === null ? null : cursorAt(order, last.position, last.id) };
    },
  );

  app.get<{ Params: Static<typeof ID> }>(
    "/api/recordings/:id",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Get a recording",
        description:
          "Gives everything that the catalog knows of it: files, companions, metadata, channels, entities, events, ranges of numbers, findings, and recordings with the same content.",
        params: ID,
        response: { 200: Type.Ref("RecordingDetails") },
      },
      serializerCompiler: asIs,
    },
    async (request) => {
      const { id } = await recordings.find(request.params.id, request);
      const row = await query
        .selectFrom("recordings")
        .select([...COLUMNS, "files", "metadata", "channels", "digest", "first", "last"])
        .select("findings")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      const [entities, events] = await Promise.all([
        query.selectFrom("entities").select(["set", "name", "label", "kind"]).where("recording", "=", id).execute(),
        query.selectFrom("event_kinds").select(["kind", "title", "count"]).where("recording", "=", id).execute(),
      ]);
      const extents = await query
        .selectFrom("extents")
        .innerJoin("extent_paths", "extent_paths.id", "extents.path")
        .select(["extent_paths.path", "extent_paths.unit", "least", "most"])
        .where("recording", "=", id)
        .orderBy("extents.path")
        .execute();
      const twins = row.twin
        ? await filtered(
            query.selectFrom("recordings").select(["recordings.id", "recordings.name"]),
            filtersOf({ digest: row.digest! }),
            request.person,
            context,
          ).then((rows) => rows.where("recordings.id", "<>", id).orderBy("added").limit(50).execute())
        : [];
      const { files, metadata, channels, digest, first, last, findings } = row;
      return {
        ...itemOf(row),
        files,
        companions: await companions.of(id),
        metadata,
        channels,
        digest,
        first,
        last,
        findingList: findings,
        entities,
        events,
        extents: extents.map(({ unit, ...extent }) => ({ ...extent, unit: unit === "" ? null : unit })),
        duplicates: twins,
      };
    },
  );

  app.route<{ Params: Static<typeof ID> }>({
    method: [...READ],
    exposeHeadRoute: false,
    url: "/api/recordings/:id/data",
    config: { role: "viewer" },
    schema: {
      summary: "Read the main file of a recording",
      description: "Answers range requests and conditional requests. Without a range it sends the whole file.",
      params: ID,
      ...FILE_BYTES,
    },
    handler: async (request, reply) => {
      const found = await recordings.find(request.params.id, request);
      await audit.noteRead(request, found);
      return sendFile(library, found.key, request, reply, CHANGING, leases(request, found));
    },
  });

  app.route<{ Params: Static<typeof FILE> }>({
    method: [...READ],
    exposeHeadRoute: false,
    url: "/api/recordings/:id/files/:name",
    config: { role: "viewer" },
    schema: {
      summary: "Read a file of a recording",
      description:
        "Reads any file of the recording, its seek index, its provenance file, a companion, or the file beside it that shows its world. Answers range requests. HEAD answers 204 when there is no seek index.",
      params: FILE,
      ...FILE_BYTES,
    },
    handler: async (request, reply) => {
      const found = await recordings.find(request.params.id, request);
      const { key, files } = found;
      const { name } = request.params;
      const main = key.slice(key.lastIndexOf("/") + 1);
      // a folder is one recording, which grows while it is live
      const isWithin = key.includes("/") && formatOfFolder(main, FORMATS) !== null && mayBelong(main, name, FORMATS);
      const isIndex = name === SeekIndexes.nameFor(key);
      // what may be beside it, and need not be
      const isBeside = name === main + PROVENANCE_ENDING || showsWorldOf(main, name);
      const isFile = isIndex || isWithin || files.some((file) => file.name === name);
      const companion = !isFile && showsWorld(name) ? await companions.find(found.id, name) : null;
      if (!isFile && !isBeside && companion === null) throw notFound("the file");
      await audit.noteRead(request, found);
      if (isIndex) {
        const index = await indexes.file(found.id);
        // pages ask whether the file exists, and a missing file is not an error
        if (index === null && request.method === "HEAD") return reply.code(204).send();
        return sendFile({ open: () => Promise.resolve(index) }, key, request, reply);
      }
      if (companion !== null) return sendFile(companion.data, companion.key, request, reply);
      const file = key.slice(0, key.lastIndexOf("/") + 1) + name;
      if (isBeside) {
        const beside = await library.open(file);
        // the same headers as for an index
        if (beside === null) return reply.code(204).send();
        await beside.close();
      }
      return sendFile(library, file, request, reply, CHANGING, leases(request, found));
    },
  });

  app.get<{ Params: Static<typeof ID>; Querystring: Static<typeof PICTURE> }>(
    "/api/recordings/:id/thumbnail",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Get the thumbnail of a recording",
        description:
          "An SVG picture of the recording from above: the paths of its things, where each is at the end. It exists once the recording is indexed.",
        params: ID,
        querystring: PICTURE,
        produces: ["image/svg+xml"],
        response: { 200: Type.String() },
      },
    },
    async (request, reply) => {
      const { id } = await recordings.find(request.params.id, request);
      const row = await query
        .selectFrom("thumbnails")
        .select(request.query.moving ? "moving as picture" : "svg as picture")
        .where("recording", "=", id)
        .executeTakeFirst();
      if (row?.picture == null) throw notFound("a picture of it");
      void reply.header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
      return reply.type("image/svg+xml").header("cache-control", "private, max-age=60").send(row.picture);
    },
  );
}
