import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { check, open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { MAIN, simtape, temporaryFile } from "../cli/run.ts";

const town = temporaryFile("town.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30));
const LONG = temporaryFile("long.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 20_000));
const isRoot = process.getuid?.() === 0;

function folder(): string {
  return mkdtempSync(join(tmpdir(), "simtape-test-"));
}

/** A small file system of its own; null where none can be had. */
const tiny = ((): string | null => {
  const path = folder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path], { stdio: "ignore" });
    return path;
  } catch {
    return null;
  }
})();

const LONG_DEMO = ["demo", "carla", "--entities", "200", "--seconds", "100000"];

/** Ends a command that writes into a folder with a signal as soon as it does; how it ended. */
async function ended(
  signal: NodeJS.Signals,
  into: string,
  words: readonly string[] = [...LONG_DEMO, "-o", into],
): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: "ignore" });
  const end = new Promise<NodeJS.Signals | null>((resolve) => child.on("exit", (_, by) => resolve(by)));
  const isWriting = (): boolean => readdirSync(into).some((name) => name.endsWith(".part"));
  while (!isWriting() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill(signal);
  return end;
}

describe("a command that is ended while it writes", () => {
  test("leaves nothing when it is interrupted", async () => {
    const into = folder();
    expect(await ended("SIGINT", into)).toBe("SIGINT");
    expect(readdirSync(into)).toEqual([]);
  });

  test("leaves nothing under the name when it is killed, and the next one works and tidies", async () => {
    const into = folder();
    expect(await ended("SIGKILL", into)).toBe("SIGKILL");
    expect(existsSync(join(into, "town.log"))).toBe(false);
    expect((await simtape(["demo", "carla", "--seconds", "1", "-o", into])).exit).toBe(0);
    expect(readdirSync(into)).toEqual(["town.log", "town.xodr"]);
    await using recording = await open(fromFile(join(into, "town.log")));
    expect((await check(recording)).status).toBe("sound");
  });
});

/** Files that other programs read, and the command that writes each. */
const MADE_FOR_OTHERS: readonly (readonly [name: string, words: readonly string[]])[] = [
  ...["csv", "parquet", "arrow", "npz", "mcap", "glb"].map((ending) => [`x.${ending}`, ["export", LONG]] as const),
  ["drive.kml", ["export", LONG, "--origin", "48.999,8.002"]],
  ["answer.parquet", ["sql", LONG, "select * from vehicles order by time desc"]],
  ["answer.csv", ["sql", LONG, "select time, id, position_x from vehicles"]],
];

describe("a command that is ended while it writes for another program", () => {
  test.each(MADE_FOR_OTHERS)("leaves no %s, and the next one works and tidies", async (name, words) => {
    const into = folder();
    const out = join(into, name);
    expect(await ended("SIGKILL", into, [...words, "-o", out])).toBe("SIGKILL");
    expect(existsSync(out)).toBe(false);
    const one = words[0] === "sql" ? [words[0], town, words[2]!] : [words[0]!, town, ...words.slice(2)];
    expect(await simtape([...one, "-o", out])).toMatchObject({ exit: 0, stderr: "" });
    expect(readdirSync(into)).toEqual([name]);
    const other = folder();
    expect(await ended("SIGINT", other, [...words, "-o", join(other, name)])).toBe("SIGINT");
    expect(readdirSync(other)).toEqual([]);
  });
});

test("of two commands that write the same file at once one does, and the other says so", async () => {
  const to = join(folder(), "town.hcrp");
  const ran = await Promise.all([simtape(["convert", town, to]), simtape(["convert", town, to])]);
  expect(ran.filter(({ exit }) => exit === 0)).toHaveLength(1);
  expect(ran.find(({ exit }) => exit !== 0)!.stderr).toMatch(
    /exists already|already exists|another program has created it/,
  );
  expect(readdirSync(join(to, ".."))).toEqual(["town.hcrp"]);
  await using recording = await open(fromFile(to));
  expect((await check(recording)).status).toBe("sound");
});

