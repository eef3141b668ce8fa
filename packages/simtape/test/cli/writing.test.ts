import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { provenanceOf } from "../../src/cli/input/provenance.ts";
import { check, FORMATS, open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { type Ran, simtape, temporaryFile } from "./run.ts";

const townBytes = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30);
const town = temporaryFile("town.log", townBytes);
const fixture = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)));
const patrol = temporaryFile("patrol.tape", fixture("mira/patrol.tape"));
const text = temporaryFile("notes.txt", new TextEncoder().encode("not a recording"));

/** A name in a folder of its own. */
function fresh(name: string): string {
  return join(mkdtempSync(join(tmpdir(), "simtape-test-")), name);
}

function isSame(a: string, b: string | Uint8Array): boolean {
  return Buffer.compare(readFileSync(a), typeof b === "string" ? readFileSync(b) : b) === 0;
}

/** What a file holds, once it is sure that nothing is wrong with it. */
async function soundly(path: string): Promise<{ messages: number }> {
  await using recording = await open(fromFile(path));
  const { status, messages } = await check(recording);
  expect(status, path).toBe("sound");
  return { messages };
}

/** Runs it with `--json`, and gives what it says. */
async function reported(...words: string[]): Promise<Ran & { json: Record<string, unknown> }> {
  const ran = await simtape([...words, "--json"]);
  return { ...ran, json: JSON.parse(ran.stdout || "null") as Record<string, unknown> };
}

test.each(FORMATS)(
  "a dialect that $name does not have is wrong usage, and leaves nothing",
  async ({ id, extensions }) => {
    const source = { carla: town, mira: patrol }[id as string] ?? fresh(`source.${extensions[0]!}`);
    if (!existsSync(source)) expect((await simtape(["convert", town, source])).exit).not.toBe(1);
    const to = fresh(`out.${extensions[0]!}`);
    const { exit, stderr } = await simtape(["copy", source, to, "--rewrite", "--dialect", "none-such"]);
    expect([exit, readdirSync(dirname(to))]).toEqual([2, []]);
    expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("none-such")]);
  },
);

describe("copy", () => {
  test("copies all files byte for byte, under names that go together", async () => {
    const folder = dirname(temporaryFile("run.traj", fixture("nanover/short.traj")));
    writeFileSync(join(folder, "run.state"), fixture("nanover/short.state"));
    const to = join(folder, "other.traj");
    const { exit, json, stderr } = await reported("copy", join(folder, "run.traj"), to);
    expect([exit, stderr]).toEqual([0, ""]);
    const files = json["files"] as { name: string; bytes: number }[];
    expect(files.map(({ bytes }) => bytes)).toEqual([
      fixture("nanover/short.traj").length,
      fixture("nanover/short.state").length,
    ]);
    expect(isSame(to, join(folder, "run.traj"))).toBe(true);
    expect(isSame(join(folder, "other.state"), join(folder, "run.state"))).toBe(true);
    // The file beside is there already: nothing is overwritten, and nothing half is left.
    writeFileSync(join(folder, "third.state"), "mine");
    const refused = await simtape(["copy", join(folder, "run.traj"), join(folder, "third.traj")]);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain("exists already, remove it or choose another name");
    expect(readFileSync(join(folder, "third.state"), "utf8")).toBe("mine");
    expect(readdirSync(folder).sort()).toEqual(["other.state", "other.traj", "run.state", "run.traj", "third.state"]);
  });

  test("lays messages out again in another dialect", async () => {
    const to = fresh("copy.tape");
    const { exit, json } = await reported("copy", patrol, to, "--rewrite", "--compression", "small");
    expect(exit).toBe(0);
    expect(json).toEqual({
      messages: expect.any(Number),
      changed: [],
      lost: [],
      files: [{ name: to, bytes: readFileSync(to).length }],
      findings: [],
    });
    expect((await soundly(to)).messages).toBe(json["messages"]);
  });

  test("refuses what is there, the input under any name, and no output at all", async () => {
    const link = fresh("link.log");
    symlinkSync(town, link);
    for (const [words, message] of [
      [["copy", town, link, "--force"], "same file"],
      [["copy", town, patrol], "--force overwrites it"],
      [["copy", town], "say where to write"],
    ] as const) {
      const { exit, stdout, stderr } = await simtape(words);
      expect([exit, stdout], stderr).toEqual([2, ""]);
      expect(stderr).toContain(message);
    }
    expect(isSame(town, townBytes)).toBe(true);
    expect(await simtape(["copy", text, fresh("c.log")])).toMatchObject({ exit: 1, stdout: "" });
  });
});

