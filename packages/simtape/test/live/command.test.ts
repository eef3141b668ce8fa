import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createSocket } from "node:dgram";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allFormats } from "../../src/cli/input/formats.ts";
import { announce, fromFile } from "../../src/io/node/index.ts";
import { hubMessage } from "../../src/live/nanover/hub.ts";
import { open } from "../../src/index.ts";
import { sample, samplesDirectory } from "../samples.ts";

const COMMAND = fileURLToPath(new URL("../../bin/simtape.js", import.meta.url));
const hasPython = ((): boolean => {
  try {
    execFileSync("/usr/bin/python3", ["-c", "import websockets, msgpack"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

let folder = "";
const running: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-live-"));
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  /** Settles when the pattern has come out, with what it found. */
  said(pattern: RegExp): Promise<string>;
}

function simtape(...words: string[]): Run {
  const child = spawn(process.execPath, [COMMAND, ...words], { stdio: ["ignore", "pipe", "pipe"], cwd: folder });
  running.push(child);
  const text = { out: "", err: "" };
  let look = (): void => undefined;
  for (const [name, stream] of [
    ["out", child.stdout],
    ["err", child.stderr],
  ] as const)
    stream.on("data", (data: Buffer) => {
      text[name] += data.toString();
      look();
    });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, ...text }));
  });
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = pattern.exec(text.out + text.err);
        if (found !== null) resolve(found[0]);
      };
      look();
      void ended.then(({ err }) => reject(new Error(`ended without ${String(pattern)}: ${err}`)));
    });
  return { child, ended, said };
}

