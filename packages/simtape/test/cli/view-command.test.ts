import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** A project in which the command is installed, with a viewer that is one page of nothing. */
const project = mkdtempSync(join(tmpdir(), "simtape-view-command-"));
const recording = join(project, "town.log");
const running: ChildProcess[] = [];

beforeAll(() => {
  const installed = join(project, "node_modules");
  const viewer = join(installed, "simtape-viewer");
  mkdirSync(join(viewer, "dist"), { recursive: true });
  writeFileSync(join(viewer, "package.json"), '{ "name": "simtape-viewer" }');
  writeFileSync(join(viewer, "dist/index.html"), "<title>the page</title>");
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== "simtape-viewer" && !name.startsWith(".")) {
      symlinkSync(join(ROOT, "node_modules", name), join(installed, name));
    }
  }
  writeFileSync(recording, makeTown(RELEASES[5]!));
});

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

afterAll(() => rmSync(project, { recursive: true }));

/** The built command, in a process of its own. */
function start(words: readonly string[]): ChildProcess {
  const main = join(project, "node_modules/simtape/dist/cli/main.js");
  const child = spawn(process.execPath, [
    "--preserve-symlinks",
    "--preserve-symlinks-main",
    main,
    "view",
    recording,
    ...words,
  ]);
  running.push(child);
  return child;
}

/** The address printed, and what was said on standard error by the line that says how it ends. */
async function serving(words: readonly string[]): Promise<{ address: URL; said: string }> {
  const child = start(words);
  const said: string[] = [];
  const talk = createInterface(child.stderr!);
  const reported = (async () => {
    for await (const line of talk) {
      said.push(line);
      if (line.includes("Ctrl+C")) return;
    }
  })();
  const [address] = (await once(createInterface(child.stdout!), "line")) as [string];
  await reported;
  return { address: new URL(address), said: said.join("\n") };
}

async function refused(words: readonly string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  const child = start(words);
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "close") as Promise<[number]>,
  ]);
  return { exit, stdout, stderr };
}

/** Asks this machine for a path, as a browser does that has come by `host`. */
function ask(port: number, path: string, host: string): Promise<[status: number, body: string]> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers: { Host: host } }, (response) => {
      text(response).then((body) => resolve([response.statusCode!, body]), reject);
    }).on("error", reject);
  });
}

/** A port of this machine that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("through a tunnel the page is where --public-origin says, and the refusal says so without it", async () => {
  const port = await freePort();
  const { address } = await serving(["--port", String(port)]);
  const [status, body] = await ask(port, address.pathname, "localhost:9000");
  expect(status).toBe(403);
  const [, option, origin] = /(--public-origin) (\S+)/.exec(body)!;
  const other = await serving([option!, origin!]);
  expect(other.address.origin).toBe("http://localhost:9000");
  expect(other.said).not.toContain("warning");
});

test("answers under the public origin and under its own name", async () => {
  const port = await freePort();
  const { address } = await serving(["--port", String(port), "--public-origin", "http://localhost:9000"]);
  for (const host of ["localhost:9000", `127.0.0.1:${port}`]) {
    expect(await ask(port, address.pathname, host)).toEqual([200, "<title>the page</title>"]);
  }
  expect((await ask(port, address.pathname, "evil.example:9000"))[0]).toBe(403);
});

test("with --json the address is in one line for programs", async () => {
  const [line] = (await once(createInterface(start(["--json"]).stdout!), "line")) as [string];
  const reported = JSON.parse(line) as { url: string };
  expect(reported).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//) });
  const { port, host, pathname } = new URL(reported.url);
  expect(await ask(Number(port), pathname, host)).toEqual([200, "<title>the page</title>"]);
});

test("listens for other machines only when it is asked to, and warns", async () => {
  const { address, said } = await serving(["--host", "0.0.0.0"]);
  expect(said).toContain("warning: other machines can reach it");
  expect(address.pathname).toMatch(/^\/[\w-]{16}\/$/);
  const port = Number(address.port);
  expect((await ask(port, address.pathname, `10.0.0.7:${port}`))[0]).toBe(200);
  expect((await ask(port, "/", `10.0.0.7:${port}`))[0]).toBe(404);
  expect((await serving([])).said).not.toContain("warning");
});

test("a port in use is one sentence that says what to do", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const reported = await refused(["--port", String(port)]);
  server.close();
  expect(reported).toEqual({
    exit: 1,
    stdout: "",
    stderr: `simtape: port ${port} is taken by another program: choose another --port, or leave it out for a free one\n`,
  });
});

test.each([
  [["--host", "192.0.2.1"], 1, "192.0.2.1 is no address of this machine"],
  [["--host", "nowhere.invalid"], 1, "no machine is known by the name nowhere.invalid"],
  [["--public-origin", "localhost:9000"], 2, "an origin is http:// or https://"],
  [["--port", "70000"], 2, "a port is a number from 0 to 65535, not 70000"],
])("%j is refused in one line", async (words, exit, sentence) => {
  const reported = await refused(words);
  expect(reported.exit).toBe(exit);
  expect(reported.stderr).toContain(sentence);
  expect(reported.stderr.trimEnd().split("\n")).toHaveLength(1);
});
