import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { simtape, simtapeProcess, temporaryFile } from "./run.ts";

const bytes = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!);
const town = temporaryFile("town.log", bytes);
const cut = temporaryFile("cut.log", bytes.slice(0, bytes.length - 30));
const text = temporaryFile("notes.txt", new TextEncoder().encode("not a recording"));

describe("info", () => {
  test("gives one JSON object of the agreed shape", async () => {
    const { exit, stdout } = await simtape(["info", town, "--json"]);
    expect(exit).toBe(0);
    const info = JSON.parse(stdout);
    expect(Object.keys(info)).toEqual([
      "file",
      "format",
      "version",
      "bytes",
      "seekIndex",
      "sideCar",
      "metadata",
      "provenance",
      "timeline",
      "channels",
      "findings",
    ]);
    expect(info).toMatchObject({ format: "carla", bytes: bytes.length, seekIndex: "built", findings: [] });
    expect(info.timeline).toMatchObject({ start: 0, epoch: "1700000000000000000", tick: { name: "frame", count: 40 } });
    expect(Number.isInteger(info.timeline.end)).toBe(true);
    expect(Object.keys(info.channels[0])).toEqual(["id", "name", "schema", "messages", "bytes", "first", "last"]);
  });

  test("reads standard input", async () => {
    const { exit, stdout } = await simtape(["info", "-", "--json"], bytes);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).bytes).toBe(bytes.length);
  });

  test("tells people the same", async () => {
    const { exit, stdout } = await simtape(["info", town]);
    expect(exit).toBe(0);
    expect(stdout).toContain("carla, version 1 (0.9.15)");
    expect(stdout).toContain("no findings");
  });

  test.each([
    ["a file of another kind", [text], /not a recording of/],
    ["a file that is not there", ["/no/such/file.log"], /no such file|ENOENT/],
  ])("ends with 1 and one line for %s", async (_, words, message) => {
    const { exit, stdout, stderr } = await simtape(["info", ...words]);
    expect([exit, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("info of a URL", () => {
  let server: Server;
  let url = "";
  const requests: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.headers.range}`);
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
      const from = Number(range?.[1] ?? 0);
      const to = Math.min(Number(range?.[2] ?? bytes.length - 1), bytes.length - 1);
      response.writeHead(206, { "content-range": `bytes ${from}-${to}/${bytes.length}`, etag: '"1"' });
      response.end(bytes.subarray(from, to + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/town.log`;
  });
  afterAll(() => server.close());

  test("is that of the file, and takes one request when it is small", async () => {
    const { stdout } = await simtape(["info", url, "--json"]);
    const own: object = JSON.parse((await simtape(["info", town, "--json"])).stdout);
    expect(JSON.parse(stdout)).toEqual({ ...own, file: url });
    expect(requests).toHaveLength(1);
  });
});

describe("cat", () => {
  const rows = async (...words: string[]): Promise<Record<string, unknown>[]> => {
    const { exit, stdout } = await simtape(["cat", town, "--format", "ndjson", ...words]);
    expect(exit).toBe(0);
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  test("writes NDJSON rows of the agreed shape, in time order", async () => {
    const all = await rows();
    expect(Object.keys(all[0]!)).toEqual(["sequence", "time", "channel", "keyframe", "value"]);
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, i) => i));
    expect(await rows("--reverse")).toEqual(all.toReversed());
    expect(await rows("--limit", "3")).toEqual(all.slice(0, 3));
    const middle = all.filter(({ time }) => (time as number) >= 500e6 && (time as number) < 1e9);
    expect(await rows("--from", "500ms", "--until", "1s")).toEqual(middle);
  });

  test("filters by globs, several of them", async () => {
    const some = await rows("-c", "event-*", "-c", "collision");
    expect(new Set(some.map(({ channel }) => channel))).toEqual(
      new Set(["event-add", "event-del", "event-parent", "collision"]),
    );
  });

  test("gives payloads in base64 and typed values otherwise", async () => {
    const [raw] = await rows("-c", "frame-start", "--limit", "1", "--raw");
    expect(Buffer.from(raw!["value"] as string, "base64")).toHaveLength(24);
    const [value] = await rows("-c", "frame-start", "--limit", "1");
    expect(value!["value"]).toEqual({ frame: 1, durationThis: 0.05, elapsed: 0 });
  });

  test("writes NaN and infinities as strings", async () => {
    const boxes = await rows("-c", "bounding-box", "--from", "t4", "--limit", "1");
    expect(JSON.stringify(boxes)).toContain('"NaN"');
    expect(JSON.stringify(boxes)).toContain('"-Infinity"');
  });

  test("gives one channel as CSV with a column for each field", async () => {
    const { stdout } = await simtape(["cat", town, "-c", "frame-start", "--format", "csv", "--limit", "2"]);
    expect(stdout.split("\n")[0]).toBe("sequence,time,frame,durationThis,elapsed");
    expect(stdout.split("\n")[1]).toBe("0,0,1,0.05,0");
  });

  test("a reader that stops early is no failure", async () => {
    const { exit } = await simtape(["cat", town, "--limit", "1"]);
    expect(exit).toBe(0);
  });

  test("wrong use ends with 2 and says what there is", async () => {
    expect(await simtape(["cat", town, "-c", "nothing"])).toMatchObject({ exit: 2, stdout: "" });
    expect((await simtape(["cat", town, "-c", "nothing"])).stderr).toContain("frame-start");
    expect(await simtape(["cat", town, "--from", "soon"])).toMatchObject({ exit: 2 });
    expect(await simtape(["cat", town, "--format", "xml"])).toMatchObject({ exit: 2 });
    expect(await simtape(["cat"])).toMatchObject({ exit: 2 });
    expect(await simtape(["dance"])).toMatchObject({ exit: 2 });
  });
});