describe("convert", () => {
  test("takes the original along to HCRP and gives it back, with a report of both", async () => {
    const [hcrp, back] = [fresh("town.hcrp"), fresh("back.log")];
    const there = await reported("convert", town, hcrp);
    expect(there.exit).toBe(0);
    // Exact is never said beside a loss: the town has unknown packets, which are in the original alone.
    expect(there.json).toEqual({
      exact: false,
      moments: expect.any(Number),
      carried: expect.any(Array),
      lost: [{ path: "packet-139", count: 30, reason: "its messages change no state, and conversions carry state" }],
      origin: null,
      notes: [],
      original: true,
      verified: true,
      files: [{ name: hcrp, bytes: readFileSync(hcrp).length }],
      findings: [],
    });
    expect((await reported("convert", hcrp, back)).json).toEqual({
      exact: true,
      moments: 1,
      carried: [],
      lost: [],
      origin: null,
      notes: [],
      original: true,
      verified: true,
      files: [{ name: back, bytes: townBytes.length }],
      findings: [],
    });
    expect(isSame(back, town)).toBe(true);
  });

  test("reads the result back unless that is not wanted", async () => {
    const [yes, no] = [fresh("yes.tape"), fresh("no.tape")];
    expect((await reported("convert", town, yes)).json["verified"]).toBe(true);
    expect((await reported("convert", town, no, "--no-verify")).json["verified"]).toBe(false);
    expect(isSame(yes, no)).toBe(true);
  });

  test("of a NanoVer zip into a pair says what is reported another way", async () => {
    const zip = fileURLToPath(new URL("../fixtures/nanover/buckyball.nanover.zip", import.meta.url));
    const { exit, json } = await reported("convert", zip, fresh("pair.traj"));
    const lost = json["lost"] as readonly { readonly path: string; readonly count: number }[];
    expect(json["exact"]).toBe(false);
    expect(exit).toBe(lost.length > 0 ? 3 : 0);
    const copied = await reported("copy", zip, fresh("copied.traj"), "--rewrite", "--dialect", "v2");
    expect(copied.json["changed"]).toEqual(lost.map(({ path, count }) => ({ path, count })));
    expect(copied.exit).toBe(exit);
  });

  test("ends with 3 when something was lost, and writes nothing when that is not wanted", async () => {
    const [tape, strict] = [fresh("town.tape"), fresh("strict.tape")];
    const { exit, json } = await reported("convert", town, tape);
    expect(exit).toBe(3);
    expect(json["lost"]).toEqual(
      expect.arrayContaining([{ path: expect.any(String), count: expect.any(Number), reason: expect.any(String) }]),
    );
    await soundly(tape);
    expect((await simtape(["convert", town, strict, "--strict"])).exit).toBe(1);
    expect(readdirSync(dirname(strict))).toEqual([]);
    // found only when the result is laid out, or read back: that it takes its name is not said before
    const zip = temporaryFile("run.nanover.zip", fixture("nanover/buckyball.nanover.zip"));
    const pair = fresh("run.traj");
    const refused = await reported("convert", zip, pair, "--strict");
    expect(refused.exit).toBe(1);
    expect(refused.json).toMatchObject({ verified: true, files: [] });
    expect(readdirSync(dirname(pair))).toEqual([]);
    expect((await simtape(["convert", zip, "-", "--to", "nanover", "--dialect", "v2", "--strict"])).stdout).toBe("");
    expect(await simtape(["convert", town, fresh("town.xyz")])).toMatchObject({ exit: 2, stdout: "" });
  });
});

