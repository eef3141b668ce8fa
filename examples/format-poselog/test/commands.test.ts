import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ran, simtape, simtapeProcess } from "../../../packages/simtape/test/cli/run.ts";
import { DIALECTS } from "../src/layout.ts";
import { makeLog } from "./log.ts";

/** The built module. */
const MODULE = fileURLToPath(new URL("../dist/poselog.js", import.meta.url));

type Report = Readonly<Record<string, unknown>>;

interface Things {
  readonly ids: readonly number[];
  readonly axes: unknown;
  readonly columns: Readonly<Record<string, { readonly unit: string | null; readonly data: readonly number[] }>>;
}

describe.each(DIALECTS)("with the module, every command knows pose logs with rotations as %s", (dialect) => {
  const folder = mkdtempSync(join(tmpdir(), "poselog-"));
  const at = (name: string): string => join(folder, name);
  const log = at("drones.plog");

  beforeAll(async () => {
    const bytes = await makeLog(dialect);
    writeFileSync(log, bytes);
    writeFileSync(at("broken.plog"), bytes.slice().fill(0xee, 2000, 2020));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (...words: readonly string[]): Promise<Ran> => simtape([...words, "--format-module", MODULE]);

  /** The report of a command that succeeds. */
  async function json(...words: readonly string[]): Promise<Report> {
    const { exit, stdout, stderr } = await run(...words, "--json");
    expect([exit, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout) as Report;
  }

  async function thingsIn(name: string, time = "5s"): Promise<Things> {
    const { sets } = await json("state", at(name), "--at", time);
    return (sets as { readonly things: Things }).things;
  }

  test("info, cat, state, events", async () => {
    const { metadata, channels, ...info } = await json("info", log);
    expect(info).toMatchObject({ format: "poselog", timeline: { start: 0, end: 10e9 }, findings: [] });
    expect(metadata).toEqual({ title: "two drones", dialect });
    expect((channels as Report[]).map(({ name, messages }) => [name, messages])).toEqual([
      ["pose", 201],
      ["gone", 1],
    ]);
    const { value } = await json("cat", log, "--limit", "1", "--from", "5s");
    expect(value).toMatchObject({ thing: 7, position: [5, 1, -2] });
    expect(await thingsIn("drones.plog")).toMatchObject({
      ids: [7, 9],
      axes: { handed: "right", up: "y", kind: "local" },
      columns: { position: { unit: "m", data: [5, 1, -2, 3, 5, 4] } },
    });
    expect((await thingsIn("drones.plog", "100%")).ids).toEqual([7]);
    expect(await json("events", log)).toMatchObject({ time: 10e9, kind: "removal", text: "thing 9 is gone" });
  });

  test("records --fields", async () => {
    const { stdout } = await run("records", log, "--fields", "--limit", "2");
    const names = [...stdout.matchAll(/^ +\d+ +\d+ {4}(\S+)/gm)].map(([, name]) => name);
    const rotation = (dialect === "quaternion" ? [0, 1, 2, 3] : [0, 1, 2]).map((i) => `rotation[${i}]`);
    const pose = ["kind", "time", "thing", ...[0, 1, 2].map((i) => `position[${i}]`), ...rotation, "crc"];
    expect(names).toEqual(["magic", "dialect", "epoch", "title.length", "title", ...pose]);
  });

  test("check and repair", async () => {
    expect((await run("check", log)).exit).toBe(0);
    expect((await run("check", at("broken.plog"))).exit).toBe(3);
    const { exit, stdout } = await run("repair", at("broken.plog"), at("whole.plog"), "--json");
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "repaired",
      messagesKept: 201,
      lost: [{ code: "damaged-bytes" }],
    });
    expect((await run("check", at("whole.plog"))).exit).toBe(0);
  });

  test("copy, and copy --rewrite", async () => {
    for (const words of [[], ["--rewrite"]]) {
      await json("copy", log, at("copy.plog"), "--force", ...words);
      expect(readFileSync(at("copy.plog")).equals(readFileSync(log))).toBe(true);
    }
  });

  test("trim, shift and join", async () => {
    await json("trim", log, at("late.plog"), "--from", "9.95s");
    expect((await thingsIn("late.plog", "0s")).ids).toEqual([7, 9]);
    await json("trim", log, at("early.plog"), "--until", "5s");
    await json("shift", at("early.plog"), at("shifted.plog"), "--by", "1s");
    expect(await thingsIn("shifted.plog", "2s")).toEqual(await thingsIn("drones.plog", "1s"));
    await json("join", at("late.plog"), at("early.plog"), "-o", at("joined.plog"));
    expect((await thingsIn("joined.plog", "100%")).ids).toEqual([7, 9]);
    expect(existsSync(at("joined.plog.provenance.json"))).toBe(true);
  });

  test("convert to HCRP and back, byte for byte with the original inside and without", async () => {
    await json("convert", log, at("drones.hcrp"));
    expect(await json("convert", at("drones.hcrp"), at("back.plog"))).toMatchObject({ exact: true });
    expect(readFileSync(at("back.plog")).equals(readFileSync(log))).toBe(true);

    const there = await json("convert", log, at("state.hcrp"), "--no-original");
    expect(there).toMatchObject({ verified: true, lost: [] });
    const back = await json("convert", at("state.hcrp"), at("state.plog"), "--dialect", dialect);
    expect(back).toMatchObject({ verified: true, lost: [] });
    const [expected, found] = [await thingsIn("drones.plog"), await thingsIn("state.plog")];
    expect(found.axes).toEqual(expected.axes);
    for (const [name, { data }] of Object.entries(expected.columns)) {
      const cells: unknown[] = data.map((cell): unknown => expect.closeTo(cell, 9));
      expect(found.columns[name]!.data, name).toEqual(cells);
    }
  });

  test("convert other formats, and account for what no pose can hold", async () => {
    const town = fileURLToPath(new URL("../../town.log", import.meta.url));
    const { exit, stdout } = await run("convert", town, at("town.plog"), "--dialect", dialect, "--json");
    const report = JSON.parse(stdout) as Report;
    expect(exit).toBe(3);
    expect(report["carried"]).toContainEqual({ path: "vehicles", count: expect.any(Number) });
    expect((report["lost"] as Report[]).map(({ path }) => path)).not.toContain("vehicles/position");
    expect((report["lost"] as Report[]).map(({ path }) => path)).toContain("vehicles/steering");
  });
});

test("the installed command knows them by the environment, too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "poselog-"));
  writeFileSync(join(folder, "drones.plog"), await makeLog("quaternion"));
  process.env["SIMTAPE_FORMAT_MODULES"] = MODULE;
  try {
    const { exit, stdout } = await simtapeProcess(["check", join(folder, "drones.plog")]);
    expect([exit, stdout]).toEqual([0, expect.stringContaining("sound, 202 messages")]);
  } finally {
    delete process.env["SIMTAPE_FORMAT_MODULES"];
    rmSync(folder, { recursive: true });
  }
});
