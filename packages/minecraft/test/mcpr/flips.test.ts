import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unzipSync, zipSync } from "fflate";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportMcpr } from "../../src/mcpr/export.ts";
import { type ImportReport, importMcpr } from "../../src/mcpr/import.ts";
import { command } from "../support/command.ts";
import { Folder } from "../support/demo.ts";

// That a flip anywhere in a zip is found is tested where zips are read (packages/simtape/test/io/zip.test.ts).

const SAMPLE = fileURLToPath(
  new URL("../../../../../shared/samples/hypercube/cap8-flyingsquid-1.16.5.mcpr", import.meta.url),
);

const folder = new Folder();
let bytes: Buffer;

beforeAll(async () => {
  folder.withRace();
  folder.simtape("trim", "race.hcrp", "--until", "2s", "-o", "short.hcrp");
  await exportMcpr(folder.at("short.hcrp"), folder.at("short.mcpr"), "1.16.5");
  bytes = readFileSync(folder.at("short.mcpr"));
});

afterAll(() => folder[Symbol.dispose]());

/** Null: it was refused. */
async function imported(changed: Uint8Array, version?: string): Promise<ImportReport | null> {
  writeFileSync(folder.at("x.mcpr"), changed);
  try {
    return await importMcpr(folder.at("x.mcpr"), folder.at("x.hcrp"), { version });
  } catch (error) {
    expect((error as Error).name).toBe("RecordingError");
    return null;
  }
}

async function outcome(): Promise<unknown> {
  await using recording = await open(fromFile(folder.at("x.hcrp")));
  return (recording.info.metadata as { metadata: { hcrp: { outcome: unknown } } }).metadata.hcrp.outcome;
}

test("a flipped bit in any member is a finding that names it", async () => {
  for (const name of ["metaData.json", "markers.json", "recording.tmcpr"]) {
    // data begin behind header and name
    const data = bytes.indexOf(name) + name.length;
    for (const [at, bit] of [
      [2, 3],
      [name === "recording.tmcpr" ? 2000 : 8, 5],
    ] as const) {
      const flipped = Uint8Array.from(bytes);
      flipped[data + at]! ^= 1 << bit;
      const report = await imported(flipped);
      if (report === null) expect(name).not.toBe("markers.json");
      else {
        expect(report.findings.length).toBeGreaterThan(0);
        expect(report.damage).toContain(name);
        expect(await outcome()).toBe(name === "recording.tmcpr" ? "crashed" : "completed");
      }
    }
  }
});

test("of a cut file everything up to the cut is there", async () => {
  let before = 0;
  for (const part of [0.2, 0.5, 0.8, 0.97]) {
    const report = (await imported(bytes.subarray(0, Math.floor(bytes.length * part))))!;
    expect(report.damage).toContain("no directory that can be read");
    expect(report.packets).toBeGreaterThan(before);
    expect(await outcome()).toBe("crashed");
    before = report.packets;
  }
  // Nothing but the directory is gone.
  const report = (await imported(bytes.subarray(0, -1)))!;
  expect(report.lost).toBeNull();
  expect(report.findings).toHaveLength(1);
  expect(await outcome()).toBe("completed");
});

test("the account says what was kept and what is lost; without metadata --version says what it was", async () => {
  writeFileSync(folder.at("cut.mcpr"), bytes.subarray(0, Math.floor(bytes.length * 0.7)));
  const cut = command("import", folder.at("cut.mcpr"), folder.at("cut.hcrp"));
  expect(cut.status).toBe(3);
  expect(cut.stderr).toMatch(/no directory that can be read/);
  expect(cut.stderr).toMatch(/\d+ bytes of packets were taken apart, up to [\d.]+ s; [\d.]+ s behind it are lost/);
  const { "metaData.json": _, ...others } = unzipSync(bytes);
  const headless = zipSync({ ...others, "metaData.json": new Uint8Array(0) });
  const cutOff = headless.subarray(0, Buffer.from(headless).indexOf("metaData.json") - 30);
  writeFileSync(folder.at("headless.mcpr"), cutOff);
  const refused = command("import", folder.at("headless.mcpr"), folder.at("headless.hcrp"));
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("--version");
  expect(await imported(cutOff, "1.16.5")).toMatchObject({ version: "1.16.5", ticks: 40, unread: 0, refused: null });
});

describe.skipIf(!existsSync(SAMPLE))("a recording of 1.16.5", () => {
  test("with a flipped bit, or cut, never passes for whole", async () => {
    const sample = readFileSync(SAMPLE);
    const flipped = Uint8Array.from(sample);
    flipped[Math.floor(sample.length * 0.5)]! ^= 4;
    expect((await imported(flipped))!.damage).toContain("recording.tmcpr");
    const report = (await imported(sample.subarray(0, Math.floor(sample.length / 2))))!;
    expect(report.packets).toBeGreaterThan(10_000);
    expect(report.packets).toBeLessThan(29_042);
    expect(report.lost).toMatchObject({ written: 1_869_227 });
  });
});
