import { open, type Recording } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import minecraftData from "minecraft-data";
import { ReplayServer } from "../../src/serve/server.ts";
import type { Session } from "../../src/serve/session.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

/** The turn between two angles, degrees. */
function apart(a: number, b: number): number {
  return Math.abs(((((a - b) % 360) + 540) % 360) - 180);
}

/** The block's name, and the place of the state among its states: they are gone through one by one. */
function stateOf(kind: string, version: string): string {
  const [, name, written = ""] = /^minecraft:([^[]+)(?:\[(.*)\])?$/.exec(kind)!;
  const block = minecraftData(version).blocksByName[name!]!;
  let states: string[][] = [[]];
  for (const { name: property, type, values, num_values: count } of block.states ?? []) {
    const all = type === "bool" ? ["true", "false"] : (values ?? Array.from({ length: count }, (_, i) => `${i}`));
    states = states.flatMap((state) => all.map((value) => [...state, `${property}=${value as string}`]));
  }
  const usual = states[block.defaultState! - block.minStateId!]!;
  const wanted = usual.map(
    (pair) => written.split(",").find((other) => other.split("=")[0] === pair.split("=")[0]) ?? pair,
  );
  return `${name} ${states.findIndex((state) => state.join() === wanted.join())}`;
}

describe.each(["1.16.5", "1.18.2", "1.19.4", "1.20.4", "1.21.4"])(
  "row 1: clients of %s see what was recorded",
  (version) => {
    const folder = new Folder();
    let server: ReplayServer;
    let recording: Recording;

    beforeAll(async () => {
      folder.withRace();
      server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true });
      recording = await open(fromFile(folder.at("race.hcrp")));
    });

    afterAll(async () => {
      await server?.close();
      await recording?.close();
      folder[Symbol.dispose]();
    });

    /** Compares what each client sees with the recording's own state at the time that its session shows. */
    async function expectSame(session: Session, lookers: readonly Looker[]): Promise<void> {
      const { time } = session.player.status;
      const state = await recording.state(time);
      for (const looker of lookers) {
        await expect
          .poll(() => seenBy(looker), { interval: 20 })
          .toEqual(
            ["players", "entities"].flatMap((name) => {
              const { ids, columns } = state.sets.get(name)!;
              const [position, kind] = [columns.get("position")!.data, columns.get("kind")!.data];
              return ids.map((id, row) => ({
                id: 1_000_000 + Number(id),
                kind: String(kind[row]).replace("minecraft:", ""),
                place: [0, 1, 2].map((axis) => position[3 * row + axis]),
                flags: Number(columns.get("flags")!.data[row]) & 0xfb,
                items: itemsOf(state.values, name, id),
              }));
            }),
          );
        for (const name of ["players", "entities"]) {
          const { ids, columns } = state.sets.get(name)!;
          for (const [row, id] of ids.entries()) {
            const seen = looker.entities.get(1_000_000 + Number(id))!;
            const rotation = columns.get("rotation")!.data as ArrayLike<number>;
            const head = (columns.get("head-yaw")!.data as ArrayLike<number>)[row]!;
            // turns may come behind the place
            const turned = (): number =>
              Math.max(
                apart(seen.yaw, rotation[3 * row + 2]!),
                apart(seen.pitch, rotation[3 * row + 1]!),
                apart(seen.head, head),
              );
            await expect.poll(turned, { interval: 20 }).toBeLessThan(0.71);
            if (name === "players") expect(looker.names.get(seen.uuid)).toBe(columns.get("label")!.data[row]);
          }
        }
        const { ids: places, columns: edits } = state.sets.get("blocks") ?? { ids: [], columns: new Map() };
        const kinds = edits.get("kind")?.data ?? [];
        const blocks = places.flatMap((place, row) => {
          const block = stateOf(String(kinds[row]), version);
          return block.startsWith("air ") ? [] : [[place, block]];
        });
        await expect.poll(() => Object.fromEntries(looker.blocks)).toEqual(Object.fromEntries(blocks));
        expect(looker.strange).toEqual([]);
        expect(looker.rules.problems).toEqual([]);
      }
    }

    function seenBy(looker: Looker): object[] {
      const rows = [...looker.entities].sort(([a], [b]) => a - b);
      return rows.map(([id, { kind, x, y, z, flags, items }]) => ({
        id,
        kind,
        place: [x, y, z],
        flags: flags & 0xfb,
        items: Object.fromEntries(items),
      }));
    }

    function itemsOf(values: ReadonlyMap<string, unknown>, set: string, id: number | string): object {
      const items = [...values].filter(([path]) => path.startsWith(`${set}/${id}/items/`));
      return Object.fromEntries(
        items.map(([path, item]) => [path.split("/").at(-1), String(item).replace("minecraft:", "")]),
      );
    }

    async function paused(session: Session): Promise<void> {
      session.player.pause();
      await expect.poll(() => session.scene.time).toBeGreaterThanOrEqual(0);
    }

    test("live, seek, seek back, ×−4, in a loop, and who comes late", async () => {
      await using first = await Looker.join(server.port, version, "Leader");
      expect(first.gameMode).toBe(3);
      await expect.poll(() => first.chat).toContain("race");
      first.say("/play race");
      await expect.poll(() => server.sessions.size).toBe(1);
      const [session] = [...server.sessions] as [Session];
      await using second = await Looker.join(server.port, version, "Follower", "race.replays.example");
      await expect.poll(() => session.viewers.size).toBe(2);
      const lookers = [first, second];

      // live: it plays since it was opened
      await expect.poll(() => session.player.status.phase).toBe("playing");
      for (const least of [0.5, 1, 1.7]) {
        session.player.play();
        await expect.poll(() => session.player.status.time).toBeGreaterThan(least * 1e9);
        await paused(session);
        await expectSame(session, lookers);
      }
      // seek, and back
      for (const to of ["40s", "12.35s", "50%", "0s"]) {
        first.say(`/t ${to}`);
        const time = to === "50%" ? 30e9 : Number.parseFloat(to) * 1e9;
        await expect.poll(() => session.player.status.time).toBe(time);
        await expectSame(session, lookers);
      }
      // backwards
      await session.player.seek(45e9);
      first.say("/speed -4");
      await expect.poll(() => session.player.status.time).toBeLessThan(42e9);
      await paused(session);
      await expectSame(session, lookers);
      // in a loop
      first.say("/loop 20s 20.4s");
      await expect.poll(() => session.player.status.loop).not.toBeNull();
      session.player.setRate(1);
      await session.player.seek(20e9);
      session.player.play();
      let [rounds, before] = [0, 0];
      session.player.subscribe(({ time }) => {
        if (time < before) rounds++;
        before = time;
      });
      await expect.poll(() => rounds).toBeGreaterThan(2);
      await paused(session);
      await expectSame(session, lookers);
      // who comes late sees all of it
      await using third = await Looker.join(server.port, version, "Late", "race.replays.example");
      await expectSame(session, [...lookers, third]);
      // and who leaves sees nothing
      third.say("/lobby");
      await expect.poll(() => [third.entities.size, third.blocks.size]).toEqual([0, 0]);
      expect(third.strange).toEqual([]);
    });

    test("a follower cannot command; alone it can", async () => {
      await using leader = await Looker.join(server.port, version, "Anna", "race.replays.example");
      // the first who is in leads
      await expect.poll(() => [...server.sessions].map(({ leader: of }) => of?.name)).toEqual(["Anna"]);
      await using follower = await Looker.join(server.port, version, "Bert", "race.replays.example");
      await expect.poll(() => [...server.sessions].map(({ viewers }) => viewers.size)).toEqual([2]);
      follower.say("/t 30s");
      await expect.poll(() => follower.chat.at(-1)).toBe("Anna leads: /free watches alone from here");
      follower.say("/free");
      await expect.poll(() => server.sessions.size).toBe(2);
      follower.say("/pause");
      follower.say("/t 30s");
      const own = [...server.sessions].find(({ leader: of }) => of?.name === "Bert")!;
      await expect.poll(() => own.player.status.time).toBe(30e9);
      await expectSame(own, [follower]);
      const shared = [...server.sessions].find(({ leader: of }) => of?.name === "Anna")!;
      expect(shared.player.status.time).toBeLessThan(30e9);
      follower.say("/join Anna");
      await expect.poll(() => shared.viewers.size).toBe(2);
      leader.say("/lead Bert");
      await expect.poll(() => shared.leader?.name).toBe("Bert");
      await leader[Symbol.asyncDispose]();
      await expect.poll(() => shared.viewers.size).toBe(1);
    });

    test("looks through eyes, goes to marks, holds the controls", async () => {
      await using looker = await Looker.join(server.port, version, "Cora", "race.replays.example");
      const [session] = await expect
        .poll(() => [...server.sessions])
        .toHaveLength(1)
        .then(() => [...server.sessions]);
      looker.say("/view kasam");
      await expect.poll(() => looker.camera).toBe(1_000_001);
      looker.say("/pause");
      await expect.poll(() => session!.player.status.phase).toBe("paused");
      looker.say("/view");
      await expect.poll(() => looker.camera).toBe(1);
      // sneaking ends it, too
      looker.say("/view kasam");
      await expect.poll(() => looker.camera).toBe(1_000_001);
      looker.client.write("entity_action", { entityId: 1, actionId: 0, jumpBoost: 0 });
      await expect.poll(() => looker.camera).toBe(1);
      looker.say("/t 1s");
      looker.say("/next");
      await expect.poll(() => session!.player.status.time).toBe(3e9);
      looker.say("/step 3");
      await expect.poll(() => session!.player.status.time).toBe(3.15e9);
      looker.say("/hotbar");
      await expect.poll(() => looker.gameMode).toBe(2);
      looker.client.write("held_item_slot", { slotId: 2 });
      looker.client.write(
        "use_item",
        version === "1.16.5" ? { hand: 0 } : { hand: 0, sequence: 1, rotation: { x: 0, y: 0 } },
      );
      await expect.poll(() => session!.player.status.time).toBe(13.15e9);
      await expect.poll(() => looker.bar).toContain("0:13.2 / 1:00.0");
      // a loop elsewhere is gone to
      looker.say("/loop 10s 11s");
      await expect.poll(() => session!.player.status.time).toBe(10e9);
      looker.say("/loop off");
      for (const [wrong, says] of [
        ["/t yesterday", "yesterday"],
        ["/speed 0", "/speed from -64 to 64, not 0"],
        ["/view herobrine", "herobrine is not here"],
        ["/fly", "there is no /fly"],
        ["/play x", "no recording is called x"],
      ] as const) {
        looker.say(wrong);
        await expect.poll(() => looker.chat.at(-1)).toContain(says);
      }
    });
  },
);
