import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { streamed } from "../../export/mcap/judge.ts";
import { SOUND } from "../../specimens.ts";
import { SdkClient } from "./sdk-client.ts";

const COMMAND = fileURLToPath(new URL("../../../bin/simtape.js", import.meta.url));
const DRIVE = Object.values(SOUND.find(({ name }) => name === "drive.mcap")!.files)[0]!;

let folder = "";
const running: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-foxglove-"));
  writeFileSync(join(folder, "drive.mcap"), DRIVE);
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
  let [out, err] = ["", ""];
  let look = (): void => undefined;
  child.stdout.on("data", (data: Buffer) => {
    out += data.toString();
    look();
  });
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString();
    look();
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, out, err }));
  });
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = pattern.exec(out + err);
        if (found !== null) resolve(found[0]);
      };
      look();
      void ended.then(() => reject(new Error(`ended without ${String(pattern)}: ${err}`)));
    });
  return { child, ended, said };
}

function server(...options: string[]): Promise<string> {
  const words = ["play", "drive.mcap", "--into", "foxglove", "--port", "0", "--repeat", ...options];
  return simtape(...words).said(/ws:\/\/127\.0\.0\.1:\d+/);
}

describe("the commands", { timeout: 60_000 }, () => {
  test("record what another plays, into MCAP; topics by globs", async () => {
    const address = await server();
    const words = ["record", "--from", "foxglove", address, "-o", "out.mcap", "--duration", "2s", "--json"];
    const { code, out, err } = await simtape(...words, "--topic", "/battery", "--topic", "/im*").ended;
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("recording the Foxglove server") });
    const report = JSON.parse(out) as { messages: number; lost: unknown[]; gaps: unknown[] };
    const { messages, schemas } = await streamed(new Uint8Array(readFileSync(join(folder, "out.mcap"))));
    expect(messages).toHaveLength(report.messages);
    expect(report).toMatchObject({ lost: [], gaps: [] });
    const source = await streamed(DRIVE);
    const known = new Set(source.messages.map(({ topic, logTime, data }) => `${topic} ${logTime} ${String(data)}`));
    for (const { topic, logTime, data } of messages) {
      expect(topic).toMatch(/^\/(battery|im[^/]*)$/);
      expect(known.has(`${topic} ${logTime} ${String(data)}`)).toBe(true);
    }
    for (const [name, data] of schemas) expect(Buffer.compare(data, source.schemas.get(name)!)).toBe(0);
    expect(existsSync(join(folder, "out.mcap.take"))).toBe(false);
  });

  test("a crash leaves a journal, of which recover makes the recording", async () => {
    const address = await server();
    const words = ["record", "--from", "foxglove", address, "-o", "out.mcap", "--flush-every", "50ms"];
    const recorder = simtape(...words);
    await recorder.said(/recording the/);
    await expect.poll(() => existsSync(join(folder, "out.mcap.take"))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    recorder.child.kill("SIGKILL");
    await recorder.ended;
    const { code } = await simtape("recover", "out.mcap.take").ended;
    expect(code).toBe(0);
    const source = await streamed(DRIVE);
    const { messages, schemas } = await streamed(new Uint8Array(readFileSync(join(folder, "out.mcap"))));
    expect(messages.length).toBeGreaterThan(0);
    expect([...schemas.keys()].every((name) => source.schemas.has(name))).toBe(true);
  });

  test("records into HCRP by conversion", async () => {
    const address = await server();
    const words = ["record", "--from", "foxglove", address, "-o", "out.hcrp", "--duration", "2s"];
    const { code } = await simtape(...words).ended;
    // what HCRP has no place for is counted
    expect([0, 3]).toContain(code);
    const { code: info, out } = await simtape("info", "out.hcrp", "--json").ended;
    expect(info).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ format: "hcrp" });
  });

  test("serves assets and pages that were named, and no others", async () => {
    writeFileSync(join(folder, "arm.urdf"), "<robot/>");
    const address = await server("--asset", "arm.urdf", "--allow-origin", "https://app.foxglove.dev");
    const client = new SdkClient(address);
    await client.until(() => client.channels.size > 0);
    client.send({ op: "fetchAsset", uri: "package://any/arm.urdf", requestId: 7 });
    client.send({ op: "fetchAsset", uri: "package://any/drive.mcap", requestId: 8 });
    await client.until(() => client.assets.length === 2);
    const [found, none] = [...client.assets].sort((a, b) => a.readUInt32LE(1) - b.readUInt32LE(1));
    expect(found!.subarray(10).toString()).toBe("<robot/>");
    expect(none![5]).toBe(1);
    await client.close();
    const opened = (origin: string): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = new WebSocket(address, ["foxglove.sdk.v1"], { origin });
        socket.once("open", () => {
          socket.terminate();
          resolve(true);
        });
        socket.once("error", () => resolve(false));
      });
    expect(await opened("https://app.foxglove.dev")).toBe(true);
    expect(await opened("http://localhost:8080")).toBe(true);
    expect(await opened("https://example.com")).toBe(false);
    expect(await opened("null")).toBe(false);
  });

  test("wrong usage is said as such", async () => {
    for (const [words, text] of [
      [["record", "--from", "foxglove", "localhost:8765", "-o", "x.mcap"], /ws:\/\/HOST:PORT/],
      [
        ["record", "--from", "nanover", "ws://127.0.0.1:1", "-o", "x.nanover.zip", "--topic", "/a"],
        /--topic is for --from foxglove, not for --from nanover/,
      ],
      [["record", "x", "--topic", "/a"], /--from foxglove/],
      [["play", "drive.mcap", "--into", "foxglove", "--asset", "a/x", "--asset", "b/x"], /two assets/],
    ] as const) {
      const { code, err } = await simtape(...words).ended;
      expect(err).toMatch(text);
      expect(code).toBe(2);
    }
  });
});
