import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
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
    makeDemos(mine);
    writeFileSync(join(mine, "notes.txt"), "no recording\n");
    mkdirSync(library);
    node = await startNode([library, ...(await database())]);
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = { ...process.env, SIMTAPE_CACHE: join(folder, "cache"), NO_COLOR: "1" };
  function simtape(...words: readonly string[]): { exit: number | null; printed: string; said: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...words], {
      encoding: "utf8",
      env: environment,
    });
    return { exit: status, printed: stdout, said: stderr };
  }
  const found = (...words: readonly string[]): readonly Item[] =>
    simtape("find", node.address, ...words, "--json")
      .printed.split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Item);

  test("a folder is sent, found, and read by the address that was found; what is there is not sent again", async () => {
    const sent = simtape("push", mine, node.address);
    expect([sent.exit, sent.said]).toEqual([0, ""]);
    expect(sent.printed.trimEnd().split("\n")).toHaveLength(5);
    await until(
      () => json<{ recordings: { state: string }[] }>(node.address, "/api/recordings"),
      ({ recordings }) => recordings.length === 5 && recordings.every(({ state }) => state === "indexed"),
    );
    const [race] = found("--format", "hcrp");
    expect(race).toMatchObject({ name: "race.hcrp", key: expect.stringMatching(/\/mine\/race\.hcrp$/) });
    expect(readFileSync(join(library, race!.key)).equals(readFileSync(join(mine, "race.hcrp")))).toBe(true);
    const [there, here] = [race!.url, join(mine, "race.hcrp")].map((place) =>
      simtape("state", place, "--at", "2", "--json"),
    );
    expect(there).toEqual(here);
    const again = simtape("push", mine, node.address, "--json");
    const lines = again.printed.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { isThere: boolean }).isThere)).toEqual(Array(5).fill(true));
    expect(found()).toHaveLength(5);
    expect(found("--limit", "2")).toHaveLength(2);
    // with what can be asked
    const nothing = simtape("find", node.address, "nothing-is-called-so");
    expect([nothing.exit, nothing.printed, nothing.said]).toEqual([0, "", expect.stringContaining("two vehicles")]);
  });

  test("an expression chooses among what is found", () => {
    const where = (...words: readonly string[]): { asked: number; recordings: { name: string; count: number }[] } =>
      JSON.parse(simtape("find", node.address, ...words, "--json").printed);
    const { asked, recordings } = where("--where", "any players (on-ground)");
    expect([asked, recordings.map(({ name }) => name)]).toEqual([5, ["race.hcrp"]]);
    expect(recordings[0]!.count).toBeGreaterThan(0);
    expect(where("--format", "hcrp", "--where", "any players (speed > 1 m/s)").asked).toBe(1);
    // a folder, and a recording at an address, know of no words
    expect(simtape("find", mine, "race", "--where", "frame > 0").exit).toBe(2);
    expect(simtape("find", mine, "--format", "hcrp", "--where", "frame > 0").exit).toBe(2);
    const [race] = found("--format", "hcrp");
    const { printed, exit } = simtape("find", race!.url, "--where", "any players (on-ground)", "--json");
    expect([exit, (JSON.parse(printed) as { asked: number }).asked]).toEqual([0, 1]);
  });

  test("one that was killed goes on, and what it sends is one recording", async () => {
    // in pieces of 8 MiB, of which some are there when it is killed
    const large = join(folder, "large.log");
    const town = readFileSync(join(EXAMPLES, "town.log"));
    writeFileSync(large, Buffer.concat([town, Buffer.alloc(40 << 20)]));
    const first = spawn(process.execPath, [CLI, "push", large, node.address], { env: environment, stdio: "ignore" });
    const arrived = (): Promise<number> => Promise.resolve(bytesIn(join(library, ".simtape/uploads")));
    await until(arrived, (bytes) => bytes > 8 << 20);
    first.kill("SIGKILL");
    await once(first, "exit");
    const { exit, said } = simtape("push", large, node.address);
    expect([exit, said]).toEqual([0, ""]);
    const [item, ...others] = found("large.log");
    expect(others).toEqual([]);
    expect(readFileSync(join(library, item!.key)).equals(readFileSync(large))).toBe(true);
  });

  test("what is wrong is said in one line, with its exit code", () => {
    copyFileSync(join(mine, "race.hcrp"), join(folder, "one.hcrp"));
    expect(simtape("push", join(folder, "nothing"), node.address)).toMatchObject({
      exit: 1,
      said: `simtape: ${join(folder, "nothing")}: no such file: ${join(folder, "nothing")}\n`,
    });
    expect(simtape("push", node.address).exit).toBe(2);
    expect(simtape("push", mine, "nowhere").exit).toBe(2);
    expect(simtape("find", node.address, "--limit", "0").exit).toBe(2);
    const unreached = simtape("push", join(folder, "one.hcrp"), "http://127.0.0.1:9");
    expect([unreached.exit, unreached.said]).toEqual([1, expect.stringContaining("cannot be reached")]);
  });
});
