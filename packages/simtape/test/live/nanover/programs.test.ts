import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { announce } from "../../../src/io/node/index.ts";
import { hubMessage } from "../../../src/live/nanover/hub.ts";
import {
  contentOf,
  HOW_TO_GET,
  Nanover,
  nanoverPython,
  partsOf,
  playedInto,
  recordedFrom,
  type Said,
  type Shown,
} from "../../../../../scripts/nanover.ts";

const EXAMPLE = fileURLToPath(new URL("../../../../../examples/buckyball.nanover.zip", import.meta.url));
/** Seconds between two steps: their server looks for commands 30 times a second. */
const STEP = 0.05;

const python = nanoverPython();
const nanover = new Nanover(python ?? []);
const title = python === null ? `(skipped: ${HOW_TO_GET})` : "";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function work(): string {
  const folder = mkdtempSync(join(tmpdir(), "simtape-nanover-"));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Their server plays the first messages one by one, recorded by their recorder and by simtape. */
async function stepped(count: number): Promise<{ theirs: Said[]; ours: Said[] }> {
  const { server, address } = await nanover.serve([EXAMPLE]);
  closing.push(() => server.end());
  const both = await recordedFrom(nanover, address, work());
  const client = nanover.client(address);
  await client.ask("ask", "playback/load", { index: 0 });
  await client.ask("run_pause");
  await new Promise((resolve) => setTimeout(resolve, 300));
  await client.ask("run_reset");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await client.ask("steps", count, STEP)).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await client.end();
  return both.end();
}

describe.skipIf(python === null)(`NanoVer's own programs ${title}`, { timeout: 120_000 }, () => {
  test("their server is recorded by simtape and by nanover-record: the same messages", async () => {
    const { theirs, ours } = await stepped(60);
    expect(theirs.length).toBeGreaterThan(60);
    expect(partsOf(ours)).toEqual(partsOf(theirs));
  });

  test("simtape play says to nanover-record what their own playback says", async () => {
    const recorded = partsOf(nanover.messages(EXAMPLE));
    const count = recorded.frames.length + recorded.updates.length;
    const { theirs } = await stepped(count);
    const player = await playedInto([EXAMPLE], ["--rate", "4"]);
    closing.push(() => player.end());
    const folder = work();
    mkdirSync(join(folder, "out"));
    const recorder = await nanover.record(player.address, join(folder, "out"));
    const client = nanover.client(player.address);
    await client.ask("run_load", 0);
    await expect
      .poll(async () => ((await client.ask("ask", "playback/status", {})) as { phase: string }).phase)
      .toBe("ended");
    await client.end();
    const ours = nanover.messages(await recorder.end());
    expect(contentOf(ours, recorded)).toEqual(contentOf(theirs, recorded));
  });

  test("their client commands simtape play", async () => {
    const player = await playedInto([EXAMPLE, EXAMPLE], []);
    closing.push(() => player.end());
    const client = nanover.client(player.address);
    closing.push(() => client.end());
    const status = (): Promise<unknown> => client.ask("ask", "playback/status", {});
    expect(await client.ask("run_list")).toHaveLength(2);
    expect(await client.ask("commands")).toEqual(expect.arrayContaining(["commands/list", "playback/load"]));
    await client.ask("run_load", 1);
    await expect.poll(status).toMatchObject({ index: 1, phase: "playing" });
    await client.ask("run_next");
    await expect.poll(status).toMatchObject({ index: 0, phase: "playing" });
    await client.ask("run_pause");
    expect(await status()).toMatchObject({ phase: "paused" });
    await client.ask("run_reset");
    expect(await status()).toMatchObject({ time: 0 });
    expect(await client.ask("steps", 3, 0)).toBe(0);
    expect(((await status()) as { time: number }).time).toBeGreaterThan(0);
    await client.ask("run_play");
    await expect.poll(status).toMatchObject({ phase: "playing" });
  });

  test("their discovery finds what is announced", async () => {
    const { port, found } = await nanover.discover();
    const payload = (address: string): Uint8Array => hubMessage("town", address, 38_801, "one");
    const end = await announce({ port, every: 100, payload, networks: [{ address: "127.0.0.1", to: "127.0.0.1" }] });
    closing.push(end);
    expect(await found).toEqual(["town", "one", "127.0.0.1", 38_801]);
  });

  test("twenty of their clients, one of which takes nothing, all have the same in the end", async () => {
    const player = await playedInto([EXAMPLE], ["--repeat", "--rate", "8"]);
    closing.push(() => player.end());
    const crowd = await nanover.crowd(player.address, 20, 1);
    closing.push(() => crowd.end());
    const client = nanover.client(player.address);
    closing.push(() => client.end());
    await client.ask("run_play");
    const readers = async (): Promise<number> =>
      Math.min(...((await crowd.ask("shown")) as Shown[]).slice(1).map(({ frames }) => frames));
    await expect.poll(readers).toBeGreaterThan(300);
    await client.ask("run_pause");
    await crowd.ask("free");
    const frames = async (): Promise<number> => {
      const all = (await crowd.ask("shown")) as Shown[];
      return new Set(all.map(({ frame }) => frame["particle.positions"])).size;
    };
    await expect.poll(frames).toBe(1);
  });
});
