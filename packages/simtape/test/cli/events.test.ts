import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { textCell } from "../../src/cli/serving.ts";
import { simtape, temporaryFile } from "./run.ts";

const town = temporaryFile("town.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30));
const fixture = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)));
const race = temporaryFile("race.hcrp", fixture("hcrp/tower-race.hcrp"));
const evil = temporaryFile("evil.hcrp", fixture("hcrp/evil-names.hcrp"));

test("events are lines for people", async () => {
  const { exit, stdout, stderr } = await simtape([
    "events",
    town,
    "--kind",
    "collision",
    "--kind",
    "removal",
    "--format",
    "text",
  ]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  const hit = "vehicle.tesla.model3 (hero) 24 hits vehicle.yamaha.yzf (autopilot) 25";
  expect(stdout.split("\n")).toEqual([
    `      0.600000 collision      ${hit}`,
    `      1.050000 collision      ${hit}`,
    "      1.350000 removal        walker.pedestrian.0001 26 is removed",
    "",
  ]);
});

test("events are JSON of the agreed shape, one on each line", async () => {
  const { stdout } = await simtape(["events", race, "-k", "checkpoint", "--who", "ELIF", "--limit", "1", "--json"]);
  const event = JSON.parse(stdout) as Record<string, unknown>;
  expect(Object.keys(event)).toEqual(["time", "kind", "text", "who", "channel", "sequence", "value"]);
  expect(event).toMatchObject({
    ...{ time: 11_750_000_000, kind: "checkpoint", text: "Elif: checkpoint 1", channel: "mark" },
    ...{ who: [{ set: "players", id: 5, label: "Elif" }], value: { entity: 5, severity: 0 } },
  });
});

test("events are CSV", async () => {
  const { stdout } = await simtape(["events", race, "--from", "26s", "--until", "27s", "--format", "csv"]);
  expect(stdout.split("\n").map((line) => line.replace(/,\d+$/, ""))).toEqual([
    "time,kind,text,who,ids,channel,sequence",
    "26350000000,teleport,Bo_Jumps teleports,Bo_Jumps,players/2,place",
    "26350000000,chat,Bo_Jumps fell and is back at checkpoint 2,,,chat",
    "26350000000,bookmark,Bo_Jumps: reset,Bo_Jumps,players/2,mark",
    "",
  ]);
});

const EXAMPLES = ["town.log", "flight.fgtape", "race.hcrp", "patrol.tape", "buckyball.nanover.zip"];

test.each(EXAMPLES)("a note is an event, once, and its kind can be asked for: %s", async (name) => {
  const source = fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
  const noted = temporaryFile(`noted-${name}`, new Uint8Array(0));
  const annotate = ["annotate", source, noted, "--force", "--at", "2s", "--text", "brakes too late"];
  expect((await simtape(annotate)).exit).toBe(0);
  const all = (await simtape(["events", noted, "--json"])).stdout.trim().split("\n");
  const events = all.map((line) => JSON.parse(line) as { time: number; kind: string; text: string });
  expect(events.filter(({ text }) => text === "brakes too late")).toMatchObject([{ time: 2e9, kind: "note" }]);
  expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).toSorted((a, b) => a - b));
  const asked = await simtape(["events", noted, "--kind", "note", "--listed", "--json"]);
  expect(
    asked.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ time: 2e9, kind: "note" }]);
  expect((await simtape(["events", noted, "--kind", "note", "--from", "3s"])).stdout).toBe("");
});

test.each<[target: string, words: readonly string[], time: number]>([
  ["town.hcrp", [], 2e9],
  ["town.mcap", ["-c", "position"], 2e9],
  ["town.tape", ["--from", "500ms"], 1.5e9],
  ["town.log", ["--from", "500ms"], 1.5e9],
])("a conversion keeps the notes at their moments: %s %j", async (name, words, time) => {
  const source = fileURLToPath(new URL("../../../../examples/town.log", import.meta.url));
  const [noted, converted] = [temporaryFile("noted.log", new Uint8Array(0)), temporaryFile(name, new Uint8Array(0))];
  await simtape(["annotate", source, noted, "--force", "--at", "2s", "--text", "brakes too late"]);
  await simtape(["convert", noted, converted, "--force", ...words]);
  const events = ["events", "--kind", "note", "--json"];
  expect(JSON.parse((await simtape([...events, converted])).stdout)).toMatchObject({ time, text: "brakes too late" });
  if (name !== "town.hcrp") return;
  const back = temporaryFile("back.log", new Uint8Array(0));
  await simtape(["convert", converted, back, "--force"]);
  expect(JSON.parse((await simtape([...events, back])).stdout)).toMatchObject({ time, text: "brakes too late" });
});

test("a conversion leaves out the notes that are outside its range", async () => {
  const [noted, converted] = ["noted.log", "part.tape"].map((name) => temporaryFile(name, new Uint8Array(0)));
  await simtape(["annotate", town, noted!, "--force", "--at", "1s", "--text", "brakes too late"]);
  await simtape(["convert", noted!, converted!, "--force", "--until", "500ms"]);
  expect(existsSync(`${converted}.provenance.json`)).toBe(false);
});

test("a damaged file of notes beside a recording has none", async () => {
  for (const text of ["{", "[]", '{"simtape":"provenance","annotations":[{"at":"2s","text":1},null]}']) {
    const path = temporaryFile("beside.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 3));
    writeFileSync(`${path}.provenance.json`, text);
    expect((await simtape(["events", path])).exit, text).toBe(0);
    expect((await simtape(["events", path, "--kind", "note"])).exit, text).toBe(2);
  }
});

test("cells that a spreadsheet would calculate are text, and numbers and lists of numbers are as they are", () => {
  for (const cell of ["-1,67,11", "-1", "+4.5e-3", "-1; -2"]) expect(textCell(cell)).toBe(cell);
  for (const cell of ["-1+2", "=1", "@a", "-1,=2", "-", "+a,1"]) expect(textCell(cell)).toBe(`'${cell}`);
});

test("events that a file lists have no message", async () => {
  const { stdout } = await simtape(["events", race, "--listed"]);
  const events = stdout.trim().split("\n");
  expect(events).toHaveLength(24);
  for (const event of events) expect(event).toContain('"channel":null,"sequence":null');
});

test("events of a file from a stranger move nothing on a terminal", async () => {
  for (const format of ["text", "csv", "ndjson"]) {
    const { stdout } = await simtape(["events", evil, "--format", format]);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  }
});

test("a time that is none is wrong usage", async () => {
  expect((await simtape(["events", town, "--from", "soon"])).exit).toBe(2);
  expect((await simtape(["events", town, "--limit", "few"])).exit).toBe(2);
});
