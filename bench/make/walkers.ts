/** Players that run around, for recordings of any length: their places are known, and do not repeat. */
import type { Recorder } from "../../packages/simtape/dist/record/index.js";

const stance = { x: 0, y: 0, z: 0, yaw: 0, pitch: 0, onGround: false };

/** The place of a player at a tick, always in the same object. */
export function stanceAt(player: number, tick: number): typeof stance {
  const at = tick * (1 + player / 7) + player * 1000;
  const angle = at / 160 + Math.sin(at / 97);
  stance.x = 40 * Math.cos(angle) + Math.sin(at / 13);
  stance.y = 64 + Math.abs(Math.sin(at / 9));
  stance.z = 40 * Math.sin(angle * 1.1) + Math.cos(at / 17);
  stance.yaw = (angle * 180) / Math.PI + 20 * Math.sin(at / 31);
  stance.pitch = 15 * Math.sin(at / 53);
  stance.onGround = tick % 12 < 3;
  return stance;
}

/**
 * Records `ticks` of them. Each stands still for one of three minutes, as people do. `between` is awaited every second.
 * Gives the number of moves.
 */
export async function walk(
  recorder: Recorder,
  players: number,
  ticks: number,
  between: (tick: number) => Promise<void>,
): Promise<number> {
  const { world } = recorder;
  const entities = Array.from({ length: players }, (_, player) =>
    world.join(
      { uuid: `00000000-0000-4000-8000-${String(player).padStart(12, "0")}`, name: `Walker${player}` },
      stanceAt(player, 0),
    ),
  );
  let moves = 0;
  for (let tick = 0; tick < ticks; tick++) {
    for (const [player, entity] of entities.entries()) {
      if ((tick + player * 900) % 3600 >= 2400) continue;
      world.move(entity, stanceAt(player, tick));
      moves++;
    }
    if (tick % 200 === 77) world.block([tick % 64, 64, (tick >> 6) % 64], `minecraft:wool_${tick % 16}`);
    if (tick % 100 === 33) world.swing(entities[0]!);
    recorder.endTick();
    if (tick % 20 === 19) await between(tick);
  }
  return moves;
}
