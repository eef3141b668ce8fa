import type { Player, Time } from "simtape";
import { parseTime } from "simtape/serving";
import { UsageError } from "simtape/command";
import type { Point } from "./points.ts";
import { clock, type Session } from "./session.ts";
import type { Thing } from "../scene/thing.ts";

const SKIP: Time = 10e9;
/** Speeds that the hotbar steps through. */
const SPEEDS = [-4, -1, -0.5, 0.25, 0.5, 1, 2, 4, 16];

/** The actions of the leader of a session; each throws `UsageError` that says what to type instead. */
export const CONTROLS: Readonly<Record<string, (session: Session, rest: string) => Promise<void> | void>> = {
  pause: (session) => {
    if (session.isPlaying) session.pause();
    else session.play();
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
  speed: (session, rest) => {
    const rate = Number(rest);
    if (rest === "" || !(Math.abs(rate) <= 64) || rate === 0) throw new UsageError("/speed from -64 to 64, not 0");
    session.player.setRate(rate);
    session.play();
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
    const { time } = player.status;
    // playing would never reach a loop that lies elsewhere
    if (time < range.start || time > range.end) await player.seek(range.start);
  },
};

/** Nanoseconds: a viewer who goes back while it plays means the point before the one that has just passed. */
const JUST_PASSED: Time = 1e9;

/** Goes to the nearest point, and returns it. Throws `UsageError` when there is none. */
export async function goToPoint(player: Player, points: readonly Point[], isBack: boolean): Promise<Point> {
  const { time, phase, rate } = player.status;
  const passed = phase === "paused" || rate < 0 ? 0 : JUST_PASSED * rate;
  const found = isBack ? points.findLast(({ at }) => at < time - passed) : points.find(({ at }) => at > time);
  if (found === undefined) throw new UsageError(`no mark ${isBack ? "before" : "after"} this: /marks lists them`);
  await player.seek(found.at);
  return found;
}

/** A point as a line of chat. */
export function pointText({ at, kind, text }: Pick<Point, "at" | "kind" | "text">): string {
  return `${clock(at)} ${kind === text ? "" : `${kind}: `}${text}`;
}

/** The player of that name in the scene. Throws `UsageError`. */
export function thingNamed({ scene }: Session, name: string): Thing {
  const wanted = name.toLowerCase();
  const things = [...scene.things.values()].filter((thing) => thing.name !== "");
  const found = things.find((thing) => thing.name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const names = things.map((thing) => thing.name).join(", ");
  throw new UsageError(`${name} is not here${names === "" ? "" : `: ${names}`}`);
}

/** Items of the hotbar, from the left: look, name, and action. */
export const HOTBAR: readonly (readonly [item: string, name: string, command: string])[] = [
  ["minecraft:lime_dye", "Pause or go on", "pause"],
  ["minecraft:arrow", "10 seconds back", "back"],
  ["minecraft:spectral_arrow", "10 seconds on", "on"],
  ["minecraft:turtle_helmet", "Slower", "slower"],
  ["minecraft:sugar", "Faster", "faster"],
  ["minecraft:name_tag", "Next mark", "next"],
  ["minecraft:feather", "A tick back", "step-back"],
  ["minecraft:clock", "A tick on", "step"],
  ["minecraft:barrier", "Leave", "lobby"],
];

/** The action of an item of the hotbar, as a typed command. */
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
