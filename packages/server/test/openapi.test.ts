import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientTypes } from "../../client/scripts/types.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import type { Document, Operation } from "./support/openapi.ts";
import { Caller, userCommand } from "./support/people.ts";
import { raw, requestOf } from "./support/raw.ts";

const CLIENT = fileURLToPath(new URL("../../client/src/openapi.ts", import.meta.url));

/** What a summary may begin with. */
const VERBS = [
  ...[
    "Add",
    "Assign",
    "Cancel",
    "Change",
    "Check",
    "Close",
    "Compare",
    "Complete",
    "Control",
    "Count",
    "Create",
    "Delete",
    "Download",
  ],
  ...[
    "Erase",
    "Export",
    "Find",
    "Follow",
    "Get",
    "Join",
    "List",
    "Mark",
    "Play",
    "Put",
    "Read",
    "Record",
    "Render",
    "Replace",
    "Report",
    "Reset",
  ],
  ...["Retry", "Revoke", "Run", "Save", "Send", "Set", "Sign", "Start", "Unload", "Write"],
];

/** What a route is asked with. */
interface Asking {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

describe("what /openapi.json says", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-openapi-"));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  let node: TestNode;
  let admin: Caller;
  let document: Document;

  beforeAll(async () => {
    await makeDemos(folder);
    node = await startNode([folder]);
    await until(
      () => json<{ recordings: { state: string }[] }>(node.address, "/api/recordings"),
      (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
    );
    await userCommand(["add", "admin", folder, "--role", "admin"]);
    admin = await Caller.signedIn(node, "admin");
    document = await json<Document>(node.address, "/openapi.json");
    ajv.addSchema(document, "openapi");
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("is OpenAPI 3.1, as a validator of others reads it", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  /** Each operation, by its method and path. */
  const operations = (): readonly (readonly [string, Operation])[] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    );
  /** The names of the operations of which it does not hold. */
  const without = (holds: (operation: Operation) => boolean): readonly string[] =>
    operations().flatMap(([name, operation]) => (holds(operation) ? [] : [name]));

  test("has a summary of every operation that begins with a verb", () => {
    expect(without(({ summary = "" }) => VERBS.includes(summary.split(" ")[0]!))).toEqual([]);
    expect(without(({ summary = "" }) => /[^.]$/.test(summary) && summary.length <= 60)).toEqual([]);
    const summaries = operations().flatMap(([name, { summary }]) => (name.startsWith("HEAD") ? [] : [summary]));
    // ghosts have two addresses
    expect(summaries.length - new Set(summaries).size).toBe(1);
  });

  test("describes every operation in sentences, with its rights", () => {
    expect(without(({ description = "" }) => /^[A-Z`].*\. (Needs .*\.)$/s.test(description))).toEqual([]);
    expect(without(({ description = "" }) => !description.includes("undefined"))).toEqual([]);
  });

  test("states the security of every operation, and its role and scope", () => {
    const open = operations().filter(([, { security }]) => security?.length === 0);
    expect(open.length).toBeGreaterThan(5);
    for (const [name, { description }] of open) expect(description, name).toMatch(/Needs no account\.$/);
    const others = operations().filter(([, { security }]) => security?.length !== 0);
    for (const [name, { security, description }] of others) {
      expect(security, name).toEqual([{ token: [] }, { session: [] }]);
      expect(description, name).toMatch(/Needs the role \w+; a token needs the scope [\w:]+/);
    }
  });

  test("gives every operation a tag that is described, answers, and problems", () => {
    const tags = document.tags.filter(({ description }) => description !== "").map(({ name }) => name);
    expect(without((operation) => operation.tags?.every((tag) => tags.includes(tag)) === true)).toEqual([]);
    expect(without(({ responses }) => Object.keys(responses).length > 1)).toEqual([]);
    const isProblem = ({ responses }: Operation): boolean =>
      responses["default"]?.content?.["application/problem+json"] !== undefined;
    expect(without(isProblem)).toEqual([]);
  });

  test("has examples of every body, and all examples fit their schemas", () => {
    const wrong: string[] = [];
    let count = 0;
    const check = (where: string, schema: object, examples: readonly unknown[]): void => {
      // a reference leads into the document
      const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
      const validate = ajv.compile(local);
      for (const example of examples) {
        count++;
        if (!validate(example)) wrong.push(`${where}: ${JSON.stringify(validate.errors)}`);
      }
    };
    for (const [name, { parameters = [], requestBody }] of operations()) {
      for (const { name: parameter, schema, example } of parameters)
        check(`${name} ${parameter}`, schema, example === undefined ? [] : [example]);
      for (const { schema, example, examples = {} } of Object.values(requestBody?.content ?? {})) {
        const given = [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples).map(({ value }) => value),
        ];
        if (given.length === 0) wrong.push(`${name}: its body has no example`);
        check(name, schema, given);
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas))
      check(name, schema, schema.examples ?? []);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(30);
  });

  test("is what the types of the client were generated from: npm run client", async () => {
    expect(await clientTypes(document as never)).toBe(readFileSync(CLIENT, "utf8"));
  });

  /** Asks, and checks that the answer is as it is described. Gives JSON, else null. */
  async function ask<T = { id: string }>(route: string, status: number, asking: Asking = {}): Promise<T> {
    const { params = {}, query = "", body } = asking;
    const [method, path] = route.split(" ") as [string, string];
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "nothing"));
    const answer = await admin.ask(method, filled + query, body);
    const text = await answer.text();
    expect(answer.status, `${route}: ${text.slice(0, 500)}`).toBe(status);
    const described = document.paths[path]![method.toLowerCase()]!.responses;
    const response = described[String(status)] ?? described["default"]!;
    const type = answer.headers.get("content-type")?.split(";")[0];
    if (text === "" || method === "HEAD") return null as T;
    const place = described[String(status)] === undefined ? "default" : String(status);
    if (type?.endsWith("json") !== true) {
      expect(Object.keys(response.content ?? {}), route).not.toEqual(["application/json"]);
      return null as T;
    }
    expect(Object.keys(response.content ?? {}), route).toContain(type);
    const pointer = ["paths", path, method.toLowerCase(), "responses", place, "content", type, "schema"];
    const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
    const validate = ajv.compile({ $ref: `openapi#/${escaped.join("/")}` });
    const value = JSON.parse(text) as T;
    expect(validate(value) ? [] : validate.errors, `${route}: ${text.slice(0, 500)}`).toEqual([]);
    return value;
  }

  test("is true of what the routes answer", async () => {
    await ask("GET /health", 200);
    await ask("GET /ready", 200);
    await ask("GET /metrics", 200);
    const { recordings } = await ask<{ recordings: { id: string; name: string }[] }>("GET /api/recordings", 200);
    const { id } = recordings.find(({ name }) => name === "town.log")!;
    const params = { id };
    await ask("GET /api/recordings/{id}", 200, { params });
    await ask("GET /api/recordings/{id}/data", 200, { params });
    await ask("HEAD /api/recordings/{id}/data", 200, { params });
    await ask("GET /api/recordings/{id}/files/{name}", 200, { params: { id, name: "town.log" } });
    await ask("HEAD /api/recordings/{id}/files/{name}", 200, { params: { id, name: "town.log" } });
    await ask("GET /api/recordings/{id}/world/{key}", 404, { params: { id, key: "worlds/none" } });
    await ask("GET /api/recordings/{id}/thumbnail", 200, { params });
    await ask("GET /api/recordings/{id}/events", 200, { params });
    await ask("GET /api/recordings/{id}/series", 400, { params, query: "?path=nothing" });
    await ask("GET /api/recordings/{id}/state", 200, { params, query: "?at=50%25" });
    await ask("GET /api/facets", 200);
    const job = await ask<{ id: number }>("POST /api/recordings/{id}/check", 202, { params });
    await ask("POST /api/recordings/{id}/exports", 202, { params, body: { table: "csv" } });
    await ask("GET /api/recordings/{id}/export", 200, { params, query: "?to=csv&until=1s" });
    await ask("GET /api/recordings/{id}/export", 400, { params, query: "?to=betamax" });
    await ask("GET /api/recordings/{id}/export/targets", 200, { params });
    await ask("POST /api/recordings/{id}/stats", 202, { params, body: {} });
    await ask("POST /api/recordings/{id}/compare", 202, { params, body: { other: id } });
    await ask("POST /api/recordings/{id}/compare", 404, { params, body: { other: "nothing" } });
    await ask("GET /api/recordings/{id}/analyses", 200, { params });
    await ask("GET /api/jobs", 200);
    await ask("GET /api/jobs/{id}", 200, { params: { id: String(job.id) } });

    const room = await ask("POST /api/rooms", 201, { body: { name: "tuesday", recordings: [id] } });
    await ask("GET /api/rooms", 200);
    await ask("GET /api/rooms/{id}", 200, { params: room });
    await ask("GET /api/recordings/{id}/notes", 200, { params });
    await ask("DELETE /api/rooms/{id}", 204, { params: room });

    await ask("GET /api/programs", 200);
    await ask("GET /api/outlets", 200);
    await ask("POST /api/outlets/{name}/load", 404, { body: { recording: id } });

    await ask("GET /api/me", 200);
    await ask("GET /api/session", 200);
    await ask("GET /api/users", 200);
    const user = await ask("POST /api/users", 201, { body: { name: "bo", role: "viewer" } });
    await ask("PATCH /api/users/{id}", 204, { params: user, body: { role: "player" } });
    const token = await ask("POST /api/tokens", 201, { body: { name: "ci", scopes: ["read"] } });
    await ask("GET /api/tokens", 200);
    await ask("DELETE /api/tokens/{id}", 204, { params: token });
    await ask("GET /api/audit", 200);

    const report = await ask("POST /api/reports", 201, { body: { recording: id, subject: "vehicle 24" } });
    await ask("GET /api/reports", 200);
    await ask("GET /api/reports/{id}", 200, { params: report });
    await ask("GET /api/reviews", 200);
    await ask("POST /api/reviews/{id}/assign", 200, { params: report, body: {} });
    const mark = await ask("POST /api/reviews/{id}/marks", 201, { params: report, body: { time: 1, label: "here" } });
    await ask("GET /api/reviews/{id}", 200, { params: report });
    await ask("DELETE /api/reviews/{id}/marks/{mark}", 204, { params: { id: report.id, mark: mark.id } });
    await ask("POST /api/reviews/{id}/verdict", 200, { params: report, body: { verdict: "nothing" } });
    const hold = await ask("POST /api/recordings/{id}/holds", 201, { params, body: { reason: "a look" } });
    await ask("GET /api/recordings/{id}/holds", 200, { params });
    await ask("DELETE /api/recordings/{id}/holds/{hold}", 204, { params: { id, hold: hold.id } });
    await ask("GET /api/ghosts", 200, { query: "?map=oval" });
    await ask("POST /api/retention/plan", 409);

    const share = await ask("POST /api/shares", 201, { body: { recording: id } });
    await ask("GET /api/shares", 200);
    await ask("DELETE /api/shares/{id}", 204, { params: share });
    const request = await ask("POST /api/subjects/{id}/export", 202, { params: { id: "a person" }, body: {} });
    await ask("GET /api/subjects/requests/{request}", 200, { params: { request: request.id } });
    await ask("POST /api/live/{id}", 200, { params: { id: "run-1" }, body: { end: "completed" } });
    await ask("GET /api/live/{id}/files", 200, { params: { id: "run-2" } });
  });

  test("names all parameters: each operation refuses another one, and says which there are", async () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [] }]) => ({
        path,
        method: method.toUpperCase(),
        parameters,
      })),
    );
    expect(operations.length).toBeGreaterThan(80);
    for (const { path, method, parameters } of operations) {
      // the issuer may add to what it sends back
      if (path === "/api/session/callback") continue;
      const answer = await admin.ask(method, `${path.replace(/\{\w+\}/g, "1")}?colour=red`);
      const text = await answer.text();
      expect(answer.status, `${method} ${path}: ${text}`).toBe(400);
      if (method === "HEAD") continue;
      const named = parameters.filter((one) => one.in === "query").map(({ name }) => name);
      expect(JSON.parse(text), `${method} ${path}`).toMatchObject({ status: 400, parameters: named });
    }
  });

  test.each([
    [400, (host: string) => `GET /% HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`],
    [400, (host: string) => `GET /api/recordings/%zz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`],
    [431, (host: string) => `GET /health HTTP/1.1\r\nhost: ${host}\r\nx: ${"x".repeat(20_000)}\r\n\r\n`],
    [400, () => "what is this\r\n\r\n"],
    [400, () => "GET /health HTTP/1.1\r\nconnection: close\r\n\r\n"],
    [417, (host: string) => `GET /health HTTP/1.1\r\nhost: ${host}\r\nexpect: a-miracle\r\n\r\n`],
    [
      400,
      (host: string) => `POST /api/rooms HTTP/1.1\r\nhost: ${host}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n`,
    ],
  ])("what is no request is answered %s as problem details", async (status, text) => {
    const found = await raw(node.address, text(new URL(node.address).host));
    expect(found.status, found.answer).toBe(status);
    const [head, body] = found.answer.split("\r\n\r\n") as [string, string];
    expect(head.toLowerCase()).toContain("content-type: application/problem+json");
    const problem = JSON.parse(body) as unknown;
    const validate = ajv.compile({ $ref: "openapi#/components/schemas/Problem" });
    expect(validate(problem) ? [] : validate.errors, body).toEqual([]);
    expect(problem).toMatchObject({ status });
  });

  test("a WebSocket that is asked for in a wrong way is answered as problem details", async () => {
    const { recordings } = await admin.json<{ recordings: { id: string }[] }>("GET", "/api/recordings");
    const headers = {
      ...(admin.headers as Record<string, string>),
      ...{ origin: node.address, connection: "upgrade", upgrade: "websocket" },
      ...{ "sec-websocket-key": "short", "sec-websocket-version": "13" },
    };
    const path = `/api/recordings/${recordings[0]!.id}/socket`;
    const { status, answer } = await raw(node.address, requestOf(node.address, "GET", path, headers));
    expect(status, answer).toBe(400);
    expect(answer.toLowerCase()).toContain("content-type: application/problem+json");
    expect(answer).toContain("Sec-WebSocket-Key");
  });

  test("is true of what is refused, by every route of one thing", async () => {
    const refused = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, { responses }]) => path.includes("{") && method !== "head" && responses["101"] === undefined)
        .map(([method]) => ({ route: `${method.toUpperCase()} ${path}`, path, method: method.toUpperCase() })),
    );
    expect(refused.length).toBeGreaterThan(30);
    for (const { route, path, method } of refused) {
      const answer = await admin.ask(method, path.replace(/\{\w+\}/g, "nothing-of-this-name"));
      const text = await answer.text();
      if (answer.ok) continue;
      const problem = JSON.parse(text) as unknown;
      const validate = ajv.compile({ $ref: "openapi#/components/schemas/Problem" });
      expect(validate(problem) ? [] : validate.errors, `${route}: ${text}`).toEqual([]);
      expect(answer.headers.get("content-type"), route).toMatch(/^application\/problem\+json/);
    }
  });
});
