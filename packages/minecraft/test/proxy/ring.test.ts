import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open, type Recording } from "simtape";
import { fromFile } from "simtape/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GameProxy, type ProxyEvent } from "../../src/proxy/proxy.ts";
import { Sprinter } from "../support/course.ts";
import { recordedIn } from "../support/recorded.ts";
import { TestServer } from "../support/squid.ts";

const MC = fileURLToPath(new URL("../../bin/simtape-mc.js", import.meta.url));
const SIMTAPE = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
const VERSION = "1.16.5";

let store = "";
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "simtape-ring-"));
});
afterEach(() => rmSync(store, { recursive: true, force: true, maxRetries: 5 }));

interface ClipMetadata {
  readonly reports: readonly { readonly at: string; readonly reason: string }[];
  readonly hcrp: {
    readonly marks: readonly { readonly tick: number; readonly kind: string; readonly label: string }[];
  };
}

function metadataOf({ info }: Recording): ClipMetadata {
  return (info.metadata as unknown as { metadata: ClipMetadata }).metadata;
}

describe("a ring of the proxy", () => {
  test("a player's report keeps the last minutes and their tail, and says who, whom and why", async () => {
    await using game = await TestServer.start(VERSION);
    const events: ProxyEvent[] = [];
    const server = { host: "127.0.0.1", port: game.port };
    const report = (event: ProxyEvent): number => events.push(event);
    const ring = { seconds: 60, tail: 1 };
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store, ring, report });
    const before = Date.now();
    try {
      const cheat = await Sprinter.join(proxy.port, VERSION, "Cheat");
      const witness = await Sprinter.join(proxy.port, VERSION, "Witness");
      const { looker } = witness;
      await cheat.run(10, 20);
      looker.say("/report absent");
      await expect.poll(() => looker.chat.at(-1)).toBe("No player absent was here.");
      looker.say("/report cheat flies about");
      await expect.poll(() => looker.chat.at(-1)).toMatch(/^Reported: report-Cheat-/);
      const name = looker.chat.at(-1)!.slice("Reported: ".length);
      // who reports the same thing gets the same clip
      cheat.looker.say("/report Witness");
      await expect.poll(() => cheat.looker.chat.at(-1)).toBe(`Reported: ${name}`);
      await cheat.run(21, 24);
      await expect.poll(() => events.some((event) => "clip" in event), { timeout: 5000 }).toBe(true);
      await cheat.run(25, 30);
      // nothing else is on the disk, and the server has heard nothing of it
      expect(readdirSync(store)).toEqual([`${name}.hcrp`]);
      expect(looker.chat.filter((line) => line.includes("report "))).toEqual([]);

      await using clip = await open(fromFile(join(store, `${name}.hcrp`)));
      const { reports, hcrp } = metadataOf(clip);
      expect(reports).toMatchObject([
        { reason: "flies about", subject: { name: "Cheat" }, reporter: { name: "Witness" } },
        { reason: "", subject: { name: "Witness" }, reporter: { name: "Cheat" } },
      ]);
      expect(Date.parse(reports[0]!.at)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(reports[0]!.at)).toBeLessThanOrEqual(Date.now());
      expect(hcrp.marks.map(({ kind, label }) => [kind, label])).toEqual([
        ["report", "Cheat: flies about (reported by Witness)"],
        ["report", "Witness (reported by Cheat)"],
      ]);
      // what was before the report, and what came within the tail
      const { ticks } = events.flatMap((event) => ("clip" in event ? [event.clip] : []))[0]!;
      const { ids, columns } = (await clip.state((ticks - 1) * 50e6)).sets.get("players")!;
      const row = columns.get("label")!.data.indexOf("Cheat" as never);
      expect(ids).toHaveLength(2);
      const x = (columns.get("position")!.data as Float64Array)[row * 3];
      expect(x).toBeGreaterThanOrEqual(24);
      expect(ticks - hcrp.marks[1]!.tick).toBeGreaterThanOrEqual(20);
      expect(hcrp.marks[0]!.tick).toBeGreaterThan(5);
      // the clip says when it was: the report is at its tick
      const { epoch } = await clip.timeline();
      const reportedAt = (Date.parse(reports[0]!.at) - Number(epoch! / 1_000_000n)) / 50;
      // on a busy machine a tick begins, and a report arrives, some ticks late
      expect(Math.abs(reportedAt - hcrp.marks[0]!.tick)).toBeLessThan(10);
      for (const each of [cheat, witness]) await each.looker[Symbol.asyncDispose]();
    } finally {
      await proxy.close();
    }
    expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
    expect(events.filter((event) => "error" in event || "began" in event || "ended" in event)).toEqual([]);
  });

  test("killed, it leaves the clips that are kept whole, and nothing of one that waits", async () => {
    await using game = await TestServer.start(VERSION);
    const words = ["proxy", "--listen", "0", "--server", `127.0.0.1:${game.port}`, "--store", store, "--json"];
    const lengths = ["--ring", "60", "--tail", "1"];
    const proxy = spawn(process.execPath, [MC, ...words, ...lengths], { stdio: ["ignore", "pipe", "ignore"] });
    const exited = once(proxy, "exit");
    let said = "";
    proxy.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    try {
      await expect.poll(() => said, { timeout: 10_000 }).toContain("\n");
      const { port } = (JSON.parse(said) as { listening: { port: number } }).listening;
      const runner = await Sprinter.join(port, VERSION, "one");
      await runner.run(10, 20);
      runner.looker.say("/report one first");
      await expect.poll(() => said, { timeout: 5000 }).toContain('"clip"');
      runner.looker.say("/report one again");
      await expect.poll(() => runner.looker.chat.some((text) => /^Wait \d+ seconds/.test(text))).toBe(true);
      const other = await Sprinter.join(port, VERSION, "two");
      other.looker.say("/report one second");
      await expect.poll(() => other.looker.chat.some((text) => text.startsWith("Reported"))).toBe(true);
      proxy.kill("SIGKILL");
      await exited;
      const files = readdirSync(store).filter((name) => name !== "worlds");
      expect(files).toHaveLength(1);
      const { status, stderr } = spawnSync(process.execPath, [SIMTAPE, "check", join(store, files[0]!)]);
      expect([status, stderr.toString()]).toEqual([0, ""]);
      for (const { looker } of [runner, other]) await expect.poll(() => looker.ended).not.toBeNull();
    } finally {
      proxy.kill("SIGKILL");
    }
  });

  test("players who leave, and Ctrl+C, keep a clip that waits", async () => {
    await using game = await TestServer.start(VERSION);
    const server = { host: "127.0.0.1", port: game.port };
    const ring = { seconds: 60, tail: 600 };
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store, ring });
    const runner = await Sprinter.join(proxy.port, VERSION, "one");
    await runner.run(10, 12);
    runner.looker.say("/report ONE");
    await expect.poll(() => runner.looker.chat.at(-1)).toMatch(/^Reported/);
    await proxy.close();
    const [file] = readdirSync(store);
    await using clip = await open(fromFile(join(store, file!)));
    expect(metadataOf(clip).hcrp.marks.map(({ label }) => label)).toEqual(["one (reported by one)"]);
    expect(proxy.failed).toBe(0);
  });

  test("without a ring a report is a mark in the recording, of the player, and nothing of it reaches the server", async () => {
    await using game = await TestServer.start(VERSION);
    const server = { host: "127.0.0.1", port: game.port };
    const events: ProxyEvent[] = [];
    const report = (event: ProxyEvent): number => events.push(event);
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store, report });
    const cheat = await Sprinter.join(proxy.port, VERSION, "Cheat");
    const witness = await Sprinter.join(proxy.port, VERSION, "Witness");
    await cheat.run(10, 12);
    witness.looker.say("/report cheat flies about");
    await expect.poll(() => witness.looker.chat.at(-1)).toBe("Reported: Cheat");
    witness.looker.say("/report cheat again");
    await expect.poll(() => witness.looker.chat.at(-1)).toMatch(/^Wait \d+ seconds/);
    await proxy.close();
    const [recording] = (await recordedIn(store)).values();
    const marks: object[] = [];
    for await (const events of recording!.events({ listed: true }))
      marks.push(...events.map(({ kind, text, who }) => [kind, text, who[0]?.label]));
    await recording!.close();
    // who has reported is not for all who see the recording
    expect(events.filter((event) => "report" in event)).toMatchObject([
      { report: { subject: { name: "Cheat" }, reporter: { name: "Witness" }, reason: "flies about" } },
    ]);
    expect(marks).toEqual([["report", "Cheat: flies about", "Cheat"]]);
    expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
  });

  test.each([
    ["--ring", "0"],
    ["--ring", "5m"],
    ["--tail", "-1"],
  ])("%s %s is wrong usage", (option, value) => {
    const usual = { "--listen": "0", "--server": "127.0.0.1:1", "--store": store, "--ring": "60", [option]: value };
    const words = Object.entries(usual).map(([name, of]) => `${name}=${of}`);
    const { status, stderr } = spawnSync(process.execPath, [MC, "proxy", ...words]);
    expect([status, stderr.toString()]).toEqual([2, expect.stringContaining(option)]);
  });
});
