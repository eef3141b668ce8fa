import { soundName } from "../game/sounds.ts";
import type { LiveEvent, LiveEvents } from "simtape/record";
import type { Carry, Outcome, Params, Shown } from "./carry.ts";

/** Positions of sounds are in eighths of a block. */
const EIGHTHS = 8;
/** By the numbers of the game. */
const CATEGORIES = "master music record weather block hostile neutral player ambient voice".split(" ");

/** A sound, and its position. */
export const SOUNDS: readonly (readonly [string, Carry])[] = [
  ["named_sound_effect", atPlace],
  ["sound_effect", atPlace],
  [
    "entity_sound_effect",
    (capture, params, events) => {
      const at = capture.body(params.entityId)?.place;
      return at === undefined ? "unknown" : heard(capture, at, params, events);
    },
  ],
];

function atPlace(capture: Shown, params: Params, events: LiveEvent[]): Outcome {
  const { x, y, z } = params;
  return heard(capture, [x / EIGHTHS, y / EIGHTHS, z / EIGHTHS], params, events);
}

function heard(capture: Shown, at: LiveEvents["sound"]["at"], params: Params, events: LiveEvent[]): Outcome {
  const name = nameOf(capture, params);
  if (name === null) return "left";
  const { soundCategory, volume, pitch } = params;
  const category = typeof soundCategory === "number" ? soundCategory : CATEGORIES.indexOf(soundCategory);
  events.push({ kind: "sound", value: { name, at, volume, pitch, category: Math.max(0, Math.min(255, category)) } });
  return "carried";
}

/**
 * A sound is given by name or by number, since 1.19.3 by either: in an object, or, for sounds of things until 1.20.4,
 * as a number from 1 on, where 0 means that the name follows.
 */
function nameOf({ data }: Shown, { soundName: plain, soundId, sound, soundEvent, seed }: Params): string | null {
  const name = plain ?? sound?.data?.soundName ?? soundEvent?.resource;
  const isHolder = sound === undefined && seed !== undefined;
  if (typeof name !== "string") return soundName(data, sound?.soundId ?? (isHolder ? soundId - 1 : soundId));
  if (name === "") return null;
  return name.includes(":") ? name : `minecraft:${name}`;
}
