import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { type ChildProcess, spawn } from "node:child_process";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { letIn } from "../../src/cli/commands/hcrp/record-door.ts";
import { type Input, type InputOptions, inputOf } from "../../src/cli/commands/hcrp/record-input.ts";
import type { Sender } from "../../src/cli/commands/hcrp/sender.ts";
import { tries } from "../soak.ts";
import { MAIN, simtape } from "./run.ts";

let folder = "";
const stop = new AbortController();
const open = new Set<{ close(): void }>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-door-"));
});
afterEach(() => {
  for (const one of open) one.close();
  open.clear();
});
afterAll(() => {
  stop.abort();
  rmSync(folder, { recursive: true, force: true });
});

const LINES = '{"tick":0}\n{"spawn":{"id":"a","type":"x:car","at":[0,64,0]}}\n{"end":"completed"}\n';
const BUSY = '{"error":"another sender is connected"}';

/** A place that is listened at, and what it said of where. */
async function listening(
  named: string,
  options: InputOptions = {},
): Promise<{ input: Input; port: number; said: string[] }> {
  const said: string[] = [];
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = ((text: string) => said.push(text) > 0) as typeof process.stderr.write;
  open.add({ close: () => (process.stderr.write = write) });
  const input = await inputOf(named, stop.signal, options);
  open.add(input);
  return { input, port: Number(/:(\d+)\n/.exec(said.join(""))?.[1]), said };
}

/** Everything that the next sender let in sends, up to a line that ends it. */
async function nextSender(input: Input): Promise<{ sender: Sender; text: string }> {
  const { value } = (await input.senders[Symbol.asyncIterator]().next()) as { value: Sender };
  let text = "";
  for await (const bytes of value.bytes) {
    text += Buffer.from(bytes).toString();
    if (text.includes('"end"')) break;
  }
  return { sender: value, text };
}

function dial(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket)).on("error", reject);
    open.add({ close: () => socket.destroy() });
  });
}

/** What comes back until the connection is closed. */
function answered(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  return new Promise((resolve) => {
    socket.on("close", () => resolve(text.trim())).on("error", () => undefined);
    socket.on("end", () => socket.end());
  });
}