async function messagesIn(path: string): Promise<number> {
  await using recording = await open(fromFile(path), { formats: allFormats() });
  let count = 0;
  for await (const batch of recording.batches()) count += batch.length;
  return count;
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

describe.skipIf(samplesDirectory === null)("the commands", { timeout: 60_000 }, () => {
  async function server(...options: string[]): Promise<string> {
    const player = simtape(
      "play",
      sample("nanover/17-ala-multiple.nanover.zip"),
      "--into",
      "nanover",
      "--port",
      "0",
      "--repeat",
      ...options,
    );
    return player.said(/ws:\/\/127\.0\.0\.1:\d+/);
  }

  test("record what another plays; a second recorder of the same name is refused", async () => {
    const address = await server();
    const first = simtape(
      "record",
      "--from",
      "nanover",
      address,
      "-o",
      "run.nanover.zip",
      "--duration",
      "4s",
      "--json",
    );
    await first.said(/recording the/);
    const second = await simtape("record", "--from", "nanover", address, "-o", "run.nanover.zip").ended;
    expect(second.code).toBe(2);
    expect(second.err).toMatch(/another recorder/);
    const { code, out } = await first.ended;
    expect(code).toBe(0);
    const report = JSON.parse(out) as { messages: number; gaps: unknown[] };
    expect(report.messages).toBeGreaterThan(20);
    expect(report.gaps).toEqual([]);
    expect(existsSync(join(folder, "run.nanover.zip.take"))).toBe(false);
    expect(await messagesIn(join(folder, "run.nanover.zip"))).toBeGreaterThanOrEqual(report.messages);
  });

  test("what a killed recorder has flushed is recovered", async () => {
    const address = await server();
    const recorder = simtape("record", "--from", "nanover", address, "-o", "run.traj", "--flush-every", "100ms");
    await recorder.said(/recording the/);
    await wait(3000);
    recorder.child.kill("SIGKILL");
    await recorder.ended;
    const { code, err } = await simtape("recover", "run.traj.take").ended;
    expect(code, err).toBe(0);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["run.traj"]));
    expect(await messagesIn(join(folder, "run.traj"))).toBeGreaterThan(10);
  });

  test("a ring is saved on demand, with the time in its name", async () => {
    const address = await server();
    const recorder = simtape("record", "--from", "nanover", address, "-o", "run.nanover.zip", "--ring", "5s");
    await recorder.said(/keeping the/);
    await wait(3000);
    recorder.child.kill("SIGUSR2");
    const name = (await recorder.said(/run-\d{8}-\d{6}\.nanover\.zip: \d+ messages/)).split(":")[0]!;
    recorder.child.kill("SIGINT");
    expect((await recorder.ended).code).toBe(0);
    expect(await messagesIn(join(folder, name))).toBeGreaterThan(10);
  });

  test("a take in pieces: each opens alone, and a killed recorder leaves one that is recovered", async () => {
    const address = await server();
    const words = ["record", "--from", "nanover", address, "-o", "run.nanover.zip", "--flush-every", "200ms"];
    const recorder = simtape(...words, "--split", "2s", "--json");
    await recorder.said(/"piece":"run-\d{8}-\d{6}\.nanover\.zip".*\n.*"piece"/);
    await wait(700);
    recorder.child.kill("SIGKILL");
    const { out } = await recorder.ended;
    const done = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { piece: string; messages: number });
    const left = readdirSync(folder)
      .filter((name) => name.endsWith(".take"))
      .toSorted();
    expect(left.length).toBeGreaterThan(0);
    for (const name of left) expect((await simtape("recover", name).ended).code, name).toBe(0);
    const pieces = readdirSync(folder).toSorted();
    expect(pieces).toEqual(expect.arrayContaining(done.map(({ piece }) => piece)));
    expect(pieces.every((name) => /^run-\d{8}-\d{6}\.nanover\.zip$/.test(name))).toBe(true);
    for (const name of pieces) {
      await using recording = await open(fromFile(join(folder, name)), { formats: allFormats() });
      const timeline = await recording.timeline();
      // what was said once, at the start of the take, is in every piece
      const { sets } = await recording.state(timeline.start);
      expect(sets.get("particles")?.ids.length, name).toBeGreaterThan(0);
    }
    expect((await simtape("record", "--from", "nanover", address, "-o", "run.traj", "--split", "1ms").ended).code).toBe(
      2,
    );
  });

  test.skipIf(!hasPython)(
    "a client made from the specification alone plays it (needs python3-websockets, python3-msgpack)",
    async () => {
      const address = await server("--paused");
      const script = fileURLToPath(new URL("nanover/client.py", import.meta.url));
      const client = spawn("/usr/bin/python3", [script, address], { stdio: ["ignore", "pipe", "inherit"] });
      running.push(client);
      let out = "";
      client.stdout.on("data", (data: Buffer) => {
        out += data.toString();
      });
      await new Promise((resolve) => client.once("close", resolve));
      const got = JSON.parse(out) as {
        simulations: string[];
        unknown: string;
        types: Record<string, string>;
        count: number;
        bytes: number;
      };
      expect(got.simulations).toEqual(["17-ala-multiple.nanover.zip"]);
      expect(got.unknown).toBe("'nope'");
      expect(got.bytes).toBe(12 * got.count);
      expect(got.types).toMatchObject({
        "particle.positions": "bytes",
        "particle.elements": "bytes",
        "particle.names": "list",
        "frame.index": "int",
      });
    },
  );
});

test("a server is announced as NanoVer's clients expect it", async () => {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  const { port } = socket.address();
  const got = new Promise<unknown>((resolve) => socket.once("message", (data) => resolve(JSON.parse(data.toString()))));
  const payload = (address: string): Uint8Array => hubMessage("town", address, 38_801, "one");
  const end = await announce({ port, every: 500, payload, networks: [{ address: "127.0.0.1", to: "127.0.0.1" }] });
  expect(await got).toEqual({
    name: "town",
    address: "127.0.0.1",
    id: "one",
    essd_version: "1.0.0",
    services: { ws: 38_801 },
  });
  await end();
  socket.close();
  expect(() => hubMessage("x".repeat(2000), "127.0.0.1", 1, "one")).toThrow(RangeError);
});
