import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Role } from "../src/database/tables.ts";
import { RIGHTS, type Right } from "./rights-table.ts";
import { Caller } from "./support/people.ts";
import { raw, requestOf } from "./support/raw.ts";
import { type Asker, makeWorld, type World } from "./support/rights-world.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly format?: string;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** What is asked, with an id of others or with one that there is not. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly isSocket: boolean;
}

interface Answer {
  readonly status: number;
  /** Without what differs from one request to the next. */
  readonly text: string;
}

const RANK: Readonly<Record<Role | "none" | "no one", number>> = {
  none: 0,
  recorder: 1,
  viewer: 2,
  player: 2,
  staff: 3,
  admin: 4,
  "no one": 5,
};
/** What the index writes about the file when a live recording has ended, on a slow machine during the test. */
const FACTS = [
  ...[
    "bytes",
    "channels",
    "digest",
    "epoch",
    "file_digests",
    "files",
    "findings",
    "first",
    "format",
    "has_findings",
    "indexed",
    "last",
    "map",
    "metadata",
    "names",
    "seconds",
    "stamp",
  ],
  ...["started", "summary", "thing_extents", "twin", "version"],
];
const METHODS = ["get", "head", "post", "put", "patch", "delete"];

/** What `{id}` is, by the part of the address before it. */
const KINDS: Readonly<Record<string, string>> = {
  ...{
    recordings: "recording",
    jobs: "job",
    collections: "collection",
    searches: "search",
    live: "live",
    alerts: "alert",
  },
  ...{ uploads: "upload", rooms: "room", users: "user", tokens: "token", reports: "review", reviews: "review" },
  ...{ plans: "plan", ghosts: "recording", subjects: "subject", shares: "share" },
};
/** Of a job, whose ids are numbers, and of all else. */
const NO_JOB = "999999999";
const NOTHING = "nothing-of-this-name";

