import { loadZstd } from "../../codec/zstd.ts";
import { Ring } from "./ring.ts";

/** Bytes and times that make the engine translate what compresses: then the first chunk costs what every other does. */
const BYTES = 64 << 10;
const TIMES = 10;
/** Players who move for so many ticks of a recording in memory, which takes a snapshot and ends a chunk meanwhile. */
const PLAYERS = 40;
const TICKS = 410;

let warming: Promise<void> | null = null;

/** Once in a process, before the first tick: some 100 ms that no tick should take. */
export function warmUp(): Promise<void> {
  warming ??= compressSome().then(recordSome);
  return warming;
}

async function compressSome(): Promise<void> {
  const zstd = await loadZstd();
  const bytes = new Uint8Array(BYTES);
  // neither all alike nor all different, as events are
  for (let i = 0; i < bytes.length; i++) bytes[i] = i % 7 === 0 ? Math.imul(i, 0x9e3779b1) >>> 24 : (i >> 4) & 15;
  for (let n = 0; n < TIMES; n++) zstd.compress(bytes);
}

async function recordSome(): Promise<void> {
  const ring = await Ring.create();
  const { world } = ring;
  const players: number[] = [];
  for (let n = 0; n < PLAYERS; n++) {
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    players.push(world.join({ uuid, name: `Player${n}` }, { x: n, y: 64, z: 0, yaw: 0, pitch: 0, onGround: true }));
  }
  for (let tick = 0; tick < TICKS; tick++) {
    for (const [n, player] of players.entries()) {
      const [s, c] = [Math.sin(tick / 20 + n), Math.cos(tick / 31 + n)];
      world.move(player, { x: n + 2 * s, y: 64 + Math.abs(c), z: 9 * c, yaw: s, pitch: c / 2, onGround: s > 0 });
    }
    ring.endTick();
  }
}
