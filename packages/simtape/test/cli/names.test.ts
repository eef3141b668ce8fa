import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { carryOriginal } from "../../src/formats/hcrp/write/originals.ts";
import { siblingName } from "../../src/formats/nanover/layout/record.ts";
import { convert, copy, FORMATS, MemoryFiles, open, type Writer } from "../../src/index.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { simtape } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-names-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fresh = (): string => mkdtempSync(join(folder, "try-"));
const corpus = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../corpus/cases/${path}`, import.meta.url)));

const traj = corpus("nanover/pair/run.traj");
const state = corpus("nanover/pair/run.state");
const zip = corpus("nanover/zip/run.nanover.zip");
const town = corpus("carla/0.9.15/town.log");
const tape = corpus("mira/recommended/robot.tape");
const evil = new Uint8Array(readFileSync(new URL("../fixtures/hcrp/evil-names.hcrp", import.meta.url)));

/** Every file below a folder, with its bytes. */
function listing(of: string, below = ""): Record<string, Uint8Array> {
  return Object.fromEntries(
    readdirSync(join(of, below), { withFileTypes: true }).flatMap((entry) => {
      const name = join(below, entry.name);
      return entry.isDirectory()
        ? Object.entries(listing(of, name))
        : [[name, new Uint8Array(readFileSync(join(of, name)))]];
    }),
  );
}

function lay(into: string, files: Readonly<Record<string, Uint8Array | string>>): void {
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(into, name), bytes);
}

const STEMS = [
  "run_0.3",
  "run 1",
  "läuft.今",
  ".hidden",
  "a.tape.b",
  "x.nanover",
  "-",
  "CAPS",
  "2026-11-22T10:00:00.5Z",
];

describe.each(STEMS)("a pair called %s", (stem) => {
  test.each(STEMS.filter((_, i) => i % 4 === 0))(
    "is copied, repaired and given back as %s, both files",
    async (other) => {
      const place = fresh();
      lay(place, { [`${stem}.traj`]: traj, [`${stem}.state`]: state });
      const [from, hub] = [join(place, `${stem}.traj`), join(place, "hub.hcrp")];
      expect(await simtape(["convert", from, hub])).toMatchObject({ exit: 0 });
      for (const words of [
        ["copy", from],
        ["repair", from],
        ["convert", from],
        ["convert", hub],
      ]) {
        const into = fresh();
        const { exit, stderr } = await simtape([...words, join(into, `${other}.traj`)]);
        expect([words, exit, stderr]).toEqual([words, 0, ""]);
        expect(listing(into)).toEqual({ [`${other}.traj`]: traj, [`${other}.state`]: state });
      }
      // the other file first, and from one file to two
      const [into, rewritten] = [fresh(), fresh()];
      expect(await simtape(["copy", join(place, `${stem}.state`), join(into, `${other}.state`)])).toMatchObject({
        exit: 0,
      });
      expect(listing(into)).toEqual({ [`${other}.traj`]: traj, [`${other}.state`]: state });
      lay(rewritten, { [`${stem}.nanover.zip`]: zip });
      const packed = join(rewritten, `${stem}.nanover.zip`);
      expect([0, 3]).toContain((await simtape(["convert", packed, join(rewritten, `${other}.traj`)])).exit);
      expect(readdirSync(rewritten).sort()).toEqual([`${other}.state`, `${other}.traj`, `${stem}.nanover.zip`].sort());
    },
  );
});

const anyStem = fc
  .string({ unit: fc.constantFrom(...Array.from("ab.. -_~%#é今traj")), minLength: 1, maxLength: 12 })
  .filter((text) => !/^\.{1,2}$/.test(text));

test("any two names: a pair becomes the pair of the other name and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(anyStem, anyStem, async (one, other) => {
      const [from, into] = [fresh(), fresh()];
      lay(from, { [`${one}.traj`]: traj, [`${one}.state`]: state });
      const { exit, stderr } = await simtape(["copy", join(from, `${one}.traj`), join(into, `${other}.traj`)]);
      expect([exit, stderr]).toEqual([0, ""]);
      expect(listing(into)).toEqual({ [`${other}.traj`]: traj, [`${other}.state`]: state });
    }),
    { seed: 14, numRuns: tries(20, 2000) },
  );
});

test("any two names and endings: both files of a copy are there, and are found again as one recording", async () => {
  const ending = fc.constantFrom(".traj", ".state", ".TRAJ", ".dat", "", ".nanover.zip");
  await fc.assert(
    fc.asyncProperty(anyStem, ending, anyStem, ending, async (one, from, other, to) => {
      const main = from.toLowerCase() === ".state" ? state : traj;
      const name = `${one}${from}`;
      const files = {
        [name]: main,
        [siblingName(name, main === traj ? "frame" : "state")]: main === traj ? state : traj,
      };
      await using recording = await open(bundleOfFiles(files));
      const target = new MemoryFiles(`${other}${to}`);
      await copy(recording, bundleOfFiles(files), target);
      expect(new Set(target.files.values())).toEqual(new Set([traj, state]));
      expect(target.files.get(target.name)).toEqual(main);
      const copied = { [target.name]: main, ...Object.fromEntries(target.files) };
      await using again = await open(bundleOfFiles(copied));
      expect(again.reader.siblings).toHaveLength(1);
    }),
    { seed: 14, numRuns: tries(60, 10_000) },
  );
});

describe("a recording that was carried inside HCRP", () => {
  const names: readonly (readonly [string, Uint8Array, string])[] = [
    ["t.rec", town, "back"],
    ["t.rec", town, "back.log"],
    ["t.dat", town, "back.dat"],
    ["noending", tape, "back.tape"],
    ["m.zip", zip, "back"],
    ["m.zip", zip, "back.nanover.zip"],
    ["t.hcrp", tape, "back.rec"],
    ["t.traj", tape, "back.1"],
  ];

  test.each(names)("is given back whatever it was called: %s", async (name, bytes, other) => {
    const place = fresh();
    lay(place, { [name]: bytes });
    const [hub, back] = [join(place, "hub.hcrp"), join(fresh(), other)];
    const there = await simtape(["convert", join(place, name), hub, "--to", "hcrp"]);
    expect([there.exit, there.stderr]).toEqual([0, ""]);
    const { exit, stdout, stderr } = await simtape(["convert", hub, back]);
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("1 file, byte for byte");
    expect(new Uint8Array(readFileSync(back))).toEqual(bytes);
  });

  test("of an older version of simtape, which did not write its format down, is known by its content", async () => {
    const place = fresh();
    lay(place, { "hub.hcrp": await carrying(town, [["t.rec", town]]) });
    expect(await simtape(["convert", join(place, "hub.hcrp"), join(place, "back")])).toMatchObject({ exit: 0 });
    expect(listing(place)["back"]).toEqual(town);
  });

  test("of another container than the output's is laid out again for it", async () => {
    const place = fresh();
    lay(place, { "m.zip": zip });
    expect(await simtape(["convert", join(place, "m.zip"), join(place, "hub.hcrp")])).toMatchObject({ exit: 0 });
    expect([0, 3]).toContain((await simtape(["convert", join(place, "hub.hcrp"), join(place, "b.traj")])).exit);
    expect(readdirSync(place).sort()).toEqual(["b.state", "b.traj", "hub.hcrp", "m.zip"]);
    expect(await simtape(["check", join(place, "b.traj")])).toMatchObject({ exit: 0 });
  });
});

/** An HCRP recording of `source` that carries files of those names, as older versions did. */
async function carrying(
  source: Uint8Array,
  files: readonly (readonly [string, Uint8Array])[],
): Promise<Uint8Array<ArrayBuffer>> {
  await using recording = await open(bundleOfFiles({ source }));
  const writing = await FORMATS.find(({ id }) => id === "hcrp")!.writing!();
  const made = new MemoryFiles("hub.hcrp");
  const carry = async (writer: Writer): Promise<void> => {
    for (const [name, bytes] of files) await carryOriginal(writer, name, [bytes]);
  };
  await convert(recording, writing, made, { carry });
  return new Uint8Array(made.bytes);
}

describe("names in a file choose no path", () => {
  test("only what belongs to the recording is given back, and the rest is reported", async () => {
    const place = fresh();
    lay(place, { "evil.hcrp": evil, ".bashrc": "mine", Makefile: "mine too" });
    const before = listing(place);
    const { exit, stdout } = await simtape(["convert", join(place, "evil.hcrp"), join(place, "back.log"), "--force"]);
    expect(exit).toBe(3);
    const reported = stdout.split("\n").filter((line) => line.includes(": carried along"));
    expect(reported).toHaveLength(1);
    for (const name of [".bashrc", ".npmrc", "Makefile"]) expect(reported[0]).toContain(`${name} (1)`);
    const { "back.log": back, ...others } = listing(place);
    expect(others).toEqual(before);
    expect(back!.length).toBe(59_284);
  });

  test("whatever it carries under whatever names, the output's own are all that is written", async () => {
    const name = fc.oneof(
      fc.constantFrom(
        "../up",
        "/tmp/simtape-root",
        "out.state",
        "out.log",
        ".bashrc",
        "run.state",
        "hub.hcrp",
        "a/b",
        "",
      ),
      fc.string({ maxLength: 20 }),
    );
    const content = fc.constantFrom(town, traj, state, tape, new TextEncoder().encode("alias ls=rm"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(name, content), { minLength: 1, maxLength: 4 }),
        fc.constantFrom("out.log", "out.traj", "out.state", "out.tape", "out.nanover.zip", "out"),
        fc.boolean(),
        async (files, to, isForced) => {
          const place = fresh();
          mkdirSync(join(place, "in"));
          const into = join(place, "in", "into");
          mkdirSync(into);
          const foreign = { ".bashrc": "mine", "run.state": "mine", "out.hcrp": "mine", Makefile: "mine" };
          lay(into, foreign);
          lay(place, { "hub.hcrp": await carrying(tape, files) });
          const force = isForced ? ["--force"] : [];
          const { stderr } = await simtape(["convert", join(place, "hub.hcrp"), join(into, to), ...force]);
          expect(stderr).not.toMatch(/^\s+at /m);
          const own = /tape|log|zip/.test(to) ? [to] : ["out.traj", "out.state", to];
          expect(readdirSync(place).sort()).toEqual(["hub.hcrp", "in"]);
          expect(readdirSync(join(place, "in"))).toEqual(["into"]);
          const provenance = own.map((one) => `${one}.provenance.json`);
          const allowed = new Set([...Object.keys(foreign), ...own, ...provenance]);
          expect(readdirSync(into).filter((one) => !allowed.has(one))).toEqual([]);
          for (const [one, text] of Object.entries(foreign)) expect(readFileSync(join(into, one), "utf8")).toBe(text);
          expect(existsSync("/tmp/simtape-root")).toBe(false);
        },
      ),
      { seed: 14, numRuns: tries(30, 2000) },
    );
  });
});

describe("--force", () => {
  test("overwrites the recording that is named with all its files, and no other file", async () => {
    const place = fresh();
    lay(place, { "run.traj": traj, "run.state": state, "cp.state": "mine", "own.traj": traj, "own.state": state });
    const refused = await simtape(["copy", join(place, "run.traj"), join(place, "cp.traj"), "--force"]);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain("does not belong to the recording that --force overwrites");
    expect(readFileSync(join(place, "cp.state"), "utf8")).toBe("mine");
    expect(existsSync(join(place, "cp.traj"))).toBe(false);
    expect(await simtape(["copy", join(place, "run.traj"), join(place, "own.traj"), "--force"])).toMatchObject({
      exit: 0,
    });
  });

  test("leaves no file of the old recording that would be taken for one of the new", async () => {
    const place = fresh();
    lay(place, { "lone.traj": traj, "own.traj": traj, "own.state": state });
    for (const [command, ...options] of [
      ["copy"],
      ["repair"],
      ["convert"],
      ["trim", "--from", "0s"],
      ["copy", "--rewrite"],
    ]) {
      const words = [command!, join(place, "lone.traj"), join(place, "own.traj"), "--force", ...options];
      const { exit, stderr } = await simtape(words);
      expect([command, exit]).toEqual([command, 2]);
      expect(new Uint8Array(readFileSync(join(place, "own.traj")))).toEqual(traj);
      expect(stderr).toContain(`remove it first: ${join(place, "own.state")}`);
    }
    expect(readdirSync(place).sort()).toEqual(["lone.traj", "own.state", "own.traj"]);
  });

  test("keeps a file beside that says nothing of simtape", async () => {
    const place = fresh();
    lay(place, { "a.tape": tape, "b.tape": tape, "b.tape.provenance.json": "{}", "c.tape.provenance.json": "{}" });
    const words = ["annotate", join(place, "a.tape"), "--at", "0s", "--text", "look"];
    for (const [to, force] of [
      ["b.tape", ["--force"]],
      ["c.tape", []],
    ] as const) {
      expect(await simtape([...words, "-o", join(place, to), ...force])).toMatchObject({ exit: 2, stdout: "" });
      expect(readFileSync(join(place, `${to}.provenance.json`), "utf8")).toBe("{}");
    }
    expect(existsSync(join(place, "c.tape"))).toBe(false);
    expect(new Uint8Array(readFileSync(join(place, "b.tape")))).toEqual(tape);
  });

  test("writes through no link", async () => {
    const place = fresh();
    lay(place, { "run.traj": traj, "run.state": state, secret: "mine" });
    symlinkSync(join(place, "secret"), join(place, "out.traj"));
    symlinkSync(join(place, "secret"), join(place, "cp.state"));
    symlinkSync(join(place, "nowhere"), join(place, "dangling.traj"));
    expect((await simtape(["copy", join(place, "run.traj"), join(place, "out.traj"), "--force"])).exit).toBe(0);
    expect((await simtape(["copy", join(place, "run.traj"), join(place, "cp.traj"), "--force"])).exit).toBe(2);
    for (const force of [[], ["--force"]])
      await simtape(["copy", join(place, "run.traj"), join(place, "dangling.traj"), ...force]);
    expect(readFileSync(join(place, "secret"), "utf8")).toBe("mine");
    expect(existsSync(join(place, "nowhere"))).toBe(false);
  });

  test("what is written over a recording has nothing of the old one beside it", async () => {
    const place = fresh();
    lay(place, { "a.tape": tape });
    const [a, b] = [join(place, "a.tape"), join(place, "b.tape")];
    await simtape(["annotate", a, b, "--at", "0s", "--text", "look"]);
    expect(existsSync(`${b}.provenance.json`)).toBe(true);
    // a copy takes along what is beside its source
    expect(await simtape(["copy", b, join(place, "c.tape")])).toMatchObject({ exit: 0 });
    expect(readFileSync(join(place, "c.tape.provenance.json"))).toEqual(readFileSync(`${b}.provenance.json`));
    expect(await simtape(["copy", a, b, "--force"])).toMatchObject({ exit: 0 });
    expect(existsSync(`${b}.provenance.json`)).toBe(false);
  });
});

describe("a folder as output", () => {
  test.each([
    [["copy", "town.log"], "town.log"],
    [["repair", "town.log"], "town.log"],
    [["trim", "town.log", "--from", "0s"], "town.log"],
    [["convert", "town.log", "--to", "mira"], "town.tape"],
    [["convert", "run 0.3", "--to", "hcrp"], "run 0.3.hcrp"],
    [["convert", "live", "--to", "mira"], "live.tape"],
    [["copy", "live"], "meta.hcrp"],
    [["convert", "race.hcrp", "--dialect", "v1-segmented"], "meta.hcrp"],
    [["compact", "live"], "live.hcrp"],
  ])("%j writes %s into it", async (words, name) => {
    const place = fresh();
    lay(place, { "town.log": town, "run 0.3": town, "race.hcrp": corpus("hcrp/walk/run.hcrp") });
    mkdirSync(join(place, "into"));
    mkdirSync(join(place, "live"));
    for (const file of ["meta.hcrp", "seg-00000000.hcs", "seg-00000001.hcs"])
      lay(join(place, "live"), {
        [file]: new Uint8Array(readFileSync(new URL(`../fixtures/hcrp/segmented/${file}`, import.meta.url))),
      });
    const [command, file, ...more] = words as [string, string, ...string[]];
    const { exit, stderr } = await simtape([command, join(place, file), join(place, "into"), ...more]);
    expect([0, 3], stderr).toContain(exit);
    expect(readdirSync(join(place, "into"))).toContain(name);
    expect(readdirSync(join(place, "into")).filter((one) => one !== name && !/^seg-|provenance/.test(one))).toEqual([]);
  });
});

describe("an output that would be taken for something else", () => {
  test.each([
    [["copy", "robot.tape", "robot.log"], /would be a CARLA recording.*convert/],
    [["repair", "robot.tape", "robot.hcrp"], /would be a HCRP recording.*convert/],
    [["trim", "robot.tape", "robot.fgtape", "--from", "0s"], /would be a FlightGear recording.*convert/],
    [["join", "robot.tape", "robot.tape", "-o", "robot.nanover.zip"], /would be a NanoVer recording.*convert/],
    [["convert", "robot.tape", "robot.log", "--to", "mira"], /would be a CARLA recording/],
    [["copy", "run.nanover.zip", "run.traj"], /another kind of NanoVer recording.*convert/],
    [["copy", "m.zip", "run.traj"], /another kind of NanoVer recording.*convert/],
    [["compact", "robot.tape", "robot.log"], /would be a CARLA recording/],
  ])("%j is refused as wrong usage", async (words, message) => {
    const place = fresh();
    lay(place, { "robot.tape": tape, "run.nanover.zip": zip, "m.zip": zip });
    const before = readdirSync(place);
    const { exit, stdout, stderr } = await simtape(
      words.map((word) => (/^\w+\.\w+/.test(word) ? join(place, word) : word)),
    );
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(readdirSync(place)).toEqual(before);
  });
});
