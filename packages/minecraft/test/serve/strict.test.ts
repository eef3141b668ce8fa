import { afterAll, beforeAll, expect, test } from "vitest";
import { VERSIONS } from "../../src/scene/versions.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { Folder } from "../support/demo.ts";
import { KINDS, SOUNDS, writeEveryKind } from "../support/every-kind.ts";
import { Looker } from "../support/looker.ts";

const folder = new Folder();
let server: ReplayServer;

beforeAll(async () => {
  await writeEveryKind(folder.at("kinds.hcrp"));
  server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true });
});

afterAll(async () => {
  await server?.close();
  folder[Symbol.dispose]();
});

test.each(VERSIONS)("a client of %s takes every packet of the replay server", async (version) => {
  await using looker = await Looker.join(server.port, version, "Sam", "kinds.replays.example");
  const { rules } = looker;
  await expect.poll(() => rules.things.size).toBe(KINDS.length + 2);
  const [session] = [...server.sessions];
  looker.say("/view Sam");
  await expect.poll(() => looker.entities.get(looker.camera)?.kind).toBe("player");
  // forwards, with all that happens on the way, then elsewhere, and to the lobby
  session!.player.play();
  await expect.poll(() => rules.things.size).toBe(KINDS.length);
  session!.player.pause();
  await session!.player.seek(0);
  await expect.poll(() => rules.things.size).toBe(KINDS.length + 2);
  await session!.player.seek(2.9e9);
  await expect.poll(() => rules.things.size).toBe(KINDS.length);
  looker.say("/view");
  // chunks come before what was built in them, whenever one comes by
  for (const [x, block] of [
    [200, "stone"],
    [0, null],
    [200, "stone"],
  ] as const) {
    // as the game does, it says again and again where it is
    const look = (): string | null => {
      looker.go(x, 80, x);
      return rules.blockAt(200, 64, 200);
    };
    await expect.poll(look, { interval: 100 }).toBe(block);
  }
  for (const mode of [2, 3]) {
    looker.say("/hotbar");
    await expect.poll(() => looker.gameMode).toBe(mode);
  }
  looker.say("/lobby");
  await expect.poll(() => rules.things.size).toBe(0);
  rules.end();
  expect(rules.problems).toEqual([]);
  expect([...new Set(rules.sounds.map(({ name }) => name))]).toEqual(SOUNDS.map(({ name }) => name));
});
