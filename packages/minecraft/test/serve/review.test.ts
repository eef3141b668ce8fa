import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Bot } from "mineflayer";
import { expect, test } from "vitest";
import { command } from "../support/command.ts";
import { Folder } from "../support/demo.ts";
import { Hub } from "../support/hub.ts";

const BIN = fileURLToPath(new URL("../../bin/simtape-mc.js", import.meta.url));
const load = createRequire(import.meta.url);
const FLYER = "069a79f4-44e9-4726-a5be-fca90e38aaf5";

/** `simtape-mc serve` as a process of its own. */
class Server implements AsyncDisposable {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  static async start(...words: readonly string[]): Promise<Server> {
    const child = spawn(process.execPath, [BIN, "serve", ...words]);
    const { stdout, stderr } = child;
    stderr.resume();
    const lines = createInterface(stdout);
    const [line] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
    if (line === undefined) throw new Error("the server does not listen");
    return new Server(child, Number(line.split(":").at(-1)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, "close");
    this.#process.kill("SIGTERM");
    await ended;
  }
}

/** Plays in the world that the ring keeps: one walks, one flies from the tick 100 on. */
function play(hub: Hub): void {
  hub.send(
    { ring: { rec: "world", seconds: 60, header: { dataVersion: 2586, protocol: 754, server: "test" } } },
    { rec: "world", join: { id: "flyer", uuid: FLYER, name: "Flyer", at: [0, 64, 0] } },
    { rec: "world", join: { id: "other", uuid: FLYER.replace("069", "169"), name: "Walker", at: [5, 64, 0] } },
  );
  for (let tick = 0; tick <= 200; tick++) {
    const y = 64 + Math.max(0, tick - 100) / 10;
    hub.send(
      { tick },
      { rec: "world", move: { id: "flyer", at: [tick / 10, y, 0] } },
      { rec: "world", move: { id: "other", at: [5, 64, tick / 10] } },
    );
  }
}

test("row 11: a report becomes a clip, which staff open at its moment, scrub, mark and close; the audit says who saw what", async () => {
  using folder = new Folder();
  const store = folder.at("store");
  mkdirSync(store);
  const key = folder.at("staff.key");
  await using hub = await Hub.start(store);
  play(hub);

  // the report: the ring is saved with its tail
  hub.send({ save: { rec: "world", as: "report-7", tailSeconds: 1, reason: "Flyer flies" } });
  for (let tick = 201; tick <= 225; tick++) hub.send({ tick }, { rec: "world", swing: { id: "other" } });
  expect(await hub.answer("saved")).toMatchObject({ saved: { as: "report-7" } });

  const ticket = command("ticket", "report-7", "--for", "Staff", "--key", key).stdout.trim();
  await using server = await Server.start(store, "--port", "0", "--insecure", "--version", "1.21.4", "--key", key);
  const { createBot } = load("mineflayer") as typeof import("mineflayer");
  let began = Number.NaN;
  const bot: Bot = createBot({
    host: "127.0.0.1",
    port: server.port,
    username: "Staff",
    // of 1.16.5 mineflayer does not understand the list of players
    version: "1.21.4",
    auth: "offline",
    fakeHost: `${ticket}.replays.example`,
    hideErrors: true,
  });
  bot._client.on("connect", () => {
    began = performance.now();
  });
  const heard: string[] = [];
  bot.on("messagestr", (text) => {
    heard.push(text);
  });
  // through whose eyes it looks
  let camera = Number.NaN;
  bot._client.on("camera", ({ cameraId }: { cameraId: number }) => {
    camera = cameraId;
  });
  const flyer = (): { readonly x: number; readonly y: number } | undefined => bot.players["Flyer"]?.entity?.position;
  await expect.poll(() => flyer(), { interval: 10 }).toBeDefined();
  console.log(`the clip was open ${Math.round(performance.now() - began)} ms after its client had connected`);

  // it begins 5 s before the report, which was made at 10 s, plays, and is seen by the one who was reported
  await expect.poll(() => bot.entities[camera]?.username).toBe("Flyer");
  expect(heard).toContain("0:10.0 report: Flyer flies");
  await expect.poll(() => flyer()!.y).toBeGreaterThan(64.5);
  bot.chat("/view");
  await expect.poll(() => bot.entities[camera]?.username).not.toBe("Flyer");

  // scrubbed: there and back
  bot.chat("/pause");
  bot.chat("/t 9s");
  await expect.poll(() => flyer()!.y).toBeGreaterThan(70);
  bot.chat("/t 2s");
  await expect.poll(() => flyer()!.y).toBe(64);
  bot.chat("/t 8s");
  await expect.poll(() => flyer()!.y).toBeGreaterThan(69);
  bot.chat("/mark flies");
  await expect.poll(() => heard).toContain("Staff marks: flies");
  bot.chat("/report walker watches it");
  await expect.poll(() => heard).toContain("Reported: Walker: watches it");
  // what was noted is there at once
  bot.chat("/t 2s");
  await expect.poll(() => flyer()!.y).toBe(64);
  bot.chat("/next");
  await expect.poll(() => heard).toContain("0:08.0 review: Staff: flies");
  await expect.poll(() => flyer()!.y).toBeGreaterThan(69);
  bot.chat("/lobby");
  await expect.poll(() => flyer()).toBeUndefined();
  const gone = once(bot, "end");
  bot.quit();
  await gone;

  const { annotations } = JSON.parse(readFileSync(folder.at("store/report-7.hcrp.provenance.json"), "utf8")) as {
    annotations: object[];
  };
  expect(annotations).toEqual([
    { at: 8e9, kind: "review", text: "Staff: flies" },
    { at: 8e9, kind: "report", text: "Walker: watches it" },
  ]);
  const lines = readFileSync(folder.at("store/.replay/audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ name, action, recording, refused }) => [name, action, recording, refused])).toEqual([
    ["Staff", "ticket", "report-7", undefined],
    ["Staff", "open", "report-7", undefined],
    ["Staff", "mark", "report-7", undefined],
    ["Staff", "report", "report-7", undefined],
    ["Staff", "leave", "report-7", undefined],
  ]);
});
