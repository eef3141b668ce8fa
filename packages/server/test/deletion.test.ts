import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { type Database, joinDatabase } from "../src/database/database.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

interface Item {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly bytes: number;
}

describe("a deletion that was interrupted", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-deletion-"));
  const [library, made] = [join(folder, "library"), join(folder, "made")];
  const [short, long] = [join(made, "short", "robot.tape"), join(made, "long", "robot.tape")];
  let node: TestNode;
  let database: Database;

  beforeAll(async () => {
    mkdirSync(library);
    for (const [name, seconds] of Object.entries({ short: "2", long: "3" }))
      await printed(["demo", "mira", "-o", join(made, name), "--seconds", seconds]);
    node = await startNode([library, "--access", "open"]);
    database = await joinDatabase(`embedded:${join(library, ".simtape", "database")}`);
  });
  afterAll(async () => {
    await database?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const listed = async (): Promise<readonly Item[]> =>
    (await json<{ recordings: Item[] }>(node.address, "/api/recordings")).recordings;
  const recordingAt = async (key: string, isIt: (item: Item) => boolean = () => true): Promise<Item> => {
    const is = (item: Item): boolean => item.key === key && item.state === "indexed" && isIt(item);
    return (await until(listed, (all) => all.some(is))).find(is)!;
  };
  /** As the server leaves it when it ends after the request was noted. */
  const ask = async (id: string): Promise<void> => {
    await database.query
      .insertInto("deletions")
      .columns(["recording", "key", "files"])
      .expression((from) => from.selectFrom("recordings").select(["id", "key", "files"]).where("id", "=", id))
      .execute();
  };
  const continued = async (): Promise<void> => {
    await database.query.updateTable("jobs").set({ due: new Date() }).where("kind", "=", "reconcile").execute();
    const left = () => database.query.selectFrom("deletions").select("recording").execute();
    await until(left, (rows) => rows.length === 0);
  };

  test("is continued by a job", async () => {
    cpSync(short, join(library, "a.tape"));
    const { id } = await recordingAt("a.tape");
    await ask(id);
    await continued();
    expect(existsSync(join(library, "a.tape"))).toBe(false);
    expect((await listed()).map(({ key }) => key)).not.toContain("a.tape");
  });

  test("leaves a new file that has taken its place, with the row", async () => {
    cpSync(short, join(library, "b.tape"));
    const old = await recordingAt("b.tape");
    await ask(old.id);
    cpSync(long, join(library, "b.tape"));
    const { id, bytes } = await recordingAt("b.tape", (item) => item.bytes !== old.bytes);
    expect(id).toBe(old.id);
    await continued();
    expect(existsSync(join(library, "b.tape"))).toBe(true);
    expect(await recordingAt("b.tape")).toMatchObject({ id, bytes });
  });

  test("leaves a new file that no scan has seen", async () => {
    cpSync(short, join(library, "c.tape"));
    const { id } = await recordingAt("c.tape");
    cpSync(long, join(made, "c.tape"));
    await ask(id);
    renameSync(join(made, "c.tape"), join(library, "c.tape"));
    await continued();
    expect(existsSync(join(library, "c.tape"))).toBe(true);
  });

  test("leaves a recording that was moved to another name after its file was gone", async () => {
    cpSync(short, join(library, "d.tape"));
    const { id } = await recordingAt("d.tape");
    rmSync(join(library, "d.tape"));
    await until(listed, (all) => all.every(({ key }) => key !== "d.tape"));
    await ask(id);
    cpSync(short, join(library, "moved.tape"));
    await recordingAt("moved.tape");
    await continued();
    expect(existsSync(join(library, "moved.tape"))).toBe(true);
    expect((await listed()).map(({ key }) => key)).toContain("moved.tape");
  });
});
