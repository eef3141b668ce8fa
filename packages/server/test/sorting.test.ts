import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly tags: readonly string[];
  readonly collection: string | null;
}
interface Collection {
  readonly id: string;
  readonly name: string;
  readonly public: string;
  readonly count: number;
}

describeDatabases("tags, collections and saved searches", (newDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-sorting-"));
  let node: TestNode;
  let admin: Caller;
  let staff: Caller;
  let viewer: Caller;
  let race: string;
  let town: string;

  beforeAll(async () => {
    await makeDemos(folder);
    const words = await newDatabase();
    for (const [name, role] of [
      ["anna", "admin"],
      ["bo", "staff"],
      ["cem", "viewer"],
    ] as const)
      expect((await userCommand(["add", name, folder, ...words.slice(0, 2), "--role", role])).exit).toBe(0);
    node = await startNode([folder, ...words, "--public", "off"]);
    admin = await Caller.signedIn(node, "anna");
    staff = await Caller.signedIn(node, "bo");
    viewer = await Caller.signedIn(node, "cem");
    const found = await until(
      () => list(staff),
      (all) => all.length === 5 && all.every(({ state }) => state === "indexed"),
    );
    race = found.find(({ name }) => name === "race.hcrp")!.id;
    town = found.find(({ name }) => name === "town.log")!.id;
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const list = async (who: Caller, query = ""): Promise<readonly Item[]> =>
    (await who.json<{ recordings: Item[] }>("GET", `/api/recordings${query}`)).recordings;
  const names = async (who: Caller, query = ""): Promise<readonly string[]> =>
    (await list(who, query)).map(({ name }) => name).sort();

  test("tags are kept, found, and replaced as a whole", async () => {
    expect(await staff.json("PUT", `/api/recordings/${race}/tags`, { tags: ["finals", "a race"] })).toEqual({
      tags: ["a race", "finals"],
    });
    expect(await names(staff, "?tag=finals")).toEqual(["race.hcrp"]);
    await staff.json("PUT", `/api/recordings/${race}/tags`, { tags: ["finals"] });
    expect((await list(staff, "?q=race")).find(({ id }) => id === race)!.tags).toEqual(["finals"]);
    for (const tags of [["x", "x"], [""], [" x"], ["x".repeat(101)], "x"])
      expect((await staff.ask("PUT", `/api/recordings/${race}/tags`, { tags })).status).toBe(400);
    expect((await viewer.ask("PUT", `/api/recordings/${race}/tags`, { tags: [] })).status).toBe(404);
    await staff.json("PUT", `/api/recordings/${race}/tags`, { tags: [] });
    expect(await names(staff, "?tag=finals")).toEqual([]);
  });

  test("a collection says who may read what is in it", async () => {
    const made = await admin.json<Collection>("POST", "/api/collections", { name: "to see", public: "all" });
    expect(made).toMatchObject({ name: "to see", public: "all", count: 0 });
    expect((await admin.ask("POST", "/api/collections", { name: "to see", public: "off" })).status).toBe(409);
    expect((await staff.ask("POST", "/api/collections", { name: "other", public: "all" })).status).toBe(403);
    expect(await names(viewer)).toEqual([]);
    await staff.json("PUT", `/api/recordings/${town}/collection`, { collection: made.id });
    expect(await names(viewer)).toEqual(["town.log"]);
    expect(await names(staff, "?collection=to%20see")).toEqual(["town.log"]);
    expect((await viewer.ask("GET", `/api/recordings/${town}/state?at=1`)).status).toBe(200);
    // may read it, but it is not theirs
    expect((await viewer.ask("PUT", `/api/recordings/${town}/tags`, { tags: [] })).status).toBe(403);
    await admin.json("PATCH", `/api/collections/${made.id}`, { public: "off", name: "kept" });
    expect(await names(viewer)).toEqual([]);
    expect((await admin.ask("DELETE", `/api/collections/${made.id}`)).status).toBe(409);
    await staff.json("PUT", `/api/recordings/${town}/collection`, { collection: null });
    expect((await admin.ask("DELETE", `/api/collections/${made.id}`)).status).toBe(204);
    expect((await admin.ask("DELETE", `/api/collections/${made.id}`)).status).toBe(404);
    expect((await staff.ask("PUT", `/api/recordings/${town}/collection`, { collection: "none" })).status).toBe(404);
    // clips of what was reported are for staff, always
    expect((await admin.ask("PATCH", "/api/collections/reports", { public: "all" })).status).toBe(409);
    expect((await admin.ask("DELETE", "/api/collections/reports")).status).toBe(409);
    const { lines } = await staff.json<{ lines: { action: string }[] }>("GET", "/api/audit?limit=100");
    expect(lines.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["collection made", "collection changed", "collection", "collection deleted", "tags"]),
    );
  });

  test("a saved search is its owner's alone", async () => {
    const save = (who: Caller, name: string, query: string): Promise<{ id: string }> =>
      who.json("POST", "/api/searches", { name, query });
    const { id } = await save(staff, "races", "format=hcrp");
    expect((await save(staff, "races", "format=hcrp&q=race")).id).toBe(id);
    await save(viewer, "races", "q=mine");
    expect(await staff.json("GET", "/api/searches")).toEqual({
      searches: [{ id, name: "races", query: "format=hcrp&q=race", where: null, watched: false }],
    });
    expect((await viewer.ask("DELETE", `/api/searches/${id}`)).status).toBe(404);
    expect((await staff.ask("DELETE", `/api/searches/${id}`)).status).toBe(204);
    expect(await staff.json("GET", "/api/searches")).toEqual({ searches: [] });
  });
});
