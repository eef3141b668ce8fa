import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { sql } from "kysely";
import { printed } from "./command.ts";
import type { Role } from "../../src/database/tables.ts";
import { type Database, joinDatabase } from "../../src/database/database.ts";
import { SCOPES, type Scope } from "../../src/people/person.ts";
import { startNode, type TestNode, until } from "./node.ts";
import { Caller, PASSWORD, userCommand } from "./people.ts";

export const ROLES: readonly Role[] = ["recorder", "viewer", "player", "staff", "admin"];

/** Who asks: a role, by a session or by a token that is for one thing. */
export interface Asker {
  readonly name: string;
  /** `none`: is let in nowhere, whatever it sends. */
  readonly role: Role | "none";
  /** Null: all that the role may, by a session. */
  readonly scope: Scope | null;
  caller: Caller;
}

/** A server with things of others, and all who ask it. */
export interface World {
  readonly node: TestNode;
  readonly database: Database;
  readonly admin: Caller;
  readonly askers: readonly Asker[];
  /** Ids of what is there and is others', by what it is; of everything that a path, query or body can name. */
  readonly ids: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts one in a folder that is there. */
export async function makeWorld(folder: string): Promise<World> {
  const library = `${folder}/library`;
  mkdirSync(library);
  await printed(["demo", "hcrp", "-o", library, "--seconds", "2"]);
  if ((await userCommand(["add", "admin", library, "--role", "admin"])).exit !== 0) throw new Error("no admin");
  const node = await startNode([library, "--sign-ins-per-minute", "10000", "--public", "all"]);
  const admin = await Caller.signedIn(node, "admin");
  const database = await joinDatabase(`embedded:${library}/.simtape/database`);
  const make = (name: string, role: Role): Promise<{ id: string }> =>
    admin.json("POST", "/api/users", { name, role, password: PASSWORD });
  const token = (scopes: readonly Scope[], user: string): Promise<{ id: string; token: string }> =>
    admin.json("POST", "/api/tokens", { name: scopes.join(), scopes, user });

  const askers: Asker[] = [];
  const none = (name: string, caller: Caller): number => askers.push({ name, role: "none", scope: null, caller });
  for (const role of ROLES) {
    const { id } = role === "admin" ? await admin.json<{ id: string }>("GET", "/api/me") : await make(role, role);
    askers.push({ name: `${role}, session`, role, scope: null, caller: await Caller.signedIn(node, role) });
    // tokens of players may what those of viewers may
    for (const scope of role === "player" ? [] : SCOPES) {
      const isFor = await admin.ask("POST", "/api/tokens", { name: scope, scopes: [scope], user: id });
      if (!isFor.ok) continue;
      const made = (await isFor.json()) as { token: string };
      const caller = Caller.withToken(node, made.token);
      askers.push({ name: `${role}, token to ${scope}`, role, scope, caller });
    }
  }
  none("not signed in", new Caller(node));
  none("a forged token", Caller.withToken(node, "simtape_x"));
  for (const [name, end] of [
    ["a revoked token", sql`update tokens set revoked = now() where id = `],
    ["an expired token", sql`update tokens set expires = now() where id = `],
  ] as const) {
    const made = await token([...SCOPES], (await admin.json<{ id: string }>("GET", "/api/me")).id);
    await sql`${end}${made.id}`.execute(database.query);
    none(name, Caller.withToken(node, made.token));
  }
  const gone = await make("gone", "admin");
  const goneToken = await token([...SCOPES], gone.id);
  none("a session of a disabled account", await Caller.signedIn(node, "gone"));
  none("a token of a disabled account", Caller.withToken(node, goneToken.token));
  const again = await make("again", "admin");
  const againToken = await token([...SCOPES], again.id);
  none("a session from before an account was disabled", await Caller.signedIn(node, "again"));
  none("a token from before an account was disabled", Caller.withToken(node, againToken.token));
  await admin.json("POST", "/api/users", { name: "late", role: "admin", password: PASSWORD });
  none("a session that has expired", await Caller.signedIn(node, "late"));
  await sql`update sessions set expires = now() where "user" = (select id from users where name = 'late')`.execute(
    database.query,
  );
  for (const [id, disabled] of [
    [gone.id, true],
    [again.id, true],
    [again.id, false],
  ] as const)
    await admin.ask("PATCH", `/api/users/${id}`, { disabled });
  await make("guest", "player");
  const guest = await Caller.signedIn(node, "guest");
  askers.push({ name: "a guest of a room, with something of their own", role: "player", scope: null, caller: guest });

  // what is of others
  const { recordings } = await until(
    () => admin.json<{ recordings: { id: string; state: string }[] }>("GET", "/api/recordings"),
    (page) => page.recordings[0]?.state === "indexed",
  );
  const recording = recordings[0]!.id;
  const { url } = await admin.json<{ url: string }>("GET", `/api/recordings/${recording}`);
  const olga = await make("olga", "staff");
  const owner = await Caller.signedIn(node, "olga");
  const made = async (method: string, path: string, body?: unknown): Promise<string> =>
    String((await owner.json<{ id: string | number }>(method, path, body)).id);
  const collection = (await admin.json<{ id: string }>("POST", "/api/collections", { name: "hidden", public: "off" }))
    .id;
  await owner.json("PUT", `/api/recordings/${recording}/collection`, { collection });
  const review = await made("POST", "/api/reports", { recording, subject: "x" });
  const share = await owner.json<{ id: string; secret: string }>("POST", "/api/shares", { recording });
  const upload = await owner.ask("POST", "/api/uploads", undefined, {
    "tus-resumable": "1.0.0",
    "upload-length": "10",
    "upload-metadata": `filename ${Buffer.from("a.tape").toString("base64")}`,
  });
  const recorder = await make("another recorder", "recorder");
  const live = `run-${randomUUID().slice(0, 8)}`;
  const sender = Caller.withToken(node, (await token(["live"], recorder.id)).token);
  const sent = await fetch(`${node.address}/api/live/${live}`, {
    method: "POST",
    headers: sender.headers,
    body: '{"simtape":1}\n{"tick":1}\n',
  });
  if (!sent.ok) throw new Error(await sent.text());
  const request = await admin.json<{ id: string }>("POST", "/api/subjects/olga/export", {});
  const plan = "a-plan-that-is-there";
  await database.query.insertInto("retention_plans").values({ id: plan, policy: "", state: "ready" }).execute();
  const job = await made("POST", `/api/recordings/${recording}/exports`, { table: "csv" });
  const file = await until(
    () => admin.json<{ result: { files: { name: string }[] } | null }>("GET", `/api/jobs/${job}`),
    ({ result }) => result !== null,
  );
  const counted = await made("POST", `/api/recordings/${recording}/stats`, {});
  const stats = await until(
    () => admin.json<{ result: { analysis: string } | null }>("GET", `/api/jobs/${counted}`),
    ({ result }) => result !== null,
  );
  await until(
    () => admin.json<{ state: string }>("GET", `/api/subjects/requests/${request.id}`),
    ({ state }) => state === "done",
  );
  const search = await made("POST", "/api/searches", { name: "theirs", query: "q=x" });
  const alert = "an-alert-of-theirs";
  const { digest } = await database.query
    .selectFrom("recordings")
    .select("digest")
    .where("id", "=", recording)
    .executeTakeFirstOrThrow();
  await database.query.insertInto("alerts").values({ id: alert, search, recording, digest: digest! }).execute();
  const ids = {
    ...{
      search,
      alert,
      recording,
      collection,
      review,
      live,
      request: request.id,
      plan,
      job,
      user: olga.id,
      owner: olga.id,
    },
    ...{ share: share.id, secret: share.secret, subject: olga.id, assignee: olga.id },
    ...{ analysis: stats.result!.analysis, other: recording },
    jobFile: file.result!.files[0]!.name,
    name: url.split("/").at(-1)!,
    room: await made("POST", "/api/rooms", { name: "theirs", recordings: [recording] }),
    mark: await made("POST", `/api/reviews/${review}/marks`, { time: 1, label: "x" }),
    hold: await made("POST", `/api/recordings/${recording}/holds`, { reason: "x" }),
    token: (await token(["read"], olga.id)).id,
    upload: upload.headers.get("location")!.split("/").at(-1)!,
  };
  const stop = async (): Promise<void> => {
    await database.close();
    await node.stop();
  };
  return { node, database, admin, askers, ids, stop };
}
