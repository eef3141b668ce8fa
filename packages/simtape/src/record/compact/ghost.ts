import { ByteBuilder } from "../../bytes/builder.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { readZigzag, writeZigzag } from "../../bytes/varint.ts";
import { NBT, nbtCompound } from "../../codec/nbt.ts";
import { readEntities, readSections, SECTION } from "../../formats/hcrp/layout/chunk.ts";
import { readPlaceEvent, readSpawn } from "../../formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../formats/hcrp/layout/events.ts";
import { Move, type GridPlace, readMove, turnChange, wrapTurn } from "../../formats/hcrp/layout/motion.ts";
import { readVarInt, TICK, writeVarInt } from "../../formats/hcrp/layout/framing.ts";
import { type CompactionVisitor, channelOf, marksIn } from "./visitors.ts";

/** Where the subject of a recording was, tick by tick: the entry `hcrp.ghost` of the metadata (HCRP events §7). */
export interface Ghost {
  /** Ticks from one row to the next; row 0 is where the run begins. */
  readonly step: number;
  /** Grid steps, 1/4096 block. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
  /** 1/65536 turn. */
  readonly yaw: Float64Array;
}

/** VarInt step, then four columns of ZigZag numbers: the first value, then what each adds to the one before. */
export function writeGhost(builder: ByteBuilder, { step, x, y, z, yaw }: Ghost): void {
  writeVarInt(builder, step);
  for (const column of [x, y, z, yaw]) {
    let before = 0;
    for (const value of column) {
      writeZigzag(builder, column === yaw ? turnChange(before, value) : value - before);
      before = value;
    }
  }
}

/** Throws `LayoutError` when the numbers are not those of four columns. */
export function readGhost(bytes: Uint8Array): Ghost {
  const cursor = new ByteCursor(bytes);
  const step = readVarInt(cursor);
  let count = 0;
  for (let at = cursor.position; at < bytes.length; at++) if (bytes[at]! < 0x80) count++;
  if (step < 1 || count % 4 !== 0) throw new LayoutError("malformed", `a ghost of ${count} numbers, step ${step}`, 0);
  const [x, y, z, yaw] = ["x", "y", "z", "yaw"].map((name) => {
    const column = new Float64Array(count / 4);
    let before = 0;
    for (let i = 0; i < column.length; i++) {
      before += readZigzag(cursor);
      column[i] = name === "yaw" ? wrapTurn(before) : before;
    }
    return column;
  });
  if (cursor.remaining > 0) throw new LayoutError("truncated", "a ghost ends within a number", cursor.offset);
  return { step, x: x!, y: y!, z: z!, yaw: yaw! };
}

/** Rows at most; beyond them every second goes: 15 minutes tick by tick, an hour every fourth tick. */
const MAX_ROWS = 18_000;

/**
 * The way of the first subject, from the run's start mark (its own, or one without a player; else from where it is
 * first known) to its end mark. Of several runs the first that ends, else the last.
 */
