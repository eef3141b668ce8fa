import { PALETTE } from "../../src/formats/hcrp/layout/chunk.ts";
import {
  writeEffect,
  writeExactPlace,
  writeHurt,
  writeJoin,
  writeMount,
  writeVelocity,
  writeVitals,
} from "../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../src/formats/hcrp/layout/events.ts";
import { MOVE_HEAD_YAW, MOVE_ON_GROUND, MOVE_X, writeMove } from "../../src/formats/hcrp/layout/motion.ts";
import { writeChat, writeParticles, writeSetBlocks, writeSound } from "../../src/formats/hcrp/layout/world-events.ts";
import type { MemoryFiles, SourceBundle } from "../../src/index.ts";
import { loadZstd } from "../../src/kit.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { type Content, segmented } from "../fixtures/hcrp/recording.ts";
import { type Pose, WorldRecorder } from "../fixtures/hcrp/world.ts";

/** Files in memory as they would be opened. */
export function bundleOfMemory({ name, files }: MemoryFiles): SourceBundle {
  return bundleOfFiles({ [name]: files.get(name)!, ...Object.fromEntries(files) });
}

/** A segmented recording of what a test says. */
export async function segmentedBundle(
  content: Content,
  chunksPerSegment = 3,
  packing: Parameters<typeof segmented>[3] = {},
): Promise<SourceBundle> {
  return bundleOfFiles(segmented(await loadZstd(), content, chunksPerSegment, { level: 3, ...packing }));
}

/** The same numbers for the same seed (mulberry32). */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

/** A recording in which everything happens that events can tell, also to things that are not there. */
export function wildContent(seed: number): Content {
  const roll = random(seed);
  const chunkTicks = [5, 20, 60, 200][roll(4)]!;
  const world = new WorldRecorder(chunkTicks, 1 + roll(3));
  const ticks = chunkTicks * (2 + roll(9)) + 1 + roll(chunkTicks);
  const alive = new Set<number>();
  let next = 0;
  const pose = (): Pose => ({
    x: roll(4000) / 7 - 300,
    y: 60 + roll(100) / 3,
    z: roll(4000) / 7,
    yaw: roll(3600) - 1800,
    pitch: roll(180) - 90,
    onGround: roll(2) === 0,
  });
  const kind = (): string => `minecraft:block_${roll(12)}`;
  const text = (): string => `text ${roll(9)}`;
  for (let tick = 0; tick < ticks; tick++) {
    if (roll(5) === 0) continue;
    world.at(tick);
    for (let n = roll(6); n > 0; n--) {
      const chosen = [...alive][roll(Math.max(1, alive.size))];
      switch (chosen === undefined ? 0 : roll(24)) {
        case 0: {
          const who =
            roll(2) === 0 ? null : { uuid: `1c5f0d2e-7a44-4b09-93d1-0000000000${10 + (next % 80)}`, profile: text() };
          alive.add(next);
          world.spawn(next++, `minecraft:type_${roll(4)}`, pose(), who);
          break;
        }
        case 1:
          if (roll(3) === 0) {
            alive.delete(chosen!);
            world.remove(chosen!);
          }
          break;
        case 2:
          world.teleport(chosen!, pose());
          // nothing is on its way now, so that a turn of the head alone moves nothing
          if (roll(2) === 0) world.emit(EVENT.move, (out) => writeMove(out, moveOf(chosen!, roll(9) - 4)));
          break;
        case 3:
          world.state(chosen!, roll(3), roll(16));
          break;
        case 4:
          world.setItem(chosen!, roll(5), `minecraft:item_${roll(7)}`);
          break;
        case 5:
        case 6:
          world.setBlock(roll(300) - 150, roll(200), roll(300), kind());
          break;
        case 7:
          world.emit(EVENT.vitals, (out) =>
            writeVitals(out, { entity: chosen!, health: roll(120), food: roll(20), xp: 3 }),
          );
          break;
        case 8: {
          const index = world.name(PALETTE.text, text());
          world.emit(EVENT.chat, (out) => writeChat(out, { kind: 0, sender: chosen!, text: index }));
          break;
        }
        case 9: {
          const sound = world.name(PALETTE.sound, `minecraft:sound_${roll(5)}`);
          world.emit(EVENT.sound, (out) =>
            writeSound(out, { sound, position: Float64Array.of(8, -16, roll(99)), category: 1, volume: 64, pitch: 64 }),
          );
          break;
        }
        case 10: {
          const particle = world.name(PALETTE.particle, `minecraft:particle_${roll(5)}`);
          const position = Float64Array.of(1, 2, roll(99));
          world.emit(EVENT.particles, (out) =>
            writeParticles(out, { particle, position, count: 3, spread: Uint8Array.of(1, 2, 3) }),
          );
          break;
        }
        case 11: {
          const effect = world.name(PALETTE.text, `minecraft:effect_${roll(3)}`);
          world.emit(EVENT.effect, (out) =>
            writeEffect(out, { entity: chosen!, effect, amplifier: 1, ticks: roll(3) * 100 }),
          );
          break;
        }
        case 12:
          world.mark(roll(4), roll(2) === 0 ? null : chosen!, text());
          break;
        case 13: {
          const entity = 1000 + roll(5);
          world.emit(EVENT.move, (out) =>
            writeMove(out, Object.assign(moveOf(entity, 0), { mask: MOVE_X, x: roll(9) + 1 })),
          );
          break;
        }
        case 14:
          world.emit(64, (out) => out.u8(roll(200)).u8(7));
          break;
        case 15:
          if (roll(4) === 0) world.setWorld(roll(24000), roll(3), `minecraft:dimension_${roll(2)}`);
          break;
        case 16: {
          const velocity = { value: Float64Array.of(0.1, 0, -0.5), raw: null };
          world.emit(EVENT.velocity, (out) => writeVelocity(out, { entity: chosen!, velocity }));
          break;
        }
        case 17:
          world.emit(EVENT.mount, (out) => writeMount(out, { vehicle: chosen!, passengers: Uint32Array.of(roll(4)) }));
          break;
        case 18:
          world.emit(EVENT.hurt, (out) => writeHurt(out, { entity: chosen!, attacker: null, yaw: 3 }));
          break;
        case 19:
          if (roll(6) === 0) rare(world, roll, chosen!);
          break;
        default:
          world.move(chosen!, pose());
      }
    }
  }
  return { chunks: world.finish(ticks), dataVersion: 4903 };
}