describe("corrupt and repair", () => {
  test("the same seed damages the same way, and repair says what was lost", async () => {
    const [broken, again, whole] = [fresh("broken.tape"), fresh("again.tape"), fresh("whole.tape")];
    const { exit, json } = await reported("corrupt", patrol, broken, "--seed", "7");
    expect(exit).toBe(0);
    expect(json).toMatchObject({
      seed: 7,
      corruptions: [{ kind: expect.any(String), offset: expect.any(Number) }, {}, {}],
    });
    const [repaired] = await Promise.all([
      reported("repair", broken, whole),
      simtape(["corrupt", patrol, again, "--seed", "7"]),
    ]);
    expect(isSame(broken, again)).toBe(true);
    expect(repaired.exit).toBe(3);
    expect(Object.keys(repaired.json).sort()).toEqual(
      ["status", "bytesKept", "bytesLost", "lost", "rebuilt", "messagesKept", "channels", "findings", "files"].sort(),
    );
    expect(repaired.json).toMatchObject({ status: "repaired", lost: expect.arrayContaining([expect.any(Object)]) });
    expect((await soundly(whole)).messages).toBe(repaired.json["messagesKept"]);
  });

  test("a sound one is copied exactly, and what is no recording fails", async () => {
    const to = fresh("same.log");
    expect(await reported("repair", town, to)).toMatchObject({ exit: 0, json: { status: "sound", bytesLost: 0 } });
    expect(isSame(to, town)).toBe(true);
    expect(await simtape(["repair", text, fresh("a.log")])).toMatchObject({ exit: 1, stdout: "" });
    expect((await simtape(["corrupt", patrol, fresh("b.tape"), "--seed", "x"])).exit).toBe(2);
  });
});

