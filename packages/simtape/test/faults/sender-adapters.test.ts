import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Column, open, type Recording, type Value } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { simtapeProcess } from "../cli/run.ts";
import { Game } from "../senders/game.ts";
import { COMPILERS, checkCompiles, compile, has, NO_COMPILER, NO_PYTHON, SENDERS } from "../senders/programs.ts";
import { TestRecorder } from "../support/test-recorder.ts";

const FRAME = 5e7;
const FRAMES = 119;
/** The page's snippets send to the port that the page has. */
const PAGE = readFileSync(new URL("../../../../docs/recording.md", import.meta.url), "utf8");

let folder = "";
const running = new Set<{ kill(): unknown }>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-adapters-"));
});
afterEach(async () => {
  for (const each of running) await each.kill();
  running.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program sends to a recorder that has just started, and the recorder's report. */
async function recorded(name: string, start: (to: string) => Game): Promise<{ path: string; report: object }> {
  const path = join(folder, name);
  const recorder = await TestRecorder.start(path);
  running.add(recorder);
  const game = start(`tcp://127.0.0.1:${recorder.port}`);
  running.add(game);
  expect(await game.exit(), game.lines.join("\n")).toBe(0);
  const { exit, report } = await recorder.end();
  expect(exit).toBe(0);
  expect((await simtapeProcess(["check", path])).exit).toBe(0);
  return { path, report };
}

const cpp = COMPILERS.filter(has);
const title = cpp.length === 0 ? `in C++ (${NO_COMPILER})` : "in C++";
const python = has("python3") ? "in Python" : `in Python (${NO_PYTHON})`;

describe.skipIf(cpp.length === 0)(`the unit for MIRA ${title}`, () => {
  const built = join(tmpdir(), `simtape-mira-${process.pid}`);
  beforeAll(() => compile(cpp[0]!, join(SENDERS, "cpp/test/mira.cpp"), built));
  afterAll(() => rmSync(built, { force: true }));

  test("sends each message of its channels with its stamps, and the robot as state", async () => {
    const { path, report } = await recorded("mira", (to) => new Game([built, to]));
    expect(report).toMatchObject({ outcome: "completed", ticks: 61 });
    await using recording = await open(fromFile(join(path, "meta.hcrp")));
    const odometry = await payloadsOf(recording, "mira:/robot/Odometry");
    expect(odometry).toHaveLength(120);
    for (const [step, { payload }] of odometry.entries()) {
      const t = Math.fround(step / 40);
      const stamp = 1_700_000_000_123_456_789n + BigInt(step) * 25_000_000n;
      expect(payload).toMatchObject({ timestamp: `${stamp}`, frameID: "/robot/OdometryFrame", sequenceID: step });
      const { pose, velocity } = payload["value"] as { pose: number[]; velocity: number[] };
      const exact = [2 * Math.sin(t / 2), 2 - 2 * Math.cos(t / 2), t / 2];
      for (const [i, number] of pose.entries()) expect(number).toBeCloseTo(exact[i]!, 5);
      // a float as it is: nothing of it is rounded
      expect(pose.map(Math.fround)).toEqual(pose);
      expect(velocity).toEqual([1, 0, 0.5]);
    }
    expect((await payloadsOf(recording, "mira:/robot/Bumper")).map(({ payload }) => payload["value"])).toEqual([
      true,
      false,
    ]);
    const { values, sets } = await recording.state(2 * 1e9);
    expect(Object.fromEntries(values)).toMatchObject({
      "robot/Bumper": false,
      "robot/Mileage": 2,
      "navigation/PilotEvent": 'Plan "A"\n',
      "robot/charger/Battery": { voltage: 24.5, current: -1.25, lifePercent: 87, charging: false },
    });
    const robots = sets.get("robots")!;
    expect([robots.ids, robots.axes?.velocities]).toEqual([["SCITOS"], "own"]);
    expect([...robots.columns.get("position")!.data].slice(0, 2)).toEqual(
      (odometry[80]!.payload["value"] as { pose: number[] }).pose.slice(0, 2),
    );
  });

  test("gives a tape whose channels have the robot's path", async () => {
    const { path } = await recorded("mira-tape", (to) => new Game([built, to]));
    const tape = join(folder, "robot.tape");
    expect((await simtapeProcess(["convert", path, "-o", tape])).exit).toBe(3);
    await using recording = await open(fromFile(tape));
    const names = recording.channels.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["/robots/SCITOS/Pose", "/robot/Bumper", "/navigation/PilotEvent"]));
    const { sets } = await recording.state(1e9);
    const pose = [...sets.get("poses")!.columns.get("position")!.data].slice(0, 2);
    expect(pose[0]).toBeCloseTo(2 * Math.sin(0.5), 5);
    expect(pose[1]).toBeCloseTo(2 - 2 * Math.cos(0.5), 5);
  });
});

