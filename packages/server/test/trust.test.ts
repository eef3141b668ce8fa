import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { Quota } from "../src/http/quota.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

interface Made {
  readonly id: string;
  readonly token: string;
}

describe("trust", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-trust-"));
  let node: TestNode;
  let admin: Caller;
  let recording: string;
  const users = new Map<string, string>();

  beforeAll(async () => {
    await printed(["demo", "mira", "-o", folder, "--seconds", "2"]);
    expect((await userCommand(["add", "admin", folder, "--role", "admin"])).exit).toBe(0);
    const limits = [
      "--reports-per-hour",
      "3",
      "--uploads-per-hour",
      "1",
      "--live-at-once",
      "1",
      "--tokens-at-once",
      "3",
    ];
    node = await startNode([folder, "--public", "all", "--sign-ins-per-minute", "1000", ...limits]);
    admin = await Caller.signedIn(node, "admin");
    for (const [name, role] of [
      ["vera", "viewer"],
      ["rick", "recorder"],
      ["sam", "staff"],
    ] as const) {
      const made = await admin.json<{ id: string }>("POST", "/api/users", { name, role, password: PASSWORD });
      users.set(name, made.id);
    }
    const { recordings } = await until(
      () => admin.json<{ recordings: { id: string; state: string }[] }>("GET", "/api/recordings"),
      (page) => page.recordings[0]?.state === "indexed",
    );
    recording = recordings[0]!.id;
  });

  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const tokenOf = (by: Caller, scopes: readonly string[], name?: string): Promise<Response> =>
    by.ask("POST", "/api/tokens", { name: "x", scopes, ...(name === undefined ? {} : { user: users.get(name) }) });
  const withToken = async (scopes: readonly string[], name: string): Promise<Caller> =>
    Caller.withToken(node, ((await (await tokenOf(admin, scopes, name)).json()) as Made).token);
  const send = async (by: Caller, id: string, ...lines: readonly object[]): Promise<Response> =>
    fetch(`${node.address}/api/live/${id}`, {
      method: "POST",
      headers: by.headers,
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    });

  test("what says how bad a report is comes from staff, and from tokens that an administrator has made for it", async () => {
    const body = { recording, subject: "robot", text: "x" };
    const forged = { ...body, score: 1e6, flags: ["fly"], reporter: "staff" };
    const vera = await Caller.signedIn(node, "vera");
    const own = Caller.withToken(node, ((await (await tokenOf(vera, ["read", "write"])).json()) as Made).token);
    for (const by of [vera, own]) {
      expect(await by.status("POST", "/api/reports", forged)).toBe(403);
      for (const scope of ["live", "report:trusted"]) expect((await tokenOf(by, [scope])).status).toBe(403);
    }
    for (const scope of ["live", "report:trusted"]) {
      expect((await tokenOf(admin, [scope], "vera")).status, "an account of that role has it not").toBe(403);
      expect((await tokenOf(await Caller.signedIn(node, "sam"), [scope])).status).toBe(403);
    }
    expect(await vera.status("POST", "/api/live/mine")).toBe(403);
    expect(await (await withToken(["write"], "sam")).status("POST", "/api/reports", forged)).toBe(403);
    expect(await (await withToken(["report:trusted"], "sam")).status("POST", "/api/reports", forged)).toBe(201);
    // what an account has made of its own, by whatever it asks with
    const statuses = [vera, own, vera, own].map((by) => by.status("POST", "/api/reports", body));
    expect((await Promise.all(statuses)).sort((a, b) => a - b)).toEqual([201, 201, 201, 429]);
  });

  test("a recorder may only report what it has made, and is believed where that was granted", async () => {
    const rick = await withToken(["live"], "rick");
    const trusted = await withToken(["live", "report:trusted"], "rick");
    const head = [{ simtape: 1 }, { tick: 1 }];
    const refused = await send(rick, "run-1", ...head, { report: { subject: "one", score: 7 } });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("report:trusted")]);
    expect((await send(rick, "run-1", { simtape: 1 }, { tick: 2 }, { report: { subject: "one" } })).status).toBe(200);
    expect(
      (await send(trusted, "run-1", { simtape: 1 }, { tick: 3 }, { report: { subject: "one", score: 7 } })).status,
    ).toBe(200);
    expect((await send(trusted, "run-2", ...head)).status).toBe(429);
    expect((await send(trusted, "run-1", { simtape: 1 }, { tick: 4 }, { end: "completed" })).status).toBe(200);
    const report = (id: string): Promise<Response> =>
      trusted.ask("POST", "/api/reports", { recording: id, subject: "one" });
    expect((await report("run-1")).status).toBe(201);
    const [there, nothing] = await Promise.all([report(recording), report("nothing-of-this-name")]);
    expect([there.status, nothing.status]).toEqual([404, 404]);
    const detailOf = async (answer: Response): Promise<unknown> =>
      ((await answer.json()) as { detail: unknown }).detail;
    expect(await detailOf(there)).toEqual(await detailOf(nothing));
  });

  test("an account that is disabled has no session, token or link when it is enabled again", async () => {
    const sam = await Caller.signedIn(node, "sam");
    const token = await withToken(["read"], "sam");
    const { secret } = await sam.json<{ secret: string }>("POST", "/api/shares", { recording });
    const shown = (): Promise<number> => new Caller(node).status("GET", `/api/shares/${secret}`);
    expect([await token.status("GET", "/api/me"), await shown()]).toEqual([200, 200]);
    expect((await tokenOf(admin, ["read"], "sam")).status, "as many as an account may have").toBe(429);
    const change = (disabled: boolean): Promise<number> =>
      admin.status("PATCH", `/api/users/${users.get("sam")}`, { disabled });
    expect(await change(true)).toBe(204);
    expect((await tokenOf(admin, ["read"], "sam")).status).toBe(409);
    expect(await change(false)).toBe(204);
    await until(shown, (status) => status === 404);
    for (const by of [sam, token])
      expect(
        await until(
          () => by.status("GET", "/api/me"),
          (status) => status !== 200,
        ),
      ).toBe(401);
    expect(await (await Caller.signedIn(node, "sam")).status("GET", "/api/me")).toBe(200);
  });

  test("a link shows no more than its maker may read", async () => {
    const sam = await Caller.signedIn(node, "sam");
    const { secret } = await sam.json<{ secret: string }>("POST", "/api/shares", { recording });
    const shown = (): Promise<number> => new Caller(node).status("GET", `/api/shares/${secret}`);
    expect(await shown()).toBe(200);
    await admin.ask("PATCH", `/api/users/${users.get("sam")}`, { role: "viewer" });
    expect(await until(shown, (status) => status !== 200)).toBe(404);
    await admin.ask("PATCH", `/api/users/${users.get("sam")}`, { role: "staff" });
  });

  test("uploads are counted by account", async () => {
    const begin = async (by: Caller): Promise<number> => {
      const metadata = `filename ${Buffer.from("a.tape").toString("base64")}`;
      const headers = { "tus-resumable": "1.0.0", "upload-length": "10", "upload-metadata": metadata };
      return (await by.ask("POST", "/api/uploads", undefined, headers)).status;
    };
    expect([await begin(admin), await begin(admin)]).toEqual([201, 429]);
  });

  test("a quota counts each key in whole windows", () => {
    const quota = new Quota(1000);
    expect([quota.take("a", 2, 0), quota.take("a", 2, 1), quota.take("a", 2, 400), quota.take("b", 2, 500)]).toEqual([
      ...[null, null, 1, null],
    ]);
    expect(quota.take("a", 2, 1000)).toBeNull();
  });
});
