import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

const HEAD = "// Made by `npm run client` from the server's /openapi.json.\n\n";

/** What has no content to read: HEAD, OPTIONS and WebSockets. */
const LEFT_OUT = ["head", "options"];
const WEBSOCKET = "101";

/**
 * The source of the types of an OpenAPI document. Without the problem that every operation can answer, as the client
 * rejects with it.
 */
export async function clientTypes(document: OpenAPI3): Promise<string> {
  const copy = structuredClone(document);
  for (const methods of Object.values(copy.paths ?? {}) as Record<string, { responses: Record<string, unknown> }>[])
    for (const [method, { responses }] of Object.entries(methods)) {
      delete responses["default"];
      if (LEFT_OUT.includes(method) || WEBSOCKET in responses) delete methods[method];
    }
  const nodes = await openapiTS(copy, {
    immutable: true,
    // what has a default need not be sent
    defaultNonNullable: false,
  });
  return HEAD + astToString(nodes);
}
