import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { printed } from "../support/command.ts";
import type { Database } from "../../src/database/database.ts";
import { until } from "../support/node.ts";

const [NAME, ID] = ["Amalia", "71d87f3f-df6e-496b-8876-c1cda9d934ca"];
const JSON_TYPE = { "content-type": "application/json" };

/** A server that may be killed, and what is around it. */
export interface World {
  readonly address: () => string;
  readonly query: () => Database["query"];
  readonly library: string;
  readonly data: string;
  /** Recordings that scenarios take copies of. */
  readonly made: string;
}

/** What one test of a kill does; `n` tells its names apart from those of others. */
export interface Run extends World {
  readonly n: number;
  /** Aborted when the server was killed. */
  readonly signal: AbortSignal;
}

interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

/**
 * What a person does, to its end, by parts of the server. What is there of an earlier try is not asked for again: a server that
 * has forgotten what was asked for does not get to the end.
 */
export const SCENARIOS: Readonly<Record<string, (run: Run, point: string) => Promise<void>>> = {
  uploads,
  catalog,
  companions,
  ghosts,
  lake,
  live,
  shares,
  review,
  retention,
  subjects,
  alerts,
};

export async function makeRecordings(made: string): Promise<void> {
  mkdirSync(made, { recursive: true });
  await printed(["demo", "mira", "-o", made, "--seconds", "3"]);
  await printed(["demo", "hcrp", "-o", made, "--seconds", "6"]);
  await printed(["meta", "set", join(made, "race.hcrp"), "hcrp.outcome=completed", "hcrp.duration_ms=5000"]);
  await printed(
    ["record", join(made, "run")],
    linesOf(["a", NAME, ID], ["b", "Steve", "069a79f4-44e9-4726-a5be-fca90e38aaf5"]),
  );
  await printed(["record", join(made, "alone")], linesOf(["a", NAME, ID]));
}

