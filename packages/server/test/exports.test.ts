import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXPORT_TARGETS, open } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { makeNanover } from "../../../bench/make/nanover.ts";
import { makeDemos } from "./support/demos.ts";
import { type FileJob, fileOf, jobOf, jobOver, post } from "./support/file-jobs.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const NAMES = ["race.hcrp", "town.log", "robot.tape", "flight.fgtape", "molecule.nanover.zip"];
const LARGE = "large.traj";
const folder = mkdtempSync(join(tmpdir(), "simtape-exports-"));
let node: TestNode;
const ids = new Map<string, string>();

beforeAll(async () => {
  await makeDemos(folder);
  writeFileSync(join(folder, LARGE), Buffer.concat([...makeNanover(34e6)]));
  node = await startNode([folder, "--access", "open"]);
  const { recordings } = await until(
    () => json<{ recordings: { id: string; name: string }[] }>(node.address, "/api/recordings"),
    (page) => page.recordings.length === NAMES.length + 1,
  );
  for (const { id, name } of recordings) ids.set(name, id);
});
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (name: string, body: object): Promise<Response> => post(node.address, ids.get(name)!, "exports", body);
const exported = (name: string, body: object): Promise<FileJob> => jobOf(node.address, ids.get(name)!, "exports", body);

test.each(NAMES)("tables of %s over HTTP are those of the command, of sets and of channels", async (name) => {
  const path = join(folder, name);
  await using recording = await open(fromFile(path));
  const { sets } = await recording.state(1e9);
  const asked = [{ set: [...sets.keys()][0]! }, { channel: recording.channels[0]!.name }];
  for (const of of asked) {
    const job = await exported(name, { table: "csv", ...of });
    const [flag, value] = Object.entries(of)[0]!;
    const output = join(folder, `.table-${flag}-${name}.csv`);
    await printed(["table", path, `--${flag}=${value}`, "-o", output]);
    expect((await fileOf(node.address, job)).toString()).toBe(readFileSync(output, "utf8"));
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
  const job = await exported("town.log", { table: "csv", ...asked, axes: "standard" });
  const [, ...rows] = (await fileOf(node.address, job)).toString().trim().split("\n");
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

/** What `simtape export` writes with these words, by name. */
async function written(name: string, words: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const to = mkdtempSync(join(tmpdir(), "simtape-exported-"));
  try {
    await printed(["export", join(folder, name), ...words, "-o", `${to}/`]);
    return new Map(readdirSync(to).map((file) => [file, readFileSync(join(to, file))]));
  } finally {
    rmSync(to, { recursive: true, force: true });
  }
}

const EXPORTED = [
  ["flight.fgtape", { to: "kml", from: "1s", until: "3s" }, ["--to", "kml", "--from", "1s", "--until", "3s"]],
  ["town.log", { to: "csv", set: "vehicles", every: "100ms" }, ["--to", "csv", "--set=vehicles", "--every=100ms"]],
  ["robot.tape", { to: "ndjson", channel: "/robot/Odometry" }, ["--to", "ndjson", "-c", "/robot/Odometry"]],
  ["town.log", { to: "csv", columns: "position,gear", ids: "35" }, ["--to=csv", "--columns=position,gear", "--id=35"]],
] as const;

test.each(EXPORTED)("%s as %j is what the command writes, by a job and at once", async (name, asked, words) => {
  const files = await written(name, words);
  const [[file, bytes]] = [...files] as [[string, Buffer]];
  const at = `${node.address}/api/recordings/${ids.get(name)}/export?${new URLSearchParams(asked)}`;
  const direct = await fetch(at);
  expect(direct.status).toBe(200);
  expect(direct.headers.get("content-disposition")).toContain(encodeURIComponent(file));
  expect(direct.headers.get("content-type")).toContain(EXPORT_TARGETS.find(({ id }) => id === asked.to)!.mediaType);
  expect(Buffer.from(await direct.arrayBuffer()).equals(bytes)).toBe(true);

  const { columns, ids: things, ...single } = { columns: undefined, ids: undefined, ...asked };
  const body = { ...single, ...(columns && { columns: columns.split(",") }), ...(things && { ids: [things] }) };
  const job = await exported(name, body);
  expect((await fileOf(node.address, job)).equals(bytes)).toBe(true);
  expect(job.result!.files).toEqual([{ name: file, bytes: bytes.length }]);
});

test("a target of several files is a job with all of them, and at once an archive", async () => {
  const files = await written("molecule.nanover.zip", ["--to", "dcd"]);
  expect(files.size).toBe(2);
  const job = await exported("molecule.nanover.zip", { to: "dcd" });
  expect(job.result!.files.map(({ name }) => name).sort()).toEqual([...files.keys()].sort());
  const answer = await fetch(`${node.address}/api/recordings/${ids.get("molecule.nanover.zip")}/export?to=dcd`);
  expect(answer.headers.get("content-type")).toBe("application/x-tar");
  const archive = Buffer.from(await answer.arrayBuffer());
  for (const [name, bytes] of files) {
    const file = execFileSync("tar", ["-xOf", "-", name], { input: archive, maxBuffer: 1 << 28 });
    expect(file.equals(bytes), name).toBe(true);
  }
  // nothing is left on the disk of what was sent
  const left = () =>
    Promise.resolve(readdirSync(join(folder, ".simtape/exports")).filter((name) => name.startsWith("at")));
  expect(await until(left, (names) => names.length === 0)).toEqual([]);
});

test("a target that does not exist or fit is refused, with those that do", async () => {
  const none = await ask("town.log", { to: "betamax" });
  expect(none.status).toBe(400);
  expect(((await none.json()) as { detail: string }).detail).toContain("csv, ndjson, parquet");
  const path = `/api/recordings/${ids.get("flight.fgtape")}/export`;
  const refused = await fetch(`${node.address}${path}?to=pdb`);
  expect(refused.status).toBe(400);
  const { detail } = (await refused.json()) as { detail: string };
  expect(detail).toMatch(/^pdb carries .*; targets that fit it: csv,.* kml/);
  expect(await exported("flight.fgtape", { to: "pdb" })).toMatchObject({ state: "failed", error: detail });
  const { targets } = await json<{ targets: { id: string; fits: string[] }[] }>(node.address, `${path}/targets`);
  const fitting = targets.filter(({ fits }) => fits.length > 0).map(({ id }) => id);
  expect(detail.endsWith(`: ${fitting.join(", ")}`)).toBe(true);
});

test("a recording of more than 32 MiB is exported by a job", async () => {
  const answer = await fetch(`${node.address}/api/recordings/${ids.get(LARGE)}/export?to=csv&until=1s`);
  expect(answer.status).toBe(202);
  const { id } = (await answer.json()) as { id: number };
  expect(await jobOver(node.address, id)).toMatchObject({
    state: "done",
    error: null,
    result: { files: [{ name: "large.csv" }] },
  });
});
