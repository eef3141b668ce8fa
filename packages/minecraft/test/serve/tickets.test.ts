import { readFileSync, statSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as later } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Public } from "../../src/serve/access.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { keepNote } from "../../src/serve/notes.ts";
import { Session } from "../../src/serve/session.ts";
import { sign } from "../../src/tickets/ticket.ts";
import { command } from "../support/command.ts";
import { writePast } from "../support/course.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

const VERSION = "1.16.5";
const KEY = Buffer.alloc(32, 7);

describe("row 10: tickets", () => {
  let folder: Folder;
  let server: ReplayServer;
  const opened = vi.spyOn(Session, "open");
  /** Files that this process has opened. */
  const files: string[] = [];
  const { open } = fs;

  beforeAll(() => {
    fs.open = (path, ...more) => {
      files.push(String(path));
      return open(path, ...more);
    };
    syncBuiltinESMExports();
  });
  afterAll(() => {
    fs.open = open;
    syncBuiltinESMExports();
  });

  beforeEach(async () => {
    folder = new Folder().withRace();
    opened.mockClear();
    server = await listen("off");
    files.length = 0;
  });
  afterEach(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });

  function listen(isPublic: Public): Promise<ReplayServer> {
    const access = { isPublic, key: KEY, audit: folder.at("audit.jsonl") };
    return ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true, access });
  }

  const ticketFor = (person: string, seconds = 60, recording = "race", key = KEY): string =>
    sign(key, { person, recording, until: Math.floor(Date.now() / 1000) + seconds });

  const lines = (): readonly Record<string, unknown>[] =>
    readFileSync(folder.at("audit.jsonl"), "utf8")
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  /** Nothing of the recording was read for it, and nothing shown. */
  function expectNothing({ entities, blocks, names }: Looker, chat: readonly string[]): void {
    expect(opened).not.toHaveBeenCalled();
    expect([entities.size, blocks.size, names.size]).toEqual([0, 0, 1]);
    expect(chat.join()).not.toContain("race");
  }

  const REFUSED: readonly (readonly [string, () => string])[] = [
    ["forged", () => ticketFor("Alex", 60, "race", Buffer.alloc(32, 8))],
    ["expired", () => ticketFor("Alex", -60)],
    ["foreign", () => ticketFor("Bert")],
    ["for a recording that this server does not have", () => ticketFor("Alex", 60, "other")],
  ];

  test.each(REFUSED)("%s: refused in the chat and by host name, audited, nothing read or sent", async (flaw, make) => {
    await using typing = await Looker.join(server.port, VERSION, "Alex");
    typing.say(`/review ${make()}`);
    await expect.poll(() => typing.chat.at(-1)).toBe(`the ticket is ${flaw}`);
    expectNothing(typing, typing.chat);
    await typing[Symbol.asyncDispose]();
    await using coming = await Looker.join(server.port, VERSION, "Alex", `${make()}.replay.example.org`);
    await expect.poll(() => coming.chat).toContain(`the ticket is ${flaw}`);
    expectNothing(coming, coming.chat);
    // a ticket that is none does not even make the server look into the store
    const isRead = files.some((path) => path.endsWith("race.hcrp"));
    expect(isRead).toBe(flaw.startsWith("for a recording"));
    expect(lines()).toHaveLength(2);
    for (const line of lines())
      expect(line).toMatchObject({ name: "Alex", action: "ticket", refused: flaw, recording: null });
  });

  test("missing: no list, no /play, no /join, no host name; what is asked for is audited", async () => {
    await using looker = await Looker.join(server.port, VERSION, "Alex", "race.replay.example.org");
    await expect.poll(() => looker.chat.length).toBe(1);
    for (const words of ["/play race", "/list", "/review race", "/free"]) looker.say(words);
    await expect.poll(() => looker.chat.at(-1)).toContain("open a recording first");
    expectNothing(
      looker,
      looker.chat.filter((line) => !line.includes("no recording is called race")),
    );
    expect(files.filter((path) => path.endsWith("race.hcrp"))).toEqual([]);
    await using staff = await Looker.join(server.port, VERSION, "Cora", `${ticketFor("Cora")}.replay.example.org`);
    await expect.poll(() => staff.entities.size).toBe(7);
    looker.say("/join Cora");
    await expect.poll(() => looker.chat.at(-1)).toContain("it takes a ticket");
    expect([looker.entities.size, opened.mock.calls.length]).toEqual([0, 1]);
    expect(lines().map(({ name, action, refused }) => [name, action, refused])).toEqual([
      ["Alex", "open", "no ticket"],
      ["Alex", "open", "no ticket"],
      ["Cora", "ticket", undefined],
      ["Cora", "open", undefined],
      ["Alex", "open", "no ticket"],
    ]);
  });

  test("used: it opens once, also after a restart; what it opened stays open to its person while it is there", async () => {
    const ticket = ticketFor("Alex");
    await using looker = await Looker.join(server.port, VERSION, "Alex");
    looker.say(`/review ${ticket}`);
    await expect.poll(() => looker.entities.size).toBe(7);
    looker.say("/lobby");
    await expect.poll(() => looker.entities.size).toBe(0);
    looker.say("/play race");
    await expect.poll(() => looker.entities.size).toBe(7);
    await looker[Symbol.asyncDispose]();
    await expect.poll(() => lines().at(-1)?.["action"]).toBe("leave");
    await server.close();
    server = await listen("off");
    await using again = await Looker.join(server.port, VERSION, "Alex");
    again.say(`/review ${ticket}`);
    await expect.poll(() => again.chat.at(-1)).toBe("the ticket is used before");
    expect([again.entities.size, opened.mock.calls.length]).toEqual([0, 2]);
    const id = lines()[0]!["by"];
    expect(lines().map(({ action, by, refused }) => [action, by, refused])).toEqual([
      ["ticket", id, undefined],
      ["open", id, undefined],
      ["leave", undefined, undefined],
      ["open", id, undefined],
      ["leave", undefined, undefined],
      ["ticket", undefined, "used before"],
    ]);
    expect(statSync(folder.at("audit.jsonl")).mode & 0o077).toBe(0);
  });

  test("of two who show the same ticket at once one gets in", async () => {
    const other = await listen("off");
    const ticket = ticketFor("Alex");
    await using here = await Looker.join(server.port, VERSION, "Alex");
    await using there = await Looker.join(other.port, VERSION, "Alex");
    for (const looker of [here, there]) looker.say(`/review ${ticket}`);
    await expect.poll(() => [here, there].filter(({ entities }) => entities.size === 7).length).toBe(1);
    await expect.poll(() => [...here.chat, ...there.chat]).toContain("the ticket is used before");
    await other.close();
  });

  test("own: only what a player is in", async () => {
    await server.close();
    server = await listen("own");
    const race = await Session.open({ title: "race", path: folder.at("race.hcrp"), root: folder.at("race.hcrp") });
    await race.close();
    const { subjects } = (race.recording.info.metadata as { metadata: { hcrp: { subjects: { name: string }[] } } })
      .metadata.hcrp;
    expect(subjects.length).toBeGreaterThan(0);
    opened.mockClear();
    await using looker = await Looker.join(server.port, VERSION, "Alex");
    await expect.poll(() => looker.chat.length).toBe(1);
    expectNothing(looker, looker.chat);
    looker.say("/play race");
    await expect.poll(() => looker.chat.at(-1)).toContain("no recording is called race");
    expect(opened).not.toHaveBeenCalled();
  });

  test("own: who is in a recording does not see what others have reported, who has a ticket does", async () => {
    await server.close();
    server = await listen("own");
    await using player = await Looker.join(server.port, VERSION, "Player");
    await writePast(folder.path, "run", { player: "Player", speed: 2048, z: 1 }, player.client.uuid);
    const path = folder.at("run.hcrp");
    const note = { at: 1e9, kind: "report", text: "Player: flies" };
    await keepNote({ title: "run", path, root: path }, note);
    await using staff = await Looker.join(server.port, VERSION, "Staff", `${ticketFor("Staff", 60, "run")}.localhost`);
    await expect.poll(() => staff.chat).toContain("0:01.0 report: Player: flies");
    player.say("/play run");
    player.say("/marks");
    await expect.poll(() => player.chat).toContain("0:00.0 start: Start");
    staff.say("/pause");
    staff.say("/t 0s");
    staff.say("/next");
    await expect.poll(() => staff.chat.filter((line) => line.includes("flies"))).toHaveLength(2);
    player.say("here");
    await expect.poll(() => player.chat.at(-1)).toBe("Player: here");
    expect(player.chat.filter((line) => line.includes("flies"))).toEqual([]);
  });

  test("an audit that cannot be written opens nothing", async () => {
    await server.close();
    const access = { isPublic: "all" as const, key: null, audit: "/dev/full" };
    server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true, access });
    await using looker = await Looker.join(server.port, VERSION, "Alex");
    looker.say("/play race");
    await expect.poll(() => looker.chat.at(-1)).toBe("the audit cannot be written, so nothing is opened");
    expect([opened.mock.calls.length, looker.entities.size]).toEqual([0, 0]);
  });

  test("one who tries tickets is sent away", async () => {
    await using looker = await Looker.join(server.port, VERSION, "Alex");
    for (let n = 0; n < 10; n++) looker.say(`/review ${ticketFor("Bert")}`);
    await expect.poll(() => looker.ended).not.toBeNull();
  });

  test("the command makes a key and tickets, and the server takes them", async () => {
    await server.close();
    const key = folder.at("replay.key");
    const made = command("ticket", "race", "--for", "Alex", "--key", key);
    expect([made.status, statSync(key).mode & 0o777]).toEqual([0, 0o600]);
    const access = {
      isPublic: "off" as const,
      key: Buffer.from(readFileSync(key, "utf8").trim(), "hex"),
      audit: folder.at("a"),
    };
    server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true, access });
    await using looker = await Looker.join(server.port, VERSION, "Alex");
    looker.say(`/review ${made.stdout.trim()}`);
    await expect.poll(() => looker.entities.size).toBe(7);
    const address = command("ticket", "race", "--for", "Alex", "--key", key, "--host", "replay.example.org", "--json");
    expect((JSON.parse(address.stdout) as { address: string }).address).toMatch(
      /^st1\w{49}\.\w{49}\.replay\.example\.org$/,
    );
    writeFileSync(folder.at("short.key"), "abc");
    for (const words of [
      ["ticket", "race", "--for", "Alex", "--key", folder.at("short.key")],
      ["ticket", "race", "--for", "Alex", "--key", key, "--minutes", "0"],
      ["serve", folder.path, "--port", "0", "--key", folder.at("none.key")],
      ["serve", folder.at("nowhere"), "--port", "0", "--insecure"],
      ["serve", folder.path, "--port", "0", "--public", "some"],
      ["serve", folder.path, "--port", "0", "--insecure", "--host", "0.0.0.0"],
    ])
      expect([words.join(" "), command(...words).status]).toEqual([words.join(" "), 2]);
    await later(0);
  });

  test("a mark is kept beside the recording, where simtape finds it; marks of earlier servers are read", async () => {
    const old = { op: "annotate", at: "40.125s", text: "Alex: of before", kind: "review" };
    writeFileSync(
      folder.at("race.marks.json"),
      JSON.stringify({ version: 1, operations: [old, { op: "trim" }, null] }),
    );
    await using looker = await Looker.join(server.port, VERSION, "Alex", `${ticketFor("Alex")}.localhost`);
    await expect.poll(() => looker.entities.size).toBe(7);
    looker.say("/pause");
    looker.say("/t 12s");
    looker.say("/mark flies here");
    looker.say("/t 20s");
    looker.say("/mark and here");
    await expect.poll(() => looker.chat).toContain("Alex marks: and here");
    const { annotations } = JSON.parse(readFileSync(folder.at("race.hcrp.provenance.json"), "utf8")) as {
      annotations: object[];
    };
    expect(annotations).toEqual([
      { at: 12e9, kind: "review", text: "Alex: flies here" },
      { at: 20e9, kind: "review", text: "Alex: and here" },
    ]);
    expect(
      lines()
        .filter(({ action }) => action === "mark")
        .map(({ seconds, text }) => [seconds, text]),
    ).toEqual([
      [12, "flies here"],
      [20, "and here"],
    ]);
    expect(folder.simtape("events", folder.at("race.hcrp"), "--kind", "review")).toContain("Alex: and here");
    looker.say("/t 39.9s");
    for (const [command, says] of [
      ["/next", "0:40.1 review: Alex: of before"],
      ["/t 20.1s", null],
      ["/prev", "0:20.0 review: Alex: and here"],
      ["/mark", "/mark TEXT keeps a note here; /next and /prev go to marks"],
      ["/t 60s", null],
      ["/next", "no mark after this: /marks lists them"],
    ] as const) {
      looker.say(command);
      if (says !== null) await expect.poll(() => looker.chat.at(-1)).toBe(says);
    }
    const [session] = [...server.sessions];
    expect(session!.player.status.time).toBeCloseTo(60e9, -8);
    looker.say("/marks");
    await expect.poll(() => looker.chat).toContain("0:12.0 review: Alex: flies here");
  });
});
