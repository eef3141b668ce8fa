import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { Columns, type MessageBatch } from "../../../model/messages/batch.ts";
import type { Sift } from "../../../model/writer.ts";
import { readSetBlock, writeSetBlock } from "../layout/world-events.ts";
import { ChunkContext } from "../chunk/context.ts";
import { readVarInt } from "../layout/framing.ts";
import { PRODUCTION_NAMES } from "../layout/production.ts";
import { ProductionPlaces } from "./sift-production.ts";
import { readEntities, readSections, SECTION } from "../layout/chunk.ts";
import { readExactPlace, readPlaceEvent, readRemove, readSpawn } from "../layout/entity-events.ts";
import { EVENT, EVENT_NAMES } from "../layout/events.ts";
import {
  Move,
  MOVE_ON_GROUND,
  moveMask,
  type GridPlace,
  quantize,
  readMove,
  turnChange,
  turnOf,
  wrapTurn,
  writeMove,
} from "../layout/motion.ts";

/** Channels that say where moves and blocks count from. */
const ANCHORS: ReadonlySet<string> = new Set([
  "snapshot",
  "place",
  "spawn",
  "exact-place",
  "join",
  "remove",
  "leave",
  // each counts from the one before it
  "move",
  "set-block",
  // of the production dialect
  "delta-move",
  "absolute-move",
  "destroy",
]);
const SNAPSHOT: number = EVENT_NAMES.length;

/** For a recording without messages of some channels; null: none of them says where others count from. */
export function sift(left: readonly string[]): Sift | null {
  return left.some((name) => ANCHORS.has(name)) ? new CountSift() : null;
}

/** Where a thing is and where it is going, on the grid. */
interface Motion {
  readonly q: Float64Array;
  readonly d: Float64Array;
  readonly angles: Float64Array;
}

/** Has every move lead where it led, and every block lie where it lay, whatever is left out before them. */
class CountSift implements Sift {
  /** As the source has them, and as what is kept does. */
  readonly #source = new Map<number, Motion>();
  readonly #kept = new Map<number, Motion>();
  /** The block that was set last in the chunk. */
  readonly #sourceBlock = new Float64Array(3);
  readonly #keptBlock = new Float64Array(3);
  #chunk: unknown = null;
  readonly #move = new Move();
  readonly #production = new ProductionPlaces();

