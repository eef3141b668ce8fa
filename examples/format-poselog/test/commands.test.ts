import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ran, simtape, simtapeProcess } from "../../../packages/simtape/test/cli/run.ts";
import { DIALECTS } from "../src/layout.ts";
import { makeLog } from "./log.ts";

/** The built module, as it is given to the command. */
const MODULE = fileURLToPath(new URL("../dist/poselog.js", import.meta.url));

interface Told {
  readonly [key: string]: any;
}

describe.each(DIALECTS)(
  "with turns told as %s, every command knows pose logs when it is given their module",
  (dialect) => {
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

    /** What a command says in JSON when all went well. */
    async function told(...words: readonly string[]): Promise<Told> {
      const { exit, stdout, stderr } = await run(...words, "--json");
      expect([exit, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout) as Told;
    }

    const state = (name: string, time = "5s"): Promise<Told> => told("state", at(name), "--at", time);

    test("info, cat, state, events", async () => {
      const { metadata, channels, ...info } = await told("info", log);
      expect(info).toMatchObject({ format: "poselog", timeline: { start: 0, end: 10e9 }, findings: [] });
      expect(metadata).toEqual({ title: "two drones", dialect });
      expect((channels as Told[]).map(({ name, messages }) => [name, messages])).toEqual([
        ["pose", 201],
        ["gone", 1],
      ]);
      const { value } = await told("cat", log, "--limit", "1", "--from", "5s");
      expect(value).toMatchObject({ thing: 7, position: [5, 1, -2] });
      expect((await state("drones.plog"))["sets"].things).toMatchObject({
        ids: [7, 9],
        axes: { handed: "right", up: "y", kind: "local" },
        columns: { position: { unit: "m", data: [5, 1, -2, 3, 5, 4] } },
      });
      expect((await state("drones.plog", "100%"))["sets"].things.ids).toEqual([7]);
      expect(await told("events", log)).toMatchObject({ time: 10e9, kind: "removal", text: "thing 9 is gone" });
    });

    test("records --fields", async () => {
      const { stdout } = await run("records", log, "--fields", "--limit", "2");
      const names = [...stdout.matchAll(/^ +\d+ +\d+ {4}(\S+)/gm)].map(([, name]) => name);
      const turn = (dialect === "quaternion" ? [0, 1, 2, 3] : [0, 1, 2]).map((i) => `turn[${i}]`);
      const pose = ["kind", "time", "thing", ...[0, 1, 2].map((i) => `position[${i}]`), ...turn, "crc"];
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
        await told("copy", log, at("copy.plog"), "--force", ...words);
        expect(readFileSync(at("copy.plog")).equals(readFileSync(log))).toBe(true);
      }
    });

    test("trim, shift and join", async () => {
      await told("trim", log, at("late.plog"), "--from", "9.95s");
      expect((await state("late.plog", "0s"))["sets"].things.ids).toEqual([7, 9]);
      await told("trim", log, at("early.plog"), "--until", "5s");
      await told("shift", at("early.plog"), at("shifted.plog"), "--by", "1s");
      expect((await state("shifted.plog", "2s"))["sets"]).toEqual((await state("drones.plog", "1s"))["sets"]);
      await told("join", at("late.plog"), at("early.plog"), "-o", at("joined.plog"));
      expect((await state("joined.plog", "100%"))["sets"].things.ids).toEqual([7, 9]);
      expect(existsSync(at("joined.plog.provenance.json"))).toBe(true);
    });

    test("convert to HCRP and back, byte for byte with the original inside and without", async () => {
      await told("convert", log, at("drones.hcrp"));
      expect(await told("convert", at("drones.hcrp"), at("back.plog"))).toMatchObject({ exact: true });
      expect(readFileSync(at("back.plog")).equals(readFileSync(log))).toBe(true);

      const there = await told("convert", log, at("state.hcrp"), "--no-original");
      expect(there).toMatchObject({ verified: true, lost: [] });
      const back = await told("convert", at("state.hcrp"), at("state.plog"), "--dialect", dialect);
      expect(back).toMatchObject({ verified: true, lost: [] });
      const [expected, found] = await Promise.all([state("drones.plog"), state("state.plog")]);
      expect(found["sets"].things.axes).toEqual(expected["sets"].things.axes);
      const columns = expected["sets"].things.columns as Told;
      for (const [name, { data }] of Object.entries(columns)) {
        const cells = found["sets"].things.columns[name].data as number[];
        expect(cells, name).toEqual((data as number[]).map((cell) => expect.closeTo(cell, 9)));
      }
    });

    test("convert other formats, and say what no pose can tell", async () => {
      const town = fileURLToPath(new URL("../../town.log", import.meta.url));
      const { exit, stdout } = await run("convert", town, at("town.plog"), "--dialect", dialect, "--json");
      const report = JSON.parse(stdout) as Told;
      expect(exit).toBe(3);
      expect(report["carried"]).toContainEqual({ path: "vehicles", count: expect.any(Number) });
      expect((report["lost"] as Told[]).map(({ path }) => path)).not.toContain("vehicles/position");
      expect((report["lost"] as Told[]).map(({ path }) => path)).toContain("vehicles/steering");
    });
  },
);

test("the command that users have knows them by the environment, too", async () => {
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
