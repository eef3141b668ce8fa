import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLAG_FINISHED } from "../../src/formats/hcrp/layout/framing.ts";
import { MemoryFiles, s3Store } from "../../src/index.ts";
import { demo } from "../../../demo/src/hcrp.ts";
import { loadZstd } from "../../src/kit.ts";
import { walk } from "../fixtures/hcrp/make.ts";
import { segmented } from "../fixtures/hcrp/recording.ts";
import { random } from "../record/wild.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { simtape } from "./run.ts";

/** Kills of the command; `COMPACT_KILLS=500` for the long run. */
const KILLS = Number(process.env["COMPACT_KILLS"] ?? 20);
const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "simtape-compact-"));
const at = (name: string): string => join(folder, name);

/** A segmented recording in a folder of its own. */
async function live(name: string, header?: Parameters<typeof segmented>[3]): Promise<string> {
  const path = mkdtempSync(at(name));
  for (const [file, bytes] of Object.entries(segmented(await loadZstd(), walk(), 2, { level: 3, ...header })))
    writeFileSync(join(path, file), bytes);
  return path;
}

beforeAll(async () => {
  const race = new MemoryFiles("race.hcrp");
  await demo({ seconds: 40, entities: 12, seed: 5 }, race);
  writeFileSync(at("race.hcrp"), race.bytes);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("simtape compact", () => {
  test("writes one file, says what became of it, and does nothing the second time", async () => {
    const source = await live("live-");
    const first = await simtape([
      "compact",
      source,
      at("run.hcrp"),
      "--json",
      "--analyse",
      "statistics",
      "--analyse",
      "splits",
    ]);
    expect(first.exit).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ status: "compacted", chunks: 4, hashesCompared: 4, losses: [] });
    const again = await simtape(["compact", source, at("run.hcrp"), "--json"]);
    expect(again.exit).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ status: "present", chunks: 0 });
    const checked = await simtape(["verify", source, at("run.hcrp"), "--json"]);
    expect(checked.exit).toBe(0);
    const [before, after] = checked.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(after).toMatchObject({ status: "sound", representation: "compacted", eventHash: before!["eventHash"] });
  });

  test("with columns makes a file that every command takes, and never in place of one without", async () => {
    const source = await live("columns-");
    const out = at("columns.hcrp");
    const asked = ["compact", source, out, "--columns", "--json"];
    expect(JSON.parse((await simtape(asked)).stdout)).toMatchObject({ status: "compacted" });
    expect(JSON.parse((await simtape(asked)).stdout)).toMatchObject({ status: "present" });
    expect((await simtape(["compact", source, out])).exit).toBe(2);
    expect((await simtape(["compact", source, at("plain.hcrp")])).exit).toBe(0);
    expect((await simtape(["compact", source, at("plain.hcrp"), "--columns"])).exit).toBe(2);
    for (const command of ["check", "verify"]) expect((await simtape([command, out])).exit, command).toBe(0);
    expect((await simtape(["cat", out])).stdout).toBe((await simtape(["cat", at("plain.hcrp")])).stdout);
    expect((await simtape(["tail", out])).stdout).toBe((await simtape(["tail", at("plain.hcrp")])).stdout);
    expect((await simtape(["copy", out, at("copy.hcrp")])).exit).toBe(0);
    expect(readFileSync(at("copy.hcrp"))).toEqual(readFileSync(out));
    expect((await simtape(["trim", out, at("trimmed.hcrp"), "--from", "4s"])).exit).toBe(0);
    expect((await simtape(["join", out, at("trimmed.hcrp"), "-o", at("joined.hcrp")])).exit).toBe(0);
    expect((await simtape(["meta", "set", out, "reviewed=true"])).exit).toBe(0);
    for (const made of [out, at("joined.hcrp")]) expect((await simtape(["check", made])).exit, made).toBe(0);
  });

  test("refuses what is not finished and what would overwrite, repairs when asked to", async () => {
    const open = await live("open-", { header: (head) => ({ ...head, flags: head.flags & ~FLAG_FINISHED }) });
    const refused = await simtape(["compact", open, at("open.hcrp")]);
    expect([refused.exit, existsSync(at("open.hcrp"))]).toEqual([1, false]);
    expect(refused.stderr).toMatch(/not finished/);
    expect((await simtape(["compact", open, at("open.hcrp"), "--repair"])).exit).toBe(0);
    const taken = await simtape(["compact", await live("other-"), at("race.hcrp")]);
    expect(taken.exit).toBe(2);
    expect((await simtape(["compact", open, at("x.hcrp"), "--level", "99"])).exit).toBe(2);
    const torn = await live("torn-");
    writeFileSync(join(torn, "seg-00000000.hcs"), readFileSync(join(torn, "seg-00000000.hcs")).subarray(0, 300));
    expect((await simtape(["compact", torn, at("torn.hcrp")])).exit).toBe(1);
    const repaired = await simtape(["compact", torn, at("torn.hcrp"), "--repair"]);
    expect(repaired.exit).toBe(3);
    expect(repaired.stderr).toMatch(/left out chunk 0/);
    expect((await simtape(["verify", torn])).exit).toBe(3);
  });

  test("trains a dictionary and compresses with it", async () => {
    const source = await live("trained-");
    const trained = await simtape([
      "dictionary",
      "train",
      source,
      at("race.hcrp"),
      "--id",
      "40001",
      "-o",
      at("a.dict"),
    ]);
    expect(trained.exit).toBe(0);
    expect((await simtape(["compact", source, at("d.hcrp"), "--dictionary", at("a.dict")])).exit).toBe(0);
    // it is beside
    expect((await simtape(["verify", at("d.hcrp")])).exit).toBe(0);
    renameSync(at("40001.dict"), at("elsewhere.dict"));
    expect((await simtape(["verify", at("d.hcrp")])).exit).toBe(1);
    expect((await simtape(["verify", at("d.hcrp"), "--dictionary", at("a.dict")])).exit).toBe(0);
    const wrong = ["dictionary", "train", source, "--id", "7", "-o", at("b.dict")];
    expect((await simtape(wrong)).exit).toBe(2);
  });

  test("leaves the old file or the new one when it is killed", { timeout: 300_000 }, async () => {
    const begun = Date.now();
    expect((await simtape(["compact", at("race.hcrp"), at("whole.hcrp")])).exit).toBe(0);
    const whole = Date.now() - begun;
    const made = readFileSync(at("whole.hcrp"));
    const old = readFileSync(at("race.hcrp"));
    const roll = random(20_261_121);
    let killed = 0;
    let last = "";
    const one = async (number: number): Promise<void> => {
      const own = mkdtempSync(at("kill-"));
      const out = join(own, "run.hcrp");
      writeFileSync(out, old);
      const child = spawn(process.execPath, [MAIN, "compact", at("race.hcrp"), out, "--force"], { stdio: "ignore" });
      const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
      // a third before the output is begun, the others while it is made
      const wait = number % 3 === 0 ? roll(whole) : whole * 0.5 + roll(whole);
      const timer = setTimeout(() => child.kill("SIGKILL"), wait);
      await ended;
      clearTimeout(timer);
      if (child.signalCode !== null) {
        killed++;
        last = own;
      }
      const found = readFileSync(out);
      expect(found.equals(old) || found.equals(made)).toBe(true);
      // what a killed one leaves has a name that no command takes for a recording
      for (const name of readdirSync(own)) expect(name).toMatch(/^run\.hcrp$|^\..*\.part$/);
    };
    for (let number = 0; number < KILLS; number += 4)
      await Promise.all(Array.from({ length: Math.min(4, KILLS - number) }, (_, i) => one(number + i)));
    expect(killed).toBeGreaterThan(0);
    // who does it again, where a killed one has left something, gets the same
    const again = join(last, "run.hcrp");
    expect((await simtape(["compact", at("race.hcrp"), again, "--force"])).exit).toBe(0);
    expect(readFileSync(again).equals(made)).toBe(true);
  });
});

describeWithCeph("simtape compact and a real S3 server", (bucket) => {
  test("brings a recording from there to there, the same bytes as here", { timeout: 120_000 }, async () => {
    const { endpoint, credentials, bucket: name } = bucket();
    const before = { ...process.env };
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    });
    try {
      const here = await live("here-");
      expect((await simtape(["copy", here, `s3://${name}/compact/`])).exit).toBe(0);
      expect((await simtape(["compact", `s3://${name}/compact/`, `s3://${name}/full.hcrp`])).exit).toBe(0);
      expect((await simtape(["compact", here, at("here.hcrp")])).exit).toBe(0);
      const put = await s3Store(bucket()).get("full.hcrp");
      expect(readFileSync(at("here.hcrp")).equals(put!.bytes)).toBe(true);
      const again = await simtape(["compact", `s3://${name}/compact/`, `s3://${name}/full.hcrp`, "--json"]);
      expect(JSON.parse(again.stdout)).toMatchObject({ status: "present" });
    } finally {
      for (const key of Object.keys(process.env)) if (!(key in before)) delete process.env[key];
    }
  });
});