describe("rights", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-rights-"));
  let world: World;
  let routes: ReadonlyMap<string, Operation>;
  let schemas: Readonly<Record<string, Schema>>;

  beforeAll(async () => {
    world = await makeWorld(folder);
    const document = await new Caller(world.node).json<Document & { components: { schemas: typeof schemas } }>(
      "GET",
      "/openapi.json",
    );
    ({ schemas } = document.components);
    routes = new Map(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        METHODS.filter((method) => method in methods).map(
          (method) => [`${method.toUpperCase()} ${path}`, methods[method]!] as const,
        ),
      ),
    );
  });

  afterAll(async () => {
    await world?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("every route has a row in the table, and every row a route", () => {
    expect([...routes.keys()].sort()).toEqual(Object.keys(RIGHTS).sort());
    expect(world.askers.length).toBeGreaterThan(25);
  });

  test("every route answers every identity as the table says, and the same whether what is of others is there", async () => {
    const wrong: string[] = [];
    const before = await countsOf();
    /** What one who may not ask is answered: by who asks and by what is needed, not by what is asked for. */
    const refusals = new Map<string, string>();
    // a request that signs out comes last
    const inOrder = [...routes].sort(([a], [b]) => Number(a === SIGN_OUT) - Number(b === SIGN_OUT));
    for (const [route, operation] of inOrder) {
      const row = RIGHTS[route];
      if (row === undefined) continue;
      const theirs = askedOf(route, operation, true);
      const nothing = askedOf(route, operation, false);
      const say = (asker: Asker, what: string): number => wrong.push(`${route}, ${asker.name}: ${what}`);
      for (let at = 0; at < world.askers.length; at += 10)
        await Promise.all(
          world.askers.slice(at, at + 10).map(async (asker) => {
            const may = rightOf(row, asker);
            if (may === "refused") {
              const { status, text } = await answerTo(asker.caller, theirs);
              const expected = asker.role === "none" ? 401 : 403;
              if (status !== expected) return say(asker, `${status}, not ${expected}`);
              const key = `${asker.name} ${row[0]} ${row[1]} ${row[2]?.or} ${theirs.method === "HEAD"}`;
              const known = refusals.get(key) ?? text;
              refusals.set(key, known);
              if (known !== text) say(asker, `is refused otherwise than elsewhere: ${text}`);
              return;
            }
            const isSafe = ["GET", "HEAD"].includes(theirs.method);
            if (may === "others" && (isSafe || row[0] === null)) {
              const { status } = await answerTo(asker.caller, isSafe ? theirs : nothing);
              const isSignIn = row[0] === null && route.includes("/api/session");
              if ([401, 403, 500].includes(status) && !isSignIn) say(asker, `${status}, and may`);
              return;
            }
            const second = row[2]?.isChosen === true ? null : await answerTo(asker.caller, nothing);
            // of what is sent: a password that is another, a scope that the token itself has not
            const isOwnRefusal = ["PUT /api/me/password", "POST /api/tokens"].includes(route);
            const isWrong = may === "others" ? [401, 403, 500] : [401, 500];
            if (second !== null && isWrong.includes(second.status) && !isOwnRefusal)
              say(asker, `${second.status}, and may`);
            if (may === "others") return;
            const first = await answerTo(asker.caller, theirs);
            if (second === null) {
              if (first.status !== 409 || !first.text.includes("choose a different id"))
                say(asker, `${first.status}: taken`);
            } else if (first.status !== second.status || first.text !== second.text)
              say(asker, `of what is there ${first.status} ${first.text}; else ${second.status} ${second.text}`);
          }),
        );
    }
    expect(wrong).toEqual([]);
    expect(await countsOf()).toEqual(before);
  }, 400_000);

  /** What is there of each kind, as it was made. */
  async function countsOf(): Promise<Readonly<Record<string, unknown>>> {
    const counts: Record<string, unknown> = {};
    const { ids, database } = world;
    for (const [table, id] of [
      ["recordings", ids["recording"]],
      ["recordings", ids["live"]],
      ["collections", ids["collection"]],
      ["reviews", ids["review"]],
      ["shares", ids["share"]],
      ["rooms", ids["room"]],
      ["review_marks", ids["mark"]],
      ["holds", ids["hold"]],
      ["searches", ids["search"]],
      ["alerts", ids["alert"]],
      ["tokens", ids["token"]],
      ["users", ids["user"]],
    ] as const) {
      const { rows } = await sql`select to_jsonb(t) - 'clock' - 'used' - 'heard' - 'lease' - 'changed' - 'state'
        - 'clip' - 'clip_first' - 'words' - ${FACTS}::text[] as row from ${sql.table(table)} t where id = ${id}`.execute(
        database.query,
      );
      counts[`${table} ${id}`] = rows;
    }
    return counts;
  }

  /** `refused`: may not ask; `own`: reaches only what is theirs; `others`: all. */
  function rightOf([role, scope = "read", more = {}]: Right, asker: Asker): "refused" | "own" | "others" {
    if (role === null) return "others";
    const least = asker.scope === null ? (more.session ?? role) : role;
    const isFor = asker.scope === null || asker.scope === scope || asker.scope === more.or;
    if (asker.role === "none" || RANK[asker.role] < RANK[least] || !isFor) return "refused";
    return RANK[asker.role] >= RANK[more.others ?? least] ? "others" : "own";
  }

  function askedOf(route: string, { parameters = [], requestBody, responses }: Operation, isThere: boolean): Asked {
    const [method, path] = route.split(" ") as [string, string];
    const idOf = (kind: string): string => (isThere ? world.ids[kind]! : kind === "job" ? NO_JOB : NOTHING);
    const url = path.replace(/\{(\w+)\}/g, (_, name: string, offset: number) => {
      const part = path
        .slice(0, offset - 1)
        .split("/")
        .at(-1)!;
      if (name === "name")
        return FILES[path.split("/")[2]!] ?? world.ids[path.startsWith("/api/jobs") ? "jobFile" : "name"]!;
      if (name === "secret") return world.ids["secret"]!;
      if (name === "key") return "regions/r.0.0.mca";
      return idOf(name === "id" ? KINDS[part]! : name);
    });
    const asked = parameters
      .filter(({ in: where, name, schema }) => where === "query" && isIdName(name, schema))
      .map(({ name }) => `${name}=${idOf(singular(name))}`);
    const needed = parameters.filter(({ in: where, name }) => where === "query" && NEEDED[name] !== undefined);
    const query = [...asked, ...needed.map(({ name }) => `${name}=${NEEDED[name]}`)].join("&");
    const schema = requestBody?.content["application/json"]?.schema;
    const body = schema === undefined ? undefined : exampleOf(schema, "", idOf);
    return { method, url: query === "" ? url : `${url}?${query}`, body, isSocket: "101" in responses };
  }

  /** The least that a schema takes; what is called as something of others is its id. */
  function exampleOf(given: Schema, name: string, idOf: (kind: string) => string): unknown {
    const schema = given.$ref === undefined ? given : schemas[given.$ref.split("/").at(-1)!]!;
    const type = Array.isArray(schema.type) ? schema.type[0] : (schema.type as string | undefined);
    if (schema.anyOf !== undefined && !(singular(name) in world.ids)) return exampleOf(schema.anyOf[0]!, name, idOf);
    if (type === "array") return [exampleOf(schema.items!, singular(name), idOf)];
    if (type === "object")
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(
            ([key]) => schema.required?.includes(key) === true || ["user", "collection", "assignee"].includes(key),
          )
          .map(([key, inner]) => [key, exampleOf(inner, key, idOf)]),
      );
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.const !== undefined) return schema.const;
    if (type === "number" || type === "integer") return schema.minimum ?? 1;
    if (type === "boolean") return false;
    return isIdName(name, schema) ? idOf(name) : "x".repeat(Math.max(schema.minLength ?? 1, 3));
  }

  function isIdName(name: string, { format }: Schema): boolean {
    return (
      format === undefined &&
      ["recording", "other", "collection", "owner", "assignee", "user", "plan"].includes(singular(name))
    );
  }

  async function answerTo(caller: Caller, { method, url, body, isSocket }: Asked): Promise<Answer> {
    const { address } = world.node;
    const [status, text] = isSocket ? await upgraded(caller, url) : await asked(caller, address, method, url, body);
    const plain = text.replace(/"request":"[^"]*"/, "");
    return {
      status,
      text: [...Object.values(world.ids), NOTHING, NO_JOB].reduce((left, id) => left.replaceAll(id, "ID"), plain),
    };
  }

  async function upgraded(caller: Caller, url: string): Promise<readonly [status: number, text: string]> {
    const { address } = world.node;
    const headers = {
      ...caller.headers,
      ...{ connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13", origin: address },
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    const { status, answer } = await raw(address, requestOf(address, "GET", url, headers), "\r\n\r\n");
    return [status, status === 101 ? "" : Buffer.from(answer.split("\r\n\r\n")[1] ?? "", "latin1").toString()];
  }
});