export function ghost(): CompactionVisitor {
  const track = new Track();
  let entity = -1;
  let snapshot = -1;
  return {
    name: "ghost",
    begin: (reader) => {
      entity = reader.preamble.reserved.subjects[0]?.entity ?? -1;
      snapshot = channelOf(reader, "snapshot");
    },
    chunk: (batch, context) => {
      track.enterChunk();
      const cursor = new ByteCursor(batch.bytes);
      const marks = [...marksIn(batch, context)].filter(
        (mark) => (mark.entity === entity || mark.entity === null) && (mark.kind === "start" || mark.kind === "end"),
      );
      let next = 0;
      const passMarks = (tick: number): void => {
        for (; next < marks.length && marks[next]!.tick < tick; next++)
          track.mark(marks[next]!.kind, marks[next]!.tick);
      };
      for (let row = 0; row < batch.length; row++) {
        const channel = batch.channel[row]!;
        const tick = batch.time[row]! / TICK;
        if (next < marks.length) passMarks(tick);
        cursor.seek(batch.start[row]!);
        if (channel === EVENT.move) track.move(tick, cursor, entity);
        else if (channel === EVENT.place) {
          const event = readPlaceEvent(cursor);
          if (event.entity === entity) track.put(tick, event);
        } else if (channel === EVENT.spawn) {
          const event = readSpawn(cursor);
          if (event.entity === entity) track.put(tick, event);
        } else if (channel === snapshot) {
          for (const { type, body } of readSections(new ByteCursor(batch.payload(row)))) {
            if (type !== SECTION.entities) continue;
            const found = readEntities(body).find((known) => known.entity === entity);
            if (found !== undefined) track.put(tick, found.place);
          }
        }
      }
      passMarks(Number.POSITIVE_INFINITY);
    },
    finish: () => {
      const made = track.finish();
      if (made === null) return {};
      const builder = new ByteBuilder();
      writeGhost(builder, made);
      const analysis = nbtCompound({
        entity: { type: NBT.int, value: entity },
        from_tick: { type: NBT.int, value: track.start },
        step: { type: NBT.int, value: made.step },
        rows: { type: NBT.int, value: made.x.length },
      });
      return { analysis, entries: { ghost: { type: NBT.byteArray, value: builder.take() } } };
    },
  };
}

class Track {
  start = -1;
  readonly #rows: readonly Float64Array[] = [0, 1, 2, 3].map(() => new Float64Array(MAX_ROWS));
  readonly #move = new Move();
  readonly #d = [0, 0, 0];
  /** Grid place and yaw. */
  readonly #now = [0, 0, 0, 0];
  #isKnown = false;
  #isOver = false;
  #step = 1;
  #count = 0;
  /** Rows are there for all ticks before this one. */
  #until = 0;

  enterChunk(): void {
    this.#d.fill(0);
  }

  move(tick: number, cursor: ByteCursor, entity: number): void {
    const move = readMove(cursor, this.#move);
    if (move.entity !== entity || !this.#isKnown) return;
    this.#fill(tick);
    const now = this.#now;
    for (const [k, residual] of [move.x, move.y, move.z].entries()) {
      this.#d[k]! += residual;
      now[k]! += this.#d[k]!;
    }
    now[3] = wrapTurn(now[3]! + move.yaw);
  }

  put(tick: number, { q, yaw }: GridPlace): void {
    if (this.#isKnown) this.#fill(tick);
    else {
      this.#isKnown = true;
      this.#begin(tick);
    }
    this.#d.fill(0);
    for (let k = 0; k < 3; k++) this.#now[k] = q[k]!;
    this.#now[3] = yaw;
  }

  mark(kind: string | null, tick: number): void {
    if (!this.#isKnown || this.#isOver) return;
    if (kind === "start") this.#begin(tick);
    else {
      this.#fill(tick + 1);
      this.#isOver = true;
    }
  }

  finish(): Ghost | null {
    if (!this.#isKnown) return null;
    this.#fill(this.#until + 1);
    const [x, y, z, yaw] = this.#rows.map((column) => column.slice(0, this.#count));
    return { step: this.#step, x: x!, y: y!, z: z!, yaw: yaw! };
  }

  #begin(tick: number): void {
    this.start = tick;
    this.#until = tick;
    this.#step = 1;
    this.#count = 0;
  }

  /** Rows for all ticks before `tick`, where it is now. */
  #fill(tick: number): void {
    if (this.#isOver) return;
    for (; this.#until < tick; this.#until++) {
      if ((this.#until - this.start) % this.#step !== 0) continue;
      if (this.#count === MAX_ROWS) this.#thin();
      if ((this.#until - this.start) % this.#step !== 0) continue;
      for (const [k, column] of this.#rows.entries()) column[this.#count] = this.#now[k]!;
      this.#count++;
    }
  }

  #thin(): void {
    for (const column of this.#rows) for (let i = 0; i < MAX_ROWS / 2; i++) column[i] = column[2 * i]!;
    this.#count = MAX_ROWS / 2;
    this.#step *= 2;
  }
}
