import { afterAll, beforeAll, expect, test } from "vitest";
import { CONTROLS } from "../../src/serve/controls.ts";
import { Session } from "../../src/serve/session.ts";
import { Folder } from "../support/demo.ts";

const folder = new Folder();

beforeAll(() => folder.withRace());

afterAll(() => folder[Symbol.dispose]());

test("a session that loads knows whether it will play: so it is paused, and watched alone", async () => {
  const path = folder.at("race.hcrp");
  const session = await Session.open({ title: "race", path, root: path });
  const { player } = session;
  expect([player.status.phase, session.isPlaying]).toEqual(["loading", false]);
  session.begin();
  expect([player.status.phase, session.isPlaying]).toEqual(["loading", true]);
  await CONTROLS["pause"]!(session, "");
  expect([player.status.phase, session.isPlaying]).toEqual(["loading", false]);
  await expect.poll(() => player.status.phase).toBe("paused");
  await CONTROLS["speed"]!(session, "2");
  await expect.poll(() => player.status.phase).toBe("playing");
  void player.seek(20e9);
  expect([player.status.phase, session.isPlaying]).toEqual(["loading", true]);
  await player.seek(player.status.bounds!.end - 50e6);
  await expect.poll(() => player.status.phase).toBe("ended");
  expect(session.isPlaying).toBe(false);
  await session.close();
});
