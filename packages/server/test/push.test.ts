import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { simtape } from "../../simtape/test/cli/run.ts";
import { printed } from "./support/command.ts";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { bytesIn } from "./support/folder-bytes.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const EXAMPLES = fileURLToPath(new URL("../../../examples/", import.meta.url));

interface Item {
  readonly name: string;
  readonly key: string;
  readonly url: string;
}

describeDatabases("recordings from a command line", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-push-"));
  const library = join(folder, "library");
  const mine = join(folder, "mine");
  let node: TestNode;

  beforeAll(async () => {
    vi.stubEnv("SIMTAPE_CACHE", join(folder, "cache"));
    await makeDemos(mine);
    writeFileSync(join(mine, "notes.txt"), "no recording\n");
    mkdirSync(library);
    node = await startNode([library, ...(await database())]);
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const found = async (...words: readonly string[]): Promise<readonly Item[]> =>
    (await printed(["find", node.address, ...words, "--json"]))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Item);

  test("a folder is sent, found, and read by the address that was found; what is there is not sent again", async () => {
    const sent = await simtape(["push", mine, node.address]);
    expect([sent.exit, sent.stderr]).toEqual([0, ""]);
    expect(sent.stdout.trimEnd().split("\n")).toHaveLength(5);
    await until(
      () => json<{ recordings: { state: string }[] }>(node.address, "/api/recordings"),
      ({ recordings }) => recordings.length === 5 && recordings.every(({ state }) => state === "indexed"),
    );
    const [race] = await found("--format", "hcrp");
    expect(race).toMatchObject({ name: "race.hcrp", key: expect.stringMatching(/\/mine\/race\.hcrp$/) });
    expect(readFileSync(join(library, race!.key)).equals(readFileSync(join(mine, "race.hcrp")))).toBe(true);
    const stateOf = (place: string): Promise<string> => printed(["state", place, "--at", "2", "--json"]);
    expect(await stateOf(race!.url)).toBe(await stateOf(join(mine, "race.hcrp")));
    const again = await printed(["push", mine, node.address, "--json"]);
    const lines = again.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { isThere: boolean }).isThere)).toEqual(Array(5).fill(true));
    expect(await found()).toHaveLength(5);
    expect(await found("--limit", "2")).toHaveLength(2);
    // with what can be asked
    const nothing = await simtape(["find", node.address, "nothing-is-called-so"]);
    expect([nothing.exit, nothing.stdout, nothing.stderr]).toEqual([0, "", expect.stringContaining("two vehicles")]);
  });

  test("an expression chooses among what is found", async () => {
    const where = async (
      ...words: readonly string[]
    ): Promise<{ asked: number; recordings: { name: string; count: number }[] }> =>
      JSON.parse(await printed(["find", node.address, ...words, "--json"]));
    const { asked, recordings } = await where("--where", "any players (on-ground)");
    expect([asked, recordings.map(({ name }) => name)]).toEqual([5, ["race.hcrp"]]);
    expect(recordings[0]!.count).toBeGreaterThan(0);
    expect((await where("--format", "hcrp", "--where", "any players (speed > 1 m/s)")).asked).toBe(1);
    // a folder, and a recording at an address, know of no words
    expect((await simtape(["find", mine, "race", "--where", "frame > 0"])).exit).toBe(2);
    expect((await simtape(["find", mine, "--format", "hcrp", "--where", "frame > 0"])).exit).toBe(2);
    const [race] = await found("--format", "hcrp");
    const one = await printed(["find", race!.url, "--where", "any players (on-ground)", "--json"]);
    expect((JSON.parse(one) as { asked: number }).asked).toBe(1);
  });

  test("one that was killed goes on, and what it sends is one recording", async () => {
    // in pieces of 8 MiB, of which some are there when it is killed
    const large = join(folder, "large.log");
    const town = readFileSync(join(EXAMPLES, "town.log"));
    writeFileSync(large, Buffer.concat([town, Buffer.alloc(40 << 20)]));
    const first = spawn(process.execPath, [CLI, "push", large, node.address], { stdio: "ignore" });
    const arrived = (): Promise<number> => Promise.resolve(bytesIn(join(library, ".simtape/uploads")));
    await until(arrived, (bytes) => bytes > 8 << 20);
    first.kill("SIGKILL");
    await once(first, "exit");
    const { exit, stderr } = await simtape(["push", large, node.address]);
    expect([exit, stderr]).toEqual([0, ""]);
    const [item, ...others] = await found("large.log");
    expect(others).toEqual([]);
    expect(readFileSync(join(library, item!.key)).equals(readFileSync(large))).toBe(true);
  });

  test("what cannot be read in a folder is left out and named, and so is all that is not sent", async () => {
    const some = join(folder, "some");
    mkdirSync(some);
    symlinkSync(join(folder, "nowhere"), join(some, "away.hcrp"));
    const none = await simtape(["push", some, node.address]);
    expect([none.exit, none.stdout]).toEqual([1, ""]);
    copyFileSync(join(mine, "race.hcrp"), join(some, "race.hcrp"));
    const { exit, stdout, stderr } = await simtape(["push", some, node.address]);
    expect([exit, stdout]).toEqual([3, expect.stringContaining("race.hcrp: there already")]);
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining(join(some, "away.hcrp"))]);
    // a server that takes nothing is no loss of one recording
    const unreached = await simtape(["push", some, "http://127.0.0.1:9"]);
    expect(unreached.exit).toBe(1);
    expect(unreached.stderr).toContain("race.hcrp: the server cannot be reached");
  });

  test("what is wrong is said in one line, with its exit code", async () => {
    copyFileSync(join(mine, "race.hcrp"), join(folder, "one.hcrp"));
    expect(await simtape(["push", join(folder, "nothing"), node.address])).toMatchObject({
      exit: 1,
      stderr: `simtape: no such file: ${join(folder, "nothing")}\n`,
    });
    expect((await simtape(["push", node.address])).exit).toBe(2);
    expect((await simtape(["push", mine, "nowhere"])).exit).toBe(2);
    expect((await simtape(["find", node.address, "--limit", "0"])).exit).toBe(2);
    const [empty, world] = [join(folder, "empty"), join(folder, "Town01.xodr")];
    mkdirSync(empty);
    writeFileSync(world, "<OpenDRIVE/>");
    const none = await simtape(["push", empty, world, node.address, "--json"]);
    expect([none.exit, JSON.parse(none.stdout)]).toMatchObject([2, { file: empty, error: { exit: 2 } }]);
    const unreached = await simtape(["push", join(folder, "one.hcrp"), "http://127.0.0.1:9"]);
    expect([unreached.exit, unreached.stderr]).toEqual([1, expect.stringContaining("cannot be reached")]);
  });
});
