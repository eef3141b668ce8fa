import { memoryStore, open, type Recording, type State, storeBundle } from "simtape";
import { fromFile } from "simtape/node";
import { record } from "simtape/record";
import { LineProtocol } from "simtape/serving";
import { expect, test } from "vitest";
import { VERSIONS } from "../../src/scene/versions.ts";
import { Capture, type Line } from "../../src/capture/capture.ts";
import { exportMcpr } from "../../src/mcpr/export.ts";
import { importMcpr } from "../../src/mcpr/import.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

/** What stands where, in steps of the grid; numbers of things are each recording's own. */
function placesIn({ sets }: State): string[] {
  return ["players", "entities"]
    .flatMap((name) => {
      const { ids = [], columns } = sets.get(name) ?? {};
      const [position, kind, label] = ["position", "kind", "label"].map((column) => columns?.get(column)?.data);
      return ids.map((_, row) => {
        const place = [0, 1, 2].map((axis) => Number(position![3 * row + axis]) * 4096);
        return `${kind![row]} ${label?.[row] ?? ""} ${place.join()}`;
      });
    })
    .sort();
}

/** Lines as a recorder keeps them, a list for each tick. */
async function recorded(ticks: readonly (readonly Line[])[]): Promise<Recording> {
  const store = memoryStore();
  const protocol = new LineProtocol({ open: (header) => record(store, { id: "again", ...header }) });
  for (const [tick, lines] of ticks.entries()) for (const line of [{ tick }, ...lines]) await protocol.give(line);
  await protocol.give({ tick: ticks.length });
  await protocol.recorder!.close();
  return open(storeBundle(store, "again/meta.hcrp").source);
}

test.each(VERSIONS)(
  "row 6: captured, compacted, replayed to a client of %s and captured again, all is where it was",
  async (version) => {
    using folder = new Folder().withRace();
    await exportMcpr(folder.at("race.hcrp"), folder.at("race.mcpr"), version);
    await importMcpr(folder.at("race.mcpr"), folder.at("run.hcrp"));
    await using run = await open(fromFile(folder.at("run.hcrp")));
    const server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true });
    try {
      await using client = Looker.try(server.port, version, "Again", "run.replays.example");
      const capture = new Capture({ version });
      const ticks: Line[][] = [[]];
      client.client.on("packet", (params: object, { name, state }: { name: string; state: string }) => {
        if (state === "play") capture.clientbound(name, params, ticks.at(-1)!);
      });
      await expect.poll(() => server.sessions.size).toBe(1);
      const [session] = [...server.sessions];
      const seconds = [5, 30.05, 12.5, 59.9, 0.5];
      for (const second of seconds) {
        session!.player.pause();
        await session!.player.seek(second * 1e9);
        const wanted = placesIn(await run.state(second * 1e9));
        expect(wanted.length).toBeGreaterThan(5);
        await expect.poll(async () => placesIn(await stateOf(ticks)), { interval: 100 }).toEqual(wanted);
        ticks.push([]);
      }
      await using again = await recorded(ticks);
      for (const [tick, second] of seconds.entries())
        expect(placesIn(await again.state(tick * 50e6))).toEqual(placesIn(await run.state(second * 1e9)));
    } finally {
      await server.close();
    }
  },
);

async function stateOf(ticks: readonly (readonly Line[])[]): Promise<State> {
  await using recording = await recorded(ticks);
  return await recording.state((ticks.length - 1) * 50e6);
}
