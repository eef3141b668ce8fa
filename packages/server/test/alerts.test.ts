import { copyFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { describeDatabases } from "./support/databases.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

const TOWN = fileURLToPath(new URL("../../corpus/cases/carla/0.9.15/town.log", import.meta.url));
const [VERA, OTTO] = ["71d87f3f-df6e-496b-8876-c1cda9d934ca", "069a79f4-44e9-4726-a5be-fca90e38aaf5"];

interface Alert {
  readonly id: string;
  readonly search: { readonly id: string; readonly name: string; readonly where: string | null };
  readonly recording: string;
  readonly name: string;
  readonly count: number | null;
  readonly seconds: number | null;
  readonly first: number | null;
  readonly trouble: string | null;
  readonly isRead: boolean;
}
interface Alerts {
  readonly alerts: readonly Alert[];
  readonly unread: number;
  readonly cursor: string | null;
}
interface Saved {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly where: string | null;
  readonly watched: boolean;
}
interface Jobs {
  readonly jobs: readonly { readonly subject: string; readonly state: string }[];
}
interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

describeDatabases("saved searches that are watched", (newDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-alerts-"));
  const library = join(folder, "library");
  const made = join(folder, "made");
  const busy = join(made, "town.log");
  let words: readonly string[];
  let node: TestNode;
  let admin: Caller;
  let vera: Caller;

  beforeAll(async () => {
    for (const path of [library, made]) mkdirSync(path);
    // the first goes from x = 0 to x = 20, in 10 seconds
    for (const [name, uuid, far] of [
      ["hers", VERA, 20],
      ["his", OTTO, 20],
      ["near", VERA, 5],
    ] as const)
      await printed(["record", join(made, name)], linesOf(uuid, far));
    await printed(["demo", "carla", "-o", made, "--seconds", "40", "--entities", "50"]);
    copyFileSync(TOWN, join(library, "before.log"));
    const where = await newDatabase();
    words = [library, "--public", "own", ...where];
    await userCommand(["add", "admin", library, "--role", "admin", ...where.slice(0, 2)]);
    node = await startNode(words);
    admin = await Caller.signedIn(node, "admin");
    const body = { name: "vera", role: "viewer", password: PASSWORD, identities: [VERA] };
    await admin.json("POST", "/api/users", body);
    vera = await Caller.signedIn(node, "vera");
    await indexed("before.log");
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const indexed = async (key: string): Promise<Item> => {
    const { recordings } = await until(
      () => admin.json<{ recordings: Item[] }>("GET", "/api/recordings?limit=500"),
      (page) => page.recordings.some((item) => item.key === key && item.state === "indexed"),
    );
    return recordings.find((item) => item.key === key)!;
  };
  /** Puts a recording there; settles when all watched searches were asked about it. */
  const arrives = async (from: string, key: string): Promise<Item> => {
    cpSync(from, join(library, `.${key}`), { recursive: true });
    renameSync(join(library, `.${key}`), join(library, key));
    const item = await indexed(from.endsWith(".log") ? key : `${key}/meta.hcrp`);
    await askedAbout(item.id);
    return item;
  };
  const askedAbout = (id: string): Promise<unknown> =>
    until(
      () => admin.json<Jobs>("GET", "/api/jobs?kind=alerts&limit=500"),
      ({ jobs }) => {
        const own = jobs.filter(({ subject }) => subject === id);
        return own.length > 0 && own.every(({ state }) => state === "done");
      },
    );
  const save = (who: Caller, search: Partial<Saved> & { name: string }): Promise<Saved> =>
    who.json("POST", "/api/searches", { query: "", ...search });
  const alertsOf = async (who: Caller, search: Saved, recording?: string): Promise<readonly Alert[]> =>
    (await who.json<Alerts>("GET", "/api/alerts?limit=500")).alerts.filter(
      (one) => one.search.id === search.id && one.recording === (recording ?? one.recording),
    );

  test("have filters and an expression, and are changed", async () => {
    const { id } = await save(vera, { name: "far", query: "format=hcrp", where: "any players (position.x > 10 m)" });
    const listed = async (): Promise<readonly Saved[]> =>
      (await vera.json<{ searches: Saved[] }>("GET", "/api/searches")).searches;
    const far = { id, name: "far", query: "format=hcrp", where: "any players (position.x > 10 m)", watched: false };
    expect(await listed()).toEqual([far]);
    const change = (to: object): Promise<Saved> => vera.json("PATCH", `/api/searches/${id}`, to);
    expect(await change({ watched: true })).toEqual({ ...far, watched: true });
    expect(await change({ name: "farther", where: null })).toEqual({
      ...far,
      ...{ name: "farther", where: null, watched: true },
    });
    // what the body does not have stays, but for the expression of a search that is replaced
    expect(await save(vera, { name: "farther", query: "q=x" })).toMatchObject({ id, query: "q=x", watched: true });
    expect((await admin.ask("PATCH", `/api/searches/${id}`, { watched: false })).status).toBe(404);
    await save(vera, { name: "other" });
    expect((await vera.ask("PATCH", `/api/searches/${id}`, { name: "other" })).status).toBe(409);
    for (const one of await listed()) await vera.ask("DELETE", `/api/searches/${one.id}`);
    expect(await listed()).toEqual([]);
  });

  test.each([
    [
      "an expression",
      { where: "any vehicles (speed >" },
      { code: "syntax", excerpt: expect.stringMatching(/^any vehicles.*\n +\^/) },
    ],
    ["a long expression", { where: "x".repeat(2001) }, {}],
    ["a number", { query: "longer=many" }, { detail: "longer must be number" }],
    ["a unit", { query: "path=altitude&above=3+parsnips" }, { detail: expect.stringContaining("parsnips") }],
    ["a word", { query: "q=format:" }, { detail: "format: needs a value, as format:carla" }],
  ])("that are wrong are refused, with what is wrong: %s", async (_, search, problem) => {
    const answer = await vera.ask("POST", "/api/searches", { name: "wrong", query: "", ...search });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject(problem);
  });

  test("of one account are limited", async () => {
    const saved: Saved[] = [];
    for (let n = 0; n < 20; n++) saved.push(await save(vera, { name: `watched ${n}`, query: "q=x", watched: true }));
    const body = { name: "one more", query: "", watched: true };
    expect((await vera.ask("POST", "/api/searches", body)).status).toBe(409);
    expect((await vera.ask("POST", "/api/searches", { ...body, watched: false })).status).toBe(201);
    // a search that is watched already is not counted twice
    expect((await vera.ask("PATCH", `/api/searches/${saved[0]!.id}`, { watched: true })).status).toBe(200);
    const { searches } = await vera.json<{ searches: Saved[] }>("GET", "/api/searches");
    for (const { id } of searches) await vera.ask("DELETE", `/api/searches/${id}`);
  });

  test("tell of what fits, once, to those who may read it", async () => {
    const where = "any players (position.x > 10 m)";
    const hers = await save(vera, { name: "far", where, watched: true });
    const all = await save(vera, { name: "all of mine", query: "format=hcrp", watched: true });
    const other = await save(vera, { name: "cars", query: "format=carla", where, watched: true });
    const silent = await save(vera, { name: "not watched", where });
    const staff = await save(admin, { name: "far", where, watched: true });
    const [mine, his, near] = [
      await arrives(join(made, "hers"), "hers"),
      await arrives(join(made, "his"), "his"),
      await arrives(join(made, "near"), "near"),
    ];
    const [alert, ...rest] = await alertsOf(vera, hers);
    expect(rest).toEqual([]);
    expect(alert).toMatchObject({
      search: { id: hers.id, name: "far", where },
      ...{ recording: mine.id, count: 1, trouble: null, isRead: false },
    });
    expect(alert!.first).toBeCloseTo(5.05, 1);
    expect(alert!.seconds).toBeCloseTo(4.95, 1);
    // without an expression the filters decide
    expect((await alertsOf(vera, all)).map(({ recording }) => recording)).toEqual([near.id, mine.id]);
    expect((await alertsOf(vera, all))[0]).toMatchObject({ count: null, first: null, trouble: null });
    for (const none of [other, silent]) expect(await alertsOf(vera, none)).toEqual([]);
    expect((await alertsOf(admin, staff)).map(({ recording }) => recording)).toEqual([his.id, mine.id]);
    // the log says what an account has learned of a recording that is not its own
    const { lines } = await admin.json<{ lines: { who: string; recording: string; details: object }[] }>(
      "GET",
      "/api/audit?action=alert",
    );
    expect(lines.map(({ recording }) => recording)).toEqual([his.id, mine.id]);
    expect(lines[0]!.details).toEqual({ search: staff.id });

    // a file that was only touched is no news, and its alert stays
    utimesSync(join(library, "hers", "meta.hcrp"), new Date(), new Date());
    await until(
      () => admin.json<Jobs>("GET", "/api/jobs?kind=index&limit=500"),
      ({ jobs }) => jobs.filter(({ subject, state }) => subject === mine.id && state === "done").length === 2,
    );
    await indexed("hers/meta.hcrp");
    expect((await alertsOf(vera, hers)).map(({ id }) => id)).toEqual([alert!.id]);

    // pages, reading, and the number of what is unread
    const page = await vera.json<Alerts>("GET", "/api/alerts?limit=2");
    expect([page.alerts.length, page.unread]).toEqual([2, 3]);
    const next = await vera.json<Alerts>("GET", `/api/alerts?limit=2&cursor=${encodeURIComponent(page.cursor!)}`);
    expect([next.alerts.length, next.cursor]).toEqual([1, null]);
    expect(new Set([...page.alerts, ...next.alerts].map(({ id }) => id)).size).toBe(3);
    expect((await admin.ask("PATCH", `/api/alerts/${alert!.id}`, { isRead: true })).status).toBe(404);
    expect((await vera.ask("PATCH", `/api/alerts/${alert!.id}`, { isRead: true })).status).toBe(204);
    expect(await vera.json("GET", "/api/alerts?unread=true")).toMatchObject({ unread: 2 });
    expect((await vera.ask("POST", "/api/alerts/read")).status).toBe(204);
    expect(await vera.json("GET", "/api/alerts?unread=true")).toEqual({ alerts: [], unread: 0, cursor: null });
    expect(await admin.json("GET", "/api/alerts")).toMatchObject({ unread: 2 });

    // who may no longer read it no longer sees it
    const hidden = await admin.json<{ id: string }>("POST", "/api/collections", { name: "hidden", public: "off" });
    await admin.json("PUT", `/api/recordings/${mine.id}/collection`, { collection: hidden.id });
    expect(await alertsOf(vera, hers)).toEqual([]);
    expect((await vera.ask("PATCH", `/api/alerts/${alert!.id}`, { isRead: false })).status).toBe(404);
    await admin.json("PUT", `/api/recordings/${mine.id}/collection`, { collection: null });
    expect(await alertsOf(vera, hers)).toHaveLength(1);

    // a search that is another one has found nothing yet
    await vera.json("PATCH", `/api/searches/${hers.id}`, { where: "any players (position.x > 11 m)" });
    expect(await alertsOf(vera, hers)).toEqual([]);
    // a recording that is gone, and one that is there again
    expect(await alertsOf(vera, all)).toHaveLength(2);
    renameSync(join(library, "near"), join(folder, "near"));
    await until(
      () => alertsOf(vera, all),
      (found) => found.length === 1,
    );
    renameSync(join(folder, "near"), join(library, "near"));
    await until(
      () => alertsOf(vera, all),
      (found) => found.length === 2,
    );
    // the alerts go with their search
    await vera.ask("DELETE", `/api/searches/${all.id}`);
    expect(await vera.json("GET", "/api/alerts")).toEqual({ alerts: [], unread: 0, cursor: null });
  });

  test("tell of a recording again when its bytes are others", async () => {
    const any = await save(admin, { name: "any car", query: "format=carla", where: "event(collision)", watched: true });
    const { id } = await arrives(TOWN, "changes.log");
    const [first] = await alertsOf(admin, any);
    expect(first).toMatchObject({ recording: id, count: expect.any(Number), trouble: null });
    expect((await admin.ask("POST", "/api/alerts/read")).status).toBe(204);
    const cut = ["trim", TOWN, "--until", "95%", "-o", join(folder, "cut.log")];
    await printed(cut);
    copyFileSync(join(folder, "cut.log"), join(library, "changes.log"));
    const [again, ...none] = await until(
      () => alertsOf(admin, any),
      ([one]) => one !== undefined && one.id !== first!.id,
    );
    expect([again!.isRead, none]).toEqual([false, []]);
    // and is what it was where they are those of before
    copyFileSync(TOWN, join(library, "changes.log"));
    const back = await until(
      () => alertsOf(admin, any),
      ([one]) => one !== undefined && one.id !== again!.id,
    );
    expect(back).toEqual([{ ...first, isRead: true }]);
    await admin.ask("DELETE", `/api/searches/${any.id}`);
  });

  test("pass over what names other things, and say where an expression asks for too much", async () => {
    const much = "any vehicles as a (any vehicles as b (any walkers as c (distance(a, b) < distance(b, c))))";
    const large = await save(admin, { name: "large", where: much, watched: true });
    const unfit = await save(admin, { name: "unfit", where: "no/such/path > 1", watched: true });
    const { id } = await arrives(busy, "busy.log");
    expect(await alertsOf(admin, large, id)).toMatchObject([
      { recording: id, count: null, first: null, trouble: expect.stringContaining("too many things") },
    ]);
    expect(await alertsOf(admin, unfit, id)).toEqual([]);
    for (const search of [large, unfit]) await admin.ask("DELETE", `/api/searches/${search.id}`);
  });

  test("say where an expression took too long", async () => {
    const passes = Array.from({ length: 40 }, (_, n) => `any vehicles (speed > ${n + 1} km/h for ${n + 1} ms)`);
    const slow = await save(admin, { name: "slow", where: passes.join(" and "), watched: true });
    await node.stop();
    node = await startNode([...words, "--alert-seconds", "1"]);
    [admin, vera] = [await Caller.signedIn(node, "admin"), await Caller.signedIn(node, "vera")];
    const cut = ["trim", busy, "--until", "99%", "-o", join(folder, "busier.log")];
    await printed(cut);
    const { id } = await arrives(join(folder, "busier.log"), "busier.log");
    expect(await alertsOf(admin, slow, id)).toMatchObject([
      {
        ...{ recording: id, count: null, first: null },
        trouble: "the expressions that you watch took longer than 1 s in this recording",
      },
    ]);
    await admin.ask("DELETE", `/api/searches/${slow.id}`);
  });

  test("ask one recording when an expression is true, as the command does", async () => {
    const { id } = await indexed("before.log");
    const when = (where: string, more = ""): Promise<Response> =>
      admin.ask("GET", `/api/recordings/${id}/when?where=${encodeURIComponent(where)}${more}`);
    const where = "each vehicles (speed > 1 km/h)";
    const found = JSON.parse(await printed(["when", TOWN, where, "--json"])) as { intervals: object[] };
    const whole = (await (await when(where)).json()) as { count: number; intervals: object[]; first: number };
    expect(whole.intervals).toEqual(found.intervals);
    expect(whole.count).toBe(found.intervals.length);
    const few = (await (await when(where, "&limit=1")).json()) as typeof whole;
    expect([few.count, few.intervals]).toEqual([whole.count, whole.intervals.slice(0, 1)]);
    expect(await (await when("any vehicles (speed > 5000 km/h)")).json()).toMatchObject({ count: 0, intervals: [] });
    for (const [wrong, code] of [
      ["any vehicles (speed >", "syntax"],
      ["no/such/path > 1", "path"],
      ["event(never)", "event"],
      ["any vehicles (speed > 3 kg)", "unit"],
    ] as const) {
      const answer = await when(wrong);
      expect(answer.status, wrong).toBe(400);
      const problem = (await answer.json()) as { code: string; excerpt: string };
      expect([problem.code, problem.excerpt.split("\n")[0]]).toEqual([code, wrong]);
    }
  });

  test("go with their recording and with their account", async () => {
    const mine = await save(vera, { name: "mine", query: "format=hcrp", watched: true });
    await arrives(join(made, "hers"), "again");
    expect(await alertsOf(vera, mine)).toHaveLength(1);
    const { id } = await admin.json<{ id: string }>("POST", `/api/subjects/${VERA}/erase`, { also: ["vera"] });
    // at once, not when the job has come to the account
    expect(await vera.status("GET", "/api/alerts")).toBe(401);
    await until(
      () => admin.json<{ state: string }>("GET", `/api/subjects/requests/${id}`),
      ({ state }) => state === "done",
    );
    const { report } = await admin.json<{ report: { remains: object[] } }>("GET", `/api/subjects/requests/${id}`);
    expect(report.remains).toEqual([]);
  });
});

/** A run of one player, who goes so far along x within ten seconds. */
function linesOf(uuid: string, far: number): string {
  const name = uuid === VERA ? "vera" : "otto";
  const text: unknown[] = [
    { simtape: 1 },
    { tick: 0 },
    { join: { id: "a", uuid, name, at: [0, 64, 0] } },
    { subject: { id: "a", uuid, name } },
  ];
  for (let tick = 1; tick < 200; tick++) text.push({ tick }, { move: { id: "a", at: [(tick * far) / 200, 64, 0] } });
  return [...text, { end: "completed" }].map((line) => `${JSON.stringify(line)}\n`).join("");
}