describe("edits", () => {
  test.each([
    ["trim", [patrol, "--from", "2s", "--until", "50%"]],
    ["shift", [patrol, "--by", "250ms"]],
    ["filter", [patrol, "--exclude", "/robot/B*"]],
    ["redact", [patrol, "-c", "**", "--from", "1s", "--until", "2s"]],
    ["annotate", [patrol, "--at", "1s", "--text", "look here"]],
    ["join", [patrol, patrol, "--gap", "1s"]],
  ])("%s writes a sound recording, and keeps where it comes from", async (name, words) => {
    const to = fresh("edited.tape");
    const { exit, json, stderr } = await reported(name, ...words, "-o", to);
    expect([exit, stderr]).toEqual([0, ""]);
    expect(json).toEqual({
      output: to,
      messages: expect.any(Number),
      lost: [],
      files: [to, `${to}.provenance.json`].map((path) => ({ name: path, bytes: readFileSync(path).length })),
      findings: [],
    });
    expect((await soundly(to)).messages).toBe(json["messages"]);
    const provenance = JSON.parse(readFileSync(`${to}.provenance.json`, "utf8")) as {
      sources: { name: string; sha256: string }[];
      operations: { op: string }[];
      annotations: object[];
    };
    expect(provenance.operations.map(({ op }) => op)).toEqual([name]);
    expect(provenance.sources[0]).toMatchObject({ name: patrol, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(provenance.annotations).toEqual(name === "annotate" ? [{ at: 1e9, text: "look here", kind: "note" }] : []);
    expect(isSame(patrol, fixture("mira/patrol.tape"))).toBe(true);
  });

  test("rename gives channels and their state other names, where the format has names", async () => {
    const to = fresh("renamed.tape");
    const name = "/robot/Odometry";
    expect((await reported("rename", patrol, to, "--map", `${name}=/other`)).exit).toBe(0);
    await using renamed = await open(fromFile(to));
    const { values } = await renamed.state((await renamed.timeline()).end);
    expect(values.has("/other")).toBe(true);
    expect(values.has(name)).toBe(false);
    const refused = await simtape(["rename", town, fresh("a.log"), "--map", "position=place"]);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain("cannot be renamed");
  });

  test.each(["hcrp/tower-race.hcrp", "flightgear/c172p-normal-mp.fgtape", "nanover/buckyball.nanover.zip"])(
    "notes and origin travel inside %s",
    async (path) => {
      const source = temporaryFile(path.slice(path.indexOf("/") + 1), fixture(path));
      const noted = source.replace(/(\.[a-z.]+)$/, "-noted$1");
      const note = 'look <here> & "there"';
      expect(await simtape(["annotate", source, noted, "--at", "2s", "--text", note])).toMatchObject({ exit: 0 });
      expect(readdirSync(dirname(source))).toHaveLength(2);
      await soundly(noted);
      await using recording = await open(fromFile(noted));
      const provenance = await provenanceOf(recording, noted);
      expect(provenance).toMatchObject({
        sources: [{ name: source }],
        operations: [{ op: "annotate" }],
        annotations: [{ at: 2e9, text: note, kind: "note" }],
      });
    },
  );

  test("notes go along through other edits, as marks of HCRP too, and info shows them", async () => {
    const source = temporaryFile("race.hcrp", fixture("hcrp/tower-race.hcrp"));
    const [noted, cut] = [fresh("noted.hcrp"), fresh("cut.hcrp")];
    await simtape(["annotate", source, noted, "--at", "2s", "--text", "look here"]);
    await simtape(["trim", noted, cut, "--from", "1s", "--until", "4s"]);
    const { json } = await reported("info", cut);
    expect(json["provenance"]).toMatchObject({
      sources: [{ name: noted, provenance: { operations: [{ op: "annotate" }] } }],
      operations: [{ op: "trim" }],
      annotations: [{ at: 1e9, text: "look here", kind: "note" }],
    });
    const { metadata } = json["metadata"] as { metadata: { hcrp: { marks: object[] } } };
    expect(metadata.hcrp.marks).toContainEqual({ tick: 20, kind: "bookmark", label: "look here" });
  });

  test("a list is one recording before it is written, and the same one behind", async () => {
    const list = temporaryFile(
      "edits.json",
      new TextEncoder().encode(
        JSON.stringify({
          version: 1,
          source: patrol,
          operations: [
            { op: "trim", from: "1s", until: "10s" },
            { op: "shift", by: "1s" },
          ],
        }),
      ),
    );
    const to = fresh("result.tape");
    expect((await reported("edit", "--list", list, "-o", to)).exit).toBe(0);
    const state = async (of: string): Promise<unknown> => (await reported("state", of, "--at", "5s")).json;
    const [virtual, written] = await Promise.all([state(list), state(to)]);
    expect(virtual).toEqual(written);
    writeFileSync(list, '{"version":1,"operations":[{"op":"explode"}]}');
    const refused = await simtape(["edit", patrol, "--list", list, "-o", fresh("a.tape")]);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain("operations[0].op");
    expect(await simtape(["filter", patrol, fresh("c.tape"), "-c", "/none"])).toMatchObject({ exit: 2, stdout: "" });
  });
});

test("demo makes a recording of the format asked for, once", async () => {
  const folder = dirname(fresh("x"));
  const { exit, json } = await reported("demo", "carla", "-o", folder, "--seconds", "2");
  expect(exit).toBe(0);
  expect(json).toEqual({
    ...{ format: "carla", path: join(folder, "town.log"), seconds: 2, entities: 24, seed: 1 },
    bytes: expect.any(Number),
  });
  expect(existsSync(join(folder, "town.log"))).toBe(true);
  expect((await simtape(["demo", "carla", "-o", folder])).exit).toBe(2);
});
