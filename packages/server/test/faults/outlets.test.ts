import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestClient } from "../../../simtape/test/live/nanover/client.ts";
import { RoomClient } from "../../src/rooms/index.ts";
import { json, startNode, type TestNode, until } from "../support/node.ts";
import { connectRoom } from "../support/sockets.ts";

const BALL = "buckyball.nanover.zip";
const EXAMPLE = fileURLToPath(new URL(`../../../../examples/${BALL}`, import.meta.url));
const HANGING = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";

/** What befalls the thread, as code that runs in it, and what the server says of it. */
const FAULTS = [
  ["throws", "throw new Error('out of luck')", /out of luck/],
  ["exits", "process.exit(3)", /it ended by itself/],
  ["takes all memory", "for (const all = []; ; ) all.push(new Array(1 << 16).fill(all.length))", /memory/],
  ["hangs", HANGING, /it said nothing for 30 s/],
] as const;

interface Shown {
  readonly address: string;
  readonly offered: number;
  readonly loaded: { readonly time: number } | null;
  readonly trouble: { readonly recording: string; readonly message: string } | null;
}

describe("the thread of the outlets", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-outlets-"));
  const fault = join(folder, "fault.js");
  let node: TestNode;
  let recording: string;
  let viewer: RoomClient;

  const outlet = async (): Promise<Shown | undefined> =>
    (await json<{ outlets: Shown[] }>(node.address, "/api/outlets")).outlets[0];
  const shown = async (): Promise<Shown> => (await until(outlet, (one) => one?.offered === 1))!;
  const played = async (): Promise<TestClient> => {
    const client = await TestClient.connect((await shown()).address);
    await client.ask("playback/load", { index: 0 });
    await client.until(() => client.frame["particle.positions"] !== undefined);
    return client;
  };

  const befall = (code: string): void => {
    writeFileSync(`${fault}.new`, code);
    renameSync(`${fault}.new`, fault);
  };
  /** Moves the clock of the room, and waits until the room says so. */
  const goTo = async (time: number): Promise<void> => {
    viewer.control({ move: "seek", time });
    await until(
      async () => viewer.position(),
      (position) => Math.abs(position! - time) < 0.01,
    );
  };

  beforeAll(async () => {
    const library = join(folder, "library");
    mkdirSync(library);
    copyFileSync(EXAMPLE, join(library, BALL));
    // code that a file brings runs in the thread, once
    const preload = join(folder, "preload.mjs");
    writeFileSync(
      preload,
      `import { existsSync, readFileSync, rmSync } from "node:fs";
      const path = ${JSON.stringify(fault)};
      if (/outlets.thread\\.[jt]s$/.test(process.argv[1] ?? ""))
        setInterval(() => {
          if (!existsSync(path)) return;
          const code = readFileSync(path, "utf8");
          rmSync(path);
          new Function(code)();
        }, 50).unref();`,
    );
    node = await startNode([library, "--into", "nanover=0"], {
      NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
    });
    const { recordings } = await until(
      () => json<{ recordings: { id: string; state: string }[] }>(node.address, "/api/recordings"),
      (page) => page.recordings[0]?.state === "indexed",
    );
    recording = recordings[0]!.id;
    const body = JSON.stringify({ name: "watching", recordings: [recording] });
    const headers = { "content-type": "application/json" };
    const { id } = await json<{ id: string }>(node.address, "/api/rooms", { method: "POST", headers, body });
    viewer = new RoomClient({
      url: `${node.address.replace("http", "ws")}/api/rooms/${id}/socket`,
      ...{ name: "viewer", secret: `secret of viewer ${id}`, connect: connectRoom },
    });
    await until(async () => viewer.isLeader, Boolean);
  });
  afterAll(async () => {
    viewer?.close();
    await node?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(FAULTS)("that %s is reported and started again; the room and the requests go on", async (_, code, said) => {
    const client = await played();
    const closed = new Promise((resolve) => client.socket.once("close", resolve));
    const before = node.said().length;
    befall(code);
    await goTo(0.5);
    expect((await fetch(`${node.address}/ready`)).status).toBe(200);
    await closed;
    await until(
      async () => node.said().slice(before),
      (text) => text.includes("the thread of the outlets failed"),
    );
    expect(node.said().slice(before)).toMatch(said);
    const again = await shown();
    expect(again).toMatchObject({ loaded: null, trouble: { recording: BALL } });
    expect(again.trouble!.message).toMatch(said);
    // what hears of the outlet again is like new
    await (await played()).close();
    expect((await shown()).trouble).toBeNull();
    await goTo(0);
  });

  test("that hangs keeps no request and no end waiting", async () => {
    await (await played()).close();
    befall(HANGING);
    await until(
      async () => existsSync(fault),
      (isWaiting) => !isWaiting,
    );
    const unloading = fetch(`${node.address}/api/outlets/nanover/unload`, { method: "POST" });
    expect(await node.stop()).toBe(0);
    expect((await unloading).status).toBe(503);
  });
});
