import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectDatabase, type Database } from "../src/database/database.ts";
import { joinDatabase } from "../src/database/database.ts";
import { describeDatabases } from "./support/databases.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

interface Me {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly via: string;
}

interface Line {
  readonly id: number;
  readonly who: string | null;
  readonly name: string | null;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

describeDatabases("people", (newDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-people-"));
  const library = join(folder, "library");
  const words: string[] = [];
  let node: TestNode;
  let database: Database;
  let admin: Caller;
  /** Words of `simtape user` that say which server. */
  let where: readonly string[];

  beforeAll(async () => {
    mkdirSync(library);
    words.push(...(await newDatabase()));
    where = [library, ...words.slice(0, 2)];
    const limits = ["--sign-ins-per-minute", "40", "--public", "own"];
    node = await startNode([library, ...words, ...limits]);
    const address = words.length > 0 ? words[1]! : `embedded:${join(library, ".simtape", "database")}`;
    database = words.length > 0 ? await connectDatabase(address) : await joinDatabase(address);
  });

  afterAll(async () => {
    await database?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const audit = async (search: string): Promise<readonly Line[]> =>
    (await admin.json<{ lines: readonly Line[] }>("GET", `/api/audit?${search}`)).lines;

  test("without an account, all who reach it are administrators; the first account closes it", async () => {
    const unknown = new Caller(node);
    expect(await unknown.json<Me>("GET", "/api/me")).toMatchObject({ role: "admin", via: "open" });
    expect(node.said()).toContain("administrators");
    const first = await userCommand(["add", "bo", ...where, "--role", "player"]);
    expect(first.stderr).toContain("must be an admin");
    expect(first.exit).toBe(2);
    expect((await userCommand(["add", "anna", ...where, "--role", "admin"])).exit).toBe(0);
    await until(
      () => unknown.status("GET", "/api/me"),
      (status) => status === 401,
      2,
    );
    expect(await unknown.status("GET", "/api/recordings")).toBe(401);
    expect(await unknown.status("GET", "/health")).toBe(200);
    admin = await Caller.signedIn(node, "anna");
    expect(await admin.json<Me>("GET", "/api/me")).toMatchObject({ name: "anna", role: "admin", via: "session" });
  });

  test("accounts are made and changed by the command while the server runs", async () => {
    expect((await userCommand(["add", "bo", ...where, "--role", "player"])).exit).toBe(0);
    expect((await userCommand(["add", "bo", ...where])).stderr).toContain("already");
    expect((await userCommand(["add", "short", ...where], "1234567")).stderr).toContain("8 to 256");
    expect((await userCommand(["list", ...where])).stdout).toMatch(/anna {2}admin[^\n]*\nbo {2}player {2}password/);
    const bo = await Caller.signedIn(node, "bo");
    expect((await userCommand(["role", "bo", "viewer", ...where])).exit).toBe(0);
    await until(
      () => bo.json<Me>("GET", "/api/me"),
      ({ role }) => role === "viewer",
      2,
    );
    expect((await userCommand(["disable", "bo", ...where])).exit).toBe(0);
    await until(
      () => bo.status("GET", "/api/me"),
      (status) => status === 401,
      2,
    );
    expect((await userCommand(["enable", "bo", ...where])).exit).toBe(0);
    expect((await userCommand(["disable", "anna", ...where])).stderr).toContain("no admin would be left");
    expect((await userCommand(["password", "bo", ...where], "another one entirely")).exit).toBe(0);
    await expect(Caller.signedIn(node, "bo")).rejects.toThrow("401");
    await Caller.signedIn(node, "bo", "another one entirely");
    expect((await audit("action=user changed")).length).toBeGreaterThanOrEqual(4);
  });

  test("a session: its cookie is for the server alone, its hash is in the table, it ends", async () => {
    const answer = await new Caller(node).ask("POST", "/api/session", { name: " anna ", password: PASSWORD });
    const [header] = answer.headers.getSetCookie();
    expect(header).toMatch(/^simtape_session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/);
    const secret = /=([^;]+)/.exec(header!)![1]!;
    const rows = await database.query.selectFrom("sessions").select("hash").execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
    const first = new Caller(node, { cookie: header!.split(";")[0]!, origin: node.address });
    const second = await Caller.signedIn(node, "anna");
    expect(await first.status("DELETE", "/api/session")).toBe(204);
    expect(await first.status("GET", "/api/me")).toBe(401);
    expect(await second.status("GET", "/api/me")).toBe(200);
    const third = await Caller.signedIn(node, "anna");
    expect(await second.status("DELETE", "/api/session?everywhere=true")).toBe(204);
    expect(await third.status("GET", "/api/me")).toBe(401);
    admin = await Caller.signedIn(node, "anna");
  });

  test("a session ends when it rests, and however much it is used", async () => {
    for (const column of ["used", "expires"] as const) {
      const caller = await Caller.signedIn(node, "anna");
      const { hash } = await database.query
        .selectFrom("sessions")
        .select("hash")
        .orderBy("made", "desc")
        .executeTakeFirstOrThrow();
      const past = new Date(Date.now() - 49 * 3_600_000);
      await database.query
        .updateTable("sessions")
        .set({ [column]: past })
        .where("hash", "=", hash)
        .execute();
      await until(
        () => caller.status("GET", "/api/me"),
        (status) => status === 401,
        2,
      );
    }
  });

  test("wrong passwords and names answer alike, and are in the log", async () => {
    const unknown = new Caller(node);
    const answers = [];
    for (const body of [
      { name: "anna", password: "wrong password" },
      { name: "not there", password: "wrong password" },
    ]) {
      const answer = await unknown.ask("POST", "/api/session", body);
      expect(answer.status).toBe(401);
      answers.push({ ...((await answer.json()) as object), request: "" });
    }
    expect(answers[0]).toEqual(answers[1]);
    const failures = await audit("action=sign-in failed&limit=2");
    expect(failures.map(({ details }) => details["name"])).toEqual(["not there", "anna"]);
  });

  test("a new password for oneself needs the old one, and ends the other sessions", async () => {
    await admin.json("POST", "/api/users", { name: "cleo", role: "viewer", password: PASSWORD });
    const [one, other] = [await Caller.signedIn(node, "cleo"), await Caller.signedIn(node, "cleo")];
    expect(await one.status("PUT", "/api/me/password", { old: "no", new: "quite another" })).toBe(403);
    expect(await one.status("PUT", "/api/me/password", { old: PASSWORD, new: "quite another" })).toBe(204);
    expect(await other.status("GET", "/api/me")).toBe(401);
    await Caller.signedIn(node, "cleo", "quite another");
  });

  test("a password that was lost is replaced by one that is shown once, and ends all sessions", async () => {
    const { id } = await admin.json<Me>("POST", "/api/users", { name: "dora", role: "viewer", password: PASSWORD });
    const before = await Caller.signedIn(node, "dora");
    const answer = await admin.ask("POST", `/api/users/${id}/password`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { password } = (await answer.json()) as { password: string };
    expect(password).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
    expect(await before.status("GET", "/api/me")).toBe(401);
    expect(await new Caller(node).status("POST", "/api/session", { name: "dora", password: PASSWORD })).toBe(401);
    const after = await Caller.signedIn(node, "dora", password);
    expect(await after.status("PUT", "/api/me/password", { old: password, new: "one of her own" })).toBe(204);
    const lines = await audit("action=user changed&limit=1");
    expect(lines[0]!.details).toEqual({ user: id, password: "reset" });
    expect(JSON.stringify(lines)).not.toContain(password);
    await database.query
      .updateTable("users")
      .set({ password: null, subject: "issuer her" })
      .where("id", "=", id)
      .execute();
    expect(await admin.status("POST", `/api/users/${id}/password`)).toBe(409);
    expect(await admin.status("POST", "/api/users/nothing/password")).toBe(404);
  });

  test("a token is shown once, kept as a hash, and acts within its scopes until it is revoked or expires", async () => {
    const { id, token } = await admin.json<{ id: string; token: string }>("POST", "/api/tokens", {
      name: "reads",
      scopes: ["read"],
      days: 1,
    });
    const rows = await database.query.selectFrom("tokens").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    const listed = await admin.json("GET", "/api/tokens");
    expect(JSON.stringify(listed)).not.toContain(token);
    expect(JSON.stringify(listed)).toContain(id);
    const reader = Caller.withToken(node, token);
    expect(await reader.status("GET", "/api/recordings")).toBe(200);
    expect(await reader.status("GET", "/api/users")).toBe(403);
    expect(await reader.status("POST", "/api/tokens", { name: "more", scopes: ["admin"] })).toBe(403);
    expect(await admin.status("DELETE", `/api/tokens/${id}`)).toBe(204);
    expect(await reader.status("GET", "/api/recordings")).toBe(401);
    const short = await admin.json<{ id: string; token: string }>("POST", "/api/tokens", {
      name: "short",
      scopes: ["read"],
      days: 1,
    });
    const soon = Caller.withToken(node, short.token);
    expect(await soon.status("GET", "/api/recordings")).toBe(200);
    await database.query
      .updateTable("tokens")
      .set({ expires: new Date(0) })
      .where("id", "=", short.id)
      .execute();
    await until(
      () => soon.status("GET", "/api/recordings"),
      (status) => status === 401,
      2,
    );
  });

  test("a token cannot make one that may more than itself, nor one for another user", async () => {
    const cleo = await Caller.signedIn(node, "cleo", "quite another");
    const { users } = await admin.json<{ users: readonly Me[] }>("GET", "/api/users");
    const anna = users.find(({ name }) => name === "anna")!;
    expect(await cleo.status("POST", "/api/tokens", { name: "x", scopes: ["read"], user: anna.id })).toBe(403);
    const { token } = await cleo.json<{ token: string }>("POST", "/api/tokens", { name: "x", scopes: ["admin"] });
    const limited = Caller.withToken(node, token);
    expect(await limited.status("POST", "/api/tokens", { name: "y", scopes: ["write"] })).toBe(403);
    expect(await limited.status("GET", "/api/users")).toBe(403);
    const { tokens } = await admin.json<{ tokens: readonly { id: string; owner: string }[] }>(
      "GET",
      "/api/tokens?all=true",
    );
    const own = tokens.find(({ owner }) => owner === anna.id);
    expect(await limited.status("GET", "/api/tokens?all=true")).toBe(403);
    if (own !== undefined) expect(await limited.status("DELETE", `/api/tokens/${own.id}`)).toBe(404);
  });

  test("the log is searched a page at a time, and the database refuses every change of it", async () => {
    const all: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { lines: readonly Line[]; cursor: string | null } = await admin.json(
        "GET",
        `/api/audit?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      all.push(...page.lines.map(({ id }) => id));
      ({ cursor } = page);
    }
    expect(all.length).toBeGreaterThan(10);
    expect(all).toEqual([...new Set(all)].sort((a, b) => b - a));
    const byName = await audit("who=anna&action=token made");
    expect(byName.length).toBeGreaterThan(0);
    expect(new Set(byName.map(({ name }) => name))).toEqual(new Set(["anna"]));
    expect(await audit(`until=${new Date(0).toISOString()}`)).toEqual([]);
    const { users } = await admin.json<{ users: readonly Me[] }>("GET", "/api/users");
    const anna = users.find(({ name }) => name === "anna")!;
    for (const about of ["anna", anna.id]) {
      const lines = await audit(`about=${about}&limit=1000`);
      const done = new Set(lines.map(({ action }) => action));
      for (const action of ["sign-in failed", "user changed", "sign-in"]) expect(done, about).toContain(action);
      expect(JSON.stringify(lines.map(({ details }) => details))).not.toContain("not there");
    }
    expect(await audit("about=no person")).toEqual([]);
    const { query } = database;
    await expect(query.updateTable("audit").set({ action: "nothing" }).execute()).rejects.toThrow("never changed");
    await expect(query.deleteFrom("audit").execute()).rejects.toThrow("never changed");
    const client = await database.connect();
    for (const statement of [
      "truncate audit",
      "truncate users, audit cascade",
      "update audit set who = 'x' where false",
    ])
      await expect(client.query(statement), statement).rejects.toThrow("never changed");
    await client.end();
  });

  test("roles and passwords of others are for administrators, and the last one stays", async () => {
    const { users } = await admin.json<{ users: readonly Me[] }>("GET", "/api/users");
    const anna = users.find(({ name }) => name === "anna")!;
    for (const change of [{ role: "staff" }, { disabled: true }, { password: null }])
      expect(await admin.status("PATCH", `/api/users/${anna.id}`, change), JSON.stringify(change)).toBe(409);
    expect(await admin.status("PATCH", "/api/users/operator", { disabled: true })).toBe(404);
    expect(await admin.status("PATCH", "/api/users/nothing", { disabled: true })).toBe(404);
    expect(await admin.status("PATCH", `/api/users/${anna.id}`, { admin: true })).toBe(400);
    expect(await admin.status("GET", "/api/me")).toBe(200);
  });

  test("too many sign-ins are refused for a while, with how long", async () => {
    const unknown = new Caller(node);
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => unknown.ask("POST", "/api/session", { name: "anna", password: "wrong one" })),
    );
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused).toBeDefined();
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("content-type")).toContain("application/problem+json");
    // who is signed in is not in the way of that
    expect(await admin.status("GET", "/api/me")).toBe(200);
  });
});