test.skipIf(isRoot)("without permission nothing is written, and one line says why", async () => {
  const into = join(folder(), "closed");
  mkdirSync(into, { mode: 0o500 });
  const { exit, stderr } = await simtape(["copy", town, join(into, "a.log")]);
  expect(exit).toBe(1);
  expect(stderr).toMatch(/cannot be created \(EACCES\)/);
});

test("a folder that is not there is said in one line", async () => {
  const { exit, stdout, stderr } = await simtape(["copy", town, join(folder(), "none", "a.log")]);
  expect([exit, stdout]).toEqual([1, ""]);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("cannot be created (ENOENT)");
});

describe.skipIf(tiny === null)("on a full disk", () => {
  afterAll(() => execFileSync("umount", [tiny!]));

  test.each([
    ["copy", [town]],
    ["convert", [town, "--to", "hcrp"]],
    ["trim", [town, "--from", "0s"]],
  ])("%s fails in one line and leaves nothing behind", async (name, words) => {
    writeFileSync(join(tiny!, "filler"), Buffer.alloc(60 << 10));
    const { exit, stdout, stderr } = await simtape([name, ...words, "-o", join(tiny!, "a.out")]);
    expect([exit, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("is the disk full? (ENOSPC)");
    expect(readdirSync(tiny!)).toEqual(["filler"]);
  });

  const corpus = (path: string): string => new URL(`../../../corpus/cases/${path}`, import.meta.url).pathname;
  const flight = corpus("flightgear/continuous/flight.fgtape");
  const molecules = corpus("nanover/zip/run.nanover.zip");

  test.each([
    ...["csv", "ndjson", "parquet", "arrow", "npz", "mcap", "glb", "gltf"].map((ending) => [ending, town] as const),
    ...["kml", "gpx", "czml", "acmi"].map((ending) => [ending, flight] as const),
    ...["xyz", "pdb", "dcd"].map((ending) => [ending, molecules] as const),
  ])("an export to %s fails in one line and leaves nothing behind", async (ending, path) => {
    writeFileSync(join(tiny!, "filler"), Buffer.alloc(64 << 10));
    const { exit, stdout, stderr } = await simtape(["export", path, "-o", join(tiny!, `a.${ending}`)]);
    expect([exit, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("is the disk full? (ENOSPC)");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(readdirSync(tiny!)).toEqual(["filler"]);
  });

  test.each(["csv", "json", "ndjson", "parquet", "arrow"])("an answer of SQL as %s, too", async (ending) => {
    writeFileSync(join(tiny!, "filler"), Buffer.alloc(64 << 10));
    const out = join(tiny!, `a.${ending}`);
    const { exit, stdout, stderr } = await simtape(["sql", town, "select * from vehicles", "-o", out]);
    expect([exit, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("is the disk full? (ENOSPC)");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(readdirSync(tiny!)).toEqual(["filler"]);
  });

  test("record says so, waits for room, and then has everything", async () => {
    const filler = join(tiny!, "filler");
    writeFileSync(filler, Buffer.alloc(30 << 10));
    const lines = Array.from({ length: 500 }, (_, tick) => {
      const noise = createHash("sha512").update(String(tick)).digest("base64");
      return `{"tick":${tick}}\n{"set":{"noise":"${noise}"}}\n`;
    });
    const child = spawn(process.execPath, [MAIN, "record", join(tiny!, "run")]);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      if (stderr.includes("the disk is full")) rmSync(filler, { force: true });
    });
    child.stdin.end(lines.join(""));
    const [exit] = (await once(child, "close")) as [number];
    expect(stderr).toContain("tried again");
    expect(stderr).toContain("takes what is recorded again");
    expect(exit).toBe(0);
    const { stdout } = await simtape(["info", join(tiny!, "run")]);
    expect(stdout).toContain("0:25.000");
    expect((await simtape(["check", join(tiny!, "run")])).exit).toBe(0);
  });
});
