import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { check, open } from "../../src/index.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { simtape, simtapeProcess } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-streams-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fresh = (): string => mkdtempSync(join(folder, "try-"));
const corpus = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../corpus/cases/${path}`, import.meta.url)));

const SINGLE: Readonly<Record<string, Uint8Array>> = {
  carla: corpus("carla/0.9.15/town.log"),
  flightgear: corpus("flightgear/continuous/flight.fgtape"),
  hcrp: corpus("hcrp/walk/run.hcrp"),
  mira: corpus("mira/recommended/robot.tape"),
  nanover: corpus("nanover/zip/run.nanover.zip"),
};

/** Commands of one input and one output; `out` is where it goes. */
const WRITING: readonly (readonly [string, readonly string[]])[] = [
  ["copy", []],
  ["copy", ["--rewrite"]],
  ["repair", []],
  ["convert", ["--to", "hcrp"]],
  ["convert", ["--to", "mira"]],
  ["trim", ["--from", "0s"]],
  ["trim", ["--from", "25%", "--until", "75%"]],
  ["shift", ["--by", "1s"]],
  ["filter", ["-c", "**"]],
  ["redact", ["-c", "**", "--until", "2ms"]],
  ["annotate", ["--at", "0s", "--text", "look"]],
];

describe.each(Object.entries(SINGLE))("of %s", (_, bytes) => {
  test.each(WRITING)("%s %j gives the same through - as through files", async (command, options) => {
    const place = fresh();
    const [from, to] = [join(place, "in"), join(place, "out")];
    writeFileSync(from, bytes);
    const files = await simtape([command, from, to, ...options]);
    const piped = await simtape([command, "-", "-", ...options], bytes);
    expect([piped.exit, piped.stderr]).toEqual([files.exit, expect.any(String)]);
    expect([0, 3]).toContain(piped.exit);
    // what is written down of the source is its name
    const isNamed = !["copy", "repair"].includes(command);
    if (!isNamed) expect(new Uint8Array(piped.bytes)).toEqual(new Uint8Array(readFileSync(to)));
    const sums = [];
    for (const written of [new Uint8Array(piped.bytes), new Uint8Array(readFileSync(to))]) {
      await using recording = await open(bundleOfFiles({ recording: written }));
      const { status, messages } = await check(recording);
      sums.push([recording.info.format, status, messages]);
    }
    expect(sums[0]).toEqual(sums[1]);
    expect(sums[0]![1]).toBe("sound");
    expect(readdirSync(place).filter((name) => !/^(in|out(\.provenance\.json)?)$/.test(name))).toEqual([]);
  });

  test("-o - is the same as the last argument, and the report goes where the talk goes", async () => {
    const { exit, bytes: out, stderr } = await simtape(["copy", "-", "-o", "-", "--json"], bytes);
    expect([exit, new Uint8Array(out)]).toEqual([0, bytes]);
    expect(JSON.parse(stderr)).toEqual({ files: [{ name: "-", bytes: bytes.length }], findings: [] });
  });

  test("reads it from standard input, however often it is looked at", async () => {
    for (const words of [
      ["info", "-"],
      ["check", "-"],
      ["records", "-"],
      ["cat", "-", "--from", "10%"],
      ["state", "-", "--at", "50%"],
      ["tail", "-", "--from", "start", "--idle-exit", "10ms"],
    ]) {
      const { exit, stdout, stderr } = await simtape(words, bytes);
      expect([words, exit, stderr]).toEqual([words, 0, ""]);
      expect(stdout).not.toBe("");
    }
  });
});

test("the original comes back through two pipes", async () => {
  const { hcrp: _, ...others } = SINGLE;
  for (const bytes of Object.values(others)) {
    const hub = await simtape(["convert", "-", "-", "--to", "hcrp"], bytes);
    const back = await simtape(["convert", "-", "-", "--to", await formatOf(bytes)], hub.bytes);
    expect([back.exit, new Uint8Array(back.bytes)]).toEqual([0, bytes]);
  }
});

async function formatOf(bytes: Uint8Array): Promise<string> {
  await using recording = await open(bundleOfFiles({ recording: bytes }));
  return recording.info.format;
}

test("HCRP: verify, compact, train, meta and join take it too", async () => {
  const bytes = SINGLE["hcrp"]!;
  expect(await simtape(["verify", "-"], bytes)).toMatchObject({ exit: 0 });
  expect(await simtape(["meta", "get", "-"], bytes)).toMatchObject({ exit: 0 });
  const compacted = await simtape(["compact", "-", "-"], bytes);
  expect(compacted.exit).toBe(0);
  expect(await simtape(["verify", "-"], compacted.bytes)).toMatchObject({ exit: 0 });
  const trained = await simtape(["dictionary", "train", "-", "-o", "-", "--id", "40000"], bytes);
  expect([trained.exit, trained.bytes.length > 100]).toEqual([0, true]);
  const joined = await simtape(["join", "-", "-", "-o", "-"], bytes);
  expect(joined.exit).toBe(0);
  expect(await simtape(["check", "-"], joined.bytes)).toMatchObject({ exit: 0 });
});

test("tail ends where standard input does, also when the recording is not finished", async () => {
  const bytes = corpus("hcrp/plain/run.hcrp");
  expect(JSON.parse((await simtape(["info", "-", "--json"], bytes)).stdout)).toMatchObject({
    metadata: { finished: false },
  });
  const { exit, stdout } = await simtape(["tail", "-", "--from", "start"], bytes);
  expect([exit, stdout === ""]).toEqual([0, false]);
});

test("two files do not fit into one stream, and nothing is written then", async () => {
  const place = fresh();
  for (const name of ["run.traj", "run.state"]) writeFileSync(join(place, name), corpus(`nanover/pair/${name}`));
  for (const words of [
    ["copy", join(place, "run.traj"), "-"],
    ["convert", join(place, "run.traj"), "-", "--to", "nanover", "--dialect", "v2"],
    ["trim", join(place, "run.traj"), "-", "--from", "0s"],
  ]) {
    const { exit, stdout, stderr } = await simtape(words);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("standard output takes one file");
  }
  const zip = await simtape(["convert", join(place, "run.traj"), "-", "--to", "nanover", "--dialect", "zip"]);
  expect(zip.exit).toBe(0);
  expect(await simtape(["check", "-"], zip.bytes)).toMatchObject({ exit: 0 });
});

test("what fails writes nothing to standard output, and leaves no temporary file", async () => {
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith("simtape-")).length;
  for (const words of [
    ["copy", "-", "-"],
    ["repair", "-", "-"],
    ["trim", "-", "-", "--from", "1s"],
  ])
    expect(await simtape(words, new TextEncoder().encode("no recording"))).toMatchObject({ exit: 1, stdout: "" });
  expect(await simtape(["convert", "-", "-"], SINGLE["mira"]!)).toMatchObject({ exit: 2, stdout: "" });
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith("simtape-")).length).toBeLessThanOrEqual(before);
});

test("places that are folders or change in place take no -", async () => {
  for (const words of [
    ["record", "-"],
    ["recover", "-"],
    ["retain", "-", "--policy", "p.json"],
    ["meta", "set", "-", "a=1"],
    ["demo", "mira", "-o", "-"],
    ["view", "-"],
  ]) {
    const { exit, stdout, stderr } = await simtape(words, SINGLE["hcrp"]!);
    expect([words[0], exit, stdout]).toEqual([words[0], 2, ""]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
  expect(existsSync("-")).toBe(false);
});

test("the built command: a pipe in, a pipe out", async () => {
  const bytes = SINGLE["mira"]!;
  const to = join(fresh(), "out.tape");
  expect(await simtapeProcess(["copy", "-", to], bytes)).toMatchObject({ exit: 0 });
  expect(new Uint8Array(readFileSync(to))).toEqual(bytes);
  const { exit, bytes: out } = await simtapeProcess(["copy", "-", "-"], bytes);
  expect([exit, new Uint8Array(out)]).toEqual([0, bytes]);
});
