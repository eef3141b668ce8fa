import { STATUS_CODES } from "node:http";
import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifySchema } from "fastify";
import { Type } from "typebox";
import { COOKIE } from "../people/person.ts";

/** What every answer that is refused has: RFC 9457. */
export const PROBLEM = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: "what is wrong, and what to do" }),
    request: Type.String({ description: "id in the log of the server" }),
  },
  { $id: "Problem", description: "RFC 9457; some have further members", additionalProperties: true },
);

/** In the schema of a route that sends a file. */
export const FILE_BYTES: Pick<FastifySchema, "produces" | "response"> = {
  produces: ["application/octet-stream"],
  response: {
    200: Type.String({ format: "binary", description: "all of it" }),
    206: Type.String({ format: "binary", description: "the range that was asked for" }),
    304: Type.Null({ description: "it is the same still" }),
  },
};

/** For answers that are sent as they are, whatever their schema leaves out. */
export const asIs = () => (answer: unknown) => JSON.stringify(answer);

const TAGS: Readonly<Record<string, string>> = {
  recordings: "recordings: the catalog, files, and what is in them",
  jobs: "what takes longer",
  live: "recordings that are being made",
  rooms: "one clock for many",
  shares: "links for those without an account",
  people: "accounts, sessions, tokens, and who did what",
  reviews: "reports and what becomes of them",
  retention: "what stays and what goes",
  ghosts: "the best runs of a map",
  subjects: "what is kept of a person",
  operation: "whether it runs",
};

/** Parts of addresses whose tag has another name. */
const TAG_OF: Readonly<Record<string, string>> = {
  ...{ facets: "recordings", reports: "reviews", me: "people", session: "people", users: "people" },
  ...{ tokens: "people", audit: "people", health: "operation", ready: "operation", metrics: "operation" },
  ...{ "audit.csv": "people", overview: "operation", holds: "retention" },
};

/** How the routes are described at `/openapi.json`. */
export const OPENAPI: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: "3.1.0",
    info: {
      title: "simtape",
      description: "A library of simulation recordings",
      version: "0.1.0",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "made by POST /api/tokens" },
        session: { type: "apiKey", in: "cookie", name: COOKIE, description: "made by POST /api/session" },
      },
    },
    security: [{ token: [] }, { session: [] }],
  },
  refResolver: {
    buildLocalReference: (json, _, __, index) => (typeof json["$id"] === "string" ? json["$id"] : `part-${index}`),
  },
  transform: ({ schema, url, route }) => {
    const { role = null, scope = "read" } = route.config ?? {};
    const described: FastifySchema = {
      ...schema,
      ...(isOpen(url) && schema?.params !== undefined ? { params: renamed(schema.params as Shape) } : {}),
      tags: [tagOf(url)],
      response: {
        ...(schema?.response as object | undefined),
        default: {
          description: "it is refused, or has failed",
          content: { "application/problem+json": { schema: Type.Ref("Problem") } },
        },
      },
      ...(role === null
        ? { security: [] }
        : { description: `For the role ${role}; a token needs the scope ${scope}.` }),
    };
    return { schema: described, url: isOpen(url) ? url.replace(/\*$/, ":key") : url };
  },
  transformObject: (document) => {
    if (!("openapiObject" in document)) return document.swaggerObject;
    for (const item of Object.values(document.openapiObject.paths ?? {}))
      for (const route of Object.values(item ?? {})) settle(route as Described);
    return document.openapiObject;
  },
};

/** Whether all that follows is one parameter, with its slashes. */
function isOpen(url: string): boolean {
  return url.endsWith("/*");
}

/** That parameter has a name where routes are described. */
function renamed({ properties = {}, ...shape }: Shape): Shape {
  const { "*": key, ...others } = properties;
  return { ...shape, properties: { ...others, key: key! }, required: [...Object.keys(others), "key"] };
}

/** What of a described route is put right. */
interface Described {
  readonly parameters?: { required?: boolean; schema?: { default?: unknown } }[];
  readonly requestBody?: { content: Record<string, { schema: Shape }> };
  readonly responses: Record<string, { description: string }>;
}
interface Shape {
  required?: string[];
  readonly properties?: Readonly<Record<string, { default?: unknown }>>;
}

/** What has a default need not be sent; an answer that says nothing of itself is called as HTTP calls it. */
function settle({ parameters = [], requestBody, responses }: Described): void {
  for (const parameter of parameters) if (parameter.schema?.default !== undefined) parameter.required = false;
  for (const { schema } of Object.values(requestBody?.content ?? {})) {
    const left = schema.required?.filter((name) => schema.properties?.[name]?.default === undefined) ?? [];
    if (left.length > 0) schema.required = left;
    else delete schema.required;
  }
  for (const [status, response] of Object.entries(responses))
    if (response.description === "Default Response") response.description = STATUS_CODES[status] ?? "done";
}

function tagOf(url: string): string {
  const part = url.replace(/^\/api/, "").split("/")[1]!;
  return TAG_OF[part] ?? part;
}
