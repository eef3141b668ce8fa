import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { connectDatabase, type Database, joinDatabase } from "../src/database/database.ts";
import { withDamagedMember } from "./support/damaged-member.ts";
import { describeDatabases } from "./support/databases.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";

const DAY = 86_400_000;

interface Item {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: string;
}

interface Review {
  readonly id: string;
  readonly recording: string;
  readonly state: string;
  readonly assignee: string | null;
  readonly verdict: string | null;
  readonly clip: string | null;
  readonly clipError: string | null;
  readonly clipLost: readonly object[];
  readonly written: string | null;
  readonly writtenError: string | null;
  readonly marks: readonly { readonly id: string; readonly label: string }[];
  readonly holds: readonly unknown[];
}

interface Ghost {
  readonly recording: string;
  readonly seconds: number;
  readonly subject: { readonly uuid: string; readonly name: string };
  readonly track: string;
  readonly race: string;
}

const MOLECULE = "molecule.nanover.zip";
/** Two of the players that the demo has. */
const KASAM = "Kasam";
const [ELDAR, ELDAR_ID] = ["Eldar", "71d87f3f-df6e-496b-8876-c1cda9d934ca"];

describeDatabases("review", (newDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-review-"));
  const library = join(folder, "library");
  const policy = join(folder, "policy.json");
  let node: TestNode;
  let database: Database;
  let admin: Caller;
  let sam: Caller;
  let tom: Caller;
  let player: Caller;
  const byName = new Map<string, string>();

  beforeAll(async () => {
    mkdirSync(library);
    await printed(["demo", "hcrp", "-o", library, "--seconds", "20"]);
    await printed(["demo", "mira", "-o", library, "--seconds", "4"]);
    await printed(["demo", "nanover", "-o", library, "--seconds", "4"]);
    const molecule = join(library, MOLECULE);
    writeFileSync(molecule, withDamagedMember(readFileSync(molecule), "notes.txt"));
    const race = join(library, "race.hcrp");
    for (const [name, milliseconds] of [
      ["fast", 14_000],
      ["slow", 19_000],
    ] as const) {
      const path = join(library, `${name}.hcrp`);
      copyFileSync(race, path);
      await printed(["meta", "set", path, "hcrp.outcome=completed", `hcrp.duration_ms=${milliseconds}`]);
    }
    // one player alone
    await printed(["demo", "hcrp", "-o", join(library, "alone"), "--seconds", "5", "--entities", "1", "--seed", "9"]);
    writeFileSync(
      policy,
      JSON.stringify({
        version: 1,
        graceHours: 0,
        classes: [
          { name: "tower", match: { metadata: { map: ["Spiral Tower"] }, key: ["race"] }, days: 1, keepBest: false },
          { name: "others", days: 36_500, keepBest: false },
        ],
      }),
    );
    const words = [...(await newDatabase())];
    const where = [library, ...words.slice(0, 2)];
    node = await startNode([
      library,
      ...words,
      "--public",
      "own",
      "--retention",
      policy,
      "--sign-ins-per-minute",
      "100",
    ]);
    const address = words.length > 0 ? words[1]! : `embedded:${join(library, ".simtape", "database")}`;
    database = words.length > 0 ? await connectDatabase(address) : await joinDatabase(address);
    for (const [name, role] of [
      ["ada", "admin"],
      ["sam", "staff"],
      ["tom", "staff"],
      ["pat", "player"],
    ] as const)
      expect((await userCommand(["add", name, ...where, "--role", role])).stderr, name).not.toContain("rror");
    admin = await Caller.signedIn(node, "ada");
    sam = await Caller.signedIn(node, "sam");
    tom = await Caller.signedIn(node, "tom");
    player = await Caller.signedIn(node, "pat");
    const { id: pat } = await player.json<{ id: string }>("GET", "/api/me");
    await database.query
      .updateTable("users")
      .set({ identities: JSON.stringify([ELDAR_ID]) })
      .where("id", "=", pat)
      .execute();
    player = await Caller.signedIn(node, "pat");
    const found = await until(listed, (all) => all.length === 6 && all.every(({ state }) => state === "indexed"));
    for (const { key, id } of found) byName.set(key, id);
  }, 60_000);

  afterAll(async () => {
    await database?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const listed = async (): Promise<readonly Item[]> =>
    (await admin.json<{ recordings: readonly Item[] }>("GET", "/api/recordings")).recordings;
  const review = (id: string): Promise<Review> => sam.json<Review>("GET", `/api/reviews/${id}`);
  const report = async (by: Caller, recording: string, more: object = {}): Promise<string> =>
    (await by.json<{ id: string }>("POST", "/api/reports", { recording, subject: KASAM, text: "flies", ...more })).id;
  const actions = async (recording: string): Promise<readonly string[]> => {
    const rows = await database.query
      .selectFrom("audit")
      .select("action")
      .where("recording", "=", recording)
      .orderBy("id")
      .execute();
    return rows.map(({ action }) => action);
  };
  const idOf = async (caller: Caller): Promise<string> => (await caller.json<{ id: string }>("GET", "/api/me")).id;

  test("rows 5, 8: a whole review, from the report of a player to the verdict in the recording", async () => {
    const race = byName.get("race.hcrp")!;
    const before = readFileSync(join(library, "race.hcrp"));
    const id = await report(player, race, { first: 5, last: 15 });
    expect(await player.json("GET", `/api/reports/${id}`)).toMatchObject({ id, state: "open", subject: KASAM });
    expect(await player.status("GET", "/api/reviews")).toBe(403);
    expect(await player.status("GET", `/api/reviews/${id}`)).toBe(403);
    expect(await tom.status("GET", `/api/reports/${id}`)).toBe(404);
    const { clip } = await until(
      () => review(id),
      (one) => one.clip !== null && one.clipError === null,
    );
    const { key } = await until(
      () => admin.json<Item>("GET", `/api/recordings/${clip}`).catch(() => ({ key: "", state: "" }) as Item),
      ({ state }) => state === "indexed",
    );
    expect((await review(id)).clipLost).toEqual([]);
    const clipInfo = JSON.parse(await printed(["info", join(library, key), "--json"])) as Record<string, never>;
    expect(clipInfo["timeline"]).toMatchObject({ start: 0, end: 10_000_000_000 });
    const reported = { at: 0, kind: "report", text: `${KASAM}: flies` };
    expect(clipInfo["provenance"]).toMatchObject({
      sources: [{ name: "race.hcrp" }],
      operations: [{ op: "trim" }, { op: "annotate", ...reported }],
      annotations: [reported],
    });
    // those who are in it are not to see that it was cut
    expect(await player.status("GET", `/api/recordings/${race}`)).toBe(200);
    expect(await player.status("GET", `/api/recordings/${clip}`)).toBe(404);
    expect(await player.status("GET", `/api/recordings/${clip}/data`)).toBe(404);

    const [me, you] = await Promise.all([idOf(sam), idOf(tom)]);
    const taken = await Promise.all([sam, tom].map((one) => one.status("POST", `/api/reviews/${id}/assign`, {})));
    expect(taken.sort(ascending)).toEqual([200, 409]);
    const winner = (await review(id)).assignee === me ? sam : tom;
    const loser = winner === sam ? tom : sam;
    expect((await review(id)).assignee).toBe(winner === sam ? me : you);
    expect(await loser.status("POST", `/api/reviews/${id}/verdict`, { verdict: "innocent" })).toBe(409);
    for (const [time, label] of [
      [7.5, "leaves the ground"],
      [9, "stays there"],
    ] as const)
      await winner.json("POST", `/api/reviews/${id}/marks`, { time, thing: "1", label, severity: 3 });
    const closing = ["cheated", "cheated again"].map((verdict) =>
      winner.status("POST", `/api/reviews/${id}/verdict`, { verdict, remark: "seen" }),
    );
    expect((await Promise.all(closing)).sort(ascending)).toEqual([200, 409]);
    const { verdict, marks } = await until(
      () => review(id),
      ({ written }) => written !== null,
    );
    expect(marks.map(({ label }) => label)).toEqual(["leaves the ground", "stays there"]);
    expect(await winner.status("POST", `/api/reviews/${id}/marks`, { time: 1, label: "late" })).toBe(409);
    for (const [path, tick] of [
      ["race.hcrp", 150],
      [key, 50],
    ] as const) {
      const said = JSON.parse(await printed(["meta", "get", join(library, path)])) as {
        reviews: Record<string, object>;
        hcrp: { marks: readonly object[] };
      };
      expect(said.reviews[id], path).toMatchObject({ verdict, remark: "seen", subject: KASAM });
      expect(said.hcrp.marks, path).toContainEqual({
        tick,
        kind: "review",
        entity: 1,
        label: "leaves the ground",
        severity: 3,
      });
      expect(await printed(["verify", join(library, path)])).toContain("sound");
    }
    expect(readFileSync(join(library, "race.hcrp")).equals(before)).toBe(false);
    expect(await player.json("GET", `/api/reports/${id}`)).not.toHaveProperty("verdict");
    const noted = await actions(race);
    for (const action of ["report", "review", "assign", "mark", "verdict"]) expect(noted).toContain(action);
  }, 60_000);

  test("row 5: staff view any recording, by its id, by player and by report, and each view is in the audit", async () => {
    const fast = byName.get("fast.hcrp")!;
    expect((await sam.ask("GET", `/api/recordings/${fast}/data`)).status).toBe(200);
    expect(await actions(fast)).toContain("read");
    const own = await sam.json<{ recordings: readonly Item[] }>("GET", `/api/recordings?with=${ELDAR}`);
    expect(own.recordings.map(({ id }) => id)).toContain(fast);
    const id = await report(sam, fast, { score: 3 });
    const before = (await actions(fast)).filter((one) => one === "review").length;
    expect((await review(id)).recording).toBe(fast);
    expect((await actions(fast)).filter((one) => one === "review").length).toBe(before + 1);
  });

  test("row 8: what a player may not see gives no bytes, and cannot be reported", async () => {
    const mira = byName.get([...byName.keys()].find((key) => key.endsWith(".tape"))!)!;
    const answer = await player.ask("GET", `/api/recordings/${mira}/data`);
    expect(answer.status).toBe(404);
    expect((await answer.text()).length).toBeLessThan(400);
    const body = { recording: mira, subject: "robot", text: "" };
    expect(await player.status("POST", "/api/reports", body)).toBe(404);
    expect(await player.status("POST", "/api/reports", { ...body, score: 5 })).toBe(403);
  });

  test("what detectors are surest of comes first, then what waits longest, a page at a time", async () => {
    const slow = byName.get("slow.hcrp")!;
    const ids: string[] = [];
    for (const score of [0, 7, 2, 7]) ids.push(await report(sam, slow, { score, flags: ["speed"], subject: "queue" }));
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: { reviews: readonly { id: string }[]; cursor: string | null } = await sam.json(
        "GET",
        `/api/reviews?subject=QUEUE&limit=3${at}`,
      );
      seen.push(...page.reviews.map(({ id }) => id));
      ({ cursor } = page);
    }
    expect(seen).toEqual([ids[1], ids[3], ids[2], ids[0]]);
    expect(await sam.status("GET", "/api/reviews?cursor=zzz")).toBe(400);
    const late = { recording: slow, subject: "x", first: 900, last: 950 };
    expect(await sam.status("POST", "/api/reports", late)).toBe(400);
  });

  test("a review names what its clip does not have of the recording", async () => {
    const id = await report(sam, byName.get(MOLECULE)!, { subject: "user", first: 1, last: 2 });
    const { clipLost } = await until(
      () => review(id),
      (one) => one.clipError !== null || one.clipLost.length > 0,
    );
    const reason = "its content does not match its size and checksum; the member is kept as it is";
    expect(clipLost).toEqual([{ path: "members/notes.txt", count: 1, reason }]);
  }, 60_000);

  test("a verdict on a recording without room for it lies beside it, and the recording stays as it is", async () => {
    const key = [...byName.keys()].find((one) => one.endsWith(".tape"))!;
    const before = readFileSync(join(library, key));
    const id = await report(sam, byName.get(key)!, { subject: "robot", first: 1, last: 2 });
    await sam.json("POST", `/api/reviews/${id}/marks`, { time: 1.5, label: "hits the wall" });
    await sam.json("POST", `/api/reviews/${id}/verdict`, { verdict: "fault", remark: "" });
    await until(
      () => review(id),
      ({ written, writtenError }) => written !== null || writtenError !== null,
    );
    expect((await review(id)).writtenError).toBeNull();
    expect(readFileSync(join(library, key)).equals(before)).toBe(true);
    const { provenance } = JSON.parse(await printed(["info", join(library, key), "--json"])) as {
      provenance: { annotations: readonly { at: number; kind: string; text: string }[] };
    };
    expect(provenance.annotations).toContainEqual({ at: 1.5e9, kind: "review", text: "hits the wall" });
    expect(provenance.annotations.find(({ kind }) => kind === "verdict")?.text).toContain("fault: robot");
  }, 60_000);

  test("row 4: the best run of each player on a map is a small track, and is raced by a link", async () => {
    const asked = (more = ""): Promise<{ ghosts: readonly Ghost[] }> =>
      admin.json("GET", `/ghosts?map=Spiral%20Tower&top=3${more}`);
    const { ghosts } = await until(
      () => asked(),
      (all) => all.ghosts.length === 1 && all.ghosts[0]!.track !== null,
    );
    expect(ghosts[0]).toMatchObject({ recording: byName.get("fast.hcrp"), seconds: 14, subject: { name: KASAM } });
    const other = byName.get("slow.hcrp")!;
    expect((await asked(`&with=${other}`)).ghosts[0]!.race).toBe(`/r/${other}?ghost=${ghosts[0]!.recording}`);
    const answer = await admin.ask("GET", ghosts[0]!.track);
    const track = (await answer.json()) as { step: number; x: readonly number[]; y: readonly number[] };
    expect(track.x.length * track.step).toBeCloseTo(20, 0);
    const cell = await printed(["state", join(library, "fast.hcrp"), "--at", "5s", "--json"]);
    const place = (JSON.parse(cell) as { sets: { players: { columns: { position: { data: number[] } } } } }).sets
      .players.columns.position.data;
    const at = Math.round(5 / track.step);
    expect([track.x[at], track.y[at]].map((one) => one!.toFixed(1))).toEqual(
      [place[0], place[1]].map((one) => one!.toFixed(1)),
    );
    const tag = answer.headers.get("etag")!;
    expect((await admin.ask("GET", ghosts[0]!.track, undefined, { "if-none-match": tag })).status).toBe(304);
    expect((await admin.json<{ ghosts: readonly Ghost[] }>("GET", "/api/ghosts?map=nowhere")).ghosts).toEqual([]);
  }, 60_000);

  test("rows 32, 33: what a plan lets go is marked and then deleted, by class; what is on hold stays", async () => {
    const path = join(library, "race.hcrp");
    expect(Date.now() - Date.parse("2026-04-10") > DAY).toBe(true);
    const plan = async (): Promise<{
      id: string;
      rows: readonly { id: string; decision: string; reason: string; class: string }[];
    }> => {
      const { id } = await admin.json<{ id: string }>("POST", "/api/retention/plan");
      const { content } = await until(
        () => admin.json<{ state: string; content: { rows: never } }>("GET", `/api/retention/plans/${id}`),
        ({ state }) => state === "ready",
      );
      return { id, rows: content.rows };
    };
    const held = await plan();
    expect(held.rows.find(({ id }) => id === "race")).toMatchObject({ decision: "keep", reason: "on hold" });
    const race = byName.get("race.hcrp")!;
    const { holds } = await admin.json<{ holds: readonly { id: string }[] }>("GET", `/api/recordings/${race}/holds`);
    expect(holds.length).toBe(1);
    await admin.json("GET", "/api/retention/plan");
    for (const { id } of holds) expect(await admin.status("DELETE", `/api/recordings/${race}/holds/${id}`)).toBe(204);
    const free = await plan();
    expect(free.rows.find(({ id }) => id === "race")).toMatchObject({ decision: "delete", class: "tower" });
    expect(free.rows.find(({ id }) => id === "slow")).toMatchObject({ decision: "keep", class: "others" });
    expect(await sam.status("POST", "/api/retention/run", { plan: free.id })).toBe(403);
    const runs = [1, 2].map(() => admin.status("POST", "/api/retention/run", { plan: free.id }));
    expect((await Promise.all(runs)).sort(ascending)).toEqual([202, 409]);
    const applied = (id: string): Promise<unknown> =>
      until(
        () => admin.json<{ state: string }>("GET", `/api/retention/plans/${id}`),
        ({ state }) => state === "applied",
      );
    await applied(free.id);
    // the first run only marks
    expect(statSync(path).isFile()).toBe(true);
    // a hold that comes in the grace takes the mark away
    const { id: hold } = await admin.json<{ id: string }>("POST", `/api/recordings/${race}/holds`, { reason: "asked" });
    const again = await plan();
    await admin.json("POST", "/api/retention/run", { plan: again.id });
    await applied(again.id);
    expect(statSync(path).isFile()).toBe(true);
    await admin.status("DELETE", `/api/recordings/${race}/holds/${hold}`);
    for (let run = 0; run < 2; run++) {
      const { id } = await plan();
      await admin.json("POST", "/api/retention/run", { plan: id });
      await applied(id);
    }
    expect(() => statSync(path)).toThrow("ENOENT");
    for (const name of ["slow.hcrp", "fast.hcrp"]) expect(statSync(join(library, name)).isFile()).toBe(true);
  }, 90_000);

  test("a request about a subject that fails says so, and is done when it is asked for again", async () => {
    // where the zip would go
    const blocked = join(library, "exports");
    writeFileSync(blocked, "");
    const who = JSON.stringify({ names: ["who is in none"], uuids: [], accounts: [] });
    await database.query.insertInto("subject_requests").values({ id: "blocked", kind: "export", who }).execute();
    // its last try
    const job = { kind: "export-subject", subject: "blocked", input: "{}", attempts: 4 };
    await database.query.insertInto("jobs").values(job).execute();
    const page = "/api/subjects/requests/blocked";
    const asked = (): Promise<{ state: string; error: string | null }> => admin.json("GET", page);
    const { error } = await until(asked, ({ state }) => state === "failed");
    expect(error).toBeTruthy();
    rmSync(blocked);
    expect(await admin.status("POST", `${page}/retry`)).toBe(202);
    expect(await until(asked, ({ state }) => state === "done")).toMatchObject({ error: null });
    expect(await admin.status("POST", `${page}/retry`)).toBe(409);
  });

  test("a subject's data is exported and erased: no file and no row has the name or UUID, but what is on hold", async () => {
    for (const key of ["slow.hcrp", "fast.hcrp"]) {
      const id = byName.get(key)!;
      await report(sam, id, { subject: ELDAR });
    }
    const asked = await admin.json<{ page: string }>("POST", `/api/subjects/${ELDAR}/export`, {});
    const exported = await until(
      () => admin.json<{ state: string; url: string; report: { recordings: number } }>("GET", asked.page),
      ({ state }) => state === "done",
    );
    expect(exported.report.recordings).toBeGreaterThan(2);
    const zip = join(folder, "export.zip");
    writeFileSync(zip, Buffer.from(await (await admin.ask("GET", exported.url)).arrayBuffer()));
    const names = execFileSync(
      "python3",
      [
        "-c",
        "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print('\\n'.join(z.namelist()))",
        zip,
      ],
      { encoding: "utf8" },
    );
    expect(names).toContain("recordings/slow.hcrp");
    expect(names).toContain("rows.json");
    expect(await sam.status("POST", `/api/subjects/${ELDAR}/erase`, {})).toBe(403);

    const erased = async (): Promise<{
      outcomes: readonly { recording: string; did: string; why: string }[];
      mentions: readonly { what: string; id: string }[];
      isComplete: boolean;
    }> => {
      const { page } = await admin.json<{ page: string }>("POST", `/api/subjects/${ELDAR_ID}/erase`, {
        also: [ELDAR],
        deletes: true,
      });
      const done = await until(
        () => admin.json<{ state: string; report: never }>("GET", page),
        ({ state }) => state === "done",
      );
      return done.report;
    };
    const room = await sam.json<{ id: string }>("POST", "/api/rooms", {
      name: "What did eldar do",
      recordings: [byName.get("fast.hcrp")!],
    });
    expect(await sam.status("PUT", `/api/recordings/${byName.get("slow.hcrp")!}/tags`, { tags: ["by eldar"] })).toBe(
      200,
    );
    const first = await erased();
    expect(first.mentions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: "room", id: room.id }),
        expect.objectContaining({ what: "tag", id: byName.get("slow.hcrp") }),
      ]),
    );
    expect(JSON.stringify(first.mentions)).not.toMatch(/eldar/i);
    expect(await sam.status("DELETE", `/api/rooms/${room.id}`)).toBe(204);
    await database.query.deleteFrom("tags").execute();
    expect(first.isComplete).toBe(false);
    expect(first.outcomes.find(({ recording }) => recording === byName.get("fast.hcrp"))).toMatchObject({
      did: "kept",
      why: expect.stringContaining("on hold") as string,
    });
    // the holds end, and it is asked again
    await database.query.deleteFrom("holds").execute();
    const second = await erased();
    expect(second).toMatchObject({ isComplete: true });
    expect(second.outcomes.map(({ did }) => did)).toContain("redacted");
    await until(listed, (all) => all.every(({ state }) => state === "indexed"));
    await until(
      () =>
        admin.json<{ digest: string; entities: readonly { label: string }[] }>(
          "GET",
          `/api/recordings/${byName.get("fast.hcrp")}`,
        ),
      ({ entities }) => entities.some(({ label }) => label === "*****"),
    );
    const wanted = /(?<![\w])eldar(?![\w])|71d87f3f|f6e-496b-8876/i;
    for (const path of filesIn(library)) {
      if (path.includes("/.simtape/")) continue;
      const bytes = readFileSync(path);
      expect(bytes.includes(Buffer.from(ELDAR_ID.replaceAll("-", ""), "hex")), path).toBe(false);
      expect(bytes.toString("latin1"), path).not.toMatch(wanted);
      if (!path.endsWith(".hcrp")) continue;
      expect(await printed(["verify", path])).toContain("sound");
      expect(await printed(["cat", path, "--json"]), path).not.toMatch(wanted);
      expect(await printed(["meta", "get", path]), path).not.toMatch(wanted);
    }
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(database.query);
    expect(tables.length).toBeGreaterThan(20);
    for (const { name } of tables) {
      const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(name)} t`.execute(
        database.query,
      );
      for (const { row } of rows) expect(row, name).not.toMatch(wanted);
    }
    expect((await database.query.selectFrom("audit").select("action").execute()).map(({ action }) => action)).toContain(
      "erase-subject",
    );
  }, 120_000);
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function ascending(a: number, b: number): number {
  return a - b;
}
