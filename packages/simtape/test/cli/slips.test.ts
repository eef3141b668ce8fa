import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, type Option } from "commander";
import { afterAll, describe, expect, test } from "vitest";
import { addCommands } from "../../src/cli/commands.ts";
import { serveView } from "../../src/cli/view/server.ts";
import { MAIN, simtape } from "./run.ts";

/** Recordings of the repository: `town` lasts 6.8 s and began at 2023-11-14T22:13:20Z. */
const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
const town = example("town.log");
const flight = example("flight.fgtape");

const folder = mkdtempSync(join(tmpdir(), "simtape-slips-"));
afterAll(() => rmSync(folder, { recursive: true }));
/** Written by no command here: all that name it are refused. */
const out = join(folder, "out.log");

/** Every command that takes a time in a recording: the words with it. */
const AT: readonly ((time: string) => readonly string[])[] = [
  (time) => ["state", town, "--at", time],
  (time) => ["annotate", town, out, "--text", "look", "--at", time],
];
/** Every command that takes a range. */
const RANGE: readonly ((...range: readonly string[]) => readonly string[])[] = [
  (...range) => ["cat", town, ...range],
  (...range) => ["events", town, ...range],
  (...range) => ["convert", town, join(folder, "out.hcrp"), ...range],
  (...range) => ["trim", town, out, ...range],
  (...range) => ["table", town, "--set", "vehicles", ...range],
  (...range) => ["redact", town, out, "-c", "position", ...range],
];

/** Nothing on standard output, one line on standard error, exit 2. */
async function refusal(words: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await simtape(words);
  expect([exit, stdout, stderr.trimEnd().split("\n").length], `${words.join(" ")}\n${stderr}`).toEqual([2, "", 1]);
  return stderr;
}

describe("a time that is none of the recording's is refused, with those that are", () => {
  const printed = /from 0:00\.000 to 0:06\.800/;

  test.each(["-5s", "150%", "-1%", "t5000", "1:00:00.000", "2030-01-01T00:00:00Z"])("%s", async (time) => {
    expect(await refusal(AT[0]!(time))).toMatch(time.startsWith("t") ? /the last is 119/ : printed);
  });

  test("by every command that takes a time", async () => {
    for (const words of AT) expect(await refusal(words("999s"))).toMatch(printed);
    for (const words of RANGE) expect(await refusal(words("--from", "999s"))).toMatch(printed);
  });

  test.each(["2023-11-14T22:13:21", "2023-11-14", "2023-11-14 22:13"])("a date without a zone: %s", async (time) => {
    expect(await refusal(AT[0]!(time))).toMatch(/a zone, as 2026-02-01T12:00:00Z/);
    expect(await refusal(RANGE[0]!("--until", time))).toMatch(/a zone/);
  });

  test("a range that ends before it begins, or before everything", async () => {
    for (const words of RANGE)
      expect(await refusal(words("--from", "5s", "--until", "2s"))).toMatch(/--until 2s is not behind --from 5s/);
    const [words] = RANGE as [(typeof RANGE)[number]];
    expect(await refusal(words("--from", "2s", "--until", "2s"))).toMatch(printed);
    expect(await refusal(words("--until", "0s"))).toMatch(/nothing is before/);
    expect(await refusal(words("--until", "120%"))).toMatch(/0% to 100%/);
  });

  test("in an edit list, too", async () => {
    const list = join(folder, "late.json");
    for (const operation of [
      { op: "annotate", at: "999s", text: "look" },
      { op: "redact", channels: ["position"], from: "5s", until: "2s" },
      { op: "trim", from: "0:05.000", until: "2s" },
    ]) {
      writeFileSync(list, JSON.stringify({ version: 1, operations: [operation] }));
      expect(await refusal(["edit", town, "--list", list, "-o", out])).toContain("operations[0]");
    }
  });
});

test("a time is taken as it is printed, and the end of a range may lie behind the end", async () => {
  const state = await simtape(["state", town, "--at", "0:03.400", "--json"]);
  expect(JSON.parse(state.stdout)).toMatchObject({ time: 3_400_000_000 });
  const info = await simtape(["info", flight, "--json"]);
  const { end } = (JSON.parse(info.stdout) as { timeline: { end: number } }).timeline;
  // what is printed is rounded, and may be behind the end
  const last = await simtape(["state", flight, "--at", `0:${(end / 1e9).toFixed(3)}`, "--json"]);
  expect(JSON.parse(last.stdout)).toMatchObject({ time: end });
  const rest = await simtape(["cat", town, "-c", "frame-start", "--from", "0:06.700", "--until", "1:00:00", "--json"]);
  expect(rest.stdout.trim().split("\n")).toHaveLength(2);
  const date = await simtape(["state", town, "--at", "2023-11-14T23:13:21+01:00", "--json"]);
  expect(JSON.parse(date.stdout)).toMatchObject({ time: 1_000_000_000 });
  const shifted = await simtape(["shift", town, join(folder, "later.log"), "--by", "0:01.500"]);
  expect(shifted.exit).toBe(0);
});

