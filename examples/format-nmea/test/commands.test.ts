import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type Ran, simtape, simtapeProcess } from "../../../packages/simtape/test/cli/run.ts";
import { harbourRun, ownAt } from "./sample.ts";

/** The built module. */
const MODULE = fileURLToPath(new URL("../dist/nmea.js", import.meta.url));

type Report = Readonly<Record<string, unknown>>;

interface Vessel {
  readonly ids: readonly (number | string)[];
  readonly columns: Readonly<Record<string, { readonly unit: string | null; readonly data: readonly number[] }>>;
}

describe("with the module, every command knows NMEA 0183", () => {
  const folder = mkdtempSync(join(tmpdir(), "nmea-"));
  const at = (name: string): string => join(folder, name);
  const log = at("run.nmea");
  const bytes = harbourRun();
  writeFileSync(log, bytes);
  writeFileSync(at("broken.nmea"), bytes.slice().fill(0xee, 5000, 5004));

  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (...words: readonly string[]): Promise<Ran> => simtape([...words, "--format-module", MODULE]);

  async function json(...words: readonly string[]): Promise<Report> {
    const { exit, stdout, stderr } = await run(...words, "--json");
    expect([exit, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout) as Report;
  }

  async function vesselIn(name: string, time: string): Promise<Vessel["columns"]> {
    const { sets } = await json("state", at(name), "--at", time);
    return (sets as { readonly vessel: Vessel }).vessel.columns;
  }

  test("info, state, events, records --fields", async () => {
    const info = await json("info", log);
    expect(info).toMatchObject({ format: "nmea", timeline: { start: 0, end: 150e9 }, findings: [] });
    expect((await vesselIn("run.nmea", "60s"))["depth"]).toMatchObject({ unit: "m", data: [9] });
    const { stdout } = await run("records", log, "--fields", "--limit", "1");
    const names = [...stdout.matchAll(/^ +\d+ +\d+ {4}(\S+)/gm)].map(([, name]) => name);
    expect(names.filter((name) => name !== "comma").slice(0, 7)).toEqual([
      "start",
      "talker",
      "formatter",
      "time",
      "latitude",
      "north-south",
      "longitude",
    ]);
  });

  test("check and repair", async () => {
    expect((await run("check", log)).exit).toBe(0);
    expect((await run("check", at("broken.nmea"))).exit).toBe(3);
    const { exit, stdout } = await run("repair", at("broken.nmea"), at("whole.nmea"), "--json");
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ status: "repaired", lost: [{ code: "damaged-bytes" }] });
    expect((await run("check", at("whole.nmea"))).exit).toBe(0);
  });

  test("copy, and copy --rewrite, byte for byte", async () => {
    for (const words of [[], ["--rewrite"]]) {
      await json("copy", log, at("copy.nmea"), "--force", ...words);
      expect(readFileSync(at("copy.nmea")).equals(Buffer.from(bytes))).toBe(true);
    }
  });

  test("trim: sentences keep their times of day, and what held at the cut says that it is the cut", async () => {
    await json("trim", log, at("late.nmea"), "--from", "70.5s");
    const [first, next] = readFileSync(at("late.nmea"), "utf8").match(/^\$GPGGA,[^,]+/gm)!;
    expect([first, next]).toEqual(["$GPGGA,000010.50", "$GPGGA,000011.00"]);
    const { timeline } = await json("info", at("late.nmea"));
    expect(timeline).toMatchObject({ start: 0, end: 79.5e9 });
    const before = await vesselIn("run.nmea", "70.5s");
    const after = await vesselIn("late.nmea", "0s");
    expect(after).toEqual(before);
    expect(await vesselIn("late.nmea", "9.5s")).toEqual(await vesselIn("run.nmea", "80s"));
  });

  test("shift, join and filter", async () => {
    await json("trim", log, at("early.nmea"), "--until", "20s");
    await json("shift", at("early.nmea"), at("shifted.nmea"), "--by", "1s");
    expect(await vesselIn("shifted.nmea", "11s")).toEqual(await vesselIn("run.nmea", "10s"));
    await json("join", at("early.nmea"), log, "-o", at("joined.nmea"));
    expect(existsSync(at("joined.nmea.provenance.json"))).toBe(true);
    expect((await run("check", at("joined.nmea"))).exit).toBe(0);
    // Without the sentences that say the time, others say it.
    await json("filter", log, at("depth.nmea"), "--channel", "dpt");
    expect((await vesselIn("depth.nmea", "100s"))["depth"]?.data).toEqual(
      (await vesselIn("run.nmea", "100s"))["depth"]?.data,
    );
    expect((await json("info", at("depth.nmea")))["timeline"]).toMatchObject({ start: 0, end: 150e9 });
  });

  test("convert to HCRP and FlightGear", async () => {
    await json("convert", log, at("run.hcrp"));
    expect(await json("convert", at("run.hcrp"), at("back.nmea"))).toMatchObject({ exact: true });
    expect(readFileSync(at("back.nmea")).equals(Buffer.from(bytes))).toBe(true);
    expect(await json("convert", log, at("run.fgtape"))).toMatchObject({ verified: true, lost: [] });
    const { aircraft } = (await json("state", at("run.fgtape"), "--at", "90s"))["sets"] as { aircraft: Vessel };
    const row = aircraft.ids.indexOf("self");
    const [latitude, longitude] = aircraft.columns["geodetic"]!.data.slice(3 * row);
    expect(latitude).toBeCloseTo(ownAt(90).latitude, 5);
    expect(longitude).toBeCloseTo(ownAt(90).longitude, 5);
  });

  test("convert other formats, and account for what no sentence says", async () => {
    const flight = fileURLToPath(new URL("../../flight.fgtape", import.meta.url));
    const { exit, stdout, stderr } = await run("convert", flight, at("flight.nmea"), "--json");
    expect([exit, stderr]).toEqual([3, expect.any(String)]);
    const report = JSON.parse(stdout) as Report;
    expect(report["verified"]).toBe(true);
    expect(report["carried"]).toEqual([{ path: "aircraft", count: expect.any(Number) }]);
    expect((report["lost"] as Report[]).map(({ path }) => path)).toContain("/velocities/airspeed-kt");
    const there = ((await json("state", flight, "--at", "100%"))["sets"] as { aircraft: Vessel }).aircraft;
    const [latitude, longitude] = there.columns["geodetic"]!.data.slice(3 * there.ids.indexOf("self"));
    const [north, east] = (await vesselIn("flight.nmea", "100%"))["geodetic"]!.data;
    expect(north).toBeCloseTo(latitude!, 8);
    expect(east).toBeCloseTo(longitude!, 8);
  });
});

test("the installed command knows them by the environment, too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nmea-"));
  writeFileSync(join(folder, "run.nmea"), harbourRun());
  process.env["SIMTAPE_FORMAT_MODULES"] = MODULE;
  try {
    const { exit, stdout } = await simtapeProcess(["check", join(folder, "run.nmea")]);
    expect([exit, stdout]).toEqual([0, expect.stringContaining("sound, 833 messages")]);
  } finally {
    delete process.env["SIMTAPE_FORMAT_MODULES"];
    rmSync(folder, { recursive: true });
  }
});