/** Names of files, where they are no others' to choose. */
const FILES: Readonly<Record<string, string>> = { live: "meta.hcrp" };
const SIGN_OUT = "DELETE /api/session";
const NEEDED: Readonly<Record<string, string>> = { map: "x" };

function singular(name: string): string {
  return name.endsWith("s") && name !== "alias" ? name.slice(0, -1) : name;
}

/** Connections are used again: several thousand requests are asked. */
const AGENT = new Agent({ keepAlive: true, maxSockets: 10 });

/** Of the head of the answer where it goes well: some are streams without an end. */
function asked(
  { headers }: Caller,
  address: string,
  method: string,
  path: string,
  body: unknown,
): Promise<readonly [status: number, text: string]> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const own =
    body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { method, agent: AGENT, headers: { ...headers, ...own } }, (answer) => {
      const status = answer.statusCode!;
      let said = "";
      answer.setEncoding("utf8").on("data", (piece: string) => {
        said += piece;
      });
      const isStream =
        answer.headers["content-length"] === undefined && answer.headers["transfer-encoding"] !== undefined;
      answer.once("end", () => resolve([status, status >= 400 ? said : ""]));
      if (status >= 400 || !isStream) return;
      resolve([status, ""]);
      answer.destroy();
    });
    sent.once("error", reject);
    sent.end(text);
  });
}