describe("a name that is not there is refused, with those that are near", () => {
  test("paths", async () => {
    expect(await refusal(["state", flight, "--at", "50%", "--path", "/controls/flight/ailern"])).toContain(
      "/controls/flight/aileron,",
    );
    // one that is right does not hide one that is wrong
    expect(await refusal(["state", town, "--at", "1s", "--path", "vehicles", "--path", "nosuch"])).toMatch(
      /matches nosuch; .*frame/,
    );
  });

  test("things and numbers of a set", async () => {
    expect(await refusal(["state", town, "--at", "1s", "--path", "vehicles/24/position.q"])).toMatch(
      /matches vehicles\/24\/position\.q; the nearest: vehicles\/24\/position\.x, /,
    );
    expect(await refusal(["state", town, "--at", "1s", "--path", "vehicles/99/*"])).toContain(
      "; the nearest: vehicles/",
    );
  });

  test("kinds of events", async () => {
    expect(await refusal(["events", town, "--kind", "spawn", "--kind", "colision"])).toMatch(
      /no kind of event is called colision; there are: collision, .*\bspawn\b/,
    );
  });

  test("channels", async () => {
    for (const words of [
      ["cat", town, "-c", "position", "-c", "positoin"],
      ["convert", town, join(folder, "out.hcrp"), "-c", "positoin"],
      ["filter", town, out, "-c", "position", "-c", "positoin"],
      ["filter", town, out, "--exclude", "positoin"],
      ["redact", town, out, "-c", "positoin"],
      ["rename", town, out, "--map", "positoin=place"],
    ])
      expect(await refusal(words), words.join(" ")).toMatch(/ are: .*\bposition\b/);
  });

  test("a glob that is empty, or longer than any name", async () => {
    for (const words of [
      ["cat", town, "-c"],
      ["convert", town, join(folder, "out.hcrp"), "-c"],
      ["filter", town, out, "--exclude"],
      ["redact", town, out, "-c"],
      ["export", town, "--to", "csv", "-o", join(folder, "out.csv"), "--channel"],
      ["table", town, "--channel"],
      ["state", town, "--at", "1s", "--path"],
    ]) {
      expect(await refusal([...words, ""]), words.join(" ")).toMatch(/; (channels|there) are: /);
      expect(await refusal([...words, "a".repeat(70_000)]), words.join(" ")).toMatch(/at most/);
    }
  });

  test("a path is taken as it is, also with the marks of a glob in it", async () => {
    const path = "/gear/gear[1]/steering-norm";
    const { stdout } = await simtape(["state", flight, "--at", "50%", "--path", path, "--json"]);
    expect(Object.keys((JSON.parse(stdout) as { values: object }).values)).toEqual([path]);
  });
});

describe("an option takes one word, and leaves the file its own", () => {
  test("before the file and behind it", async () => {
    for (const words of [
      ["cat", "-c", "position", town, "--limit", "1"],
      ["state", "--at", "1s", "--path", "vehicles", town],
      ["events", "--kind", "spawn", town],
      ["records", "--kind", "position", town, "--limit", "1"],
      ["filter", "-c", "position", town, join(folder, "few.log")],
    ])
      expect(await simtape(words), words.join(" ")).toMatchObject({ exit: 0 });
  });

  test("no option of any command takes more", async () => {
    const program = new Command();
    await addCommands(program, undefined);
    const all = (command: Command): Option[] => [...command.options, ...command.commands.flatMap(all)];
    expect(all(program).filter(({ variadic }) => variadic)).toEqual([]);
  });
});

