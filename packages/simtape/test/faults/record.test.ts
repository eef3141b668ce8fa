import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { check, open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { tries } from "../soak.ts";
import { simtape } from "../cli/run.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
let folder = "";
/** Whatever a failing test leaves running. */
const running = new Set<Running>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-record-"));
});
afterAll(() => {
  for (const one of running) one.child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** A command that goes on while the test does something. */
class Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  stdout = "";
  stderr = "";
  #wake: (() => void) | null = null;

  constructor(...words: readonly string[]) {
    this.child = spawn(process.execPath, [MAIN, ...words], { env: { ...process.env, NO_COLOR: "1", TZ: "UTC" } });
    this.child.stdout.on("data", (bytes: Buffer) => {
      this.stdout += bytes.toString();
      this.#wake?.();
    });
    this.child.stderr.on("data", (bytes: Buffer) => {
      this.stderr += bytes.toString();
      this.#wake?.();
    });
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      this.child.on("close", (exit) => {
        running.delete(this);
        this.#wake?.();
        resolve(exit);
      });
    });
    running.add(this);
  }

  tell(...lines: readonly object[]): void {
    this.child.stdin.write(textOf(lines));
  }

  /** When the command has said so. */
  async said(pattern: RegExp, where: "stdout" | "stderr" = "stderr"): Promise<string> {
    for (;;) {
      const found = pattern.exec(this[where]);
      if (found !== null) return found[1] ?? found[0];
      if (this.child.exitCode !== null) throw new Error(`ended with ${this.child.exitCode}: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function textOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** When it holds; tests have a time of their own. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const START = [{ tick: 0 }, { spawn: { id: "a", type: "x:car", at: [0, 64, 0] } }];

function moves(from: number, until_: number): object[] {
  return Array.from({ length: until_ - from }, (_, n) => [
    { tick: from + n },
    { move: { id: "a", at: [(from + n) / 4, 64, 0] } },
  ]).flat();
}

/** What is in a folder, read without the command. */
async function reading<T>(name: string, work: (recording: Recording) => Promise<T>): Promise<T> {
  const recording = await open(fromFile(join(name, "meta.hcrp")));
  try {
    return await work(recording);
  } finally {
    await recording.close();
  }
}

function metadataOf(name: string): Promise<{ outcome: string; sessions: { reason: string }[] }> {
  return reading(name, async ({ info }) => {
    const { hcrp } = info.metadata["metadata"] as unknown as {
      hcrp: { outcome: string; sessions: { reason: string }[] };
    };
    return hcrp;
  });
}

/** Who is there, and where. */
function placeOf(name: string, tick: number): Promise<unknown> {
  return reading(name, async (recording) => {
    const { ids, columns } = (await recording.state(tick * 50e6)).sets.get("entities")!;
    return [ids, Array.from(columns.get("position")!.data as Float64Array)];
  });
}

describe("simtape record", () => {
  test("records standard input, and reports", async () => {
    const out = join(folder, "stdin");
    const input = Buffer.from(textOf([{ simtape: 1 }, ...START, ...moves(1, 30), { end: "completed" }]));
    const { exit, stdout, stderr } = await simtape(["record", out, "--json"], input);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      recording: out,
      last: "stdin",
      outcome: "completed",
      ticks: 30,
      bytes: expect.any(Number),
      lines: 62,
      skipped: 0,
      turnedAway: 0,
      refused: 0,
      dropped: {},
    });
    expect(await placeOf(out, 20)).toEqual([[1], [5, 64, 0]]);
    const files = readdirSync(out).filter((name) => !name.startsWith("."));
    expect(files.sort()).toEqual(["meta.hcrp", "meta.hcrp.bak", "seg-00000000.hcs"]);
  });

  test("takes a folder and a name, a file, and a line without an end", async () => {
    const lines = join(folder, "lines.ndjson");
    writeFileSync(lines, textOf([...START, ...moves(1, 5)]).trimEnd());
    const { exit, stdout } = await simtape(["record", folder, "--id", "file", "--input", lines]);
    expect([exit, stdout]).toEqual([
      0,
      expect.stringMatching(
        /file: abandoned, 0:00\.250 \(5 ticks\), .* 10 lines; no line said \{"end":"completed"\}\n$/,
      ),
    ]);
    expect((await metadataOf(join(folder, "file"))).outcome).toBe("abandoned");
  });

  test("ends at a bad line, and keeps what was before it", async () => {
    const out = join(folder, "strict");
    const input = Buffer.from(textOf([...START, { move: { id: "b" } }, { tick: 9 }]));
    const { exit, stderr } = await simtape(["record", out], input);
    expect(exit).toBe(1);
    expect(stderr).toBe(
      'simtape: line 3: move: nothing has the id "b": spawn it first; what was before it is recorded. --lenient skips bad lines\n',
    );
    expect(await placeOf(out, 0)).toEqual([[1], [0, 64, 0]]);
  });

  test("skips bad lines when it may, and says so with exit 3", async () => {
    const input = Buffer.from(textOf([...START, ...Array.from({ length: 20 }, () => ({ nothing: 1 })), { tick: 9 }]));
    const { exit, stdout, stderr } = await simtape(["record", join(folder, "lenient"), "--lenient", "--json"], input);
    expect([exit, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ lines: 23, skipped: 20, ticks: 9 })]);
    expect(stderr.match(/skipped: line/g)).toHaveLength(10);
  });

  test.each([
    ["nothing that was sent", [], "", 1, /nothing was sent/],
    ["a bad header", [], '{"simtape":2}\n', 1, /line 1: simtape: expected 1, found 2; nothing is recorded/],
    ["a name that is none", ["--id", "a b"], "", 2, /say the recording's name/],
    ["an input without a port", ["--input", "tcp://127.0.0.1"], "", 2, /--input takes/],
    ["a size that is none", ["--buffer", "much"], "", 2, /a size such as/],
  ])("leaves nothing behind for %s", async (_, words, input, code, message) => {
    const { exit, stderr } = await simtape(["record", join(folder, "none"), ...words], Buffer.from(input));
    expect([exit, stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  test("never overwrites, and goes on only with what was left open", async () => {
    const out = join(folder, "twice");
    const input = Buffer.from(textOf([...START, { end: "completed" }]));
    expect((await simtape(["record", out], input)).exit).toBe(0);
    const again = await simtape(["record", out], input);
    expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining("there is a recording already")]);
    const resumed = await simtape(["record", out, "--resume"], input);
    expect([resumed.exit, resumed.stderr]).toEqual([1, expect.stringContaining("it is finished")]);
  });

  test("goes by the clock when ticks are real", async () => {
    const recorder = new Running("record", join(folder, "real"), "--tick-rate", "real", "--json");
    recorder.tell({ spawn: { id: "a", type: "x:car", at: [0, 64, 0] } }, { commit: true });
    await until(() => existsSync(join(folder, "real", "seg-00000000.hcs")));
    await new Promise((resolve) => setTimeout(resolve, 120));
    recorder.tell({ move: { id: "a", at: [1, 64, 0] } });
    recorder.child.stdin.end();
    expect(await recorder.ended).toBe(0);
    expect((JSON.parse(recorder.stdout) as { ticks: number }).ticks).toBeGreaterThan(0);
  });
});

describe("a recorder that listens", () => {
  interface Peer {
    send(...lines: readonly object[]): void;
    /** The first line of an answer, or "" when there is none. */
    readonly answer: Promise<string>;
    close(): void;
  }

  async function overSocket(socket: Socket): Promise<Peer> {
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
    });
    const answer = new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (bytes: Buffer) => {
        text += bytes.toString();
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(text.trim()));
    });
    return { send: (...lines) => void socket.write(textOf(lines)), answer, close: () => void socket.end() };
  }

  async function overWebSocket(url: string): Promise<Peer> {
    const socket = new WebSocket(url);
    const answer = new Promise<string>((resolve) => {
      socket.on("message", (data: Buffer) => resolve(data.toString()));
      socket.on("close", () => resolve(""));
    });
    await new Promise((resolve, reject) => {
      socket.once("open", resolve).once("error", reject);
    });
    return { send: (...lines) => socket.send(textOf(lines).trimEnd()), answer, close: () => socket.close() };
  }

  const kinds: [string, () => string, (at: string) => Promise<Peer>][] = [
    ["tcp", () => "tcp://127.0.0.1:0", (at) => overSocket(connect(Number(at.split(":").at(-1)), "127.0.0.1"))],
    ["ws", () => "ws://:0", overWebSocket],
    ["unix", () => `unix:${join(folder, "socket")}`, (at) => overSocket(connect(at.slice("unix:".length)))],
  ];

  test.each(kinds)("takes one sender after another over %s, and answers", async (kind, input, join_) => {
    const out = join(folder, kind);
    const recorder = new Running("record", out, "--input", input(), "--json");
    const at = await recorder.said(/listening at (\S+)/);
    const first = await join_(at);
    first.send(...START, ...moves(1, 10));
    await until(() => existsSync(join(out, "meta.hcrp")));
    const second = await join_(at);
    expect(await second.answer).toBe('{"error":"another sender is connected"}');
    first.close();
    await until(() => existsSync(join(out, "seg-00000000.hcs")));

    const bad = await join_(at);
    bad.send({ tick: 10 }, { move: { id: "c" } });
    expect(await bad.answer).toMatch(/^\{"error":"line 22: move: nothing has the id \\"c\\": spawn it first"\}/);
    bad.close();
    await recorder.said(/is turned away: line 22/);

    // what the first has sent still holds
    let last = await join_(at);
    last.send({ simtape: 1 }, ...moves(11, 20), { end: "completed" });
    let answer = await last.answer;
    while (answer.includes("another sender")) {
      last = await join_(at);
      last.send({ simtape: 1 }, ...moves(11, 20), { end: "completed" });
      answer = await last.answer;
    }
    expect(JSON.parse(answer)).toMatchObject({ outcome: "completed", ticks: 20, turnedAway: 1 });
    expect(await recorder.ended).toBe(3);
    expect(JSON.parse(recorder.stdout)).toEqual(JSON.parse(answer));
    expect(await placeOf(out, 9)).toEqual([[1], [2.25, 64, 0]]);
    expect(await placeOf(out, 19)).toEqual([[1], [4.75, 64, 0]]);
    const { sessions } = await metadataOf(out);
    expect(sessions.map(({ reason }) => reason)).toEqual(expect.arrayContaining(["start", "rejoin"]));
  });

  test("refuses pages of others", async () => {
    const recorder = new Running("record", join(folder, "origin"), "--input", "ws://:0");
    const at = await recorder.said(/listening at (\S+)/);
    const refusal = new Promise<string>((resolve) => {
      new WebSocket(at, { origin: "https://example.org" }).on("error", ({ message }) => resolve(message));
    });
    expect(await refusal).toContain("401");
    const own = new WebSocket(at, { origin: "http://localhost:8080" });
    await new Promise((resolve) => own.once("open", resolve));
    own.terminate();
    recorder.child.kill("SIGTERM");
    expect(await recorder.ended).toBe(1);
  });

  test("says when it cannot listen", async () => {
    const recorder = new Running("record", join(folder, "first"), "--input", "tcp://:0");
    const at = await recorder.said(/listening at (\S+)/);
    const { exit, stderr } = await simtape(["record", join(folder, "second"), "--input", at]);
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/another program listens there: tcp:/)]);
    recorder.child.kill("SIGINT");
    await recorder.ended;
  });
});

describe("a recorder that is ended", () => {
  test.each(tries(0, 1) === 0 ? (["SIGINT", "SIGHUP"] as const) : (["SIGINT", "SIGTERM", "SIGHUP"] as const))(
    "by %s closes the recording as abandoned",
    async (signal) => {
      const out = join(folder, signal);
      const recorder = new Running("record", out, "--journal");
      recorder.tell(...START, ...moves(1, 50));
      await until(() => existsSync(join(out, "journal.hcj")));
      recorder.child.kill(signal);
      expect(await recorder.ended).toBe(0);
      expect(recorder.stderr).toContain("closing the recording");
      expect((await metadataOf(out)).outcome).toBe("abandoned");
      expect(await placeOf(out, 49)).toEqual([[1], [12.25, 64, 0]]);
      expect(readdirSync(out).filter((name) => !name.startsWith(".") && !/^(meta|seg)/.test(name))).toEqual([]);
    },
  );

  test("by a kill is gone on with, and no number of an entity is used twice", async () => {
    const out = join(folder, "killed");
    const recorder = new Running("record", out, "--journal");
    recorder.tell(...START, ...moves(1, 40), { commit: true });
    await until(() => existsSync(join(out, "seg-00000000.hcs")));
    recorder.tell({ tick: 40 }, { spawn: { id: "b", type: "x:bus", at: [9, 64, 0] } }, { tick: 60 });
    await until(() => readFileSync(join(out, "journal.hcj")).includes("x:bus"));
    recorder.child.kill("SIGKILL");
    await recorder.ended;
    expect(readFileSync(join(out, "writer.lock"), "utf8")).toMatch(new RegExp(`^${recorder.child.pid} killed `));

    const { stdout } = await simtape(["info", out]);
    expect(stdout).toContain("open: being recorded, or its recorder ended without closing it");
    const input = Buffer.from(textOf([{ tick: 5000 }, ...START.slice(1), { tick: 5010 }, { end: "completed" }]));
    const resumed = await simtape(["record", out, "--resume", "--journal", "--json"], input);
    expect({ exit: resumed.exit, stderr: resumed.stderr }).toEqual({ exit: 0, stderr: "" });
    const { ticks } = JSON.parse(resumed.stdout) as { ticks: number };
    expect(ticks).toBeGreaterThanOrEqual(50);
    expect(await placeOf(out, 39)).toEqual([[1], [9.75, 64, 0]]);
    expect(await placeOf(out, 41)).toEqual([
      [1, 2],
      [9.75, 64, 0, 9, 64, 0],
    ]);
    // the new sender's world has begun again
    expect(await placeOf(out, ticks)).toEqual([[3], [0, 64, 0]]);
    const report = await reading(out, (recording) => check(recording));
    expect(report.status).toBe("sound");
  });

  test("may not have another beside it", async () => {
    const out = join(folder, "locked");
    const recorder = new Running("record", out);
    recorder.tell(...START, ...moves(1, 3));
    await until(() => existsSync(join(out, "meta.hcrp")));
    const second = await simtape(["record", out, "--resume"], Buffer.from(textOf(START)));
    expect([second.exit, second.stderr]).toEqual([
      1,
      `simtape: process ${recorder.child.pid} is recording it: ${join(out, "writer.lock")}\n`,
    ]);
    recorder.child.stdin.end();
    expect(await recorder.ended).toBe(0);
    expect(existsSync(join(out, "writer.lock"))).toBe(false);
  });
});

describe("simtape tail", () => {
  test.each(["directory", "http"])("prints what is committed, as it is, of a %s", async (kind) => {
    const out = join(folder, `tailed-${kind}`);
    const recorder = new Running("record", out, "--commit-every", "0");
    recorder.tell(...START, ...moves(1, 3), { commit: true });
    await until(() => existsSync(join(out, "seg-00000000.hcs")));
    const conditions: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      const path = join(folder, request.url!);
      if (!existsSync(path)) {
        response.writeHead(404).end();
        return;
      }
      const bytes = readFileSync(path);
      const etag = `"${bytes.length}-${Buffer.from(bytes.subarray(-40)).toString("hex")}"`;
      if (request.headers.range === "bytes=0-0") conditions.push(request.headers["if-none-match"]);
      if (request.headers["if-none-match"] === etag) {
        response.writeHead(304).end();
        return;
      }
      const [, from = "0", to = "0"] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const end = Math.min(Number(to), bytes.length - 1);
      response.writeHead(206, { etag, "content-range": `bytes ${from}-${end}/${bytes.length}` });
      response.end(bytes.subarray(Number(from), end + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tailed-http/meta.hcrp`;
    const tail = new Running("tail", kind === "http" ? url : out, "--from", "start", "--follow-interval", "50ms");
    await tail.said(/"channel":"spawn"/, "stdout");
    recorder.tell(...moves(3, 5), { chat: { text: "late" } }, { commit: true });
    await tail.said(/"line":"late"/, "stdout");
    expect(tail.child.exitCode).toBe(null);
    recorder.tell({ tick: 8 }, { mark: { label: "over" } }, { end: "completed" });
    expect(await recorder.ended).toBe(0);
    expect(await tail.ended).toBe(0);
    expect(tail.stdout).toBe((await simtape(["cat", out])).stdout);
    if (kind === "http") expect(conditions.some((condition) => condition !== undefined)).toBe(true);
    server.close();
  });

  test("begins with what comes, narrows, and ends when nothing does", async () => {
    const out = join(folder, "idle");
    const recorder = new Running("record", out);
    recorder.tell(...START, ...moves(1, 3), { chat: { text: "before" } }, { commit: true });
    await until(() => existsSync(join(out, "seg-00000000.hcs")));
    const words = ["--follow-interval", "50ms", "--idle-exit", "300ms", "--format", "text"];
    const nothing = await simtape(["tail", out, ...words]);
    expect([nothing.exit, nothing.stdout, nothing.stderr]).toEqual([0, "", ""]);
    const chat = await simtape(["tail", out, "--from", "0s", "-c", "chat", ...words]);
    expect([chat.exit, chat.stdout]).toEqual([0, expect.stringMatching(/^ +0\.\d+ chat .*before"\}\n$/)]);
    const forEver = new Running("tail", out, "--from", "start");
    await forEver.said(/spawn/, "stdout");
    forEver.child.kill("SIGINT");
    expect(await forEver.ended).toBe(0);
    recorder.child.stdin.end();
    await recorder.ended;
  });

  test("shows what its recorder mirrors and has not committed, and each message once", async () => {
    const out = join(folder, "mirrored");
    const recorder = new Running("record", out, "--commit-every", "1h");
    recorder.tell(...START, ...moves(1, 3), { chat: { text: "early" } }, { tick: 3 });
    await until(() => existsSync(join(out, "meta.hcrp")));
    const tail = new Running("tail", out, "--from", "start", "--follow-interval", "50ms");
    await tail.said(/"line":"early"/, "stdout");
    recorder.tell(...moves(3, 6), { commit: true }, ...moves(6, 9), { chat: { text: "late" } }, { tick: 10 });
    await tail.said(/"line":"late"/, "stdout");
    recorder.tell({ end: "completed" });
    expect(await recorder.ended).toBe(0);
    expect(await tail.ended).toBe(0);
    expect(tail.stdout).toBe((await simtape(["cat", out])).stdout);
  });

  test.each([
    ["carla/0.9.15/town.log"],
    ["flightgear/continuous/flight.fgtape"],
    ["mira/recommended/robot.tape"],
    ["nanover/pair/run.traj", "nanover/pair/run.state"],
  ])("follows a file while its own program writes it: %s", async (...paths) => {
    const place = mkdtempSync(join(folder, "growing-"));
    const files = paths.map((path) => {
      const bytes = readFileSync(new URL(`../../../corpus/cases/${path}`, import.meta.url));
      return { bytes, path: join(place, path.slice(path.lastIndexOf("/") + 1)) };
    });
    const main = files[0]!.path;
    const upTo = (part: number): void => {
      for (const { path, bytes } of files) writeFileSync(path, bytes.subarray(0, Math.ceil(bytes.length * part)));
    };
    upTo(0.6);
    const lines = (text: string): string[] =>
      text
        .trimEnd()
        .split("\n")
        // in a pair messages of one file lie behind those of the other
        .map((line) => line.replace(/"sequence":\d+/, ""))
        .sort();
    const tail = new Running("tail", main, "--from", "start", "--follow-interval", "50ms", "--idle-exit", "3s");
    await tail.said(/"sequence":/, "stdout");
    for (const part of [0.7, 0.71, 0.85, 1]) {
      upTo(part);
      const { length } = lines((await simtape(["cat", main])).stdout);
      await until(() => lines(tail.stdout).length >= length);
    }
    expect(await tail.ended).toBe(0);
    expect(lines(tail.stdout)).toEqual(lines((await simtape(["cat", main])).stdout));
    const later = await simtape(["tail", main, "--follow-interval", "10ms", "--idle-exit", "50ms"]);
    expect([later.exit, later.stdout]).toEqual([0, ""]);
  });

  test("goes on with the recording that a limit has begun", async () => {
    const out = join(folder, "limited");
    const recorder = new Running("record", out, "--limit-ticks", "20", "--commit-every", "0");
    recorder.tell(...START);
    await until(() => existsSync(join(out, "meta.hcrp")));
    const tail = new Running("tail", out.concat("/"), "--from", "start", "--follow-interval", "50ms", "-c", "chat");
    recorder.tell(...moves(1, 20), { chat: { text: "one" } });
    for (let tick = 20; !existsSync(join(folder, "limited-2", "seg-00000000.hcs")) && tick < 1e5; tick++) {
      recorder.tell({ tick }, { chat: { text: `${tick}` } });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    recorder.tell({ chat: { text: "two" } }, { end: "completed" });
    expect(await recorder.ended).toBe(0);
    expect(await tail.ended).toBe(0);
    expect(tail.stdout).toMatch(/"line":"one"[\s\S]*"line":"two"/);
    expect(tail.stderr).toContain("it goes on in limited-2");
  });
});

describe("docs/recording.md", () => {
  const page = readFileSync(new URL("../../../../docs/recording.md", import.meta.url), "utf8");
  const exampleOf = (language: string): string =>
    new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)![1]!;
  const has = (command: string): boolean => {
    try {
      execFileSync(command, ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };

  test.skipIf(!has("bash"))("has an example for the shell that runs", () => {
    const script = `simtape() { "${process.execPath}" "${MAIN}" "$@"; }\n${exampleOf("sh")}`;
    const said = execFileSync("bash", ["-ec", script], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1" },
    }).toString();
    expect(said).toMatch(/shell: completed, 0:02\.050 \(41 ticks\)[\s\S]*red {2}position=40 0 5 m/);
  });

  test.skipIf(!has("python3"))("has an example for Python that runs", async () => {
    const out = join(folder, "python");
    const recorder = new Running("record", out, "--input", "tcp://127.0.0.1:0");
    const port = (await recorder.said(/listening at (\S+)/)).split(":").at(-1)!;
    const script = exampleOf("python").replace("9100", port);
    const python = spawn("python3", ["-c", script]);
    let said = "";
    python.stdout.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    python.stderr.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    await new Promise((resolve) => python.on("close", resolve));
    expect(said).toBe("completed\n");
    expect(await recorder.ended).toBe(0);
    expect(await reading(out, async (recording) => (await recording.timeline()).tick?.count)).toBe(81);
  });
});

describeWithCeph("a recorder into S3", (bucket) => {
  test("records, is read and tailed, and refuses a second", async () => {
    const { endpoint, credentials, bucket: name } = bucket();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_S3: String(endpoint),
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    });
    const out = `s3://${name}/recordings/run`;
    const recorder = new Running("record", out, "--commit-every", "0");
    recorder.tell(...START, ...moves(1, 20), { commit: true });
    await until(async () => (await simtape(["info", out])).exit === 0);
    const tail = new Running("tail", out, "--from", "start", "--follow-interval", "100ms");
    await tail.said(/"channel":"spawn"/, "stdout");
    const second = await simtape(["record", out], Buffer.from(textOf(START)));
    expect([second.exit, second.stderr]).toEqual([1, expect.stringContaining("there is a recording already")]);
    recorder.tell(...moves(20, 30), { end: "completed" });
    expect(await recorder.ended).toBe(0);
    expect(await tail.ended).toBe(0);
    expect(tail.stdout).toBe((await simtape(["cat", out])).stdout);
  });
});
