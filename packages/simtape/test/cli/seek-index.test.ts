import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { simtape, temporaryFile } from "./run.ts";

const town = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 40);
const ENDING = ".simtape-index";

/** The cache of these tests is a folder of their own. */
const cache = mkdtempSync(join(tmpdir(), "simtape-cache-"));
const before = process.env["SIMTAPE_CACHE"];
beforeAll(() => {
  process.env["SIMTAPE_CACHE"] = cache;
});
afterAll(() => {
  if (before === undefined) delete process.env["SIMTAPE_CACHE"];
  else process.env["SIMTAPE_CACHE"] = before;
});

interface Info {
  readonly seekIndex: string;
  readonly sideCar: { readonly bytes: number; readonly hasEvents: boolean } | null;
  readonly findings: readonly { readonly code: string }[];
}

async function infoOf(...words: string[]): Promise<Info> {
  return JSON.parse((await simtape(["info", ...words, "--json"])).stdout) as Info;
}

function filesIn(lines: string): string[] {
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { file: string }).file);
}

describe("simtape index", () => {
  test.skipIf(process.platform !== "linux")("one that cannot be read is not used, and that is reported", async () => {
    const path = temporaryFile("town.log", town);
    const plain = await simtape(["events", path]);
    // a file whose reading fails, also for an administrator
    symlinkSync("/proc/self/mem", path + ENDING);
    expect(await simtape(["events", path])).toMatchObject({
      exit: plain.exit,
      stdout: plain.stdout,
      stderr: expect.stringContaining("its seek index was not used"),
    });
    const found = await simtape(["find", path, "--where", "frame > 1", "--json"]);
    expect([found.exit, (JSON.parse(found.stdout) as { decided: number }).decided]).toEqual([0, 0]);
  });

  test("writes a seek index beside the recording, which other commands then use", async () => {
    const path = temporaryFile("town.log", town);
    const plain = [await simtape(["state", path, "--at", "90%", "--json"]), await simtape(["events", path])];
    const made = await simtape(["index", path, "--json"]);
    expect(made.exit).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({
      file: path,
      index: path + ENDING,
      recordingBytes: town.length,
      bytes: statSync(path + ENDING).size,
      hasScan: true,
    });
    expect(await infoOf(path)).toMatchObject({ seekIndex: "kept", sideCar: { hasEvents: true } });
    expect((await simtape(["info", path])).stdout).toMatch(/seek index +kept: .* with .*events/);
    const kept = [await simtape(["state", path, "--at", "90%", "--json"]), await simtape(["events", path])];
    expect(kept).toEqual(plain);
    expect(Buffer.compare(readFileSync(path), town)).toBe(0);
  });

  test("is as readable as the recording, and leaves nothing else", async () => {
    const path = temporaryFile("town.log", town);
    await simtape(["index", path]);
    expect(statSync(path + ENDING).mode & 0o777).toBe(statSync(path).mode & 0o666);
    expect(readdirSync(join(path, "..")).sort()).toEqual(["town.log", `town.log${ENDING}`]);
  });

  test("writes to the cache when asked, and nothing beside the recording", async () => {
    const path = temporaryFile("town.log", town);
    const { stdout, exit } = await simtape(["index", path, "--cache"]);
    expect(exit).toBe(0);
    expect(stdout).toContain(cache);
    expect(existsSync(path + ENDING)).toBe(false);
    expect((await infoOf(path)).seekIndex).toBe("kept");
    const [found] = readdirSync(join(cache, "indexes"));
    expect(statSync(join(cache, "indexes", found!)).mode & 0o777).toBe(0o600);
  });

  test("is not used for a file that has changed, which a note says", async () => {
    const path = temporaryFile("town.log", town);
    await simtape(["index", path]);
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    const info = await infoOf(path);
    expect(info).toMatchObject({ seekIndex: "built", sideCar: null });
    expect(info.findings.map(({ code }) => code)).toContain("seek-index-ignored");
    for (const words of [
      ["state", path, "--at", "1s"],
      ["events", path],
      ["cat", path, "--limit", "1"],
    ]) {
      const { exit, stderr } = await simtape(words);
      expect([exit, stderr]).toEqual([
        0,
        expect.stringMatching(/^simtape: .*town\.log: its seek index was not used: .*\n$/),
      ]);
    }
    expect((await simtape(["state", path, "--at", "1s", "--no-index"])).stderr).toBe("");
  });

  test("of many recordings a reason is said once", async () => {
    const paths = ["a.log", "b.log", "c.log"].map((name) => temporaryFile(name, town));
    for (const path of paths) writeFileSync(path + ENDING, "no side-car");
    const { exit, stderr } = await simtape(["sql", ...paths, "SELECT count(*) FROM events"]);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(/^simtape: .*a\.log \(and 2 more\): its seek index was not used: .*\n$/),
    ]);
  });

  test("is not used with --no-index, nor by commands that judge a recording", async () => {
    const path = temporaryFile("town.log", town);
    await simtape(["index", path]);
    expect(await infoOf(path, "--no-index")).toMatchObject({ seekIndex: "built", sideCar: null });
    writeFileSync(path + ENDING, "nonsense");
    expect((await simtape(["check", path])).stdout).not.toContain("seek-index");
    expect((await infoOf(path)).findings.map(({ code }) => code)).toContain("seek-index-ignored");
  });

  test("of a folder keeps one of each recording in it; with --missing of those that have none that fits", async () => {
    const folder = mkdtempSync(join(tmpdir(), "simtape-index-"));
    const names = ["a.log", "b.log", "deep/c.log"];
    mkdirSync(join(folder, "deep"));
    for (const name of names) writeFileSync(join(folder, name), town);
    writeFileSync(join(folder, "notes.txt"), "no recording");
    const made = await simtape(["index", folder, "--json"]);
    expect(made.exit).toBe(0);
    expect(filesIn(made.stdout)).toEqual(names.map((name) => join(folder, name)));
    for (const name of names) expect((await infoOf(join(folder, name))).seekIndex).toBe("kept");
    expect(await simtape(["index", folder, "--missing", "--json"])).toMatchObject({ exit: 0, stdout: "" });
    rmSync(join(folder, `a.log${ENDING}`));
    writeFileSync(join(folder, "deep/c.log"), makeTown(RELEASES[0]!, 30));
    const again = await simtape(["index", folder, "--missing", "--json"]);
    expect(filesIn(again.stdout)).toEqual([join(folder, "a.log"), join(folder, "deep/c.log")]);
    expect((await infoOf(join(folder, "deep/c.log"))).seekIndex).toBe("kept");
    expect(await simtape(["index", join(folder, "deep"), join(folder, "none.log")])).toMatchObject({ exit: 1 });
  });

  test("refuses what cannot have one", async () => {
    expect((await simtape(["index", "https://example.org/town.log"])).exit).toBe(2);
    expect((await simtape(["index", temporaryFile("x.log", town), "--cache", "--beside"])).exit).toBe(2);
    expect((await simtape(["index", temporaryFile("notes.txt", Buffer.from("no recording"))])).exit).toBe(1);
  });
});

