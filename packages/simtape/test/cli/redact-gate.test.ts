import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { simtape, temporaryFile } from "./run.ts";

const fixture = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)));
const town = temporaryFile("town.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30));
const race = temporaryFile("race.hcrp", fixture("hcrp/tower-race.hcrp"));
const patrol = temporaryFile("patrol.tape", fixture("mira/patrol.tape"));

function fresh(name: string): string {
  return join(mkdtempSync(join(tmpdir(), "simtape-test-")), name);
}

/** Messages of a channel as `cat` has them. */
async function messagesOf(path: string, channel: string): Promise<{ time: number; value: unknown }[]> {
  const { stdout } = await simtape(["cat", path, "-c", channel]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { time: number; value: unknown });
}

/** Nothing is left in the folder of what was refused. */
function expectNothingAt(path: string): void {
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(dirname(path))).toEqual([]);
}

describe("a redaction of a range", () => {
  test.each(["position", "state", "anim-vehicle", "kinematics"])(
    "puts no %s of CARLA where the range ends",
    async (channel) => {
      const all = await messagesOf(town, channel);
      const [from, until] = [all[8]!.time, all[20]!.time];
      const to = fresh("out.log");
      const { exit } = await simtape([
        "redact",
        town,
        to,
        "-c",
        channel,
        "--from",
        `${from}ns`,
        "--until",
        `${until}ns`,
      ]);
      expect(exit).toBe(0);
      expect(await messagesOf(to, channel)).toEqual(
        all
          .filter(({ time }) => time < from || time >= until)
          .map(({ time, value }) => expect.objectContaining({ time, value })),
      );
    },
  );

  test("takes nothing out and says so, where there is nothing", async () => {
    const to = fresh("out.tape");
    const { exit, stderr } = await simtape([
      "redact",
      patrol,
      to,
      "-c",
      "/robot/Bumper",
      "--from",
      "1s",
      "--until",
      "2s",
    ]);
    expect(exit).toBe(2);
    expect(stderr).toContain("nothing to redact: no message lies in the range");
    expect(stderr).toContain("/robot/Bumper from 10000000000 to 12750000000");
    expectNothingAt(to);
    const hub = fresh("out.hcrp");
    const none = await simtape(["redact", race, hub, "-c", "mount"]);
    expect(none.exit).toBe(2);
    expect(none.stderr).toContain("nothing to redact: the recording has no message of mount");
    expectNothingAt(hub);
  });

  test.each(["frame-start", "frame-end"])("is refused for %s alone, which other messages need", async (channel) => {
    const to = fresh("out.log");
    const { exit, stderr } = await simtape(["redact", town, to, "-c", channel]);
    expect(exit).toBe(1);
    expect(stderr).toContain(`${channel} cannot be redacted alone: other messages need 30 of its messages again`);
    expectNothingAt(to);
  });

  test("is refused for some frame-start, which would be as they were", async () => {
    const to = fresh("out.log");
    const { exit, stderr } = await simtape(["redact", town, to, "-c", "frame-start", "--until", "100ms"]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining("frame-start cannot be redacted alone")]);
    expectNothingAt(to);
  });

  test("has no frame of CARLA where all is taken out", async () => {
    const starts = await messagesOf(town, "frame-start");
    const [from, until] = [starts[8]!.time, starts[20]!.time];
    const to = fresh("out.log");
    const words = ["redact", town, to, "-c", "*", "--from", `${from}ns`, "--until", `${until}ns`];
    expect((await simtape(words)).exit).toBe(0);
    expect((await messagesOf(to, "frame-start")).map(({ time }) => time)).toEqual(
      starts.map(({ time }) => time).filter((time) => time < from || time >= until),
    );
  });

  test("says that snapshots in it still say what was taken out", async () => {
    const range = ["--from", "18s", "--until", "22s"];
    const to = fresh("out.hcrp");
    const { exit, stdout } = await simtape(["redact", race, to, "-c", "move", ...range]);
    expect(exit).toBe(3);
    expect(stdout).toContain("still says it: snapshot (1): it repeats redacted content from before it in the range");
    const json = await simtape(["redact", race, fresh("o.hcrp"), "-c", "move", ...range, "--json"]);
    expect([json.exit, (JSON.parse(json.stdout) as { again: unknown[] }).again]).toEqual([
      3,
      [expect.objectContaining({ path: "snapshot", count: 1 })],
    ]);
    const both = await simtape(["redact", race, fresh("o.hcrp"), "-c", "move", "-c", "snapshot", ...range]);
    expect([both.exit, both.stderr]).toEqual([0, ""]);
    // what was said is in no snapshot
    const chat = await simtape(["redact", race, fresh("o.hcrp"), "-c", "chat", ...range.with(1, "1s")]);
    expect([chat.exit, chat.stderr]).toEqual([0, ""]);
  });
});
