import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesBundle, open, type Recording } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectDatabase, type Database, joinDatabase } from "../src/database/database.ts";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

interface Shown {
  readonly name: string;
  readonly state: string;
  readonly url: string | null;
  readonly files: readonly { readonly name: string }[];
}

describeDatabases("links to recordings", (newDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-shares-"));
  const library = join(folder, "library");
  let node: TestNode;
  let database: Database;
  let admin: Caller;
  let stranger: Caller;
  let recordings: readonly Item[];

  beforeAll(async () => {
    await makeDemos(library);
    const words = await newDatabase();
    expect((await userCommand(["add", "anna", library, ...words.slice(0, 2), "--role", "admin"])).stderr).toContain(
      "admin",
    );
    node = await startNode([library, ...words, "--public", "own"]);
    const address = words[1] ?? `embedded:${join(library, ".simtape", "database")}`;
    database = words.length > 0 ? await connectDatabase(address) : await joinDatabase(address);
    admin = await Caller.signedIn(node, "anna");
    stranger = new Caller(node);
    const ask = (): Promise<{ recordings: readonly Item[] }> => admin.json("GET", "/api/recordings");
    const is = (page: { recordings: readonly Item[] }): boolean =>
      page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed");
    ({ recordings } = await until(ask, is));
  });

  afterAll(async () => {
    await database?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const share = (body: object): Promise<{ id: string; secret: string; page: string }> =>
    admin.json("POST", "/api/shares", body);

  const shown = (secret: string): Promise<Shown> =>
    until(
      () => stranger.json<Shown>("GET", `/api/shares/${secret}`),
      ({ state }) => state !== "making",
      20,
    );

  async function opened(secret: string): Promise<Recording> {
    const { url, files, state } = await shown(secret);
    expect(state).toBe("ready");
    const sources = new Map<string, Uint8Array>();
    for (const { name } of files) {
      const answer = await stranger.ask("GET", url!.slice(0, url!.lastIndexOf("/") + 1) + encodeURIComponent(name));
      expect(answer.status).toBe(200);
      sources.set(name, new Uint8Array(await answer.arrayBuffer()));
    }
    const main = decodeURIComponent(url!.split("/").at(-1)!);
    return open(filesBundle(sources, main));
  }

  test("show a whole recording to who is not signed in, and nothing else", async () => {
    for (const { id, name } of recordings) {
      const { secret, page } = await share({ recording: id });
      expect(page).toBe(`/s/${secret}`);
      const { url } = await shown(secret);
      const answer = await stranger.ask("GET", url!, undefined, { range: "bytes=0-99" });
      expect(answer.status).toBe(206);
      expect(Buffer.from(await answer.arrayBuffer()), name).toEqual(readFileSync(join(library, name)).subarray(0, 100));
      const other = recordings.find((one) => one.id !== id)!;
      for (const path of [`/api/shares/${secret}/files/${other.name}`, `/api/recordings/${id}/data`])
        expect([401, 404]).toContain(await stranger.status("GET", path));
    }
    expect((await stranger.ask("GET", "/s/anything")).status).toBe(200);
  });

  test("show a range, and what is outside of it cannot be read", async () => {
    for (const { id, name } of recordings) {
      const { secret } = await share({ recording: id, first: 1, last: 2 });
      await using recording = await opened(secret);
      const { start, end } = await recording.timeline();
      expect(end - start, name).toBeLessThanOrEqual(1.1e9);
      expect(end - start, name).toBeGreaterThan(0.7e9);
      const said = JSON.stringify(recording.info.metadata, (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      );
      // marks at 0 s and 3 s, and where its source lies
      for (const secretText of ["warm-up", "race 1", library]) expect(said, name).not.toContain(secretText);
    }
  });

  test("show one moment", async () => {
    for (const { id, name } of recordings) {
      const { secret } = await share({ recording: id, moment: 1.5 });
      await using recording = await opened(secret);
      const { start, end } = await recording.timeline();
      expect(end - start, name).toBeLessThan(0.11e9);
      await using whole = await open(fromFile(join(library, name)));
      const first = await whole.timeline();
      const [at, was] = [await recording.state(start), await whole.state(Math.max(1.5e9, first.start))];
      const counts = ({ sets }: typeof at): object =>
        Object.fromEntries([...sets].map(([set, { ids }]) => [set, ids.length]));
      expect(counts(at), name).toEqual(counts(was));
    }
  });

  test("are kept as a hash, listed without their secret, and noted when they are used", async () => {
    const { id, secret } = await share({ recording: recordings[0]!.id });
    await (await stranger.ask("GET", (await shown(secret)).url!)).arrayBuffer();
    const rows = await database.query.selectFrom("shares").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
    const listed = JSON.stringify(await admin.json("GET", "/api/shares"));
    expect(listed).toContain(id);
    expect(listed).not.toContain(secret);
    expect(listed).not.toContain("hash");
    const { lines } = await admin.json<{ lines: readonly { who: string | null; details: { share?: string } }[] }>(
      "GET",
      `/api/audit?action=read&recording=${recordings[0]!.id}`,
    );
    expect(lines.some(({ who, details }) => who === null && details.share === id)).toBe(true);
  });

  test("end when they are revoked, when they expire, and when the account of who made them does; their copies go", async () => {
    const made = await Promise.all([1, 2].map(() => share({ recording: recordings[0]!.id, first: 1, last: 2 })));
    for (const { secret } of made) expect((await shown(secret)).state).toBe("ready");
    const kept = join(library, ".simtape", "shares");
    const copies = (): number => readdirSync(kept).filter((name) => made.some(({ id }) => name.startsWith(id))).length;
    expect(copies()).toBe(2);
    const urls = await Promise.all(made.map(async ({ secret }) => (await shown(secret)).url!));
    expect(await admin.status("DELETE", `/api/shares/${made[0]!.id}`)).toBe(204);
    expect(await stranger.status("GET", urls[0]!)).toBe(404);
    expect(await stranger.status("GET", `/api/shares/${made[0]!.secret}`)).toBe(404);
    const past = { expires: new Date(Date.now() - 1000) };
    await database.query.updateTable("shares").set(past).where("id", "=", made[1]!.id).execute();
    await until(
      () => stranger.status("GET", urls[1]!),
      (status) => status === 404,
      2,
    );
    await database.query.updateTable("jobs").set({ due: new Date() }).where("kind", "=", "sweep").execute();
    const files = (): Promise<number> =>
      Promise.resolve(
        readdirSync(kept, { recursive: true, withFileTypes: true }).filter(
          (one) => one.isFile() && made.some(({ id }) => one.parentPath.includes(id)),
        ).length,
      );
    await until(files, (count) => count === 0, 20);
  });

  test("are made by staff and by those whose recording it is, who see nothing else of it", async () => {
    const race = recordings.find(({ name }) => name === "race.hcrp")!;
    const { subjects } = (
      (await admin.json("GET", `/api/recordings/${race.id}`)) as {
        metadata: { metadata: { hcrp: { subjects: readonly { uuid: readonly number[] }[] } } };
      }
    ).metadata.metadata.hcrp;
    const uuid = subjects[0]!.uuid.map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
    for (const [name, identities] of [
      ["own", [uuid.toUpperCase()]],
      ["other", ["00000000-0000-4000-8000-000000000000"]],
    ] as const)
      await admin.json("POST", "/api/users", { name, role: "player", password: PASSWORD, identities });
    const [own, other] = [await Caller.signedIn(node, "own"), await Caller.signedIn(node, "other")];
    const names = async (caller: Caller): Promise<readonly string[]> =>
      (await caller.json<{ recordings: readonly Item[] }>("GET", "/api/recordings")).recordings.map(({ name }) => name);
    expect(await names(own)).toEqual(["race.hcrp"]);
    expect(await names(other)).toEqual([]);
    expect(await own.status("GET", `/api/recordings/${race.id}/data`)).toBe(200);
    for (const path of ["", "/data", "/thumbnail", "/files/race.hcrp"]) {
      const answer = await other.ask("GET", `/api/recordings/${race.id}${path}`);
      const nothing = await other.ask("GET", `/api/recordings/nothing${path}`);
      expect(answer.status).toBe(404);
      expect({ ...((await answer.json()) as object), request: "" }).toEqual({
        ...((await nothing.json()) as object),
        request: "",
      });
    }
    const made = await own.json<{ id: string }>("POST", "/api/shares", { recording: race.id });
    expect(await other.status("POST", "/api/shares", { recording: race.id })).toBe(404);
    expect(await other.status("DELETE", `/api/shares/${made.id}`)).toBe(404);
    expect(await other.json("GET", "/api/shares")).toEqual({ shares: [] });
    expect(await own.status("DELETE", `/api/shares/${made.id}`)).toBe(204);
    // reading one's own is not in the log, reading another's is
    const lines = async (who: string): Promise<readonly unknown[]> =>
      (await admin.json<{ lines: readonly unknown[] }>("GET", `/api/audit?action=read&who=${who}`)).lines;
    expect(await lines("own")).toEqual([]);
    await admin.status("GET", `/api/recordings/${race.id}/data`);
    expect((await lines("anna")).length).toBeGreaterThan(0);
  });

  test("of what is no range of the recording are refused", async () => {
    const { id } = recordings[0]!;
    for (const range of [{ first: 3, last: 1 }, { first: 100 }, { last: -5 }, { moment: 1e12 }, { first: "x" }])
      expect(await admin.status("POST", "/api/shares", { recording: id, ...range }), JSON.stringify(range)).toBe(400);
    expect(await admin.status("POST", "/api/shares", { recording: "nothing" })).toBe(404);
  });
});