describe("several recordings", () => {
  const several = [join(folder, "nosuch.log"), join(folder, "empty"), example(""), town];

  test.each(["check", "info", "verify"])(
    "%s goes on behind those that cannot be read, and into folders",
    async (name) => {
      mkdirSync(join(folder, "empty"), { recursive: true });
      const { exit, stdout } = await simtape([name, ...several, "--json"]);
      expect(exit).toBe(1);
      const lines = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { file: string; error?: { code: string } });
      expect(lines.map(({ file }) => file.slice(file.lastIndexOf("/") + 1))).toEqual([
        "nosuch.log",
        "empty",
        "buckyball.nanover.zip",
        "flight.fgtape",
        "patrol.tape",
        "race.hcrp",
        "town.log",
        "town.log",
      ]);
      expect(lines.slice(0, 2).map(({ error }) => error?.code)).toEqual(["source-failed", "usage"]);
    },
  );

  test("one alone has an exit code of its own", async () => {
    expect((await simtape(["info", town])).exit).toBe(0);
    expect((await simtape(["info", join(folder, "nosuch.log")])).exit).toBe(1);
    expect((await simtape(["info", "s3://"])).exit).toBe(2);
  });
});

describe("with --json a failure is an object on standard output", () => {
  test.each<[code: string, exit: number, words: readonly string[]]>([
    ["source-failed", 1, ["state", "nosuch.log", "--at", "1s", "--json"]],
    ["source-failed", 1, ["cat", "nosuch.log", "--format", "ndjson"]],
    ["unknown-format", 1, ["copy", fileURLToPath(import.meta.url), out, "--json"]],
    ["usage", 2, ["state", town, "--at", "999s", "--json"]],
    ["usage", 2, ["cat", town, "--json", "--nosuch"]],
    ["usage", 2, ["carla", "info", flight, "--json"]],
    ["usage", 2, ["nosuch", "--json"]],
    ["usage", 2, ["meta", "get", town, "--json", "--nosuch"]],
  ])("%s %d: %j", async (code, exit, words) => {
    const ran = await simtape(words);
    const { error, ...rest } = JSON.parse(ran.stdout) as { error: object };
    expect([ran.exit, rest]).toEqual([exit, {}]);
    expect(Object.keys(error)).toEqual(["code", "message", "offset", "exit"]);
    expect(error).toMatchObject({ code, exit, message: expect.stringMatching(/^[^\n]+$/) });
    expect(ran.stderr).not.toMatch(/^\s+at /m);
  });
});

describe("what cannot be done is said in a sentence", () => {
  test("a folder in which none can be made", async () => {
    for (const words of [["record"], ["demo", "hcrp", "--seconds", "1", "-o"]]) {
      const { exit, stderr } = await simtape([...words, "/proc/simtape/run"]);
      expect([exit, stderr]).toEqual([1, expect.stringMatching(/^simtape: [^\n]*\/proc\/simtape[^\n]*\n$/)]);
    }
  });

  test("a dialect that is none, or that cannot hold the recording", async () => {
    const none = await simtape(["convert", town, join(folder, "x.tape"), "--dialect", "nosuch"]);
    expect([none.exit, none.stderr]).toEqual([2, expect.stringMatching(/^simtape: [^\n]*there are A[^\n]*\n$/)]);
    const cannot = await simtape(["copy", example("race.hcrp"), join(folder, "x.hcrp"), "--dialect", "production-5"]);
    expect([cannot.exit, cannot.stderr]).toEqual([
      2,
      "simtape: --dialect production-5 cannot hold this recording: events of HCRP version 1 in a production 5 recording; possible: v1, v1-plain, v1-segmented\n",
    ]);
    const production = new URL("../../../corpus/cases/hcrp/production-5/run.hcrp", import.meta.url).pathname;
    const older = await simtape(["copy", production, join(folder, "x.hcrp"), "--dialect", "production-4"]);
    expect([older.exit, older.stderr]).toEqual([
      2,
      "simtape: --dialect production-4 cannot hold this recording: events of HCRP production 5 in a production 4 recording; possible: production-5\n",
    ]);
    const more = await simtape(["copy", example("race.hcrp"), "-", "--dialect", "v1-segmented"]);
    expect([more.exit, more.stdout, more.stderr]).toEqual([
      2,
      "",
      expect.stringMatching(/^simtape: standard output takes one/),
    ]);
  });

  test("a port in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      for (const scheme of ["tcp", "ws"]) {
        const place = `${scheme}://127.0.0.1:${port}`;
        const { exit, stderr } = await simtape(["record", join(folder, "run-1"), "--input", place]);
        expect([exit, stderr]).toEqual([2, `simtape: another program listens there: ${place}\n`]);
      }
      await expect(serveView({ folder: pageFolder(), entries: [], port })).rejects.toThrow(
        `port ${port} is taken by another program: choose another --port, or leave it out for a free one`,
      );
    } finally {
      server.close();
    }
  });

  test.skipIf(!existsSync("/dev/full"))("standard output that takes no more", async () => {
    const shell = `"${process.execPath}" "${MAIN}" info "${town}" > /dev/full`;
    const { status, stderr } = spawnSync("sh", ["-c", shell], { encoding: "utf8" });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^simtape: standard output cannot be written: ENOSPC/)]);
  });
});

