import { copyFileSync, mkdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Filing } from "../../src/serve/filing.ts";
import { pointsOf } from "../../src/serve/points.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { sign } from "../../src/tickets/ticket.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

const KEY = Buffer.alloc(32, 7);
const ADDRESS = "http://tapes.example.org";
const folder = new Folder();

beforeAll(() => {
  folder.withRace();
  mkdirSync(folder.at("other"));
  copyFileSync(folder.at("race.hcrp"), folder.at("other/race.hcrp"));
});

afterAll(() => folder[Symbol.dispose]());

/** A server that has recordings with these keys, and keeps what it is sent. */
function library(keys: readonly string[]) {
  const sent: unknown[] = [];
  const fetch = async (url: string | URL | Request, { method, body, headers }: RequestInit = {}): Promise<Response> => {
    const { pathname, searchParams } = new URL(url instanceof Request ? url.url : url);
    expect(headers).toMatchObject({ authorization: "Bearer t1" });
    if (method === "GET" && pathname === "/api/recordings") {
      expect(searchParams.get("q")).toBe('"race"');
      return Response.json({ recordings: keys.map((key, i) => ({ id: `id-${i}`, key })), cursor: null });
    }
    if (method === "GET" && pathname === "/api/reviews") {
      expect(Object.fromEntries(searchParams)).toMatchObject({ recording: "id-0", state: "pending" });
      return Response.json({ reviews: [{ id: "r7" }], cursor: null });
    }
    if (method === "GET" && pathname === "/api/reviews/r7") return Response.json(REVIEW);
    expect([method, pathname]).toEqual(["POST", "/api/reports"]);
    sent.push(JSON.parse(body as string));
    return Response.json({ id: "r1" }, { status: 201 });
  };
  return { sent, filing: new Filing(ADDRESS, "t1", folder.path, fetch as typeof globalThis.fetch) };
}

const REVIEW = {
  id: "r7",
  subject: "Elfox",
  text: "speeds",
  first: 5,
  marks: [{ time: 7.5, label: "too fast here" }],
};
const RACE = { title: "race", path: folder.at("race.hcrp"), root: folder.at("race.hcrp") };
const REPORT = { subject: "Kasam", words: "flies", reporter: "Alex", at: 12 };

test.each([
  ["the same library", ["other/race.hcrp", "race.hcrp"], "id-1"],
  ["a library above", ["game/race.hcrp", "game/race.hcrp.old"], "id-0"],
])("a report is filed for the recording of %s", async (_, keys, recording) => {
  const { filing, sent } = library(keys);
  await filing.file(RACE, REPORT);
  expect(sent).toEqual([{ recording, subject: "Kasam", text: "flies", reporter: "Alex", first: 0, last: 42 }]);
});

test.each([
  ["no", ["other.hcrp"]],
  ["several", ["a/race.hcrp", "b/race.hcrp"]],
])("with %s recordings of that name it is not filed", async (count, keys) => {
  const { filing, sent } = library(keys);
  await expect(filing.file(RACE, REPORT)).rejects.toThrow(`the server has ${count} recordings race`);
  expect(sent).toEqual([]);
});

test("a server that refuses, or is not there, is said", async () => {
  const refuse = async (): Promise<Response> => Response.json({ detail: "no such token" }, { status: 401 });
  const away = (): Promise<Response> => Promise.reject(new TypeError("fetch failed"));
  for (const [fetch, why] of [
    [refuse, "no such token"],
    [away, "it cannot be reached"],
  ] as const)
    await expect(new Filing(ADDRESS, "t1", folder.path, fetch).file(RACE, REPORT)).rejects.toThrow(
      `the server does not take the report: ${why}`,
    );
  expect(() => new Filing("tapes", undefined, folder.path)).toThrow("--server takes the address of a server");
});

test("/report is a note beside the recording, and filed", async () => {
  const { filing, sent } = library(["race.hcrp"]);
  const server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true, filing });
  try {
    await using looker = await Looker.join(server.port, "1.16.5", "Alex", "race.replays.example");
    await expect.poll(() => looker.entities.size).toBeGreaterThan(5);
    looker.say("/pause");
    looker.say("/t 40s");
    looker.say("/report kasam flies");
    await expect.poll(() => sent).toHaveLength(1);
    expect(sent).toMatchObject([{ subject: "Kasam", text: "flies", reporter: "Alex", first: 10, last: 70 }]);
    const points = await pointsOf(RACE);
    expect(points.find(({ kind }) => kind === "report")).toMatchObject({
      at: 40e9,
      text: "Kasam: flies",
    });
    looker.say("/report absent flies");
    await expect.poll(() => looker.chat.at(-1)).toContain("absent is not here");
  } finally {
    await server.close();
  }
});

test("reports that wait for a verdict, and marks of their pages, are points for those with a ticket alone", async () => {
  const { filing } = library(["race.hcrp"]);
  const access = { isPublic: "all" as const, key: KEY, audit: folder.at("audit.jsonl") };
  const server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true, filing, access });
  try {
    await using other = await Looker.join(server.port, "1.16.5", "Other", "race.replays.example");
    await expect.poll(() => other.entities.size).toBeGreaterThan(5);
    other.say("/marks");
    await expect.poll(() => other.chat.length).toBeGreaterThan(20);
    const until = Math.floor(Date.now() / 1000) + 60;
    const ticket = sign(KEY, { person: "Staff", recording: "race", until });
    await using staff = await Looker.join(server.port, "1.16.5", "Staff", `${ticket}.localhost`);
    await expect.poll(() => staff.entities.size).toBeGreaterThan(5);
    staff.say("/marks");
    await expect.poll(() => staff.chat).toContain("0:07.5 review: too fast here");
    expect(staff.chat).toContain("0:05.0 report: Elfox: speeds");
    other.say("/lead Staff");
    staff.say("/pause");
    staff.say("/t 7s");
    staff.say("/next");
    await expect.poll(() => staff.chat.filter((line) => line.includes("too fast"))).toHaveLength(2);
    expect([...server.sessions][0]!.player.status.time).toBe(7.5e9);
    staff.say("here");
    await expect.poll(() => other.chat).toContain("Staff: here");
    expect(other.chat.filter((line) => /too fast|speeds/.test(line))).toEqual([]);
  } finally {
    await server.close();
  }
});
