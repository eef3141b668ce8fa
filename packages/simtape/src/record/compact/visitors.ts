import { ByteCursor } from "../../bytes/cursor.ts";
import { NBT, type NbtCompound, type NbtTag, nbtCompound, nbtText } from "../../codec/nbt.ts";
import type { ChunkContext } from "../../formats/hcrp/chunk/context.ts";
import { PALETTE, readEntities, readSections, SECTION } from "../../formats/hcrp/layout/chunk.ts";
import { readMark, readSetBlocks } from "../../formats/hcrp/layout/world-events.ts";
import { readPlaceEvent, readRemove, readSpawn } from "../../formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../formats/hcrp/layout/events.ts";
import { GRID, Move, MOVE_ON_GROUND, PLACE_ON_GROUND, readMove } from "../../formats/hcrp/layout/motion.ts";
import { TICK } from "../../formats/hcrp/layout/framing.ts";
import type { HcrpReader } from "../../formats/hcrp/read/reader.ts";
import type { Columns } from "../../model/messages/batch.ts";
import { MARK_KINDS, type MarkKind } from "../live/world.ts";

/** A mark that a visitor adds to `hcrp.marks` (HCRP spec §4). */
export interface VisitorMark {
  readonly tick: number;
  /** `bookmark`, `checkpoint`, `anticheat`, `report` … */
  readonly kind: string;
  readonly entity: number | null;
  readonly label: string;
  /** 0 to 127. */
  readonly severity: number;
}

/** What a visitor has found. */
export interface VisitorResult {
  readonly marks?: readonly VisitorMark[] | undefined;
  /** Entry of `hcrp.analysis`, under the visitor's name. */
  readonly analysis?: NbtTag | undefined;
  /** Entries of the compound `hcrp` itself. */
  readonly entries?: Readonly<Record<string, NbtTag>> | undefined;
}

/**
 * An analysis that looks at everything while a recording is compacted (HCRP spec §10, step 5). Nothing of time or
 * chance.
 */
export interface CompactionVisitor {
  /** Name of its entry in `hcrp.analysis`. */
  readonly name: string;
  /** Once, before the first chunk. */
  begin?(reader: HcrpReader): void;
  /**
   * All messages of a sound chunk of the source: its snapshot, if it has one, then its events. Payloads are of the core
   * events by channel id (HCRP events §2); the context is a `ChunkContext`. Displacements begin again with each chunk.
   */
  chunk(batch: Columns, context: ChunkContext): void;
  /** Once, behind the last chunk. */
  finish(): VisitorResult;
}

/** A thing while it is followed: displacement on the grid, on ground. */
interface Followed {
  d: [number, number, number];
  chunk: number;
  onGround: boolean;
  distance: number;
  ticks: number;
  jumps: number;
  lastTick: number;
}

/**
 * What the recorded players did: distance in blocks along their moves, ticks in which they moved, jumps (off the ground
 * and upwards in one move), and the blocks set in the recording, which events do not tell by whom.
 */
