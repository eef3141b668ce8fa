import { findEvent, type Time } from "simtape";
import { parseTime, UsageError } from "simtape/serving";
import type { Session } from "./session.ts";
import type { Thing } from "../scene/thing.ts";

const SKIP: Time = 10e9;
/** Speeds that the hotbar goes through. */
const SPEEDS = [-4, -1, -0.5, 0.25, 0.5, 1, 2, 4, 16];

/** What the leader of a session can do; each throws `UsageError` with what to type instead. */
export const CONTROLS: Readonly<Record<string, (session: Session, rest: string) => Promise<void> | void>> = {
  pause: ({ player }) => {
    if (player.status.phase === "playing" || player.status.phase === "buffering") player.pause();
    else player.play();
  },
  t: async ({ player, recording }, rest) => {
    const { bounds, time } = player.status;
    const [, sign, amount] = /^([+-])(.+)$/.exec(rest) ?? [];
    if (sign === undefined) {
      await player.seek(await parseTime(rest, recording));
      return;
    }
    const by = await parseTime(amount!, recording);
    const to = time + (sign === "+" ? by : -by);
    await player.seek(Math.min(Math.max(to, bounds?.start ?? 0), bounds?.end ?? to));
  },
  speed: ({ player }, rest) => {
    const rate = Number(rest);
    if (rest === "" || !(Math.abs(rate) <= 64) || rate === 0) throw new UsageError("/speed from -64 to 64, not 0");
    player.setRate(rate);
    player.play();
  },
  step: async ({ player }, rest) => {
    const count = rest === "" ? 1 : Number(rest);
    if (!Number.isInteger(count) || count === 0) throw new UsageError("/step takes a number of ticks, as /step -5");
    await player.step(count);
  },
  loop: async ({ player, recording }, rest) => {
    if (rest === "off") return player.setLoop(null);
    const [from, until] = rest.split(/\s+/);
    if (!from || !until) return player.setLoop({});
    const range = { start: await parseTime(from, recording), end: await parseTime(until, recording) };
    if (range.end <= range.start) throw new UsageError(`${until} is not behind ${from}`);
    player.setLoop(range);
  },
  mark: async ({ player, recording }, rest) => {
    const { time } = player.status;
    const isBack = rest === "back";
    const range = isBack ? { end: time } : { start: time + 1 };
    const found = await findEvent(recording, { channel: "mark", nth: isBack ? -1 : 1, ...range });
    if (found === null) throw new UsageError(isBack ? "no mark before this" : "no mark after this");
    await player.seek(found);
  },
};

/** The player of that name in the scene. Throws `UsageError`. */
export function thingNamed({ scene }: Session, name: string): Thing {
  const wanted = name.toLowerCase();
  const things = [...scene.things.values()].filter((thing) => thing.name !== "");
  const found = things.find((thing) => thing.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const names = things.map((thing) => thing.name).join(", ");
  throw new UsageError(`${name} is not here${names === "" ? "" : `: ${names}`}`);
}

/** Items of the hotbar, from the left: what they look like, what they are called, what they do. */
export const HOTBAR: readonly (readonly [item: string, name: string, command: string])[] = [
  ["minecraft:lime_dye", "Pause or go on", "pause"],
  ["minecraft:arrow", "10 seconds back", "back"],
  ["minecraft:spectral_arrow", "10 seconds on", "on"],
  ["minecraft:turtle_helmet", "Slower", "slower"],
  ["minecraft:sugar", "Faster", "faster"],
  ["minecraft:name_tag", "Next mark", "mark"],
  ["minecraft:feather", "A tick back", "step-back"],
  ["minecraft:clock", "A tick on", "step"],
  ["minecraft:barrier", "Leave", "lobby"],
];

/** What an item of the hotbar does, as a command that is typed. */
export function commandOf(item: string, { player }: Session): string {
  const near = SPEEDS.indexOf(player.status.rate);
  const index = near < 0 ? SPEEDS.indexOf(1) : near;
  const speed = (by: number): string => `speed ${SPEEDS[Math.min(Math.max(index + by, 0), SPEEDS.length - 1)]}`;
  const seconds = SKIP / 1e9;
  const commands: Readonly<Record<string, string>> = {
    back: `t -${seconds}s`,
    on: `t +${seconds}s`,
    slower: speed(-1),
    faster: speed(1),
    "step-back": "step -1",
  };
  return commands[item] ?? item;
}
