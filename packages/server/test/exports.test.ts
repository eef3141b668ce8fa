import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const NAMES = ["race.hcrp", "town.log", "robot.tape", "flight.fgtape", "molecule.nanover.zip"];
const folder = mkdtempSync(join(tmpdir(), "simtape-exports-"));
let node: TestNode;
const ids = new Map<string, string>();

interface Job {
  readonly state: string;
  readonly error: string | null;
  readonly result: { readonly files: readonly { readonly name: string }[] } | null;
}

beforeAll(async () => {
  makeDemos(folder);
  node = await startNode([folder, "--access", "open"]);
  const { recordings } = await until(
    () => json<{ recordings: { id: string; name: string }[] }>(node.address, "/api/recordings"),
    (page) => page.recordings.length === NAMES.length,
  );
  for (const { id, name } of recordings) ids.set(name, id);
});
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (name: string, body: object): Promise<Response> =>
  fetch(`${node.address}/api/recordings/${ids.get(name)}/exports`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function exported(name: string, body: object): Promise<Job & { readonly id: number }> {
  const answer = await ask(name, body);
  expect(answer.status).toBe(202);
  const { id } = (await answer.json()) as { id: number };
  const job = await until(
    () => json<Job>(node.address, `/api/jobs/${id}`),
    ({ state }) => state === "done" || state === "failed",
  );
  return { ...job, id };
}

test.each(NAMES)("tables of %s over HTTP are those of the command, of sets and of channels", async (name) => {
  const path = join(folder, name);
  await using recording = await open(fromFile(path));
  const { sets } = await recording.state(1e9);
  const asked = [{ set: [...sets.keys()][0]! }, { channel: recording.channels[0]!.name }];
  for (const of of asked) {
    const job = await exported(name, { table: "csv", ...of });
    expect(job.error).toBeNull();
    const file = job.result!.files[0]!.name;
    const answer = await fetch(`${node.address}/api/jobs/${job.id}/files/${encodeURIComponent(file)}`);
    const [flag, value] = Object.entries(of)[0]!;
    const output = join(folder, `.table-${flag}-${name}.csv`);
    execFileSync(process.execPath, [CLI, "table", path, `--${flag}=${value}`, "-o", output], { stdio: "ignore" });
    expect(await answer.text()).toBe(readFileSync(output, "utf8"));
  }
});

test("a table over HTTP has only the columns, things and times that were asked for", async () => {
  const asked = {
    set: "vehicles",
    columns: ["position", "gear"],
    ids: ["35"],
    from: "1s",
    until: "2s",
    every: "100ms",
  };
  const { result, error, id } = await exported("town.log", { table: "csv", ...asked, axes: "standard" });
  expect(error).toBeNull();
  const answer = await fetch(`${node.address}/api/jobs/${id}/files/${result!.files[0]!.name}`);
  const [, ...rows] = (await answer.text()).trim().split("\n");
  expect(rows).toHaveLength(10);
  await using recording = await open(fromFile(join(folder, "town.log")));
  for (const [k, row] of rows.entries()) {
    const { sets } = await recording.state(1e9 + k * 1e8);
    const { ids: things, columns } = sets.get("vehicles")!;
    const at = [...things].indexOf(35);
    const [x, y, z] = [...columns.get("position")!.data].slice(3 * at, 3 * at + 3).map((one) => Number(one) / 100);
    const cells = row.split(",").map(Number);
    expect(cells[0]).toBe(1e9 + k * 1e8);
    expect(cells[1]).toBe(35);
    // CARLA is left-handed: standard axes have y the other way
    for (const [n, value] of [x!, -y!, z!].entries()) expect(cells[2 + n]).toBeCloseTo(value, 9);
  }
});

test("a table of nothing that is there says what there is; one of both is refused", async () => {
  const job = await exported("robot.tape", { table: "csv", channel: "nothing" });
  expect(job.state).toBe("failed");
  expect(job.error).toContain("/robot/Odometry");
  expect((await ask("robot.tape", { table: "csv", channel: "x", set: "y" })).status).toBe(400);
});