/** What no snapshot of the recorder tells: the next one says something else than what was before it. */
function rare(world: WorldRecorder, roll: (below: number) => number, entity: number): void {
  switch (roll(4)) {
    case 0:
      world.emit(EVENT.clearBlocks);
      return;
    case 1: {
      const index = world.name(PALETTE.block, `minecraft:block_${roll(30)}`);
      const blocks = Uint32Array.of((index << 12) | roll(4096), (index << 12) | roll(4096));
      world.emit(EVENT.setBlocks, (out) => writeSetBlocks(out, { section: Float64Array.of(1, 4, -2), blocks }));
      return;
    }
    case 2: {
      const profile = world.name(PALETTE.profile, "late");
      const uuid = "1c5f0d2e-7a44-4b09-93d1-000000000099";
      world.emit(EVENT.join, (out) => writeJoin(out, { entity: 2000 + roll(2), uuid, profile }));
      return;
    }
    default: {
      const position = Float64Array.of(1.23456, 70, -3.3);
      const velocity = new Float64Array(3);
      const place = { entity: roll(2) === 0 ? entity : 2000, position, yaw: 12.5, pitch: 3, velocity };
      world.emit(EVENT.exactPlace, (out) => writeExactPlace(out, place));
    }
  }
}

function moveOf(entity: number, turns: number): Parameters<typeof writeMove>[1] {
  const mask = MOVE_ON_GROUND | (turns === 0 ? 0 : MOVE_HEAD_YAW);
  return { entity, mask, x: 0, y: 0, z: 0, yaw: 0, pitch: 0, headYaw: turns * 1000 };
}