  next(batch: MessageBatch, rows: Uint32Array): MessageBatch {
    const { context, bytes, channel } = batch;
    if (!(context instanceof ChunkContext)) return pick(batch, rows);
    const version = context.dialect === 1 ? null : context.dialect === 4 ? 4 : 5;
    if (this.#chunk !== context.chunk) {
      this.#chunk = context.chunk;
      for (const motions of [this.#source, this.#kept]) for (const { d } of motions.values()) d.fill(0);
      this.#sourceBlock.fill(0);
      this.#keptBlock.fill(0);
    }
    const made = new ByteBuilder();
    const [start, end] = [Uint32Array.from(rows, (i) => batch.start[i]!), Uint32Array.from(rows, (i) => batch.end[i]!)];
    for (let i = 0, next = 0; i < batch.length; i++) {
      const isKept = rows[next] === i;
      const type = channel[i]!;
      try {
        if (version !== null) {
          const from = made.length;
          if (this.#production.next(type, at(batch, i), isKept, version, PRODUCTION_NAMES.length, made))
            [start[next], end[next]] = [bytes.length + from, bytes.length + made.length];
        } else if (type === EVENT.move) {
          const move = readMove(at(batch, i), this.#move);
          const from = made.length;
          if (this.#moves(move, isKept)) {
            writeMove(made, move);
            [start[next], end[next]] = [bytes.length + from, bytes.length + made.length];
          }
        } else if (type === EVENT.setBlock) {
          const block = readSetBlock(at(batch, i));
          const from = made.length;
          if (this.#countsBlock(block.delta, isKept)) {
            writeSetBlock(made, block);
            [start[next], end[next]] = [bytes.length + from, bytes.length + made.length];
          }
        } else {
          this.#anchors(type, () => at(batch, i), this.#source);
          if (isKept) this.#anchors(type, () => at(batch, i), this.#kept);
        }
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
      }
      if (isKept) next++;
    }
    const picked = pick(batch, rows);
    if (made.length === 0) return picked;
    const all = new ByteBuilder(bytes.length + made.length).raw(bytes).raw(made.take()).take();
    const { time, channel: channels, sequence, flags, shifted } = picked;
    return new Columns(time, channels, sequence, flags, all, start, end, context.changed(), shifted);
  }

  /** True: `move` was made another one, to lead to the same place. */
  #moves(move: Move, isKept: boolean): boolean {
    const source = this.#source.get(move.entity);
    const kept = isKept ? this.#kept.get(move.entity) : undefined;
    if (source !== undefined) advance(source, move);
    if (kept === undefined) return false;
    if (source === undefined) {
      advance(kept, move);
      return false;
    }
    const before = [move.x, move.y, move.z, move.yaw, move.pitch, move.headYaw];
    [move.x, move.y, move.z] = [0, 1, 2].map((k) => source.q[k]! - kept.q[k]! - kept.d[k]!) as [number, number, number];
    [move.yaw, move.pitch, move.headYaw] = [0, 1, 2].map((k) => turnChange(kept.angles[k]!, source.angles[k]!)) as [
      number,
      number,
      number,
    ];
    advance(kept, move);
    const after = [move.x, move.y, move.z, move.yaw, move.pitch, move.headYaw];
    const isSame = after.every((part, k) => (k < 3 ? part === before[k] : wrapTurn(part - before[k]!) === 0));
    if (isSame) return false;
    move.mask = moveMask(move, (move.mask & MOVE_ON_GROUND) !== 0);
    return true;
  }

  /** True: `delta` was made another one, to lead to the same block. */
  #countsBlock(delta: Float64Array, isKept: boolean): boolean {
    let isOther = false;
    for (let k = 0; k < 3; k++) {
      this.#sourceBlock[k]! += delta[k]!;
      if (!isKept) continue;
      const own = this.#sourceBlock[k]! - this.#keptBlock[k]!;
      isOther ||= own !== delta[k];
      delta[k] = own;
      this.#keptBlock[k] = this.#sourceBlock[k]!;
    }
    return isOther;
  }

  #anchors(type: number, body: () => ByteCursor, motions: Map<number, Motion>): void {
    switch (type) {
      case SNAPSHOT:
        motions.clear();
        for (const section of readSections(body())) {
          if (section.type !== SECTION.entities) continue;
          for (const { entity, place } of readEntities(section.body)) motions.set(entity, motionAt(place));
        }
        return;
      case EVENT.place: {
        const place = readPlaceEvent(body());
        motions.set(place.entity, motionAt(place));
        return;
      }
      case EVENT.spawn: {
        const spawn = readSpawn(body());
        motions.set(spawn.entity, motionAt(spawn));
        return;
      }
      case EVENT.exactPlace: {
        const { entity, position, yaw, pitch } = readExactPlace(body());
        if (motions.has(entity)) return;
        motions.set(entity, motionAt({ q: position.map(quantize), yaw: turnOf(yaw), pitch: turnOf(pitch), flags: 0 }));
        return;
      }
      case EVENT.remove:
        for (const entity of readRemove(body()).entities) motions.delete(entity);
        return;
      case EVENT.leave:
        motions.delete(readVarInt(body()));
        return;
      default:
    }
  }
}

function motionAt({ q, yaw, pitch }: GridPlace): Motion {
  return { q: Float64Array.from(q), d: new Float64Array(3), angles: Float64Array.of(yaw, pitch, 0) };
}

function advance({ q, d, angles }: Motion, { x, y, z, yaw, pitch, headYaw }: Move): void {
  [x, y, z].forEach((residual, k) => {
    d[k]! += residual;
    q[k]! += d[k]!;
  });
  [yaw, pitch, headYaw].forEach((change, k) => {
    angles[k] = wrapTurn(angles[k]! + change);
  });
}

function at({ start, end, bytes }: MessageBatch, i: number): ByteCursor {
  return new ByteCursor(bytes, start[i]!, end[i]!);
}

function pick(batch: MessageBatch, rows: Uint32Array): Columns {
  const { time, channel, sequence, flags, bytes, start, end, context, shifted } = batch;
  return new Columns(time, channel, sequence, flags, bytes, start, end, context, shifted).pick(rows);
}
