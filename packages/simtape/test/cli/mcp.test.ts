import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAIN, simtapeProcess } from "./run.ts";

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));

let folder: string;
let client: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mcp-"));
  mkdirSync(join(folder, "runs"));
  cpSync(example("town.log"), join(folder, "runs", "town.log"));
  cpSync(example("patrol.tape"), join(folder, "runs", "patrol.tape"));
  cpSync(example("flight.fgtape"), join(folder, "flight.fgtape"));
  writeFileSync(join(folder, "runs", "notes.txt"), "no recording");
  client = new Client({ name: "test", version: "1" });
  const args = [MAIN, "mcp", join(folder, "runs")];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" }));
});

afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});

/** Whatever JSON has. */
type Json = ReturnType<typeof JSON.parse>;

interface Said {
  readonly time: number;
  readonly text: string;
}

interface Shown {
  readonly set: string;
  readonly id: number;
  readonly dot: readonly [number, number] | null;
}

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
}

async function call(name: string, given: Record<string, unknown>): Promise<{ isError: boolean; content: Content[] }> {
  const { isError = false, content } = await client.callTool({ name, arguments: given });
  return { isError, content: content as Content[] };
}

/** The JSON that a tool answered. */
async function answer(name: string, given: Record<string, unknown>): Promise<Json> {
  const { isError, content } = await call(name, given);
  const text = content.find(({ type }) => type === "text")!.text!;
  expect(isError, text).toBe(false);
  return JSON.parse(text);
}

async function printed(...words: string[]): Promise<Json> {
  const { stdout, stderr } = await simtapeProcess(words);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe("a client of the SDK", () => {
  test("finds tools that say that they only read", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ["events", "info", "list", "paths", "picture", "series", "sql", "state"].sort(),
    );
    for (const { annotations, description } of tools) {
      expect(annotations?.readOnlyHint).toBe(true);
      expect(description).not.toBe("");
    }
  });

  test("gets the answers of the command", async () => {
    const { recordings, all } = await answer("list", {});
    expect([recordings, all]).toEqual([["patrol.tape", "town.log"], 2]);
    const path = join(folder, "runs", "town.log");
    const { file, holds, ...info } = await answer("info", { recording: "town.log" });
    const { file: _, ...own } = await printed("info", path, "--json");
    expect(info).toEqual(own);
    expect([file, holds]).toEqual(["town.log", expect.stringContaining("vehicle")]);
    const state = await answer("state", { recording: "town.log", at: "3s", paths: ["vehicles/24/position"] });
    const { findings, ...whole } = await printed(
      "state",
      path,
      "--at",
      "3s",
      "--path",
      "vehicles/24/position",
      "--json",
    );
    expect([state, findings]).toEqual([whole, []]);
    const given = { recording: "town.log", paths: ["vehicles/24/position.x"], points: 7 };
    const { series } = await answer("series", given);
    const words = ["--path", "vehicles/24/position.x", "--points", "7", "--json"];
    expect(series).toEqual((await printed("series", path, ...words)).series);
    const { events, all: count } = await answer("events", { recording: "town.log", kinds: ["collision"] });
    const lines = (await simtapeProcess(["events", path, "--kind", "collision", "--format", "ndjson"])).stdout;
    const own2 = lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    expect(count).toBe(own2.length);
    expect(events.map(({ time, text }: Said) => [time, text])).toEqual(
      own2.map(({ time, text }: Said) => [time, text]),
    );
  });

  test("finds paths, with their units", async () => {
    const { paths, all } = await answer("paths", { recording: "town.log", at: "3s", like: "vehicles/24/position.*" });
    expect(paths).toContainEqual({ path: "vehicles/24/position.x", unit: "cm" });
    expect(all).toBe(paths.length);
  });

  test("asks in SQL over all recordings", async () => {
    const rows = await answer("sql", { statement: "select recording, format from recordings order by 1" });
    expect(rows).toEqual([
      { recording: "patrol.tape", format: "mira" },
      { recording: "town.log", format: "carla" },
    ]);
  });

  test("sees a picture whose dots are where the legend says", async () => {
    const { content } = await call("picture", { recording: "town.log", at: "3s" });
    const png = Buffer.from(content[0]!.data!, "base64");
    const { width, colourAt } = decoded(png);
    const { things, sets, grid } = JSON.parse(content[1]!.text!);
    expect(sets[0]).toEqual({ set: "vehicles", colour: "blue", things: 2 });
    expect(grid).toBeGreaterThan(0);
    expect(things.filter(({ set, dot }: Shown) => set === "vehicles" && dot !== null).length).toBe(2);
    for (const { set, dot } of things) if (set === "vehicles") expect(colourAt(dot[0], dot[1])).toEqual([0, 114, 178]);
    expect(width).toBe(900);
    const state = await answer("state", { recording: "town.log", at: "3s", paths: ["vehicles/24/position"] });
    const hero = things.find(({ id }: Shown) => id === 24);
    // centimetres, left-handed
    const { columns } = state.sets.vehicles;
    expect(hero.x).toBeCloseTo(columns["position.x"].data[0] / 100, 6);
    expect(hero.y).toBeCloseTo(-columns["position.y"].data[0] / 100, 6);
  });
});

