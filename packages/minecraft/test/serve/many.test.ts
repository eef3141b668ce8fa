import { expect, test } from "vitest";
import { RawViewer } from "../../bench/raw-viewer.ts";
import { SourceReads } from "../../bench/source-reads.ts";
import { spreadOf } from "../../bench/spread.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { Folder } from "../support/demo.ts";

test("row 2: of twenty viewers all get the same ticks, and each range of the source is read once", async () => {
  using reads = new SourceReads("race.hcrp");
  using folder = new Folder();
  folder.simtape("demo", "hcrp", "-o", folder.path, "--seconds", "60", "--entities", "24");
  const server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true });
  const all = Array.from({ length: 20 }, (_, i) => new RawViewer(server.port, `Viewer${i}`, "race.replays.example"));
  try {
    await expect.poll(() => [...server.sessions].map((session) => session.viewers.size)).toEqual([20]);
    const [session] = [...server.sessions];
    await session!.player.seek(0);
    session!.player.play();
    await expect.poll(() => session!.player.status.time).toBeGreaterThan(5e9);
    session!.player.pause();
    const least = Math.max(...all.map(({ moves }) => moves.length));
    await expect.poll(() => Math.min(...all.map(({ moves }) => moves.length))).toBeGreaterThanOrEqual(least);
    expect(least).toBeGreaterThan(20);
    expect(spreadOf(all)).toMatchObject({ isSame: true });
    expect(reads.figures.ranges).toBeGreaterThan(0);
    expect(reads.figures.again).toBe(0);
  } finally {
    for (const viewer of all) viewer.close();
    await server.close();
  }
});