describe("the door of a recorder that listens", () => {
  test("lets no page of the web in, however it asks", async () => {
    const { input, port } = await listening("tcp://127.0.0.1:0");
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"]) {
      const body = method === "GET" ? null : LINES;
      await expect(fetch(`http://127.0.0.1:${port}/`, { method, body })).rejects.toThrow();
    }
    const shouted = await dial(port);
    shouted.write(`MKCALENDAR / HTTP/1.1\r\nHost: x\r\n\r\n${LINES}`);
    expect(await answered(shouted)).toBe('{"error":"that is HTTP, not lines of JSON"}');
    const secret = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await new Promise((resolve) => secret.once("error", resolve));
    const own = await dial(port);
    own.write(LINES);
    expect((await nextSender(input)).text).toBe(LINES);
  });

  test("keeps the place free for the one that sends, while silent ones are connected", async () => {
    const { input, port } = await listening("tcp://127.0.0.1:0");
    const silent = await Promise.all(Array.from({ length: 40 }, () => dial(port)));
    const first = answered(silent[0]!);
    for (const socket of silent.slice(1, 4)) socket.destroy();
    const sender = await dial(port);
    sender.write(LINES);
    expect((await nextSender(input)).text).toBe(LINES);
    expect(await first).toBe('{"error":"others have come, and no line"}');
  });

  test("tells a silent connection when its time is over, and a second sender that it is one", async () => {
    const { input, port } = await listening("tcp://127.0.0.1:0", { timeout: 60 });
    const silent = await dial(port);
    expect(await answered(silent)).toBe('{"error":"no line has come in time"}');
    const slow = await dial(port);
    slow.write('{"tick"');
    expect(await answered(slow)).toBe('{"error":"no line has come in time"}');
    const first = await dial(port);
    first.write('{"tick":0}\n');
    const iterator = input.senders[Symbol.asyncIterator]();
    await iterator.next();
    const second = await dial(port);
    second.write(LINES);
    expect(await answered(second)).toBe(BUSY);
  });

  test.each([
    ["none", LINES, 'say {\\"token\\":\\"…\\"} first'],
    ["a wrong one", `{"token":"12345"}\n${LINES}`, "a wrong token"],
    ["a part of it", `{"token":"open"}\n${LINES}`, "a wrong token"],
    ["one that is no text", `{"token":1}\n${LINES}`, 'say {\\"token\\":\\"…\\"} first'],
    ["one among other things", `{"token":"open sesame","tick":1}\n${LINES}`, 'say {\\"token\\":\\"…\\"} first'],
  ])("lets no sender in with %s where there is a token", async (_, text, why) => {
    const { input, port, said } = await listening("tcp://127.0.0.1:0", { token: "open sesame" });
    const wrong = await dial(port);
    wrong.write(text);
    expect(await answered(wrong)).toBe(`{"error":"${why}"}`);
    const right = await dial(port);
    right.write(`{"token":"open sesame"}\n${LINES}`);
    expect((await nextSender(input)).text).toBe(LINES);
    expect(said.join("")).not.toContain("sesame");
  });

  test("asks a WebSocket for the same, and for where its page is from", async () => {
    const { input, port } = await listening("ws://127.0.0.1:0", { token: "t", origins: ["https://own.example"] });
    const refusal = (origin: string): Promise<string> =>
      new Promise((resolve) => {
        new WebSocket(`ws://127.0.0.1:${port}`, { origin }).on("error", ({ message }) => resolve(message));
      });
    for (const origin of [
      "https://example.org",
      "null",
      `http://127.0.0.1.example.org:${port}`,
      "https://own.example.org",
    ])
      expect(await refusal(origin)).toContain("401");
    const answer = (text: string, origin?: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}`, origin === undefined ? {} : { origin });
        open.add({ close: () => socket.terminate() });
        socket.on("open", () => socket.send(text)).on("message", (data) => resolve((data as Buffer).toString()));
      });
    expect(await answer(LINES)).toContain("token");
    expect(await answer("POST / HTTP/1.1\r\n")).toContain("HTTP");
    const sent = nextSender(input);
    const done = answer(`{"token":"t"}\n${LINES.trimEnd()}`, "https://own.example");
    const { sender, text } = await sent;
    expect(text).toBe(LINES.trimEnd());
    sender.answer("done");
    expect(await done).toBe("done");
  });

  test("changes no byte of who is let in, however it is cut", async () => {
    const cuts = fc.array(fc.nat(LINES.length), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.constantFrom("", " \r\n\t\n", "\ufeff"), fc.boolean(), async (at, before, hasToken) => {
        const bytes = Buffer.from(`${before}${hasToken ? '{"token":"x"}\n' : ""}${LINES}`);
        const ends = [...at, bytes.length].sort((a, b) => a - b);
        const found = await letIn(sending(ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))), {});
        let text = "";
        for await (const piece of (found as Sender).bytes) text += Buffer.from(piece).toString();
        expect(text.replace(/^\uFEFF/, "").trimStart()).toBe(LINES);
      }),
      { seed: 14, numRuns: tries(200, 20_000) },
    );
  });

  test("lets in nothing that does not begin as an object", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 5 }), async (pieces) => {
        const bytes = Buffer.concat(pieces);
        const found = await letIn(sending(pieces), {});
        const first = Array.from(bytes).find((byte) => ![0x20, 9, 10, 13, 0xef, 0xbb, 0xbf].includes(byte));
        const isIn = typeof found === "object" && found !== null;
        expect(isIn).toBe(first === 0x7b);
        if (first === undefined) expect(found).toBeNull();
      }),
      { seed: 14, numRuns: tries(500, 100_000) },
    );
  });

  function sending(pieces: readonly Uint8Array[]): Sender {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield* pieces;
    }
    return { name: "test", bytes: bytes(), answer: () => true, close: () => undefined };
  }
});

describe("simtape record", () => {
  test("takes nothing from a page, even when bad lines are skipped, and the token from the environment", async () => {
    const out = join(folder, "run");
    const env = { ...process.env, SIMTAPE_TOKEN: "open sesame" };
    const child: ChildProcess = spawn(
      process.execPath,
      [MAIN, "record", out, "--lenient", "-i", "tcp://:0", "--json"],
      { env },
    );
    open.add({ close: () => child.kill("SIGKILL") });
    let [talk, reported] = ["", ""];
    child.stdout!.on("data", (bytes: Buffer) => (reported += bytes.toString()));
    const port = await new Promise<number>((resolve) => {
      child.stderr!.on("data", (bytes: Buffer) => {
        talk += bytes.toString();
        const found = /listening at \S+:(\d+)/.exec(talk)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    });
    await expect(fetch(`http://127.0.0.1:${port}`, { method: "POST", body: LINES })).rejects.toThrow();
    // stays, and says nothing: the recorder ends all the same
    await dial(port);
    const sender = await dial(port);
    sender.write(`{"token":"open sesame"}\n${LINES}`);
    expect(JSON.parse(await answered(sender))).toMatchObject({ outcome: "completed", lines: 3, skipped: 0 });
    const exit = await new Promise((resolve) => child.once("exit", resolve));
    expect([exit, talk]).toEqual([0, expect.stringContaining("is refused: that is HTTP, not lines of JSON")]);
    expect(JSON.parse(reported)).toMatchObject({ lines: 3, turnedAway: 0 });
    expect(talk + reported).not.toContain("sesame");
    expect((await simtape(["check", out])).exit).toBe(0);
  });
});
