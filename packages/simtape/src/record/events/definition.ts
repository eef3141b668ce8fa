import {
  boolean,
  dictionary,
  list,
  matching,
  maybe,
  number,
  object,
  oneOf,
  orNull,
  type Shape,
  sized,
  tell,
  text,
  whole,
} from "../../model/shape.ts";
import { MARK_KINDS } from "../live/world.ts";
import type { LiveEvent, LiveEvents } from "./live-event.ts";
import { base64, byte, cell, count, id, look, name, point, turn, uuid, value, yes } from "./shapes.ts";
import { ENTITIES, SETS } from "./state-shapes.ts";

/** What an event is, and what people read of it. */
export interface Definition<T> {
  readonly shape: Shape<T>;
  /** Begins a sentence, in Markdown. */
  readonly about: string;
  /** More about a field, in Markdown. */
  readonly notes?: { readonly [Key in keyof T]?: string };
}

/** A tick at most, of a recording or by the count of a sender. */
const LAST_TICK = 2 ** 51;
const SLOT = matching(/^\d{1,5}$/, "the number of a slot");
const signed = sized(0, 8192, "a text of at most 8 KiB");
const properties = list(object({ name, value: signed, signature: maybe(signed) }));

const STANCE = { look: maybe(look), head: maybe(turn), onGround: maybe(boolean) };
const STILL = "it may be there already ([below](#who-is-still-there))";

/**
 * All that can happen in a recording that is being made. The types in `live-event.ts`, the table in
 * `docs/line-protocol.md`, `docs/line-protocol.schema.json` and the constants of the senders are made of it by
 * `npm run schemas`.
 */
