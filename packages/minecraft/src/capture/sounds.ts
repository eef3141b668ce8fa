import { soundName } from "../game/sounds.ts";
import type { Capture, Carry, Fate, Line, Params } from "./capture.ts";

/** Places of sounds are told in eighths of a block. */
const EIGHTHS = 8;
/** As the game numbers them. */
const CATEGORIES = "master music record weather block hostile neutral player ambient voice".split(" ");

/** What is heard, and where. */
export const SOUNDS: readonly (readonly [string, Carry])[] = [
  ["named_sound_effect", atPlace],
  ["sound_effect", atPlace],
  [
    "entity_sound_effect",
    (capture, params, lines) => {
      const at = capture.body(params.entityId)?.place;
      return at === undefined ? "stray" : heard(capture, at, params, lines);
    },
  ],
];

function atPlace(capture: Capture, params: Params, lines: Line[]): Fate {
  const { x, y, z } = params;
  return heard(capture, [x / EIGHTHS, y / EIGHTHS, z / EIGHTHS], params, lines);
}

function heard(capture: Capture, at: readonly number[], params: Params, lines: Line[]): Fate {
  const name = nameOf(capture, params);
  if (name === null) return "left";
  const { soundCategory, volume, pitch } = params;
  const category = typeof soundCategory === "number" ? soundCategory : CATEGORIES.indexOf(soundCategory);
  lines.push({ sound: { name, at, volume, pitch, category: Math.max(0, Math.min(255, category)) } });
  return "carried";
}

/** By name, by number, or since 1.19.3 either of both in an object. */
function nameOf({ data }: Capture, { soundName: plain, soundId, sound }: Params): string | null {
  const told = plain ?? sound?.data?.soundName;
  if (typeof told !== "string") return soundName(data, sound?.soundId ?? soundId);
  if (told === "") return null;
  return told.includes(":") ? told : `minecraft:${told}`;
}
