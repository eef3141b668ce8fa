import { memoryStore, open, type Recording, type State, storeBundle } from "simtape";
import { fromFile } from "simtape/node";
import { EventRecorder, type LiveEvent, record } from "simtape/record";
import { expect, test } from "vitest";
import { VERSIONS } from "../../src/scene/versions.ts";
import { Capture } from "../../src/capture/capture.ts";
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

/** Events as a recorder keeps them, a list for each tick. */
async function recorded(ticks: readonly (readonly LiveEvent[])[]): Promise<Recording> {
  const store = memoryStore();
  const recorder = await record(store, { id: "again" });
  const recorded = new EventRecorder(recorder);
  for (const [tick, events] of ticks.entries()) {
    recorded.goTo(tick);
    for (const event of events) recorded.record(event);
  }
  recorded.goTo(ticks.length);
  await recorder.close();
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
      const ticks: LiveEvent[][] = [[]];
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

async function stateOf(ticks: readonly (readonly LiveEvent[])[]): Promise<State> {
  await using recording = await recorded(ticks);
  return await recording.state((ticks.length - 1) * 50e6);
}