/** The least that can be served as the viewer. */
function pageFolder(): string {
  const page = join(folder, "page");
  mkdirSync(page, { recursive: true });
  writeFileSync(join(page, "index.html"), "<!doctype html>");
  return page;
}

describe("a server that is silent is given up", () => {
  /** Every command that reads a recording in a way of its own. */
  const COMMANDS: readonly ((place: string) => readonly string[])[] = [
    (place) => ["info", place],
    (place) => ["check", place],
    (place) => ["state", place, "--at", "1s"],
    (place) => ["convert", place, join(folder, "silent.hcrp")],
    (place) => ["repair", place, join(folder, "silent.log")],
    (place) => ["corrupt", place, join(folder, "silent.log")],
    (place) => ["verify", place],
    (place) => ["compact", place, join(folder, "silent.hcrp")],
    (place) => ["carla", "info", place],
    (place) => ["tail", place],
  ];

  test.each(["from the beginning", "in the middle of a file"])("%s", async (when) => {
    const silent = createHttpServer((_, response) => {
      if (when === "from the beginning") return;
      response.writeHead(206, { "content-range": "bytes 0-99/100000", "content-length": 100, etag: '"1"' });
      response.write("0123456789");
    });
    await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve));
    const host = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    try {
      for (const words of COMMANDS) {
        const ran = await simtape([...words(`${host}/run.log`), "--timeout", "100ms"]);
        const said = `${ran.stdout}${ran.stderr}`;
        expect([ran.exit, said], words("").join(" ")).toEqual([
          1,
          expect.stringContaining(`the server sent nothing for 0.1 s (--timeout): ${host}/run.log`),
        ]);
      }
      const held = spawn(process.execPath, [MAIN, "info", "s3://bucket/run.log", "--timeout", "100ms"], {
        env: { ...process.env, AWS_ENDPOINT_URL_S3: host },
      });
      let talk = "";
      held.stderr.on("data", (bytes: Buffer) => (talk += bytes.toString()));
      const [exit] = (await once(held, "close")) as [number];
      if (when === "from the beginning")
        expect([exit, talk]).toEqual([1, expect.stringContaining("sent nothing for 0.1 s")]);
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });
});

describe("CARLA's texts", () => {
  test("are those of the release that info finds, and rows are data with --json", async () => {
    const words = ["collisions", town, "--json"];
    const found = await simtape(["carla", ...words]);
    expect(JSON.parse(found.stdout)).toMatchObject({
      like: "0.9.15",
      collisions: [
        { time: 600_000_000, first: { id: 24, type: "v", isHero: true }, second: { id: 25, type: "v", isHero: false } },
        { time: 1_050_000_000 },
      ],
    });
    const blocked = await simtape(["carla", "blocked", town, "--min-time", "0s", "--json"]);
    expect(Object.keys((JSON.parse(blocked.stdout) as { blocked: object[] }).blocked[0]!)).toEqual([
      "id",
      "blueprint",
      "time",
      "duration",
    ]);
  });

  test("can be had of every release from 0.9.4 on", async () => {
    for (const like of ["0.9.4", "0.9.9", "0.9.14", "0.9.16"])
      expect(await simtape(["carla", "info", town, "--like", like]), like).toMatchObject({
        exit: 0,
        stderr: "",
      });
    expect(await refusal(["carla", "info", town, "--all", "--like", "0.9.4"])).toContain("leave out --all");
  });
});

test.each([
  ["town.log", "2 vehicles, 1 walker, 1 traffic light, 2 collisions"],
  ["race.hcrp", "5 players, 1 entity, 20 checkpoints, 8 lines of chat"],
  ["buckyball.nanover.zip", "80 atoms in 1 residue, 3 people"],
  ["flight.fgtape", "3 aircraft"],
  ["patrol.tape", "1 pose"],
])("info says in words what %s holds", async (name, words) => {
  const { stdout } = await simtape(["info", example(name)]);
  expect(stdout).toContain(`  holds      ${words}\n`);
  expect(stdout.replace(/ {2}(metadata|meta|profile|channels) .*/g, "")).not.toMatch(/^ {2}[a-z]+[A-Z]\w+ /m);
});
