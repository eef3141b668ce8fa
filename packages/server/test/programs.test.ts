import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open, RecordingError, SourceError } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, expect, test } from "vitest";
import { describeDatabases } from "./support/databases.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const PATROL = fileURLToPath(new URL("../../../examples/patrol.tape", import.meta.url));
const BALL = fileURLToPath(new URL("../../../examples/buckyball.nanover.zip", import.meta.url));

interface Item {
  readonly id: string;
  readonly state: string;
  readonly seconds: number;
  readonly started: string | null;
  readonly url: string;
}

interface Program {
  readonly phase: string;
  readonly recording: string | null;
  readonly messages: number;
  readonly gaps: number;
  readonly problem: string | null;
}

/** A server of a program that plays a recording in a circle. */
async function program(port: number, kind = "nanover", file = BALL): Promise<{ child: ChildProcess; url: URL }> {
  const child = spawn(process.execPath, [CLI, "play", file, "--into", kind, "--port", `${port}`, "--repeat"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const address = await until(
    () => Promise.resolve(/ws:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]),
    (found) => found !== undefined,
  );
  return { child, url: new URL(address!) };
}

describeDatabases("programs that a server records", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-programs-"));
  const children: ChildProcess[] = [];
  let node: TestNode | undefined;
  const items = async (): Promise<readonly Item[]> =>
    (await json<{ recordings: Item[] }>(node!.address, "/api/recordings")).recordings;

  const stateOf = async (): Promise<Program> =>
    (await json<{ programs: Program[] }>(node!.address, "/api/programs")).programs[0]!;

  /** Texts of the gaps in a recording; none while it cannot be read because it changes. */
  async function gapsOf(url: string): Promise<readonly string[]> {
    const gaps: string[] = [];
    try {
      await using recording = await open(node!.address + url);
      for await (const events of recording.events())
        for (const { text } of events) if (text.startsWith("nothing for")) gaps.push(text);
    } catch (error) {
      const isChanging = RecordingError.is(error) && error.code === "source-changed";
      if (!isChanging && !(error instanceof SourceError)) throw error;
    }
    return gaps;
  }

  /** How a recording ended. */
  async function outcomeOf(id: string, library = "library"): Promise<unknown> {
    await using recording = await open(fromFile(join(folder, library, "live", id, "meta.hcrp")));
    const { metadata } = recording.info.metadata as { metadata: { hcrp: { outcome?: unknown } } };
    return metadata.hcrp.outcome;
  }

  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("are watched while they run, leave a gap when they crash, and a recording for each run", async () => {
    const first = await program(0);
    children.push(first.child);
    const from = `nanover=${first.url.href}`;
    node = await startNode([join(folder, "library"), ...(await database()), "--from", from, "--live-silence", "30"]);
    const [live] = await until(items, ([item]) => item?.state === "live" && item.seconds > 2);
    expect(live!.id).toMatch(/^nanover-\d{4}-\d\d-\d\d-\d{6}$/);
    expect(await stateOf()).toMatchObject({ phase: "recording", recording: live!.id, gaps: 0, problem: null });
    await using recording = await open(node.address + live!.url);
    const { sets } = await recording.state((await recording.timeline()).end);
    expect(sets.get("particles")!.ids.length).toBeGreaterThanOrEqual(60);

    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const away = await until(stateOf, ({ phase }) => phase === "away");
    expect(away).toMatchObject({ recording: live!.id, gaps: 1, problem: expect.any(String) });
    const second = await program(Number(first.url.port));
    children.push(second.child);
    // the gap can be read while the program runs on
    const gaps = await until(
      () => gapsOf(live!.url),
      (found) => found.length > 0,
    );
    expect(gaps).toHaveLength(1);
    expect(await stateOf()).toMatchObject({ phase: "recording", recording: live!.id, gaps: 1, problem: null });
    second.child.kill("SIGTERM");
    await until(items, ([item]) => item!.state === "indexed");
    expect(await gapsOf(live!.url)).toEqual(gaps);
    const waiting = await until(stateOf, ({ phase, problem }) => phase === "waiting" && problem !== null);
    expect(waiting.recording).toBeNull();
    expect(await outcomeOf(live!.id)).toBe("completed");

    const third = await program(Number(first.url.port));
    children.push(third.child);
    const both = await until(items, (found) => found.some(({ state, seconds }) => state === "live" && seconds > 1));
    expect(both).toHaveLength(2);
    // a node that shuts down ends what it records
    expect(await node.stop()).toBe(0);
    expect(await outcomeOf(both.find(({ state }) => state === "live")!.id)).toBe("completed");
  }, 240_000);

  test("of a node that was killed have what was committed", async () => {
    const { child, url } = await program(0);
    children.push(child);
    const words = [join(folder, "killed"), ...(await database())];
    node = await startNode([...words, "--from", `nanover=${url.href}`]);
    const [live] = await until(items, ([item]) => item?.state === "live" && item.seconds > 2);
    await node.kill();
    node = await startNode([...words, "--live-silence", "2"]);
    const [found] = await until(items, ([item]) => item?.state === "indexed");
    expect(found!.seconds).toBeGreaterThanOrEqual(live!.seconds);
    await node.stop();
    expect(await outcomeOf(live!.id, "killed")).toBe("crashed");
  }, 240_000);

  test("of Foxglove keep the times of the program, leave a gap, and are recordings of the library", async () => {
    const first = await program(0, "foxglove", PATROL);
    children.push(first.child);
    const words = [join(folder, "robots"), ...(await database()), "--from", `foxglove=${first.url.href}`];
    node = await startNode([...words, "--live-silence", "30"]);
    const [live] = await until(items, ([item]) => item?.state === "live" && item.seconds > 2);
    expect(live!.id).toMatch(/^foxglove-/);
    expect((await stateOf()).messages).toBeGreaterThan(20);
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const second = await program(Number(first.url.port), "foxglove", PATROL);
    children.push(second.child);
    await until(
      () => gapsOf(live!.url),
      (found) => found.length > 0,
    );
    second.child.kill("SIGTERM");
    const [done] = await until(items, ([item]) => item!.state === "indexed");
    // as its own recording says
    expect(done!.started).toMatch(/^2026-05-04T08:30:/);
    await using recording = await open(node.address + done!.url);
    const { values } = await recording.state((await recording.timeline()).end);
    expect([...values.keys()].some((path) => path.startsWith("/robot/Odometry"))).toBe(true);
    expect(await outcomeOf(done!.id, "robots")).toBe("completed");
    await node.stop();
  }, 240_000);

  test("of an address that is none are refused at once", async () => {
    const words = [join(folder, "other"), "--from"];
    await expect(startNode([...words, "nanover=38801"])).rejects.toThrow(/ws:\/\/HOST:PORT/);
    await expect(startNode([...words, "gromacs=ws://127.0.0.1:1"])).rejects.toThrow(/--from: KIND=ADDRESS/);
  });
});
