import type { HeaderOptions } from "simtape/serving";
import { directoryStore } from "simtape/node";
import { type Recorder, record } from "simtape/record";
import { expect, test } from "vitest";
import { lossText } from "../../src/proxy/losses.ts";
import { TimedEvents } from "../../src/proxy/timed-events.ts";
import { Folder } from "../support/demo.ts";
import { eventOf } from "../support/lines.ts";
import { recordedIn, valuesOf } from "../support/recorded.ts";

const fails = (error: unknown): never => {
  throw error;
};
const STARTED = Date.UTC(2026, 1, 1, 12);

test("tick 0 is the moment at which the first line came, however long opening takes", async () => {
  using folder = new Folder();
  const clock = { ms: 0, now: () => clock.ms, wall: () => STARTED + clock.ms };
  const open = async (header: HeaderOptions): Promise<Recorder> => {
    await Promise.resolve();
    clock.ms += 3700;
    return record(directoryStore(folder.path), { ...header, id: "world" });
  };
  const events = new TimedEvents({}, open, fails, clock);
  events.give(eventOf({ chat: { text: "first" } }));
  await events.opened;
  clock.ms = 4000;
  events.give(eventOf({ chat: { text: "then" } }));
  events.poll();
  await (await events.finish())!.close({ outcome: "completed" });
  const recording = (await recordedIn(folder.path)).get("world")!;
  const { epoch, end } = await recording.timeline();
  expect([epoch, end]).toEqual([BigInt(STARTED) * 1_000_000n, 81 * 50e6]);
  const times: unknown[] = [];
  for await (const { time, value } of recording.messages("chat")) times.push([time / 50e6, value]);
  expect(times).toMatchObject([
    [0, { line: "first" }],
    [80, { line: "then" }],
  ]);
  await recording.close();
});

/** A recording that begins at once, its clock, and what a client says of itself. */
async function begun(folder: Folder) {
  const clock = { ms: 0, now: () => clock.ms, wall: () => STARTED };
  const events = new TimedEvents<Recorder>(
    {},
    (header) => record(directoryStore(folder.path), { ...header, id: "world" }),
    fails,
    clock,
  );
  await events.opened;
  const say = (of: object, line: object): void => {
    events.speaks(of);
    events.give(eventOf(line));
    events.speaks(null);
  };
  return { clock, events, say };
}

const joined = (name: string): object => ({
  join: { id: name, uuid: `069a79f4-44e9-4726-a5be-fca90e38aa0${name}`, name, at: [0, 64, 0] },
});

test("what others say of a player is recorded however soon it leaves, and however many steps come with it", async () => {
  using folder = new Folder();
  const { clock, events, say } = await begun(folder);
  const [a, b] = [{}, {}];
  // all in one tick, between the first word of a player and its last
  clock.ms = 350;
  say(a, joined("a"));
  events.give(eventOf({ view: { id: "a", gameMode: 1 } }));
  say(a, { leave: { id: "a" } });
  // it comes again at once, and moves at once
  say(a, joined("a"));
  for (let i = 0; i < 3; i++) say(a, { move: { id: "a", at: [i, 64, 0] } });
  events.give(eventOf({ view: { id: "a", gameMode: 2 } }));
  // another client was shown the player before it said a word of itself
  events.give(eventOf({ spawn: { id: "b", type: "minecraft:player", at: [5, 64, 0] } }));
  say(b, { subject: { id: "b", uuid: `069a79f4-44e9-4726-a5be-fca90e38aa0b`, name: "b" } });
  say(b, { teleport: { id: "b", at: [6, 64, 0] } });
  for (let i = 0; i < 3; i++) say(b, { move: { id: "b", at: [6 + i, 64, 0] } });
  await (await events.finish())!.close({ outcome: "completed" });
  expect(events.losses.reasons).toEqual([]);
  const recording = (await recordedIn(folder.path)).get("world")!;
  expect((await valuesOf(recording, "view")).map(({ gameMode }) => gameMode)).toEqual([1, 2]);
  await recording.close();
});

test("what cannot be recorded is counted, and the first reasons are kept", async () => {
  using folder = new Folder();
  const { events } = await begun(folder);
  events.give(eventOf({ join: { id: 6, uuid: "069a79f4-44e9-4726-a5be-fca90e38aa06", name: "Ann", at: [0, 64, 0] } }));
  events.give(eventOf({ spawn: { id: 6, type: "minecraft:bat", at: [0, 64, 0] } }));
  for (const x of [0, 1]) events.give(eventOf({ move: { id: 7, at: [x, 64, 0] } }));
  await (await events.finish())!.close({ outcome: "completed" });
  expect(lossText(events.losses)).toBe(
    "3 events could not be recorded: spawn of Ann: something has the id 6 already: remove it first; move of 7: nothing has the id 7: spawn it first",
  );
});

test("bursts of steps are recorded place by place, and what others say between them stays where it came", async () => {
  using folder = new Folder();
  const { clock, events, say } = await begun(folder);
  const players = ["a", "b"].map((name) => ({ name }));
  for (const of of players) say(of, joined(of.name));
  // one sends a step in each tick, the other seven at once in every seventh
  for (let tick = 1; tick <= 140; tick++) {
    clock.ms = tick * 50;
    say(players[0]!, { move: { id: "a", at: [tick, 64, 0] } });
    if (tick % 7 === 0) for (let i = tick - 6; i <= tick; i++) say(players[1]!, { move: { id: "b", at: [i, 64, 0] } });
    if (tick % 10 === 0) events.give(eventOf({ chat: { text: String(tick) } }));
    if (tick % 5 === 0) events.poll();
  }
  await (await events.finish())!.close({ outcome: "completed" });
  const recording = (await recordedIn(folder.path)).get("world")!;
  for (let tick = 0; tick <= 140; tick++) {
    const { columns } = (await recording.state(tick * 50e6)).sets.get("players")!;
    const position = columns.get("position")!.data as Float64Array;
    expect([tick, position[0], position[3]]).toEqual([tick, tick, tick]);
  }
  expect((await valuesOf(recording, "chat")).map(({ line }) => line)).toHaveLength(14);
  for await (const { time, value } of recording.messages("chat"))
    expect(time / 50e6).toBe(Number((value as { line: string }).line));
  await recording.close();
});
