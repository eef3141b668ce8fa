import { copyFileSync, renameSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Session } from "../../src/serve/session.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { reachable } from "../../src/serve/loopback.ts";
import { keepNote } from "../../src/serve/notes.ts";
import { command } from "../support/command.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

const folder = new Folder();
let server: ReplayServer;

beforeAll(async () => {
  folder.withRace();
  server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true });
});

afterAll(async () => {
  await server?.close();
  folder[Symbol.dispose]();
});

test("/play of what one watches alone changes nothing", async () => {
  await using looker = await Looker.join(server.port, "1.16.5", "Anna", "race.replays.example");
  await expect.poll(() => server.sessions.size).toBe(1);
  const [session] = [...server.sessions] as [Session];
  await session.player.seek(10e9);
  looker.say("/play race");
  await expect.poll(() => looker.chat.at(-1)).toBe("you watch race already");
  expect([...server.sessions]).toEqual([session]);
  looker.say("/t 20s");
  await expect.poll(() => session.player.status.time).toBe(20e9);
});

test("of many marks those around the present moment are listed", async () => {
  const path = folder.at("noted.hcrp");
  copyFileSync(folder.at("race.hcrp"), path);
  const notes = Array.from({ length: 60 }, (_, i) => ({ at: 50e9 + i * 1e8, kind: "note", text: `n${i}` }));
  await Promise.all(notes.map((note) => keepNote({ title: "noted", path, root: path }, note)));
  await using looker = await Looker.join(server.port, "1.16.5", "Anna", "noted.replays.example");
  looker.say("/pause");
  looker.say("/t 1s");
  looker.say("/marks");
  await expect.poll(() => looker.chat.at(-1)).toMatch(/^… \d+ later$/);
  expect(looker.chat).toContain("0:03.0 bookmark: race 1");
  looker.say("/t 59s");
  looker.say("/marks");
  await expect.poll(() => looker.chat.some((line) => /^… \d+ earlier$/.test(line))).toBe(true);
  await expect.poll(() => looker.chat).toContain("0:55.9 note: n59");
});

test("many ways at once end in one session that lives", async () => {
  await using looker = await Looker.join(server.port, "1.16.5", "Anna", "race.replays.example");
  await expect.poll(() => server.sessions.size).toBe(1);
  for (const text of ["/lobby", "/play race", "/lobby", "/play race", "/play race"]) looker.say(text);
  await expect.poll(() => looker.chat.at(-1)).toBe("you watch race already");
  const [session] = [...server.sessions] as [Session];
  looker.say("/t 20s");
  await expect.poll(() => session.player.status.time).toBe(20e9);
  await expect.poll(() => looker.entities.size).toBeGreaterThan(6);
  expect(looker.strange).toEqual([]);
});

test("a viewer who goes while its recording opens leaves nothing open", async () => {
  for (let i = 0; i < 5; i++) {
    const looker = await Looker.join(server.port, "1.16.5", "Quick", "race.replays.example");
    looker.client.socket.destroy();
  }
  await expect.poll(() => server.sessions.size).toBe(0);
  await using looker = await Looker.join(server.port, "1.16.5", "Anna", "race.replays.example");
  await expect.poll(() => looker.entities.size).toBeGreaterThan(0);
});

test("a recording that is removed meanwhile is one clear line", async () => {
  await using anna = await Looker.join(server.port, "1.16.5", "Anna", "race.replays.example");
  await expect.poll(() => server.sessions.size).toBe(1);
  await using bert = await Looker.join(server.port, "1.16.5", "Bert", "race.replays.example");
  await expect.poll(() => [...server.sessions].map(({ viewers }) => viewers.size)).toEqual([2]);
  renameSync(folder.at("race.hcrp"), folder.at("race.away"));
  try {
    bert.say("/free");
    await expect.poll(() => bert.chat.at(-1)).toBe("race is no longer in the store");
    anna.say("/t 20s");
    await expect.poll(() => bert.bar).toContain("0:20.0");
  } finally {
    renameSync(folder.at("race.away"), folder.at("race.hcrp"));
  }
});

test("the second of a name is refused, the first is left alone", async () => {
  await using anna = await Looker.join(server.port, "1.16.5", "Anna", "race.replays.example");
  for (const name of ["Anna", "ANNA"]) {
    const other = Looker.try(server.port, "1.21.4", name);
    await expect.poll(() => other.ended).not.toBeNull();
  }
  expect(anna.ended).toBeNull();
  anna.say("/t 20s");
  await expect.poll(() => anna.bar).toContain("0:20.0");
});

test("a name of a language's own is no command", async () => {
  await using anna = await Looker.join(server.port, "1.16.5", "Anna", "race.replays.example");
  anna.say("/constructor");
  await expect.poll(() => anna.chat.at(-1)).toContain("there is no /constructor");
  anna.say("/__proto__");
  await expect.poll(() => anna.chat.at(-1)).toContain("there is no /__proto__");
});

test("--insecure is for loopback; an address that is printed can be connected to", () => {
  for (const host of ["0.0.0.0", "192.0.2.1", "::", "127.0.0.1.example.org"]) {
    const { status, stderr } = command("serve", folder.path, "--port", "0", "--insecure", "--host", host);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--insecure is for this machine alone")]);
  }
  expect(reachable("0.0.0.0", 5)).toBe("127.0.0.1:5");
  expect(reachable("::1", 5)).toBe("[::1]:5");
});
