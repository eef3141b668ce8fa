/** Files of @mcap/core, used as its authors intend: chunks with indexes, and zstd if asked for. */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { McapIndexedReader, McapWriter } from "@mcap/core";
import { loadZstd } from "../../packages/simtape/dist/codec/zstd.js";

export interface McapOutput {
  /** A channel, of plain bytes unless an encoding is named; gives its id. */
  channel(topic: string, encoding?: string): Promise<number>;
  /** One message; `time` in nanoseconds. */
  add(channelId: number, time: number, data: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes a file. With `null` for its path, the bytes go only to `take`. Chunks have `chunkSize` bytes before
 * compression.
 */
export async function createMcap(
  path: string | null,
  {
    chunkSize,
    isCompressed,
    take = null,
  }: {
    readonly chunkSize: number;
    readonly isCompressed: boolean;
    readonly take?: ((bytes: Uint8Array) => void) | null;
  },
): Promise<McapOutput> {
  const zstd = isCompressed ? await loadZstd() : null;
  const fd = path === null ? null : openSync(path, "w");
  let position = 0n;
  const writer = new McapWriter({
    writable: {
      write: (bytes: Uint8Array) => {
        if (fd !== null) writeSync(fd, bytes);
        take?.(bytes.slice());
        position += BigInt(bytes.length);
        return Promise.resolve();
      },
      position: () => position,
    },
    chunkSize,
    ...(zstd !== null && {
      compressChunk: (chunk) => ({ compression: "zstd", compressedData: zstd.compress(chunk, { level: 3 }) }),
    }),
  });
  await writer.start({ profile: "", library: "bench" });
  let sequence = 0;
  return {
    channel: (topic, messageEncoding = "raw") =>
      writer.registerChannel({ topic, messageEncoding, schemaId: 0, metadata: new Map() }),
    add: (channelId, time, data) => {
      const at = BigInt(time);
      return writer.addMessage({ channelId, sequence: sequence++, logTime: at, publishTime: at, data });
    },
    close: async () => {
      await writer.end();
      if (fd === null) return;
      // A file of simtape is on the disk when it is closed; so is this one.
      fsyncSync(fd);
      closeSync(fd);
    },
  };
}

export interface McapInput {
  readonly reader: McapIndexedReader;
  /** Calls of `read` so far. */
  readonly reads: () => number;
  close(): void;
}

export async function openMcap(path: string): Promise<McapInput> {
  const zstd = await loadZstd();
  const fd = openSync(path, "r");
  let reads = 0;
  const readable = {
    size: () => Promise.resolve(BigInt(fstatSync(fd).size)),
    read: (offset: bigint, length: bigint) => {
      reads++;
      const bytes = new Uint8Array(Number(length));
      readSync(fd, bytes, 0, bytes.length, Number(offset));
      return Promise.resolve(bytes);
    },
  };
  const decompressHandlers = {
    zstd: (bytes: Uint8Array, size: bigint) => zstd.decompress(bytes, { size: Number(size) }),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  return { reader, reads: () => reads, close: () => closeSync(fd) };
}

/** A move as plain bytes: player, three doubles, two floats, on the ground. */
export function plainMove(
  player: number,
  { x, y, z, yaw, pitch, onGround }: { x: number; y: number; z: number; yaw: number; pitch: number; onGround: boolean },
): Uint8Array {
  const view = new DataView(new ArrayBuffer(34));
  view.setUint8(0, player);
  view.setFloat64(1, x);
  view.setFloat64(9, y);
  view.setFloat64(17, z);
  view.setFloat32(25, yaw);
  view.setFloat32(29, pitch);
  view.setUint8(33, onGround ? 1 : 0);
  return new Uint8Array(view.buffer);
}
