import { crc32 } from "../../../bytes/crc32.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import type { Reporter } from "../../../model/error.ts";
import type { HcrpChunk } from "./plan.ts";
import {
  CHUNK_RECORD_BYTES,
  type ChunkRecord,
  chunkRecordCrc,
  readChunkRecord,
  segmentName,
} from "../layout/framing.ts";

/**
 * Compares what stands before each frame of a segment with the index, the header and the frame (spec §8.2). Of each
 * chunk everything is reported once, however often it is looked at.
 */
export class ChunkRecordCheck {
  readonly #recordingId: string | null;
  readonly #report: Reporter;
  readonly #reported = new Set<number>();
  /** CRC-32 that the frame of a chunk should have, until the frame comes. */
  readonly #frames = new Map<number, number>();

  /** `recordingId` null: a plain recording, whose segments may do without records. */
  constructor(recordingId: string | null, report: Reporter) {
    this.#recordingId = recordingId;
    this.#report = report;
  }

  /** The 72 bytes before a chunk's frame. */
  record(chunk: HcrpChunk, bytes: Uint8Array): void {
    const record = recordIn(bytes);
    if (record === null || this.#reported.has(chunk.index)) return;
    const crc = chunkRecordCrc(bytes);
    if (record.crc !== crc) {
      this.#tell(chunk, [`crc32: expected ${hex(record.crc)}, found ${hex(crc)}`]);
      return;
    }
    this.#frames.set(chunk.index, record.frameCrc);
    const { entry } = chunk;
    const fields = [
      ["version", 1, record.version],
      ["flags", entry.flags, record.flags],
      ["recording id", this.#recordingId ?? record.recordingId, record.recordingId],
      ["start tick", entry.startTick, record.startTick],
      ["tick count", entry.tickCount, record.tickCount],
      ["compressed length", entry.compressedLength, record.compressedLength],
      ["uncompressed length", entry.uncompressedLength, record.uncompressedLength],
    ] as const;
    const wrong = fields.filter(([, expected, found]) => expected !== found);
    if (wrong.length === 0) return;
    this.#tell(
      chunk,
      wrong.map(([name, expected, found]) => `${name}: expected ${expected}, found ${found}`),
    );
  }

  /** A chunk's frame, after its record if there is one. */
  frame(chunk: HcrpChunk, bytes: Uint8Array): void {
    const expected = this.#frames.get(chunk.index);
    this.#frames.delete(chunk.index);
    if (this.#reported.has(chunk.index)) return;
    if (expected === undefined) {
      if (this.#recordingId !== null) this.#tell(chunk, ["there is none"]);
      return;
    }
    const found = crc32(bytes);
    if (found === expected) return;
    this.#tell(chunk, [`crc32 of the frame: expected ${hex(expected)}, found ${hex(found)}`]);
  }

  #tell(chunk: HcrpChunk, problems: readonly string[]): void {
    this.#reported.add(chunk.index);
    const message = `${segmentName(chunk.segment ?? 0)}, record of ${chunk.title}, ${problems.join("; ")}`;
    const offset = Math.max(0, chunk.offset - CHUNK_RECORD_BYTES);
    const length = chunk.offset - offset;
    const { first: time } = chunk;
    this.#report.report({ code: "bad-chunk-record", severity: "damage", message, offset, length, time });
  }
}

function recordIn(bytes: Uint8Array): ChunkRecord | null {
  try {
    return readChunkRecord(new ByteCursor(bytes));
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}
