import type { World } from "../../src/record/live/world.ts";

interface Stance {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly onGround: boolean;
}

/** Where a walker is at a tick: known at once for every tick, and nothing that compresses by itself. */
export function stanceAt(player: number, tick: number): Stance {
  const at = tick * (1 + player / 7) + player * 1000;
  const angle = at / 40 + Math.sin(at / 7);
  return {
    x: 20 * Math.cos(angle) + Math.sin(at * 1.7) / 9,
    y: 64 + Math.abs(Math.sin(at / 9)),
    z: 20 * Math.sin(angle * 1.1) + Math.cos(at * 2.3) / 9,
    yaw: at * 7.3 + 5 * Math.sin(at * 0.9),
    pitch: 20 * Math.sin(at / 13),
    onGround: tick % 18 < 3,
  };
}

/** All players come at the first tick, and `entities` begin with 1. */
export function comeIn(world: World, players: number, tick = 0): void {
  for (let player = 0; player < players; player++) {
    const uuid = `00000000-0000-4000-8000-${String(player).padStart(12, "0")}`;
    world.join({ uuid, name: `Walker${player}` }, stanceAt(player, tick));
  }
}

/** One tick of all players; a block is set now and then. */
export function step(world: World, players: number, tick: number): void {
  for (let player = 0; player < players; player++) world.move(player + 1, stanceAt(player, tick));
  if (tick % 40 === 20) world.block([tick % 64, 64, tick % 7], `minecraft:wool_${tick % 16}`);
}
