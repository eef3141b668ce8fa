import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { journalFile } from "../../src/cli/serving.ts";
import { directoryStore, toFile } from "../../src/io/node/index.ts";
import { newMark } from "../../src/io/node/owner.ts";
import { tries } from "../soak.ts";
import { SOUND } from "../specimens.ts";
import { simtape } from "./run.ts";

let root = "";
let folder = "";
let mask = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "simtape-files-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(root, "at-"));
  mask = process.umask(0o022);
});
afterEach(() => void process.umask(mask));

const SESSION = Buffer.from(
  '{"tick":0}\n{"spawn":{"id":"a","type":"x:car","at":[0,64,0]}}\n{"tick":1}\n{"chat":{"text":"private"}}\n{"end":"completed"}\n',
);

/** Of each file below a folder, and of the folders. */
function modesIn(path: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(path, { recursive: true }) as string[])
    found[name] = (statSync(join(path, name)).mode & 0o777).toString(8);
  return found;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

function put(name: string, specimen: string, mode: number): string {
  const found = SOUND.find((one) => one.name === specimen)!;
  for (const [file, bytes] of Object.entries(found.files))
    writeFileSync(join(folder, Object.keys(found.files).length === 1 ? name : file), bytes);
  const path = join(folder, Object.keys(found.files).length === 1 ? name : Object.keys(found.files)[0]!);
  chmodSync(path, mode);
  return path;
}

describe("who may read what is written", () => {
  test("a recorder's folder and files are its user's only", async () => {
    expect((await simtape(["record", join(folder, "new", "run")], SESSION)).exit).toBe(0);
    const modes = modesIn(folder);
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(["new/run", "new/run/meta.hcrp"]));
    for (const [name, mode] of Object.entries(modes))
      expect([name, mode]).toEqual([name, /run$|new$/.test(name) ? "700" : "600"]);
  });

  test("of a shared recording others have as much as the umask lets them", async () => {
    expect((await simtape(["record", join(folder, "new", "run"), "--shared"], SESSION)).exit).toBe(0);
    for (const [name, mode] of Object.entries(modesIn(folder)))
      expect([name, mode]).toEqual([name, /run$|new$/.test(name) ? "755" : "644"]);
  });

  test("files are as readable as the folder that was there before them", async () => {
    mkdirSync(join(folder, "run"), { mode: 0o750 });
    expect((await simtape(["record", join(folder, "run")], SESSION)).exit).toBe(0);
    expect(modeOf(join(folder, "run", "meta.hcrp"))).toBe(0o640);
    expect(modeOf(join(folder, "run", "seg-00000000.hcs"))).toBe(0o640);
  });

  test("a journal is its user's only, wherever it is", async () => {
    const path = join(folder, "journal.hcj");
    const journal = journalFile(path);
    await journal.append(Uint8Array.of(1));
    expect(modeOf(path)).toBe(0o600);
    await journal.replace(Uint8Array.of(2));
    expect([modeOf(path), readdirSync(folder)]).toEqual([0o600, ["journal.hcj"]]);
    await journal.remove();
  });

  test.each([
    [0o600, 0o600],
    [0o640, 0o640],
    [0o666, 0o644],
    [0o755, 0o644],
  ])("what is made from a file of mode %i has mode %i", async (mode, expected) => {
    const log = put("town.log", "made town 0.9.15", mode);
    const tape = put("patrol.tape", "patrol.tape", mode);
    await simtape(["convert", log, join(folder, "town.hcrp")]);
    await simtape(["copy", log, join(folder, "copy.log")]);
    await simtape(["trim", log, join(folder, "trim.log"), "--from", "0s", "--until", "0.5s"]);
    await simtape(["repair", tape, join(folder, "repaired.tape")]);
    await simtape(["compact", join(folder, "town.hcrp"), join(folder, "small.hcrp")]);
    const made = ["town.hcrp", "copy.log", "trim.log", "trim.log.provenance.json", "repaired.tape", "small.hcrp"];
    for (const name of made) expect([name, modeOf(join(folder, name))]).toEqual([name, expected]);
  });

  test("what takes the place of a file has its mode, and what has no source is its user's only", async () => {
    await simtape(["demo", "mira", "--seconds", "1", "-o", folder]);
    expect(modeOf(join(folder, "robot.tape"))).toBe(0o600);
    chmodSync(join(folder, "robot.tape"), 0o664);
    await simtape(["demo", "mira", "--seconds", "1", "-o", folder, "--force"]);
    expect(modeOf(join(folder, "robot.tape"))).toBe(0o664);
    const sink = await toFile(join(folder, "x"), { mode: 0o644 }).open();
    await sink.close();
    expect(modeOf(join(folder, "x"))).toBe(0o644);
  });
});

