import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Role } from "../src/database/tables.ts";
import { SCOPES, type Scope } from "../src/people/person.ts";
import { RIGHTS } from "./rights-table.ts";
import { startNode, type TestNode } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>;
}

/** Who asks: a role, by a session or by a token that is for one thing. */
interface Asker {
  readonly name: string;
  readonly role: Role | "none";
  /** Null: all, by a session. */
  readonly scope: Scope | null;
  caller: Caller;
}

const ROLES: readonly Role[] = ["recorder", "viewer", "player", "staff", "admin"];
const RANK: Readonly<Record<Role | "none", number>> = {
  none: 0,
  recorder: 1,
  viewer: 2,
  player: 2,
  staff: 3,
  admin: 4,
};
const METHODS = ["get", "head", "post", "put", "patch", "delete"];

describe("rights", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-rights-"));
  let node: TestNode;
  let routes: readonly string[];
  const askers: Asker[] = [];

  beforeAll(async () => {
    mkdirSync(join(folder, "library"));
    const library = join(folder, "library");
    expect(userCommand(["add", "admin", library, "--role", "admin"]).status).toBe(0);
    node = await startNode([library, "--sign-ins-per-minute", "10000"]);
    const admin = await Caller.signedIn(node, "admin");
    for (const role of ROLES)
      if (role !== "admin") await admin.json("POST", "/api/users", { name: role, role, password: PASSWORD });
    askers.push({ name: "not signed in", role: "none", scope: null, caller: new Caller(node) });
    askers.push({ name: "a forged token", role: "none", scope: null, caller: Caller.withToken(node, "simtape_x") });
    for (const role of ROLES) {
      const caller = await Caller.signedIn(node, role);
      askers.push({ name: `${role}, session`, role, scope: null, caller });
      for (const scope of SCOPES) {
        const { token } = await caller.json<{ token: string }>("POST", "/api/tokens", { name: scope, scopes: [scope] });
        askers.push({ name: `${role}, token to ${scope}`, role, scope, caller: Caller.withToken(node, token) });
      }
    }
    const { paths } = await new Caller(node).json<Document>("GET", "/openapi.json");
    routes = Object.entries(paths).flatMap(([path, methods]) =>
      METHODS.filter((method) => method in methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  });

  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("every route has a row in the table, and every row a route", () => {
    expect([...routes].sort()).toEqual(Object.keys(RIGHTS).sort());
  });

  test("every route answers every role, by session and by token of each scope, as the table says", async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      const row = RIGHTS[route];
      if (row === undefined) continue;
      const [method, path] = route.split(" ") as [string, string];
      const url = path.replace(/\{\w+\}/g, "nothing-of-this-name");
      await Promise.all(
        askers.map(async (asker) => {
          const [role, scope = "read", bySession = role] = row;
          const least = (asker.scope === null ? bySession : role) ?? "none";
          const mayAsk = RANK[asker.role] >= RANK[least] && (asker.scope ?? scope) === scope;
          const expected = role === null || mayAsk ? "let through" : asker.role === "none" ? 401 : 403;
          const found = await statusOf(asker.caller, method, url);
          const isRight = expected === "let through" ? ![401, 403, 500].includes(found) : found === expected;
          // signing in and out by one who is not signed in
          const isOwnRefusal = role === null && [401, 403].includes(found) && path.startsWith("/api/session");
          if (!isRight && !isOwnRefusal) wrong.push(`${route}, ${asker.name}: ${found}, not ${expected}`);
        }),
      );
      // some have signed out by that
      if (method === "DELETE" && path === "/api/session")
        for (const asker of askers)
          if (asker.scope === null && asker.role !== "none") asker.caller = await Caller.signedIn(node, asker.role);
    }
    expect(wrong).toEqual([]);
  });
});

/** Of the head of the answer: some are streams without an end. */
async function statusOf({ address, headers }: Caller, method: string, path: string): Promise<number> {
  const stop = new AbortController();
  const answer = await fetch(address + path, { method, headers, redirect: "manual", signal: stop.signal });
  stop.abort();
  return answer.status;
}
