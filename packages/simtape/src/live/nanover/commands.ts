import type { MessagePackValue } from "../../codec/messagepack.ts";
import { MessagePackFloat } from "../../codec/messagepack.ts";
import { nanover } from "../../formats/nanover/format.ts";
import type { Deck, Loaded } from "../deck.ts";
import { entryOf } from "./said.ts";
import type { NanoverStage } from "./stage.ts";
import type { Arguments } from "./talk.ts";

/** A command of the server: its arguments with their defaults, and what it does. Throws `RangeError` for wrong ones. */
export interface Command {
  readonly defaults: Arguments;
  readonly run: (given: Arguments) => MessagePackValue | Promise<MessagePackValue>;
}

const SECOND = 1e9;
/** How far the buttons of the headset go, nanoseconds. */
const JUMP = 10 * SECOND;
const FASTEST = 64;

/**
 * What clients may ask of a server that plays recordings: NanoVer's own commands (NanoVer semantics §5.3), and seek, rate and
 * direction, which it has not. Those that begin with "user/" are buttons in NanoVer's headsets.
 */
export function commandsOf(deck: Deck, stage: NanoverStage): Map<string, Command> {
  const at = (): Loaded => {
    if (deck.loaded === null) throw new RangeError("no recording is loaded");
    return deck.loaded;
  };
  const to = async (time: number): Promise<null> => {
    await at().player.seek(time);
    return null;
  };
  const load = async (index: number): Promise<null> => {
    const count = deck.entries.length;
    if (count === 0) throw new RangeError("there is no recording");
    const { player } = await deck.load(((index % count) + count) % count);
    player.play();
    return null;
  };
  const step = async (count: number): Promise<null> => {
    const { player, recording } = at();
    const { time, bounds } = player.status;
    // past the end NanoVer begins again
    if (count > 0 && bounds !== null && time >= bounds.end) await player.seek(bounds.start);
    else await player.step(count, recording.is(nanover) ? "message" : undefined);
    return null;
  };
  const setRate = (rate: number): null => {
    at().player.setRate(rate);
    return null;
  };
  const faster = (by: number): null => {
    const { rate } = at().player.status;
    return setRate(Math.sign(rate) * Math.min(FASTEST, Math.max(1 / FASTEST, Math.abs(rate) * by)));
  };
  const start = (): number => at().player.status.bounds?.start ?? 0;
  const simple = (run: () => MessagePackValue | Promise<MessagePackValue>): Command => ({ defaults: {}, run });
  return new Map<string, Command>([
    ["playback/play", simple(() => done(() => at().player.play()))],
    ["playback/pause", simple(() => done(() => at().player.pause()))],
    ["playback/step", simple(() => step(1))],
    ["playback/step_back", simple(() => step(-1))],
    ["playback/reset", simple(() => to(start()))],
    ["playback/next", simple(() => load((deck.loaded?.index ?? -1) + 1))],
    ["playback/list", simple(() => ({ simulations: deck.entries.map(({ name }) => name) }))],
    ["playback/load", { defaults: { index: 0 }, run: (given) => load(chosen(deck, given)) }],
    ["playback/seek", { defaults: { time: 0 }, run: (given) => to(start() + numberOf(given, "time") * SECOND) }],
    ["playback/rate", { defaults: { rate: 1 }, run: (given) => setRate(numberOf(given, "rate")) }],
    ["playback/status", simple(() => statusOf(at()))],
    ["user/10 s back", simple(() => to(at().player.status.time - JUMP))],
    ["user/10 s on", simple(() => to(at().player.status.time + JUMP))],
    ["user/backwards or forwards", simple(() => setRate(-at().player.status.rate))],
    ["user/faster", simple(() => faster(2))],
    ["user/slower", simple(() => faster(1 / 2))],
    [
      "multiuser/radially-orient-origins",
      { defaults: { radius: 1 }, run: (given) => done(() => orient(stage, numberOf(given, "radius"))) },
    ],
  ]);
}

function statusOf({ index, name, player }: Loaded): MessagePackValue {
  const { phase, time, rate, bounds } = player.status;
  const from = bounds?.start ?? time;
  return {
    ...{ index, name, phase, rate: new MessagePackFloat(rate) },
    time: new MessagePackFloat((time - from) / SECOND),
    duration: new MessagePackFloat(((bounds?.end ?? from) - from) / SECOND),
  };
}

/** Suggests to each user a place on a circle, looking inwards (NanoVer spec §3.4). */
function orient(stage: NanoverStage, radius: number): void {
  const users = [...stage.shared.keys()].flatMap((key) => (key.startsWith("avatar.") ? [key.slice(7)] : []));
  const entries = users.map((user, i) => {
    const angle = (i * 2 * Math.PI) / users.length;
    const half = (-angle - Math.PI / 2) / 2;
    const floats = (...numbers: number[]): MessagePackFloat[] => numbers.map((number) => new MessagePackFloat(number));
    return entryOf(`user-origin.${user}`, {
      position: floats(radius * Math.cos(angle), 0, radius * Math.sin(angle)),
      rotation: floats(0, Math.sin(half), 0, Math.cos(half)),
    });
  });
  stage.update(entries, []);
}

function done(run: () => void): null {
  run();
  return null;
}

/** By a name, which stays when the list changes, or by the index as in NanoVer's server. */
function chosen(deck: Deck, given: Arguments): number {
  const { name } = given;
  return typeof name === "string" ? deck.indexOf(name) : wholeOf(given, "index");
}

function numberOf(given: Arguments, name: string): number {
  const value = given[name];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new RangeError(`${name} must be a number`);
  return value;
}

function wholeOf(given: Arguments, name: string): number {
  const value = numberOf(given, name);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be a whole number`);
  return value;
}