describe("a link where something is about to be written", () => {
  /** A command line that writes below a folder. */
  type Writes = (at: string, source: string, tape: string) => Promise<unknown>;

  const COMMANDS: [string, Writes][] = [
    ["copy", (at, source) => simtape(["copy", source, join(at, "o.log"), "--force"])],
    ["convert", (at, source) => simtape(["convert", source, join(at, "o.hcrp"), "--force"])],
    ["convert to a pair", (at, source) => simtape(["convert", source, join(at, "o.traj"), "--force"])],
    ["trim", (at, source) => simtape(["trim", source, join(at, "o.log"), "--until", "0.5s", "--force"])],
    [
      "annotate",
      (at, _, tape) => simtape(["annotate", tape, join(at, "o.tape"), "--at", "0s", "--text", "x", "--force"]),
    ],
    ["repair", (at, _, tape) => simtape(["repair", tape, join(at, "o.tape"), "--force"])],
    ["corrupt", (at, source) => simtape(["corrupt", source, join(at, "o.log"), "--force"])],
    ["demo", (at) => simtape(["demo", "mira", "--seconds", "1", "-o", at, "--force"])],
    ["record", (at) => simtape(["record", join(at, "run"), "--journal"], SESSION)],
    [
      "record with a journal elsewhere",
      (at) => simtape(["record", join(at, "run"), "--journal", join(at, "j")], SESSION),
    ],
    [
      "a journal",
      async (at) => {
        const journal = journalFile(join(at, "journal.hcj"));
        await journal.append(Uint8Array.of(1)).catch(() => undefined);
        await journal.replace(Uint8Array.of(2));
        await journal.append(Uint8Array.of(3));
      },
    ],
    [
      "a store",
      async (at) => {
        const store = directoryStore(at);
        const sink = await store.sink("key");
        await sink.write(Uint8Array.of(1));
        await sink.close();
        const put = { condition: { absent: true }, idempotencyKey: "one" } as const;
        await store.put("other", Uint8Array.of(1), put).catch(() => undefined);
      },
    ],
  ];

  test.each(COMMANDS)("is not written through by %s", async (_, work) => {
    const [source, tape] = [put("town.log", "made town 0.9.15", 0o644), put("patrol.tape", "patrol.tape", 0o644)];
    const plain = join(folder, "plain");
    mkdirSync(plain);
    await work(plain, source, tape);
    const names = (readdirSync(plain, { recursive: true }) as string[]).filter(
      (name) => !lstatSync(join(plain, name)).isDirectory(),
    );
    expect(names.length).toBeGreaterThan(0);
    // what was predictable in older versions, or is gone at the end
    names.push(...names.map((name) => `${name}.tmp`), ...names.map((name) => `${name}.part`), "journal.hcj.tmp");
    names.push("run/writer.lock", "run/journal.hcj", "run/journal.hcj.tmp", "run/.~puts", ".~puts");
    for (const isThere of [true, false]) {
      const [trap, victim] = [join(folder, `trap-${isThere}`), join(folder, `victim-${isThere}`)];
      for (const name of names) {
        mkdirSync(join(trap, name, ".."), { recursive: true });
        if (!existsSync(join(trap, name))) rmSync(join(trap, name), { force: true });
        if (!lstatSync(join(trap, name), { throwIfNoEntry: false })) symlinkSync(victim, join(trap, name));
      }
      if (isThere) writeFileSync(victim, "untouched");
      await work(trap, source, tape);
      expect(existsSync(victim) ? readFileSync(victim, "utf8") : null).toBe(isThere ? "untouched" : null);
    }
  });
});

describe("what ended commands left", () => {
  test("is removed by the next that writes there, and nothing else", async () => {
    const source = put("town.log", "made town 0.9.15", 0o644);
    const ended = newMark().replace(/^([^.]+)\.[^.]+/, "$1.999999999");
    const kept = [`.town.log~${newMark()}.part`, ".notes~old.part", "notes~1.part", `notes~${ended}.part`, ".x.part"];
    for (const name of [...kept, `.town.log~${ended}.part`, `.journal.hcj~${ended}`])
      writeFileSync(join(folder, name), "x");
    expect((await simtape(["copy", source, join(folder, "o.log")])).exit).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([...kept, "town.log", "o.log"].sort());
  });
});

describe("what is no file", () => {
  const MADE: [string, (path: string) => unknown][] = [
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["a device without end", (path) => symlinkSync("/dev/zero", path)],
    ["a folder", (path) => mkdirSync(path)],
    ["a link to itself", (path) => symlinkSync(path, path)],
  ];
  test.each(MADE)("such as %s, is neither waited for nor read without end", async (kind, make) => {
    const run = join(folder, "run");
    const names = ["meta.hcrp", "meta.hcrp.bak", "seg-00000000.hcs", "journal.hcj", "writer.lock", ".~puts"];
    const all = [...names, ".writer.lock~lock", ".meta.hcrp~lock"];
    for (const name of all.filter((_, i) => (i + kind.length) % tries(3, 1) === 0)) {
      rmSync(run, { recursive: true, force: true });
      expect((await simtape(["record", run], SESSION)).exit).toBe(0);
      rmSync(join(run, name), { force: true });
      make(join(run, name));
      const lines = [
        ["recover", run],
        ["check", run],
        ["verify", run],
        ["tail", run, "--from", "start", "--idle-exit", "1ms"],
      ];
      if (!name.includes("~lock")) lines.push(["info", join(run, name)], ["record", run, "--resume", "--journal"]);
      for (const words of name.includes("~lock") ? lines.slice(1) : lines) {
        const { exit, stderr } = await simtape(words, SESSION);
        expect([name, words[0], [0, 1, 2, 3].includes(exit!), stderr.includes("    at ")]).toEqual([
          name,
          words[0],
          true,
          false,
        ]);
      }
    }
  });
});
