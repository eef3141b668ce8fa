import type { SeriesPath } from "../../../model/state/path.ts";
import { EVENT } from "../layout/events.ts";

/** By these things come and go (events §2). */
const EXISTENCE: readonly number[] = [
  EVENT.place,
  EVENT.spawn,
  EVENT.remove,
  EVENT.join,
  EVENT.leave,
  EVENT.exactPlace,
];

/** What else changes a column of players and entities. */
const COLUMNS: Readonly<Record<string, readonly number[]>> = {
  position: [EVENT.move],
  rotation: [EVENT.move],
  "head-yaw": [EVENT.move],
  "on-ground": [EVENT.move],
  velocity: [EVENT.velocity],
  pose: [EVENT.state],
  flags: [EVENT.state],
  "held-slot": [EVENT.heldSlot],
  "item-use": [EVENT.itemUse],
  health: [EVENT.vitals],
  food: [EVENT.vitals],
  xp: [EVENT.vitals],
  "game-mode": [EVENT.view],
  camera: [EVENT.view],
  parent: [EVENT.mount],
};

/** What changes values of one of them: `players/7/items/36`. */
const ACTOR_VALUES: Readonly<Record<string, readonly number[]>> = {
  items: [EVENT.setItems],
  effects: [EVENT.effect],
  metadata: [EVENT.metadata],
};

const VALUES: Readonly<Record<string, readonly number[]>> = {
  "world/time": [EVENT.world],
  "world/weather": [EVENT.world],
  "world/dimension": [EVENT.paletteAdd],
  chat: [EVENT.chat],
  mark: [EVENT.mark],
};

/** Ids of the core events that can change what is at a path. */
export function eventsOf(path: SeriesPath): readonly number[] {
  if ("set" in path) {
    if (path.set === "blocks") return [EVENT.setBlock, EVENT.setBlocks, EVENT.clearBlocks];
    return isOfActors(path.set) ? [...EXISTENCE, ...(COLUMNS[path.column] ?? [])] : [];
  }
  const [set, , group] = path.value.split("/");
  if (isOfActors(set)) return [...EXISTENCE, ...(ACTOR_VALUES[group ?? ""] ?? [])];
  return VALUES[path.value] ?? [];
}

function isOfActors(set: string | undefined): boolean {
  return set === "players" || set === "entities";
}