/** A PNG with a palette, read from the specification alone. */
function decoded(png: Buffer): { width: number; colourAt(x: number, y: number): number[] } {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const width = chunks.get("IHDR")!.readUInt32BE(0);
  const rows = inflateSync(chunks.get("IDAT")!);
  const palette = chunks.get("PLTE")!;
  return {
    width,
    colourAt: (x, y) => [
      ...palette.subarray(3 * rows[y * (width + 1) + 1 + x]!, 3 * rows[y * (width + 1) + 1 + x]! + 3),
    ],
  };
}

describe("what is wrong is an answer that says so", () => {
  test.each([
    [
      "a name that is no recording",
      "info",
      { recording: "twon.log" },
      'no recording is called "twon.log"; there are: "town.log"',
    ],
    ["a path outside", "info", { recording: "../flight.fgtape" }, "no recording is called"],
    ["an absolute path", "info", { recording: "/etc/passwd" }, "no recording is called"],
    ["a file that is no recording", "info", { recording: "notes.txt" }, "no recording is called"],
    ["no such path", "series", { recording: "town.log", paths: ["nothing"] }, "no path"],
    ["no such time", "state", { recording: "town.log", at: "soon" }, "not a time"],
    ["a time behind the end", "state", { recording: "town.log", at: "1h" }, "is not in"],
    ["an argument too many", "list", { folder: "/" }, ""],
    ["an argument too few", "info", {}, ""],
    ["SQL that writes", "sql", { statement: "create table x (a int)" }, "SELECT"],
    ["SQL that reads files", "sql", { statement: "select * from read_text('/etc/passwd')" }, ""],
    ["a long answer", "sql", { statement: "select range from range(100000)" }, "the most is 100000"],
  ])("%s", async (_what, name, given, text) => {
    const outcome = await call(name, given as Record<string, unknown>).catch((error: Error) => ({
      isError: true,
      content: [{ type: "text", text: error.message }],
    }));
    expect(outcome.isError).toBe(true);
    expect(outcome.content[0]!.text).toContain(text);
    expect(outcome.content[0]!.text).not.toContain("root:");
  });

  test("a link that leads out of the folder is no way out", async () => {
    writeFileSync(join(folder, "secret.txt"), "secret");
    symlinkSync(join(folder, "secret.txt"), join(folder, "runs", "link.log"));
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect((await answer("list", {})).recordings).toEqual(["patrol.tape", "town.log"]);
    rmSync(join(folder, "runs", "link.log"));
  });

  test("a recording that comes later is found, and a damaged one says so", async () => {
    cpSync(example("race.hcrp"), join(folder, "runs", "race.hcrp"));
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect((await answer("list", { contains: "race" })).recordings).toEqual(["race.hcrp"]);
    rmSync(join(folder, "runs", "race.hcrp"));
    expect((await call("info", { recording: "race.hcrp" })).isError).toBe(true);
  });
});

test("over HTTP, programs of this machine are served, and pages of others are not", async () => {
  const child = spawn(process.execPath, [MAIN, "mcp", join(folder, "runs"), "--http", "0"]);
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stderr.on("data", (bytes: Buffer) => {
        said += bytes.toString();
        const found = /http:\S+/.exec(said);
        if (found !== null) resolve(found[0]);
      });
      child.once("exit", () => reject(new Error(said)));
    });
    const over = new Client({ name: "test", version: "1" });
    await over.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { content } = await over.callTool({ name: "list", arguments: {} });
    expect((content as Content[])[0]!.text).toContain("town.log");
    await over.close();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const foreign = await fetch(url, { method: "POST", body, headers: { ...headers, origin: "https://example.org" } });
    expect(foreign.status).toBe(403);
    expect((await fetch(url.replace("/mcp", "/"))).status).toBe(404);
  } finally {
    child.kill("SIGINT");
  }
  expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
});

test("a place that does not exist is an error at once", async () => {
  const { exit, stderr } = await simtapeProcess(["mcp", join(folder, "nothing")]);
  expect(exit).not.toBe(0);
  expect(stderr).toContain("nothing");
});
