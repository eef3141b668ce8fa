import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWriter } from "../../src/formats/hcrp/write/create.ts";
import { toFile } from "../../src/io/node/index.ts";
import { tries } from "../soak.ts";
import { SOUND } from "../specimens.ts";
import { simtape } from "./run.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-shown-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a terminal acts on, but for ends of lines and tabs; said here by numbers, unlike there. */
function actedOn(text: string): string[] {
  return Array.from(text, (letter) => letter.codePointAt(0)!)
    .filter(
      (code) =>
        (code < 0x20 && code !== 0x09 && code !== 0x0a) ||
        (code >= 0x7f && code <= 0x9f) ||
        [0x61c, 0x200e, 0x200f].includes(code) ||
        (code >= 0x2028 && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069),
    )
    .map((code) => code.toString(16));
}

/** Clears the screen, sets a title, goes up and over, turns direction: in UTF-8, by length. */
const EVIL = [
  "\r",
  "\u001b",
  "\u0007",
  "\u009b",
  "\u0085",
  "\u202e",
  "\u2066",
  "\u001b[2J",
  "\u001b]0;x\u0007",
  "\u007f",
];
const encoded = EVIL.map((text) => new TextEncoder().encode(text));

/** Readable letters of a file made into what a terminal acts on; no length changes. */
function poisoned(bytes: Uint8Array, share: number, seed: number): Uint8Array {
  const result = bytes.slice();
  let state = seed | 1;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const isLetter = (at: number): boolean => /[A-Za-z_.]/.test(String.fromCharCode(result[at] ?? 0));
  for (let at = 0; at < result.length; at++) {
    if (!isLetter(at) || !isLetter(at + 1) || !isLetter(at + 2) || random() > share) continue;
    const evil = encoded[Math.floor(random() * encoded.length)]!;
    if (evil.every((_, i) => isLetter(at + i))) result.set(evil, at);
  }
  return result;
}

/** A world, and the state of any simulator, whose every text is bad. */
function sessions(): [string, object[]][] {
  const evil = `=${EVIL.join("x")}\n`;
  const uuid = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
  const world = [
    { simtape: 1, server: "server \u001b[2J", metadata: { [evil]: evil, list: [evil, evil] } },
    { tick: 0 },
    { join: { id: "a", uuid, name: "x\u001b[2J", at: [0, 64, 0] } },
    { subject: { id: "a", uuid, name: "x\u001b[2J" } },
    { equipment: { id: "a", items: [evil, null] } },
    { effect: { id: "a", name: evil, ticks: 9 } },
    { chat: { text: evil } },
    { tick: 1 },
    { mark: { label: evil } },
    { block: { at: [0, 0, 0], state: `x:${evil}` } },
    { event: "evil:\u001b[2J\u009b\u202e", value: evil },
    { session: evil },
    { tick: 2 },
    { end: "completed" },
  ];
  const state = [
    { simtape: 1, sets: { [evil]: { columns: { [`c${evil}`]: { unit: evil, kind: "string" } } } } },
    { tick: 0 },
    { set: { [evil]: evil, [`${evil}/b`]: { [evil]: evil } } },
    { entities: { [evil]: { [evil]: { [`c${evil}`]: evil } } } },
    { tick: 2 },
    { end: "completed" },
  ];
  return [
    ["world", world],
    ["state", state],
  ];
}

/** Every command that shows something of a recording. */
function commandsOn(file: string, out: string): string[][] {
  return [
    ["info", file],
    ["info", file, "--json"],
    ["state", file, "--at", "1s"],
    ["state", file, "--at", "1s", "--json"],
    ["cat", file, "--format", "text", "--limit", "200"],
    ["cat", file, "--format", "csv", "--limit", "200"],
    ["cat", file, "--format", "ndjson", "--limit", "200"],
    ["cat", file, "-c", "no such channel"],
    ["tail", file, "--from", "start", "--format", "text", "--idle-exit", "1ms", "--follow-interval", "1ms"],
    ["records", file, "--fields", "--limit", "40"],
    ["check", file],
    ["check", file, "--json"],
    ["verify", file],
    ["meta", "get", file],
    ["carla", "info", file, "--all"],
    ["carla", "collisions", file],
    ["carla", "blocked", file],
    ["convert", file, join(out, "o.hcrp")],
    ["convert", file, join(out, "o.tape")],
    ["convert", file, join(out, "o.fgtape")],
    ["convert", file, join(out, "o.log")],
    ["convert", file, join(out, "o.nanover.zip")],
    ["compact", file, join(out, "c.hcrp")],
    ["repair", file, join(out, "r.out")],
    ["copy", file, join(out, "y.out"), "--rewrite"],
    ["trim", file, join(out, "t.out"), "--from", "0s", "--until", "1s"],
    ["corrupt", file, join(out, "x.out")],
  ];
}