describe("state", () => {
  test("gives JSON of the agreed shape, at every form of time", async () => {
    const { exit, stdout } = await simtape(["state", town, "--at", "1s", "--json"]);
    expect(exit).toBe(0);
    const state = JSON.parse(stdout);
    expect(Object.keys(state)).toEqual(["time", "values", "sets", "findings"]);
    expect(Object.keys(state.sets)).toEqual(
      expect.arrayContaining(["vehicles", "walkers", "traffic-lights", "traffic-signs", "sensors", "other"]),
    );
    const { position } = state.sets.vehicles.columns;
    expect(position).toMatchObject({ unit: "cm", width: 3 });
    expect(position.data).toHaveLength(3 * state.sets.vehicles.ids.length);
    const same = async (at: string): Promise<unknown> =>
      JSON.parse((await simtape(["state", town, "--at", at, "--json"])).stdout).time;
    expect(await same("1000ms")).toBe(1e9);
    expect(await same("2023-11-14T22:13:21Z")).toBe(1e9);
    expect(await same("0m1s")).toBe(1e9);
    expect(await same("t4")).toBe(200e6);
  });

  test("needs a time", async () => {
    expect(await simtape(["state", town])).toMatchObject({ exit: 2 });
  });
});

describe("check", () => {
  test("ends with 0, 3 or 1: sound, damaged, not readable", async () => {
    expect(await simtape(["check", town])).toMatchObject({ exit: 0 });
    const damaged = await simtape(["check", town, cut, "--json"]);
    expect(damaged.exit).toBe(3);
    const [sound, broken] = damaged.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(sound).toMatchObject({ status: "sound", findings: [] });
    expect(broken).toMatchObject({ status: "damaged", format: "carla" });
    expect(broken.findings[0]).toMatchObject({ code: "truncated", severity: "loss", offset: expect.any(Number) });
    expect(await simtape(["check", cut, text])).toMatchObject({ exit: 1 });
  });
});

describe("the command itself", () => {
  test("knows its version, its help and completion", async () => {
    expect((await simtapeProcess(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await simtapeProcess(["cat", "--help"]);
    expect(help).toMatchObject({ exit: 0 });
    expect(help.stdout).toContain("Examples:");
    expect((await simtapeProcess(["complete", "bash"])).stdout).toContain("simtape");
  });

  test("is the same in a process of its own: streams, messages, exit codes", async () => {
    const lines = Buffer.from('{"tick":0}\n{"spawn":{"id":1,"type":"x:car","at":[0,64,0]}}\n{"move":{"id":2}}\n');
    const folder = dirname(temporaryFile("x", new Uint8Array(0)));
    const out = join(folder, "run");
    const runs: [string[], Uint8Array?][] = [
      [["info", town, "--json"]],
      [["check", town, cut, "--json"]],
      [["state", town]],
      [["nothing"]],
      [["record", out], lines],
    ];
    for (const [words, input] of runs) {
      const own = await simtapeProcess(words, input);
      rmSync(out, { recursive: true, force: true });
      expect(await simtape(words, input)).toEqual(own);
    }
  });
});