export const EVENTS: { readonly [Kind in keyof LiveEvents]: Definition<LiveEvents[Kind]> } = {
  tick: { shape: whole(0, LAST_TICK), about: "what follows happens in this tick" },

  spawn: {
    shape: object({
      id,
      type: name,
      at: point,
      ...STANCE,
      uuid: maybe(uuid),
      name: maybe(name),
      still: maybe(boolean),
    }),
    about: "a thing appears",
    notes: { head: "yaw", uuid: "only with `name`", still: STILL },
  },
  join: {
    shape: object({ id, uuid, name, at: point, ...STANCE, properties: maybe(properties), still: maybe(boolean) }),
    about: "a player joins",
    notes: {
      properties:
        "of the profile, such as the skin: a list of `name`, `value`, *`signature`*; then the recording is about this player",
      still: "as above",
    },
  },
  leave: { shape: object({ id }), about: "a player leaves" },
  remove: { shape: object({ id }), about: "a thing disappears" },

  move: { shape: object({ id, at: maybe(point), ...STANCE }), about: "a step" },
  teleport: { shape: object({ id, at: point, ...STANCE }), about: "a jump, shown without anything in between" },
  velocity: {
    shape: object({ id, velocity: point }),
    about: "how fast it is, in profile `review`",
    notes: { velocity: "blocks per tick" },
  },
  exact: {
    shape: object({ id, at: point, look, velocity: point }),
    about: "the place behind the grid, in profile `review`",
  },
  mount: { shape: object({ id, passengers: list(id) }), about: "the passengers that it has now" },

  state: {
    shape: object({ id, pose: maybe(byte), flags: maybe(byte) }),
    about: "pose and flags",
    notes: { flags: "fire, sneak, riptide, sprint, swim, invisible, glow, elytra, from bit 0 on" },
  },
  equipment: {
    shape: object({ id, items: dictionary(orNull(text), SLOT) }),
    about: "what it wears and holds",
    notes: { items: "by slot: a name, or null for nothing" },
  },
  heldSlot: { shape: object({ id, slot: byte }), about: "the slot in its hand" },
  itemUse: {
    shape: object({ id, use: oneOf(0, 1, 2) }),
    about: "the item that it uses",
    notes: { use: "0 none, 1 main hand, 2 off hand" },
  },
  swing: { shape: object({ id, hand: maybe(oneOf(0, 1)) }), about: "an arm moves", notes: { hand: "0 main, 1 off" } },
  hurt: {
    shape: object({ id, attacker: maybe(id), yaw: maybe(turn) }),
    about: "it is hurt",
    notes: { yaw: "where the blow came from" },
  },
  metadata: {
    shape: object({ id, entries: dictionary(base64, SLOT) }),
    about: "the game's entity data",
    notes: { entries: "by index, bytes in base64" },
  },
  effect: {
    shape: object({ id, name, ticks: count, amplifier: maybe(byte) }),
    about: "an effect on it",
    notes: { ticks: "that it lasts; 0 takes it away" },
  },
  vitals: {
    shape: object({ id, health: number, food: byte, xp: count }),
    about: "its health",
    notes: { health: "20 is full" },
  },
  view: {
    shape: object({ id, gameMode: byte, camera: maybe(id) }),
    about: "what a player sees",
    notes: { camera: "whose eyes it looks through" },
  },

  block: {
    shape: object({ at: cell, state: name }),
    about: "an edit",
    notes: { state: "as `minecraft:oak_stairs[facing=north]`" },
  },
  clearBlocks: { shape: yes, about: "all edits are undone" },
  dimension: { shape: name, about: "a name as `minecraft:the_nether`" },
  world: {
    shape: object({ time: maybe(whole(0, Number.MAX_SAFE_INTEGER)), weather: maybe(oneOf(0, 1, 2)) }),
    about: "time and weather",
    notes: { time: "of day in ticks", weather: "0 clear, 1 rain, 2 thunder" },
  },
  chat: { shape: object({ text, from: maybe(id) }), about: "a line of talk" },
  sound: {
    shape: object({ name, at: point, volume: maybe(number), pitch: maybe(number), category: maybe(byte) }),
    about: "a sound, in profile `cinema`",
  },
  particles: {
    shape: object({ name, at: point, count, spread: maybe(point) }),
    about: "particles, in profile `cinema`",
    notes: { spread: "in blocks" },
  },
  mark: {
    shape: object({ label: text, kind: maybe(oneOf(...MARK_KINDS)), id: maybe(id), severity: maybe(whole(0, 127)) }),
    about: "a moment worth finding again",
    notes: { kind: MARK_KINDS.map((kind) => `\`${kind}\``).join(", "), severity: "0 to 127" },
  },
  subject: {
    shape: object({ id, uuid, name: text, properties: maybe(properties) }),
    about: "a player whom the recording is about",
    notes: { properties: "as above" },
  },

  set: { shape: dictionary(value, name), about: "values by path; null takes one away" },
  entities: {
    shape: ENTITIES,
    about:
      "sets, things in them, and cells of those; what is not named stays. Null for a cell makes it unknown, for a thing takes it away, for a set empties it",
  },
  sets: {
    shape: SETS,
    about:
      "in the header, or before the first use: of each set `axes` (`handed`, `up`, *`kind`* `local` or `geodetic`, *`angles`*, *`own`*, *`velocities`*, *`tickRate`*: [what they mean](state.md#axes)) and `columns`",
  },

  event: {
    shape: object({
      event: matching(/^(?!simtape:)[^:\s]+:\S+$/, "a name such as my-simulator:score", 256),
      value: maybe(value),
      base64: maybe(base64),
      version: maybe(count),
    }),
    about: "a message of the sender's own, on a channel of this name",
  },

  commit: { shape: yes, about: "commits everything recorded so far when the present tick ends" },
  snapshot: { shape: yes, about: "the next tick begins a chunk with a snapshot" },
  session: { shape: name, about: 'why the wall clock does not run evenly: `"pause"`, `"resume"` …' },
  versions: {
    shape: object({ dataVersion: maybe(count), protocol: maybe(count), server: maybe(name) }),
    about: "another version of game or sender from the next tick on; what is not named stays",
  },
  reset: { shape: yes, about: "discards the state of the sender: all things are removed" },
};

/**
 * What cannot be in an event, as \`at[1]: expected …, found …\`; null: it can be recorded. For events that are made of
 * what others have sent, such as packets, in which a place may be no number.
 */
export function faultIn({ kind, value }: LiveEvent): string | null {
  const problem = EVENTS[kind].shape.problemIn(value);
  if (problem === null) return null;
  return problem.path === "" ? tell(problem) : `${problem.path}: ${tell(problem)}`;
}