describe("what a recording says", () => {
  let shown = 0;

  async function look(file: string, pick: (all: string[][]) => string[][]): Promise<void> {
    const out = mkdtempSync(join(folder, "out-"));
    for (const words of pick(commandsOn(file, out))) {
      const { stdout, stderr } = await simtape(words);
      expect([words, actedOn(stdout), actedOn(stderr)]).toEqual([words, [], []]);
      shown += /\\(x1b|u001b|x9b|u009b|u202e)/.test(stdout + stderr) ? 1 : 0;
    }
    // what was written says the same
    for (const name of readdirSync(out).filter((other) => other.startsWith("o.")))
      for (const command of ["info", "state"]) {
        const words = [command, join(out, name), ...(command === "state" ? ["--at", "1s"] : [])];
        const { stdout, stderr } = await simtape(words);
        expect([words, actedOn(stdout), actedOn(stderr)]).toEqual([words, [], []]);
      }
    rmSync(out, { recursive: true });
  }

  test("moves nothing on a terminal, whichever command shows it", async () => {
    for (const [name, lines] of sessions()) {
      const file = join(folder, name);
      const input = Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
      const recorded = await simtape(["record", file, "--lenient"], input);
      expect([actedOn(recorded.stdout), actedOn(recorded.stderr)]).toEqual([[], []]);
      await look(file, (all) => all);
    }
    expect(shown).toBeGreaterThan(15);
  });

  test("moves nothing on a terminal when every text of a file is poisoned", async () => {
    shown = 0;
    const files = SOUND.filter(({ format }) => format !== "hcrp");
    const cases = fc.record({ which: fc.nat(files.length - 1), share: fc.constantFrom(0.02, 0.2, 1), seed: fc.nat() });
    await fc.assert(
      fc.asyncProperty(cases, async ({ which, share, seed }) => {
        const at = mkdtempSync(join(folder, "poisoned-"));
        const entries = Object.entries(files[which]!.files);
        for (const [name, bytes] of entries) writeFileSync(join(at, name), poisoned(bytes, share, seed));
        await look(join(at, entries[0]![0]), (all) => all.filter((_, i) => (i + seed) % tries(6, 3) === 0));
        rmSync(at, { recursive: true });
      }),
      { seed: 14, numRuns: tries(12, 200) },
    );
    expect(shown).toBeGreaterThan(5);
  });

  test("and the name of a file moves nothing either", async () => {
    const file = join(folder, "\u001b[2J\u202e\n.log");
    writeFileSync(file, SOUND[0]!.files["town.log"]!.subarray(0, 500));
    for (const words of commandsOn(file, folder)) {
      const { stdout, stderr } = await simtape(words);
      expect([words, actedOn(stdout), actedOn(stderr)]).toEqual([words, [], []]);
    }
    const { stderr } = await simtape(["info", "--\u001b[2J", file]);
    expect([actedOn(stderr), stderr]).toEqual([[], expect.stringContaining("\\x1b[2J")]);
  });
});

