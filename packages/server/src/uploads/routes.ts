import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { StoreError } from "simtape";
import { type Static, Type } from "typebox";
import { UPLOADS } from "../library/uploaded.ts";
import type { Context } from "../context.ts";
import { notFound, Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import { Audit } from "../people/audit.ts";
import { checkedName, metadataOf } from "./names.ts";
import { Pieces, type UploadFacts } from "./pieces.ts";
import { EXPIRES } from "./place.ts";

const VERSION = "1.0.0";
const EXTENSIONS = "creation,expiration,termination";
const CONTENT = "application/offset+octet-stream";
/** Most request bodies that are received at once; each needs memory for one piece. */
const MOST_AT_ONCE = 32;

const UPLOAD = Type.Object(
  {
    id: Type.String(),
    bytes: Type.Number(),
    received: Type.Number(),
    state: Type.Union([Type.Literal("receiving"), Type.Literal("placing"), Type.Literal("placed")]),
    key: Type.Union([Type.String(), Type.Null()], { description: "path in the library, once `state` is placed" }),
  },
  { $id: "Upload" },
);

const NOTHING = { response: { 204: Type.Null() } };
const ID = Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }) });
type Named = { Params: Static<typeof ID> };

/** Uploads that continue after a broken connection: tus 1.0.0, https://tus.io/protocols/resumable-upload. */
export function uploadRoutes(app: FastifyInstance, context: Context): void {
  const { query, settings, jobs, library } = context;
  const audit = new Audit(query);
  const pieces = new Pieces(settings);
  let running = 0;
  app.addSchema(UPLOAD);
  app.addHook("onReady", () => jobs.add("sweep-uploads", "uploads"));

  const right = { role: "staff", scope: "write" } as const;
  const head = (reply: FastifyReply): FastifyReply => reply.header("tus-resumable", VERSION);

  app.options(
    "/api/uploads",
    {
      config: { role: null },
      schema: {
        summary: "Get the options of uploads",
        description:
          "Gives the version and extensions of tus, the protocol of resumable uploads, and the size limit, in headers.",
        ...NOTHING,
      },
    },
    (_, reply) =>
      head(reply)
        .header("tus-version", VERSION)
        .header("tus-extension", EXTENSIONS)
        .header("tus-max-size", settings.uploadBytes)
        .code(204)
        .send(),
  );

  app.post(
    "/api/uploads",
    {
      config: right,
      schema: {
        summary: "Start an upload",
        description:
          "Takes the size in `upload-length`, and `filename` and `batch` in `upload-metadata`. Files of one batch lie beside each other, so that a pair is one recording. The header `location` says where to send the bytes. Protocol: tus 1.0.0.",
        response: { 201: Type.Null() },
      },
    },
    async (request, reply) => {
      checkVersion(request, reply);
      const bytes = wholeIn(request, "upload-length");
      if (bytes === 0) throw new Problem(400, "an empty file is no recording");
      if (bytes > settings.uploadBytes)
        throw new Problem(413, `a file may have ${settings.uploadBytes} bytes; this one has ${bytes}`);
      const metadata = metadataOf(headerOf(request, "upload-metadata"));
      const id = newId();
      const name = checkedName(metadata.get("filename") ?? metadata.get("name") ?? "");
      const batch = metadata.get("batch") ?? id;
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(batch)) throw new Problem(400, "batch: letters, digits, _ and -");
      app.limits.account("uploads", request.person);
      const facts = { bytes, name, batch, owner: ownerOf(request), begun: Date.now() };
      await pieces.begin(id, facts);
      await audit.note(request, { action: "upload", details: { upload: id, name, bytes } });
      void head(reply).header("location", `/api/uploads/${id}`).header("upload-expires", expiryOf());
      return reply.code(201).send();
    },
  );

  app.route<Named>({
    method: ["GET", "HEAD"],
    exposeHeadRoute: false,
    url: "/api/uploads/:id",
    config: right,
    schema: {
      summary: "Get the progress of an upload",
      description:
        "Says how many bytes arrived (`upload-offset`), and where the file is in the library once it is complete.",
      params: ID,
      response: { 200: Type.Ref("Upload") },
    },
    handler: async (request, reply) => {
      const found = await statusOf(request);
      void head(reply).header("cache-control", "no-store");
      void reply.header("upload-length", found.bytes).header("upload-offset", found.received);
      return request.method === "HEAD" ? reply.code(200).send() : found;
    },
  });

  app.delete<Named>(
    "/api/uploads/:id",
    {
      config: right,
      schema: { summary: "Cancel an upload", description: "Deletes the bytes that arrived.", params: ID, ...NOTHING },
    },
    async (request, reply) => {
      await own(request);
      await pieces.remove(request.params.id, false);
      return head(reply).code(204).send();
    },
  );

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // the body is read while it arrives
    scope.addContentTypeParser(CONTENT, (_, payload, done) => done(null, payload));
    scope.patch<Named>(
      "/api/uploads/:id",
      {
        config: { ...right, isLong: true },
        schema: {
          summary: "Send bytes of an upload",
          description:
            "Takes the bytes from `upload-offset` on. When all bytes arrived, a job puts the file into the library and replaces nothing there.",
          params: ID,
          ...NOTHING,
        },
        bodyLimit: Number.MAX_SAFE_INTEGER,
      },
      async (request, reply) => {
        checkVersion(request, reply);
        const { id } = request.params;
        const { bytes } = await own(request);
        const offset = wholeIn(request, "upload-offset");
        const received = await pieces.received(id);
        if (offset !== received) throw new Problem(409, `${received} bytes arrived; continue from there`);
        if (running >= MOST_AT_ONCE) throw new Problem(503, "too many uploads at once; try again in some seconds");
        running++;
        let end = received;
        try {
          end = await pieces.append(id, offset, bytes, request.body as Readable);
        } catch (error) {
          throw problemOf(error);
        } finally {
          running--;
        }
        // if the node ends here, the next check finds that the upload is complete
        if (end === bytes) await jobs.add("upload", id);
        return head(reply).header("upload-offset", end).header("upload-expires", expiryOf()).code(204).send();
      },
    );
  });

  /** Progress of an upload. A finished upload stays known for a day. */
  async function statusOf(request: FastifyRequest<Named>): Promise<Static<typeof UPLOAD>> {
    const { id } = request.params;
    const facts = await pieces.facts(id);
    if (facts !== null) {
      if (facts.owner !== ownerOf(request)) throw notFound("the upload");
      const { bytes } = facts;
      // an upload with a goal is complete; its pieces may be deleted
      const received = (await pieces.goal(id)) === null ? await pieces.received(id) : bytes;
      return { id, bytes, received, state: received === bytes ? "placing" : "receiving", key: null };
    }
    const key = await pieces.goal(id);
    if (key === null || !key.startsWith(`${UPLOADS}/${ownerOf(request)}/`)) throw notFound("the upload");
    const opened = await library.open(key);
    await opened?.close();
    const bytes = opened?.file.bytes ?? 0;
    return { id, bytes, received: bytes, state: "placed", key };
  }

  /** The upload of the request, if its sender made it: an upload of another user is answered as if it did not exist. */
  async function own(request: FastifyRequest<Named>): Promise<UploadFacts> {
    const facts = await pieces.facts(request.params.id).catch(() => null);
    if (facts === null || facts.owner !== ownerOf(request)) throw notFound("the upload");
    return facts;
  }
}

function ownerOf({ person }: FastifyRequest): string {
  return person.id ?? "open";
}

function expiryOf(): string {
  return new Date(Date.now() + EXPIRES).toUTCString();
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function checkVersion(request: FastifyRequest, reply: FastifyReply): void {
  if (headerOf(request, "tus-resumable") === VERSION) return;
  void reply.header("tus-version", VERSION);
  throw new Problem(412, `tus-resumable: ${VERSION} is expected`);
}

function wholeIn(request: FastifyRequest, name: string): number {
  const text = headerOf(request, name) ?? "";
  const number = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(number))
    throw new Problem(400, `${name}: a number of bytes is expected`);
  return number;
}

function problemOf(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  if (error.code === "conflict") return new Problem(409, "another connection sent the same part");
  if (error.code === "full") return new Problem(507, "the disk is full: nothing more was written");
  return error;
}
