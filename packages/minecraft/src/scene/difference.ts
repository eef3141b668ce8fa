import type { Packet } from "../game/packet.ts";
import type { Base } from "../world/backdrop.ts";
import type { Adapter, Property } from "./adapter.ts";
import type { Scene } from "./scene.ts";
import { isOther, type Thing } from "./thing.ts";

export type Skin = (thing: Thing) => readonly Property[];

/** It is not known what is below edits. */
const VOID: Base = () => null;

/**
 * Makes the packets that turn a view of `before` into one of `after`. `isJump`: time did not pass in between, so no
 * movement is shown. `base`: the blocks that appear where an edit ends.
 */
export function difference(
  before: Scene,
  after: Scene,
  adapter: Adapter,
  skin: Skin,
  isJump: boolean,
  base: Base = VOID,
): Packet[] {
  const packets: Packet[] = [];
  const gone: Thing[] = [];
  for (const [id, thing] of before.things) {
    const now = after.things.get(id);
    if (now === undefined || isOther(thing, now)) gone.push(thing);
  }
  packets.push(...adapter.remove(gone));
  for (const [id, thing] of after.things) {
    const old = before.things.get(id);
    if (old === undefined || isOther(old, thing)) packets.push(...adapter.spawn(thing, skin));
    else if (old !== thing) packets.push(...adapter.change(old, thing, isJump));
  }
  packets.push(...blockChanges(before, after, adapter, base));
  if (after.clock !== null && after.clock !== before.clock) packets.push(...adapter.clock(after.clock));
  if (after.isRaining !== before.isRaining) packets.push(...adapter.rain(after.isRaining));
  return packets;
}

function blockChanges({ blocks: before }: Scene, { blocks: after }: Scene, adapter: Adapter, base: Base): Packet[] {
  if (before === after) return [];
  const packets: Packet[] = [];
  for (const place of before.keys()) if (!after.has(place)) packets.push(...edit(place, base(place), adapter));
  for (const [place, name] of after) if (before.get(place) !== name) packets.push(...edit(place, name, adapter));
  return packets;
}

/** An edit at `"x,y,z"`. */
export function edit(place: string, name: string | null, adapter: Adapter): Packet[] {
  const [x, y, z] = place.split(",").map(Number) as [number, number, number];
  return adapter.block(x, y, z, name);
}