describe("CSV", () => {
  /** RFC 4180, as a spreadsheet reads it. */
  function cellsOf(text: string): string[][] {
    const rows: string[][] = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
      rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
      if (end === "\n") rows.push([]);
    }
    return rows.filter((row) => row.length > 1 || row[0] !== "");
  }

  test("has no text that a spreadsheet would calculate, and numbers stay numbers", async () => {
    const texts = ["=1+1", "+cmd", "-cmd|x", "@SUM(1)", "\t=1", "\r=1", "-5", "1e3", 'say "=1", or', "a\nb", "＝1"];
    const lines = [
      { tick: 0 },
      ...texts.map((text) => ({ chat: { text } })),
      { event: "=evil:x", value: 1 },
      { end: "completed" },
    ];
    const file = join(folder, "formulas");
    await simtape(["record", file], Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n")));
    const flat = cellsOf((await simtape(["cat", file, "-c", "chat", "--format", "csv"])).stdout);
    const line = flat[0]!.indexOf("line");
    expect(flat.slice(1).map((row) => row[line])).toEqual([
      "'=1+1",
      "'+cmd",
      "'-cmd|x",
      "'@SUM(1)",
      "'\t=1",
      "\\x0d=1",
      "-5",
      "1e3",
      'say "=1", or',
      "a\nb",
      "'＝1",
    ]);
    expect(flat.every((row) => row.length === flat[0]!.length)).toBe(true);
    const both = cellsOf((await simtape(["cat", file, "-c", "chat", "-c", "=evil:x", "--format", "csv"])).stdout);
    expect(both.at(-1)!.slice(2, 4)).toEqual(["'=evil:x", "false"]);
    expect(both.every((row) => row.length === 5)).toBe(true);
    const raw = cellsOf((await simtape(["cat", file, "-c", "=evil:x", "--format", "csv", "--raw"])).stdout);
    expect(raw.at(-1)!.at(-1)).toBe(Buffer.from("1").toString("base64"));
  });

  test("leaves negative numbers of signals as they are", async () => {
    const file = join(folder, "flight.fgtape");
    writeFileSync(file, SOUND.find(({ format }) => format === "flightgear")!.files["flight.fgtape"]!);
    const { stdout } = await simtape(["cat", file, "-c", "signals", "--format", "csv", "--limit", "2"]);
    expect(stdout).not.toContain("'");
    expect(stdout).toMatch(/,-\d/);
  });
});

describe("a link to the recording that goes on", () => {
  async function linked(id: string, next: string): Promise<string> {
    mkdirSync(join(folder, "links", id), { recursive: true });
    const path = join(folder, "links", id, "meta.hcrp");
    const writer = await createWriter(toFile(path), { metadata: { next } } as never);
    await writer.close();
    return path;
  }
  const tail = (path: string): ReturnType<typeof simtape> =>
    simtape(["tail", path, "--from", "start", "--follow-interval", "1ms"]);

  test.each([
    ["to itself", [["a", "a"]], 0],
    [
      "round in a circle",
      [
        ["b", "c"],
        ["c", "d"],
        ["d", "b"],
      ],
      2,
    ],
    ["out of the store", [["e", "../outside/secret"]], 0],
    ["to the store itself", [["f", ".."]], 0],
    ["to nothing", [["g", ""]], 0],
    ["to a place of its own", [["h", "https://example.org/x"]], 0],
    ["of control characters", [["i", "\u001b[2J"]], 0],
  ] as const)("that leads %s ends there, and says so", async (_, links, hops) => {
    mkdirSync(join(folder, "outside", "secret"), { recursive: true });
    writeFileSync(join(folder, "outside", "secret", "meta.hcrp"), "secret");
    const paths = [];
    for (const [id, next] of links) paths.push(await linked(id, next));
    const { exit, stderr } = await tail(paths[0]!);
    expect([exit, stderr]).toEqual([3, expect.stringContaining("it says that it goes on in")]);
    expect(stderr.match(/simtape: it goes on in/g) ?? []).toHaveLength(hops);
    expect(actedOn(stderr)).toEqual([]);
    expect(readFileSync(paths[0]!).length).toBeGreaterThan(0);
  });

  test("is followed when what it leads to comes later", async () => {
    const first = await linked("early", "late");
    const late = join(folder, "links", "late");
    const made = new Promise<void>((resolve) => {
      setTimeout(() => {
        mkdirSync(late);
        void createWriter(toFile(join(late, "meta.hcrp")), {}).then(async (writer) => resolve(await writer.close()));
      }, 50);
    });
    const { exit, stderr } = await tail(first);
    await made;
    expect([exit, stderr]).toEqual([0, "simtape: it goes on in late\n"]);
  });

  test("is followed when it is one", async () => {
    const first = await linked("one", "two");
    mkdirSync(join(folder, "links", "two"));
    await (await createWriter(toFile(join(folder, "links", "two", "meta.hcrp")), {})).close();
    const { exit, stderr } = await tail(first);
    expect([exit, stderr]).toEqual([0, "simtape: it goes on in two\n"]);
  });
});
