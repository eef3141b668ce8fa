import { STATUS_CODES } from "node:http";
import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifySchema } from "fastify";
import { Type } from "typebox";
import type { Role } from "../database/tables.ts";
import { COOKIE, type Scope } from "../people/person.ts";

/** The properties of every error answer: RFC 9457. */
export const PROBLEM = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: "what is wrong, and what to do about it" }),
    request: Type.String({ description: "id of the request in the log of the server" }),
  },
  {
    $id: "Problem",
    description: "A problem (RFC 9457). Some problems have further members.",
    additionalProperties: true,
    examples: [
      {
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: "the recording does not exist, or you may not see it",
        request: "2f1c5a52-8f0e-4b7e-9a62-1d0f0c1f7a55",
      },
    ],
  },
);

/** Used in the schema of a route that sends a file. */
export const FILE_BYTES: Pick<FastifySchema, "produces" | "response"> = {
  produces: ["application/octet-stream"],
  response: {
    200: Type.String({ format: "binary", description: "The whole file" }),
    206: Type.String({ format: "binary", description: "The requested range" }),
    304: Type.Null({ description: "The file has not changed" }),
  },
};

/** For answers that are sent unchanged, even properties that the schema lacks. */
export const asIs = () => (answer: unknown) => JSON.stringify(answer);

const TAGS: Readonly<Record<string, string>> = {
  recordings: "The catalog, the files of recordings, and their content",
  sql: "Questions in SQL about the content of recordings",
  searches: "Searches that users saved",
  alerts: "New recordings that watched searches have found",
  collections: "Groups of recordings, which decide who may read them",
  uploads: "Files that users send into the library",
  jobs: "Work that takes longer than a request",
  live: "Recordings that are being made",
  outlets: "Recordings that play to clients of other programs",
  rooms: "Watching recordings together",
  shares: "Links for viewers without an account",
  people: "Accounts, sessions, tokens and the audit",
  reviews: "Reports, and what the staff does about them",
  retention: "Which recordings are kept and which are deleted",
  ghosts: "The best runs of a map",
  subjects: "The data of a person: find, export, erase",
  operation: "The state of the server",
};

/** Parts of addresses whose tag has another name. */
const TAG_OF: Readonly<Record<string, string>> = {
  ...{ facets: "recordings", reports: "reviews", me: "people", session: "people", users: "people" },
  ...{ tokens: "people", audit: "people", health: "operation", ready: "operation", metrics: "operation" },
  ...{ "audit.csv": "people", overview: "operation", programs: "live", holds: "retention" },
};

/** The description of the routes at `/openapi.json`. */
export const OPENAPI: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: "3.1.0",
    info: {
      title: "simtape",
      description:
        "A library of simulation recordings. Each operation names the role that it needs, and the scope that a token needs. Errors are problem details (RFC 9457).",
      version: "0.1.0",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of POST /api/tokens" },
        session: { type: "apiKey", in: "cookie", name: COOKIE, description: "The cookie of POST /api/session" },
      },
    },
  },
  refResolver: {
    buildLocalReference: (json, _, __, index) => (typeof json["$id"] === "string" ? json["$id"] : `part-${index}`),
  },
  transform: ({ schema, url, route }) => {
    const { role = null, scope = "read", session } = route.config ?? {};
    const described: FastifySchema = {
      ...schema,
      ...(isOpen(url) && schema?.params !== undefined ? { params: renamed(schema.params as Shape) } : {}),
      tags: [tagOf(url)],
      response: {
        ...(schema?.response as object | undefined),
        default: {
          description: "The request was refused, or the server failed",
          content: { "application/problem+json": { schema: Type.Ref("Problem") } },
        },
      },
      security: role === null ? [] : [{ token: [] }, { session: [] }],
      description: `${schema?.description} ${role === null ? "Needs no account." : rightsOf(role, [scope].flat(), session)}`,
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

function rightsOf(role: Role, scopes: readonly Scope[], session: Role | undefined): string {
  const bySession = session === undefined ? "" : ` Without a token, the role ${session} is needed.`;
  return `Needs the role ${role}; a token needs the scope ${scopes.join(" or ")}.${bySession}`;
}

/** Whether the rest of the path is one parameter, with its slashes. */
function isOpen(url: string): boolean {
  return url.endsWith("/*");
}

/** The name of that parameter in the description of routes. */
function renamed({ properties = {}, ...shape }: Shape): Shape {
  const { "*": key, ...others } = properties;
  return { ...shape, properties: { ...others, key: key! }, required: [...Object.keys(others), "key"] };
}

/** Corrections to the description of a route. */
interface Described {
  readonly parameters?: { required?: boolean; schema?: { default?: unknown } }[];
  readonly requestBody?: { content: Record<string, { schema: Shape }> };
  readonly responses: Record<string, { description: string }>;
}
interface Shape {
  required?: string[];
  readonly properties?: Readonly<Record<string, { default?: unknown }>>;
}

/** A property with a default is optional; an answer without a description gets the phrase of HTTP. */
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