describe("the library", () => {
  test("finds the seek index of a file by itself, and uses none when seekIndex is false", async () => {
    const path = temporaryFile("town.log", town);
    await simtape(["index", path]);
    const [kept, none] = [await open(fromFile(path)), await open(fromFile(path), { seekIndex: false })];
    expect([kept.info.seekIndex, none.info.seekIndex]).toEqual(["kept", "built"]);
    await kept.close();
    await none.close();
  });

  test("fetches the one beside a URL only when asked, and then reads little of the recording", async () => {
    const path = temporaryFile("town.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 4000));
    await simtape(["index", path]);
    const asked: string[] = [];
    let sent = 0;
    const server = createServer((request, response) => {
      const name = basename(request.url!);
      asked.push(name);
      const bytes = readFileSync(join(path, "..", name));
      const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
      const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
      sent += part.length;
      if (from !== undefined)
        response.setHeader("content-range", `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`);
      response.writeHead(from === undefined ? 200 : 206).end(part);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/town.log`;
    expect((await infoOf(url)).seekIndex).toBe("built");
    expect(asked).not.toContain(`town.log${ENDING}`);
    const whole = sent;
    sent = 0;
    expect((await infoOf(url, "--index")).seekIndex).toBe("kept");
    expect(asked).toContain(`town.log${ENDING}`);
    expect(sent).toBeLessThan(0.6 * whole);
    server.closeAllConnections();
    server.close();
  });

  test("does not use the index of a file that was copied over another", async () => {
    const path = temporaryFile("town.log", town);
    const other = temporaryFile("other.log", makeTown(RELEASES[3]!, 40));
    await simtape(["index", path]);
    copyFileSync(other, path);
    expect(await infoOf(path)).toMatchObject({ seekIndex: "built" });
  });
});
