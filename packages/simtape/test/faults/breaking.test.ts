import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { FORMATS } from "../../src/formats.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { openBundle } from "../../src/model/open.ts";
import { check } from "../../src/ops/check.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { MAIN, simtape, temporaryFile } from "../cli/run.ts";

const town = temporaryFile("town.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30));
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

/** Ends a command with a signal as soon as it writes; how it ended. */
async function ended(signal: NodeJS.Signals, into: string): Promise<NodeJS.Signals | null> {
  const child = spawn(
    process.execPath,
    [MAIN, "demo", "carla", "--entities", "200", "--seconds", "100000", "-o", into],
    {
      stdio: "ignore",
    },
  );
  const end = new Promise<NodeJS.Signals | null>((resolve) => child.on("exit", (_, by) => resolve(by)));
  const isWriting = (): boolean => readdirSync(into).some((name) => name.endsWith(".part"));
  while (!isWriting() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
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
    await using recording = await openBundle(fromFile(join(into, "town.log")), FORMATS);
    expect((await check(recording)).status).toBe("sound");
  });
});

test("of two commands that write the same file at once one does, and the other says so", async () => {
  const to = join(folder(), "town.hcrp");
  const ran = await Promise.all([simtape(["convert", town, to]), simtape(["convert", town, to])]);
  expect(ran.filter(({ exit }) => exit === 0)).toHaveLength(1);
  expect(ran.find(({ exit }) => exit !== 0)!.stderr).toMatch(
    /there is .* already|already exists|another program has created it/,
  );
  expect(readdirSync(join(to, ".."))).toEqual(["town.hcrp"]);
  await using recording = await openBundle(fromFile(to), FORMATS);
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
    const [exit] = (await once(child, "exit")) as [number];
    expect(stderr).toContain("tried again");
    expect(stderr).toContain("takes what is recorded again");
    expect(exit).toBe(0);
    const { stdout } = await simtape(["info", join(tiny!, "run")]);
    expect(stdout).toContain("0:25.000");
    expect((await simtape(["check", join(tiny!, "run")])).exit).toBe(0);
  });
});