export function statistics(): CompactionVisitor {
  const followed = new Map<number, Followed>();
  const players = new Map<number, string>();
  const move = new Move();
  let snapshot = -1;
  let blocks = 0;
  let chunk = 0;
  const at = (entity: number, onGround: boolean): void => {
    const known = followed.get(entity);
    if (known === undefined) {
      followed.set(entity, { d: [0, 0, 0], chunk, onGround, distance: 0, ticks: 0, jumps: 0, lastTick: -1 });
      return;
    }
    known.d = [0, 0, 0];
    known.onGround = onGround;
  };
  const follow = (tick: number): void => {
    const thing = followed.get(move.entity);
    if (thing === undefined) return;
    if (thing.chunk !== chunk) thing.d = [0, 0, 0];
    thing.chunk = chunk;
    const { d } = thing;
    d[0] += move.x;
    d[1] += move.y;
    d[2] += move.z;
    const onGround = (move.mask & MOVE_ON_GROUND) !== 0;
    if (thing.onGround && !onGround && d[1] > 0) thing.jumps++;
    thing.onGround = onGround;
    if (d[0] === 0 && d[1] === 0 && d[2] === 0) return;
    thing.distance += Math.hypot(d[0], d[1], d[2]) / GRID;
    if (thing.lastTick !== tick) thing.ticks++;
    thing.lastTick = tick;
  };
  const meet = (context: ChunkContext, payload: Uint8Array): void => {
    for (const { type, body } of readSections(new ByteCursor(payload))) {
      if (type !== SECTION.entities) continue;
      for (const { entity, place, details } of readEntities(body)) {
        at(entity, (place.flags & PLACE_ON_GROUND) !== 0);
        if (details?.profile != null) name(context, entity, details.profile);
      }
    }
  };
  const name = (context: ChunkContext, entity: number, profile: number): void => {
    players.set(entity, context.palettes.name(PALETTE.profile, profile) ?? "");
  };
  return {
    name: "statistics",
    begin: (reader) => {
      snapshot = channelOf(reader, "snapshot");
      for (const { entity, name: label } of reader.preamble.reserved.subjects) players.set(entity, label);
    },
    chunk: (batch, context) => {
      chunk++;
      const cursor = new ByteCursor(batch.bytes);
      for (let i = 0; i < batch.length; i++) {
        const channel = batch.channel[i]!;
        cursor.seek(batch.start[i]!);
        if (channel === EVENT.move) {
          readMove(cursor, move);
          follow(batch.time[i]!);
        } else if (channel === EVENT.setBlock) blocks++;
        else if (channel === EVENT.setBlocks) blocks += readSetBlocks(cursor).blocks.length;
        else if (channel === EVENT.place) {
          const { entity, flags } = readPlaceEvent(cursor);
          at(entity, (flags & PLACE_ON_GROUND) !== 0);
        } else if (channel === EVENT.spawn) {
          const { entity, flags, profile } = readSpawn(cursor);
          at(entity, (flags & PLACE_ON_GROUND) !== 0);
          if (profile !== null) name(context, entity, profile);
        } else if (channel === EVENT.remove) {
          // what is no player is not reported: nothing of it need be kept
          for (const entity of readRemove(cursor).entities) if (!players.has(entity)) followed.delete(entity);
        } else if (channel === snapshot) meet(context, batch.payload(i));
      }
    },
    finish: () => {
      const items = [...players.keys()]
        .sort((a, b) => a - b)
        .flatMap((entity): NbtCompound[] => {
          const thing = followed.get(entity);
          if (thing === undefined) return [];
          return [
            nbtCompound({
              entity: { type: NBT.int, value: entity },
              name: nbtText(players.get(entity)!),
              distance: { type: NBT.double, value: thing.distance },
              ticks_moved: { type: NBT.int, value: thing.ticks },
              jumps: { type: NBT.int, value: thing.jumps },
            }),
          ];
        });
      const analysis = nbtCompound({
        players: { type: NBT.list, itemType: NBT.compound, items },
        blocks_set: { type: NBT.int, value: blocks },
      });
      return { analysis };
    },
  };
}

/** A mark event with its tick. */
export interface SeenMark {
  readonly tick: number;
  readonly kind: MarkKind | null;
  readonly entity: number | null;
  readonly label: string;
}

/** The mark events of a chunk. */
export function* marksIn(batch: Columns, context: ChunkContext): Generator<SeenMark> {
  for (let i = 0; i < batch.length; i++) {
    if (batch.channel[i] !== EVENT.mark) continue;
    const { kind, entity, text } = readMark(new ByteCursor(batch.bytes, batch.start[i]!, batch.end[i]!));
    const label = context.palettes.name(PALETTE.text, text) ?? "";
    yield { tick: batch.time[i]! / TICK, kind: MARK_KINDS[kind] ?? null, entity, label };
  }
}

/** Checkpoints of one player that are kept. */
const MAX_SPLITS = 10_000;

/**
 * Times between checkpoints, by player: ticks since the run's start or the checkpoint before it. A run begins with a
 * start mark of the player or without a player; else with the last bookmark without a player, or with the recording.
 */
export function splits(): CompactionVisitor {
  const found: NbtCompound[] = [];
  /** Since when; null: of all players. */
  const since = new Map<number | null, number>();
  let hasStart = false;
  return {
    name: "splits",
    chunk: (batch, context) => {
      for (const { tick, kind, entity, label } of marksIn(batch, context)) {
        if (kind === "start" || (kind === "bookmark" && entity === null && !hasStart)) {
          hasStart ||= kind === "start";
          if (entity === null) since.clear();
          since.set(entity, tick);
        } else if ((kind === "checkpoint" || kind === "end") && entity !== null && found.length < MAX_SPLITS) {
          const before = since.get(entity) ?? since.get(null) ?? 0;
          since.set(entity, tick);
          found.push(
            nbtCompound({
              entity: { type: NBT.int, value: entity },
              label: nbtText(label),
              tick: { type: NBT.int, value: tick },
              split: { type: NBT.int, value: tick - before },
            }),
          );
        }
      }
    },
    finish: () => ({ analysis: { type: NBT.list, itemType: NBT.compound, items: found } }),
  };
}

/** A visitor's marks as `hcrp.marks` has them. */
export function markTag({ tick, kind, entity, label, severity }: VisitorMark): NbtCompound {
  return nbtCompound({
    tick: { type: NBT.int, value: tick },
    kind: nbtText(kind),
    entity: { type: NBT.int, value: entity ?? -1 },
    label: nbtText(label),
    severity: { type: NBT.byte, value: severity },
  });
}

/** Id of a channel that every recording has. */
export function channelOf(reader: HcrpReader, name: string): number {
  return reader.channels.find((channel) => channel.name === name)!.id;
}
