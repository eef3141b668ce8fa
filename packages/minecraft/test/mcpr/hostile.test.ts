import { existsSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportMcpr } from "../../src/mcpr/export.ts";
import { importMcpr } from "../../src/mcpr/import.ts";
import { command } from "../support/command.ts";
import { Folder } from "../support/demo.ts";

const folder = new Folder();
let whole: Record<string, Uint8Array>;
/** Few packets of a race, so that many variants are tried in a short time. */
let head: Uint8Array;

beforeAll(async () => {
  folder.withRace();
  await exportMcpr(folder.at("race.hcrp"), folder.at("race.mcpr"), "1.16.5");
  whole = unzipSync(readFileSync(folder.at("race.mcpr")));
  const bytes = Buffer.from(whole["recording.tmcpr"]!);
  let at = 0;
  while (bytes.readInt32BE(at) < 1000) at += 8 + bytes.readInt32BE(at + 4);
  head = bytes.subarray(0, at);
});

afterAll(() => folder[Symbol.dispose]());

function write(files: Readonly<Record<string, Uint8Array | string>>): string {
  const usual = { "metaData.json": '{"protocol":754,"duration":1000}', "recording.tmcpr": head, "markers.json": "[]" };
  const all = Object.entries({ ...usual, ...files }).map(([name, bytes]) => [
    name,
    typeof bytes === "string" ? Buffer.from(bytes) : bytes,
  ]);
  writeFileSync(folder.at("x.mcpr"), zipSync(Object.fromEntries(all)));
  return folder.at("x.mcpr");
}

test.each([
  ["a date that no calendar has", '{"protocol":754,"date":1e300}'],
  ["a date before the year 0", '{"protocol":754,"date":-1e15}'],
  ["a length that never ends", '{"protocol":754,"duration":1e999}'],
  ["a length below nothing", '{"protocol":754,"duration":-5}'],
  ["names of other kinds", '{"protocol":754,"serverName":{"a":1},"mcversion":7}'],
])("metadata with %s do not matter", async (_, metaData) => {
  const report = await importMcpr(write({ "metaData.json": metaData }), folder.at("x.hcrp"));
  expect(report).toMatchObject({ damage: null, refused: null, unread: 0, ticks: 20 });
});

test("markers that are none are passed over, and those behind the end stand there", async () => {
  const markers = `[null, 7, "x", [], {"realTimestamp":"soon"}, {"realTimestamp":-1}, {"realTimestamp":300,"value":null},
    {"realTimestamp":500,"value":{"name":{"toString":1}}}, {"realTimestamp":1e300,"value":{"name":"far"}},
    {"realTimestamp":1e999,"value":{"name":"farther"}}]`;
  const report = await importMcpr(write({ "markers.json": markers }), folder.at("x.hcrp"));
  expect(report).toMatchObject({ damage: null, refused: null, marks: 4 });
  await using recording = await open(fromFile(folder.at("x.hcrp")));
  const marks: unknown[] = [];
  for await (const { time, value } of recording.messages("mark"))
    marks.push([time / 50e6, (value as { label: string }).label]);
  expect(marks).toEqual([
    [6, "mark"],
    [10, "mark"],
    [20, "far"],
    [20, "farther"],
  ]);
});

test("a clock that leaps ends the recording there", async () => {
  const leap = Buffer.from("7fffffff0000000100", "hex");
  const report = await importMcpr(write({ "recording.tmcpr": Buffer.concat([head, leap]) }), folder.at("x.hcrp"));
  expect(report.damage).toContain(`byte ${head.length}: no packet: 2147483647 ms`);
  expect(report.ticks).toBe(20);
});

test("whatever the small files hold, there is a recording or one clear error", async () => {
  const json = fc.oneof(fc.json(), fc.string());
  await fc.assert(
    fc.asyncProperty(json, json, async (metaData, markers) => {
      const input = write({ "metaData.json": metaData, "markers.json": markers });
      const failure = await importMcpr(input, folder.at("x.hcrp")).catch((error: Error) => error);
      if (failure instanceof Error) expect(failure.name).toBe("RecordingError");
      const withVersion = write({ "markers.json": markers });
      const other = await importMcpr(withVersion, folder.at("x.hcrp")).catch((error: Error) => error);
      if (other instanceof Error) expect(other.name).toBe("RecordingError");
    }),
    { numRuns: 40 },
  );
});

test("changed and cut packets do no more than lose what they were", async () => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 30 }), fc.nat(), async (changes, cut) => {
      const bytes = Uint8Array.from(head);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      const input = write({ "recording.tmcpr": bytes.subarray(0, cut % 2 === 0 ? bytes.length : cut % bytes.length) });
      const failure = await importMcpr(input, folder.at("x.hcrp")).catch((error: Error) => error);
      if (failure instanceof Error) expect(failure.name).toBe("RecordingError");
      else await (await open(fromFile(folder.at("x.hcrp")))).close();
    }),
    { numRuns: 60 },
  );
});

test("what is there stays without --force", () => {
  const input = write({});
  writeFileSync(folder.at("kept.hcrp"), "kept");
  const refused = command("import", input, folder.at("kept.hcrp"), "--json");
  expect(refused.status).toBe(2);
  expect(JSON.parse(refused.stdout).error.message).toContain("--force overwrites it");
  expect(readFileSync(folder.at("kept.hcrp"), "utf8")).toBe("kept");
  expect(command("import", input, folder.at("kept.hcrp"), "--force")).toMatchObject({ status: 0, stderr: "" });
  const back = ["export", folder.at("kept.hcrp"), folder.at("kept.mcpr"), "--version", "1.16.5"];
  expect(command(...back).status).toBe(0);
  expect(command(...back).status).toBe(2);
  expect(command(...back, "--force").status).toBe(0);
  expect(existsSync(folder.at("kept.mcpr"))).toBe(true);
});
