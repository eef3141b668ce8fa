import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { simtape } from "./run.ts";

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "simtape-flight-"));
const tape = (name: string): string => join(folder, name);

test("a dialect that cannot hold everything is written, and what it leaves out is listed, with exit 3", async () => {
  expect((await simtape(["demo", "flightgear", "-o", folder, "--seconds", "5"])).exit).toBe(0);
  const demo = tape("flight.fgtape");
  for (const dialect of ["normal", "normal-2019", "recovery"]) {
    const { exit, stdout, stderr } = await simtape(["copy", demo, tape(`${dialect}.fgtape`), "--dialect", dialect]);
    expect([exit, stderr]).toEqual([3, ""]);
    expect(stdout).toMatch(/lost extra-properties \(\d+\): a \S+ tape has no "extra-properties"/);
  }
  const converted = await simtape(["convert", demo, tape("c.fgtape"), "--dialect", "normal", "--json"]);
  expect(converted.exit).toBe(3);
  const lost = expect.arrayContaining([expect.objectContaining({ path: "extra-properties" })]) as unknown;
  expect(JSON.parse(converted.stdout)).toMatchObject({ exact: false, lost });
  // So it is where one tape is behind another that has more.
  const joined = await simtape(["join", tape("normal.fgtape"), demo, "-o", tape("joined.fgtape"), "--json"]);
  expect([joined.exit, joined.stderr]).toEqual([3, ""]);
  expect(JSON.parse(joined.stdout)).toMatchObject({ lost: [{ path: "extra-properties" }] });
});

test("tapes of different signals are not joined, and what to do is said", async () => {
  const words = ["join", example("flight.fgtape"), tape("flight.fgtape"), "-o", tape("both.fgtape")];
  const { exit, stderr } = await simtape(words);
  expect([exit, existsSync(tape("both.fgtape"))]).toEqual([2, false]);
  expect(stderr).toMatch(/its 189 signals are not the 236 of the tape before it; convert both to another format/);
});

test("what plays where is said by info and by convert", async () => {
  const race = tape("race.fgtape");
  const { exit, stdout } = await simtape([
    "convert",
    example("race.hcrp"),
    race,
    "--origin=-33.9,151.2,40,15",
    "--json",
  ]);
  // A sound and a swing of the race are of no state.
  expect(exit).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    verified: true,
    origin: { latitude: -33.9, longitude: 151.2, altitude: 40, heading: 15 },
    notes: ["plays in FlightGear 2024.1 or later; --dialect normal: FlightGear 2020.2 or later"],
  });
  expect((await simtape(["info", race])).stdout).toMatch(/plays in +FlightGear 2024\.1 or later/);
  expect((await simtape(["info", example("flight.fgtape")])).stdout).toMatch(/plays in +FlightGear 2020\.2 or later/);
  const state = JSON.parse((await simtape(["state", race, "--at", "10s", "--json"])).stdout) as {
    values: Record<string, number>;
  };
  expect(state.values["/position/latitude-deg"]).toBeCloseTo(-33.9, 2);
  const wrong = await simtape(["convert", example("race.hcrp"), tape("x.fgtape"), "--origin", "91,0"]);
  expect([wrong.exit, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toContain("--origin takes LAT,LON[,ALT[,HEADING]]");
});