describe.skipIf(!has("python3"))(`the client for CARLA ${python}`, () => {
  const client = (to: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Game =>
    new Game(["python3", join(SENDERS, "python/carla_sender.py"), "--to", to, ...words], {
      PYTHONPATH: join(SENDERS, "python/tests/stubs"),
      CARLA_STUB_PACE: "0.005",
      ...env,
    });

  test("records poses, controls, lights and collisions, and a log of CARLA has them by the same ids", async () => {
    const { path, report } = await recorded("carla", (to) => client(to, ["--duration", "5.9"]));
    expect(report).toMatchObject({ outcome: "completed", ticks: FRAMES });
    const log = join(folder, "town.log");
    // the events of a recording have no place in a log
    expect((await simtapeProcess(["convert", path, "-o", log])).exit).toBe(3);
    for (const file of [join(path, "meta.hcrp"), log]) {
      await using recording = await open(fromFile(file));
      for (let frame = 0; frame < FRAMES; frame++) await expectFrame(recording, frame);
      const { values } = await recording.state(60 * FRAME);
      expect(values.get("collisions")).toEqual([{ collision: 1, id1: 10, id2: 11, isHero1: true, isHero2: false }]);
      expect((await recording.state(90 * FRAME)).values.get("collisions")).toEqual([
        expect.objectContaining({ id1: 10, id2: 0xffffffff }),
      ]);
      expect((await recording.state(61 * FRAME)).values.get("collisions") ?? []).toEqual([]);
      expect([10, 30].map((id) => values.get(`attributes/${id}`))).toEqual([
        { role_name: "hero", color: "17,37,103", number_of_wheels: "4" },
        { role_name: 'a "quoted" name\n', speed: "1.4" },
      ]);
      expect([values.get("weather/cloudiness"), values.get("platform-time")]).toEqual([11, 5003]);
    }
    await using recording = await open(fromFile(log));
    expect(recording.info.metadata["map"]).toBe("Town10HD");
    // the impulse is in the recording alone
    await using live = await open(fromFile(join(path, "meta.hcrp")));
    const hits = await payloadsOf(live, "carla:collision");
    expect(hits.map(({ time, payload }) => [time / FRAME, payload["other"], payload["impulse"]])).toEqual([
      [60, 11, [1500, -20, 0.5]],
      [90, null, [1500, -20, 0.5]],
    ]);
    const printed = await simtapeProcess(["carla", "collisions", log]);
    expect(printed.stdout).toMatch(/10 vehicle\.tesla\.model3\s+11 vehicle\.yamaha\.yzf/);
  });

  test("follows a server that loads another map", async () => {
    const { path } = await recorded("carla-maps", (to) => client(to, ["--duration", "7"], { CARLA_STUB_RELOAD: "40" }));
    await using recording = await open(fromFile(join(path, "meta.hcrp")));
    const worlds = await payloadsOf(recording, "carla:world");
    expect(worlds.map(({ payload }) => payload["map"])).toEqual(["Carla/Maps/Town01"]);
    // ids continue, and so does time
    const { end } = await recording.timeline();
    expect(end / FRAME).toBeGreaterThan(130);
    expect((await recording.state(end)).sets.get("vehicles")!.ids).toContain("10");
  });

  test("ends in order when it is interrupted", async () => {
    const path = join(folder, "carla-interrupted");
    const recorder = await TestRecorder.start(path);
    running.add(recorder);
    const game = client(`tcp://127.0.0.1:${recorder.port}`, []);
    running.add(game);
    await game.line("connected");
    await new Promise((resolve) => setTimeout(resolve, 700));
    game.interrupt();
    expect(await game.exit()).toBe(0);
    const { exit, report } = await recorder.end();
    expect([exit, report["outcome"]]).toEqual([0, "completed"]);
  });
});

describe("the snippets of docs/recording.md", () => {
  test.skipIf(!has("python3"))("those in Python record what they say", async () => {
    const snippets = snippetsOf("python");
    expect(snippets).toHaveLength(2);
    for (const [i, snippet] of snippets.entries()) {
      const { path } = await recorded(`page-python-${i}`, (to) => {
        const script = join(folder, `page-${i}.py`);
        writeFileSync(script, here(snippet, to));
        return new Game(["python3", script], { PYTHONPATH: join(SENDERS, "python") });
      });
      await expectDrone(path);
    }
  });

  test.skipIf(cpp.length === 0)("those in C++ record what they say", async () => {
    const snippets = snippetsOf("cpp");
    expect(snippets).toHaveLength(1);
    const [source, program] = [join(folder, "page.cpp"), join(folder, "page")];
    const path = join(folder, "page-cpp");
    const recorder = await TestRecorder.start(path);
    running.add(recorder);
    writeFileSync(source, here(snippets[0]!, `tcp://127.0.0.1:${recorder.port}`));
    await compile(cpp[0]!, source, program);
    const game = new Game([program]);
    running.add(game);
    expect(await game.exit(), game.lines.join("\n")).toBe(0);
    expect((await recorder.end()).exit).toBe(0);
    await expectDrone(path);
  });
});

describe("the header", () => {
  for (const compiler of COMPILERS) {
    const missing = has(compiler) ? "" : ` (no ${compiler})`;
    test.skipIf(missing !== "")(`compiles without a warning under ${compiler}${missing}`, async () => {
      for (const name of ["play.cpp", "mira.cpp"]) await checkCompiles(compiler, join(SENDERS, "cpp/test", name));
    });
  }
});

/** A frame of the stub's scene: its formulas, with the server's numbers of 32 bits. */
async function expectFrame(recording: Recording, frame: number): Promise<void> {
  const { sets } = await recording.state(frame * FRAME);
  const idsOf = (set: string): number[] => (sets.get(set)?.ids ?? []).map(Number);
  const where = `frame ${frame}`;
  const isThere = frame >= 20 && frame < 80;
  expect(idsOf("vehicles"), where).toEqual(isThere ? [10, 11] : [10]);
  expect([idsOf("walkers"), idsOf("traffic-lights"), idsOf("traffic-signs"), idsOf("sensors"), idsOf("other")]).toEqual(
    [[30], [40], [41], [60], [1, 50]],
  );
  const vehicles = sets.get("vehicles")!;
  const yaw = ((frame * 3) % 360) - 180;
  // a log has floats, a recording the centimetres with four decimals
  const cells = (name: string): number[] => rowOf(vehicles.columns.get(name)!, 0);
  const close = (name: string, expected: readonly number[]): void => {
    for (const [i, number] of cells(name).entries()) expect(number, `${where} ${name}`).toBeCloseTo(expected[i]!, 3);
  };
  close("position", [frame * 50, frame, 25]);
  close("rotation", [-0.5, 1.5, yaw]);
  close("steering", [Math.sin(frame / 10) / 2]);
  close("throttle", [frame / 240]);
  close("brake", [frame % 30 > 20 ? 0.75 : 0]);
  close("handbrake", [frame % 50 === 0 ? 1 : 0]);
  close("gear", [frame > 100 ? -1 : Math.floor(frame / 30) + 1]);
  // lights are asked for when a frame has arrived: on a busy machine they are those of a later one
  const later = [...Array(30).keys()].map((k) => 2 | ((frame + k) % 30 > 20 ? 8 : 0));
  expect(later.slice(0, frame % 30 > 20 ? 30 : 12), where).toContain(cells("lights")[0]);
  if (isThere) expect(rowOf(vehicles.columns.get("lights")!, 1), where).toEqual([cells("lights")[0]! | 32]);
  const light = sets.get("traffic-lights")!;
  expect(rowOf(light.columns.get("state")!, 0), where).toEqual([Math.floor(frame / 40) % 3]);
  // a log attaches an actor in the frame after the one in which both appear
  if (frame > 0) expect(rowOf(sets.get("sensors")!.columns.get("parent")!, 0), where).toEqual([10]);
}

function rowOf({ data, width }: Column, row: number): number[] {
  return Array.from({ length: width }, (_, k) => Number(data[row * width + k]!));
}

/** What a snippet of the page records: a drone on a circle, 50 ticks a second, of which a recording has 20. */
async function expectDrone(path: string): Promise<void> {
  await using recording = await open(fromFile(join(path, "meta.hcrp")));
  expect((await recording.timeline()).end).toBe(81 * FRAME);
  for (const tick of [0, 2, 40, 78]) {
    const drones = (await recording.state(tick * FRAME)).sets.get("drones")!;
    expect(drones.ids).toEqual(["one"]);
    const sent = tick * 2.5;
    const [x, y, z] = rowOf(drones.columns.get("position")!, 0);
    expect([x, y, z]).toEqual(
      [Math.sin(sent / 25), Math.cos(sent / 25), sent / 50].map((each) => expect.closeTo(each, 12)),
    );
  }
}

function snippetsOf(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map((match) => match[1]!);
}

/** A snippet that sends to the recorder of the test. */
function here(snippet: string, to: string): string {
  const port = to.slice(to.lastIndexOf(":") + 1);
  expect(snippet).toContain("9100");
  return snippet.replaceAll("9100", port);
}

async function payloadsOf(
  recording: Recording,
  name: string,
): Promise<{ time: number; payload: Readonly<Record<string, Value>> }[]> {
  const found: { time: number; payload: Readonly<Record<string, Value>> }[] = [];
  const channels = recording.channels.filter((each) => each.name === name);
  for await (const batch of recording.batches({ channels }))
    for (let row = 0; row < batch.length; row++)
      found.push({
        time: batch.time[row]!,
        payload: JSON.parse(Buffer.from(batch.payload(row)).toString()) as Record<string, Value>,
      });
  return found;
}