function linesOf(...players: readonly (readonly [id: string, name: string, uuid: string])[]): string {
  const text: unknown[] = [{ simtape: 1 }, { tick: 0 }];
  for (const [id, name, uuid] of players)
    text.push({ join: { id, uuid, name, at: [0, 64, 0] } }, { subject: { id, uuid, name } });
  for (let tick = 1; tick < 200; tick++) {
    text.push({ tick });
    for (const [id] of players) text.push({ move: { id, at: [tick / 10, 64, 0] } });
    if (tick % 90 === 0) text.push({ chat: { text: `${NAME} is here`, from: "a" } }, { commit: true });
  }
  return [...text, { end: "completed" }].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** As if it had been there for long: nothing waits for it to be quiet. */
function place({ made, library }: World, from: string, to: string): void {
  const target = join(library, to);
  if (existsSync(target)) return;
  mkdirSync(join(target, ".."), { recursive: true });
  cpSync(join(made, from), target, { recursive: true });
  const names = statSync(target).isDirectory() ? readdirSync(target).map((name) => join(target, name)) : [target];
  for (const name of names) utimesSync(name, 1, 1);
}

async function ask<T>({ address, signal }: Run, method: string, path: string, body?: unknown): Promise<T> {
  const given = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
  const answer = await fetch(address() + path, { method, signal, ...given });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} of ${method} ${path}: ${text}`);
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** The recording of a key, when it is indexed. */
async function indexed(run: Run, key: string): Promise<Item> {
  const found = await until(
    async () => {
      run.signal.throwIfAborted();
      const { recordings } = await ask<{ recordings: Item[] }>(run, "GET", "/api/recordings?limit=500");
      return recordings.filter((item) => item.key === key);
    },
    ([item]) => item?.state === "indexed",
    30,
  );
  return found[0]!;
}

async function settled<T>(run: Run, get: () => Promise<T>, is: (found: T) => boolean, seconds = 30): Promise<T> {
  const asked = async (): Promise<T> => {
    run.signal.throwIfAborted();
    return get();
  };
  return until(asked, is, seconds);
}

async function uploads(run: Run): Promise<void> {
  const { address, signal, n, library, made } = run;
  const bytes = readFileSync(join(made, "race.hcrp"));
  const name = `race-${n}.hcrp`;
  const tus = { "tus-resumable": "1.0.0" };
  const begun = UPLOADS.get(n) ?? (await begin());
  UPLOADS.set(n, begun);
  const head = await fetch(address() + begun, { method: "HEAD", headers: tus, signal });
  const offset = Number(head.headers.get("upload-offset"));
  if (offset < bytes.length)
    await fetch(address() + begun, {
      method: "PATCH",
      signal,
      headers: { ...tus, "upload-offset": `${offset}`, "content-type": "application/offset+octet-stream" },
      body: new Uint8Array(bytes.subarray(offset)),
    });
  const { key } = await settled(
    run,
    () => ask<{ state: string; key: string }>(run, "GET", begun),
    ({ state }) => state === "placed",
  );
  await indexed(run, key);
  expect(readFileSync(join(library, key)).equals(bytes)).toBe(true);
  const batch = join(library, key, "..");
  expect(readdirSync(batch)).toEqual([name]);

  async function begin(): Promise<string> {
    const filename = Buffer.from(name).toString("base64");
    const headers = { ...tus, "upload-length": `${bytes.length}`, "upload-metadata": `filename ${filename}` };
    return (await fetch(`${address()}/api/uploads`, { method: "POST", headers, signal })).headers.get("location")!;
  }
}
const UPLOADS = new Map<number, string>();

async function catalog(run: Run, point: string): Promise<void> {
  const key = `found-${run.n}.tape`;
  if (point === "catalog/noted") {
    place(run, "robot.tape", key);
    await indexed(run, key);
    return;
  }
  let id = DELETED.get(run.n);
  if (id === undefined) {
    place(run, "robot.tape", key);
    ({ id } = await indexed(run, key));
    DELETED.set(run.n, id);
    // asked for once: what was interrupted continues without another request
    await ask(run, "DELETE", `/api/recordings/${id}`);
  }
  await settled(
    run,
    () => run.query().selectFrom("recordings").select("id").where("id", "=", id).execute(),
    (rows) => rows.length === 0,
  );
  expect(existsSync(join(run.library, key))).toBe(false);
  expect(await run.query().selectFrom("deletions").selectAll().execute()).toEqual([]);
}
const DELETED = new Map<number, string>();

/** The second file takes the place of the first: of either only what the recording names is left in the end. */
async function companions(run: Run): Promise<void> {
  const name = `world-${run.n}.tape`;
  place(run, "robot.tape", name);
  const { id } = await indexed(run, name);
  const send = async (text: string): Promise<void> => {
    const address = `${run.address()}/api/recordings/${id}/companions/map.yaml`;
    const { status } = await fetch(address, { method: "PUT", body: text, signal: run.signal });
    expect(status).toBe(200);
  };
  await send("image: first.pgm\n");
  await send("image: second.pgm\n");
  const details = await ask<{ companions: { name: string; bytes: number }[] }>(run, "GET", `/api/recordings/${id}`);
  expect(details.companions).toEqual([expect.objectContaining({ name: "map.yaml", bytes: 18 })]);
  const answer = await fetch(`${run.address()}/api/recordings/${id}/files/map.yaml`, { signal: run.signal });
  expect(await answer.text()).toBe("image: second.pgm\n");
}

async function ghosts(run: Run): Promise<void> {
  place(run, "race.hcrp", `ghost-${run.n}.hcrp`);
  const { id } = await indexed(run, `ghost-${run.n}.hcrp`);
  await settled(
    run,
    () => run.query().selectFrom("runs").select("track").where("recording", "=", id).executeTakeFirst(),
    (row) => row?.track != null,
  );
}

/** A watched search has one alert of each new recording that it fits. */
async function alerts(run: Run): Promise<void> {
  const { n } = run;
  const [name, file] = [`watched ${n}`, `watched-${n}.tape`];
  const where = "each poses (length(position) >= 0 m)";
  const { searches } = await ask<{ searches: { id: string; name: string }[] }>(run, "GET", "/api/searches");
  const body = { name, query: `key=${file}`, where, watched: true };
  const { id } =
    searches.find((one) => one.name === name) ?? (await ask<{ id: string }>(run, "POST", "/api/searches", body));
  place(run, "robot.tape", file);
  const { id: recording } = await indexed(run, file);
  const found = (): Promise<readonly { recording: string; count: number | null }[]> =>
    run.query().selectFrom("alerts").select(["recording", "count"]).where("search", "=", id).execute();
  await settled(
    run,
    () => run.query().selectFrom("news").select("recording").where("recording", "=", recording).execute(),
    (news) => news.length === 0,
    // a thread that reads is started, too
    50,
  );
  expect(await found()).toEqual([{ recording, count: expect.any(Number) }]);
  await ask(run, "PATCH", `/api/searches/${id}`, { watched: false });
}

/** A recording that is indexed is in the lake soon after, and its job is done. */
async function lake(run: Run): Promise<void> {
  const name = `lake-${run.n}.tape`;
  place(run, "robot.tape", name);
  const { id } = await indexed(run, name);
  await settled(
    run,
    () => run.query().selectFrom("jobs").select("state").where("kind", "=", "lake").where("subject", "=", id).execute(),
    (jobs) => jobs.length > 0 && jobs.every(({ state }) => state === "done"),
  );
  const manifests = `${run.library}-lake/_manifests`;
  const found = readdirSync(manifests, { encoding: "utf8" })
    .filter((one) => one.endsWith(".json"))
    .map((one) => JSON.parse(readFileSync(join(manifests, one), "utf8")) as LakeManifest)
    .find(({ origin }) => origin?.file === name);
  expect(found).toMatchObject({ origin: { format: "mira", outcome: "whole" }, pending: [] });
  for (const { key } of found!.files) expect(existsSync(`${run.library}-lake/${key}`)).toBe(true);
}

interface LakeManifest {
  readonly origin: { readonly file: string } | null;
  readonly files: readonly { readonly key: string }[];
}

/** A recorder elsewhere puts its files, and what it had no answer to once more. */
async function live(run: Run): Promise<void> {
  const { address, made, n, signal } = run;
  const [id, from] = [`live-${n}`, join(made, "run")];
  const names = readdirSync(from).filter((name) => !name.startsWith("."));
  for (const name of names.sort((a, b) => Number(a === "meta.hcrp") - Number(b === "meta.hcrp"))) {
    const body = new Uint8Array(readFileSync(join(from, name)));
    const put = { method: "PUT", headers: { "if-none-match": "*" }, body, signal };
    const { status } = await fetch(`${address()}/api/live/${id}/files/${name}`, put);
    expect([200, 201, 204, 409, 412]).toContain(status);
  }
  const { key } = await indexed(run, `live/${id}/meta.hcrp`);
  for (const name of names)
    expect(readFileSync(join(run.library, key, "..", name)).equals(readFileSync(join(from, name)))).toBe(true);
}

async function shares(run: Run): Promise<void> {
  place(run, "race.hcrp", `shared-${run.n}.hcrp`);
  const { id: recording } = await indexed(run, `shared-${run.n}.hcrp`);
  const list = async (): Promise<readonly { id: string; state: string }[]> =>
    (await ask<{ shares: { id: string; state: string }[] }>(run, "GET", `/api/shares?recording=${recording}`)).shares;
  if ((await list()).length === 0) await ask(run, "POST", "/api/shares", { recording, first: 1, last: 2 });
  const [share] = await settled(run, list, ([one]) => one?.state === "ready");
  const copies = (): string[] =>
    readdirSync(join(run.data, "shares"))
      .filter((name) => name.startsWith(share!.id))
      .filter((name) => readdirSync(join(run.data, "shares", name)).length > 0);
  await run.query().updateTable("jobs").set({ due: new Date() }).where("kind", "=", "sweep").execute();
  await settled(
    run,
    () => Promise.resolve(copies()),
    ({ length }) => length === 1,
  );
}

interface Review {
  readonly id: string;
  readonly state: string;
  readonly clip: string | null;
  readonly written: string | null;
}

async function review(run: Run): Promise<void> {
  const source = `reported-${run.n}.tape`;
  place(run, "robot.tape", source);
  const { id: recording } = await indexed(run, source);
  const list = async (): Promise<readonly Review[]> =>
    (await ask<{ reviews: Review[] }>(run, "GET", `/api/reviews?recording=${recording}`)).reviews;
  if ((await list()).length === 0)
    await ask(run, "POST", "/api/reports", { recording, subject: "Player", first: 0, last: 2 });
  const [one] = await settled(run, list, ([row]) => row?.clip != null);
  const clip = `clips/${one!.id}.tape`;
  await indexed(run, clip);
  if (one!.state !== "closed") await ask(run, "POST", `/api/reviews/${one!.id}/verdict`, { verdict: "guilty" });
  await settled(run, list, ([row]) => row?.written != null);
  for (const key of [source, clip]) {
    const stated = readFileSync(join(run.library, `${key}.provenance.json`), "utf8");
    expect(stated.split("guilty").length, key).toBe(3);
    if (key === clip) expect(stated).toContain(`"${source}"`);
  }
}

async function retention(run: Run, point: string): Promise<void> {
  interface Plan {
    readonly id: string;
    readonly state: string;
  }
  const plans = (): Promise<readonly Plan[]> =>
    run.query().selectFrom("retention_plans").select(["id", "state"]).orderBy("made").execute();
  if (point === "retention/scheduled") {
    const before = PLANS.get(run.n) ?? (await plans()).length;
    PLANS.set(run.n, before);
    await run
      .query()
      .updateTable("jobs")
      .set({ due: new Date() })
      .where("kind", "=", "retention")
      .where("state", "=", "waiting")
      .execute();
    await settled(run, plans, (all) => all.length > before && all.every(({ state }) => state === "applied"));
    return;
  }
  // the clock makes one of its own when a server starts
  const asked = async (): Promise<readonly Plan[]> => (await plans()).filter(({ id }) => !id.startsWith("clock-"));
  const before = await asked();
  if (!before.some(({ state }) => state !== "applied")) await ask(run, "POST", "/api/retention/plan");
  const is = (state: string) => (all: readonly Plan[]) => all.at(-1)?.state === state;
  if (before.at(-1)?.state !== "applying") {
    const ready = await settled(run, asked, is("ready"));
    await ask(run, "POST", "/api/retention/run", { plan: ready.at(-1)!.id });
  }
  await settled(run, asked, is("applied"));
}

/** How many there were before. */
const PLANS = new Map<number, number>();

async function subjects(run: Run, point: string): Promise<void> {
  const { n, library, query } = run;
  for (const name of ["run", "alone"]) {
    if (REQUESTED.has(n)) break;
    place(run, name, `${name}-${n}`);
    await indexed(run, `${name}-${n}/meta.hcrp`);
  }
  const kind = /export/.test(point) ? "export" : "erase";
  const list = (): Promise<readonly { id: string; state: string; key: string | null }[]> =>
    query()
      .selectFrom("subject_requests")
      .select(["id", "state", "key"])
      .where("kind", "=", kind)
      .orderBy("made")
      .execute();
  const before = (await list()).length;
  const isAsked = REQUESTED.has(n) && before > REQUESTED.get(n)!;
  if (!REQUESTED.has(n)) REQUESTED.set(n, before);
  if (!isAsked) await ask(run, "POST", `/api/subjects/${ID}/${kind}`, { also: [NAME] });
  if (point === "subjects/retried") {
    // as if it had failed, an hour ago
    const id = (await settled(run, list, (all) => all.at(-1)?.state === "done" || isAsked)).at(-1)!.id;
    if (!isAsked) {
      await query()
        .updateTable("subject_requests")
        .set({ state: "failed", who: JSON.stringify({ names: [NAME], uuids: [ID], accounts: [] }) })
        .where("id", "=", id)
        .execute();
      await ask(run, "POST", `/api/subjects/requests/${id}/retry`);
    }
  }
  const done = await settled(run, list, (all) => all.at(-1)?.state === "done");
  if (kind === "export") {
    expect(statSync(join(library, done.at(-1)!.key!)).size).toBeGreaterThan(1000);
    return;
  }
  expect(existsSync(join(library, `alone-${n}`, "meta.hcrp"))).toBe(false);
  for (const folder of [`run-${n}`, `alone-${n}`].map((name) => join(library, name)).filter((path) => existsSync(path)))
    for (const name of readdirSync(folder).filter((file) => !file.startsWith(".")))
      expect([folder, name]).toEqual([folder, "meta.hcrp"]);
  if (/redacted|removed/.test(point))
    expect(await printed(["cat", join(library, `run-${n}`), "--json"])).not.toContain(NAME);
  const left = await query().selectFrom("recordings").select("key").where("key", "like", `alone-${n}/%`).execute();
  expect(left).toEqual([]);
}
/** How many requests there were before. */
const REQUESTED = new Map<number, number>();
