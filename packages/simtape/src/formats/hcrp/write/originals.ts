import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { Sha256 } from "../../../bytes/sha256.ts";
import { readVarint, writeVarint } from "../../../bytes/varint.ts";
import { NBT, type NbtTag, nbtCompound, nbtEntry, nbtText } from "../../../codec/nbt.ts";
import { RecordingError } from "../../../model/error.ts";
import type { Original } from "../../../model/original.ts";
import type { Reader } from "../../../model/reader.ts";
import type { Writer } from "../../../model/writer.ts";
import { FORMAT_ID, readVarInt, TICK, writeVarInt } from "../layout/framing.ts";
import { ORIGINAL_EVENT } from "../layout/own.ts";
import { compoundIn, OWN_KEY } from "../layout/metadata-writing.ts";
import { HcrpReader } from "../read/reader.ts";
import { HcrpWriter } from "./writer.ts";
import { ORIGINALS_KEY } from "./notes.ts";

/** Bytes in one event at most. */
const PIECE = 1 << 16;
/** Bytes of files in one tick, which is a chunk of its own: seeking never reads them. */
const TICK_BYTES = 8 << 20;

/** What each recording carries so far. */
const carried = new WeakMap<HcrpWriter, NbtTag[]>();

/**
 * Carries a file along behind what was recorded: call it after the last message, before `close()`, once for each file.
 * `format` is that of a recording's main file. Every 8 MiB take one more tick. Throws `RangeError` for a writer that is
 * not one of HCRP version 1.
 */
export async function carryOriginal(
  writer: Writer,
  name: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  format: string | null = null,
): Promise<void> {
  if (!(writer instanceof HcrpWriter)) throw new RangeError("not a writer of HCRP");
  const channel = writer.channel({ name: ORIGINAL_EVENT });
  const files = carried.get(writer) ?? [];
  carried.set(writer, files);
  const hash = new Sha256();
  const builder = new ByteBuilder();
  const first = writer.newChunk();
  let tick = first;
  let inTick = 0;
  let offset = 0;
  for await (const bytes of pieces) {
    hash.update(bytes);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      if (inTick + piece.length > TICK_BYTES) {
        tick = writer.newChunk();
        inTick = 0;
      }
      writeVarInt(builder, files.length);
      writeVarint(builder, offset + at);
      builder.raw(piece);
      writer.write(channel, tick * TICK, builder.take());
      inTick += piece.length;
      if (writer.ready !== null) await writer.ready;
    }
    offset += bytes.length;
  }
  writer.extend(tick + 1);
  files.push(
    nbtCompound({
      name: nbtText(name),
      bytes: { type: NBT.long, value: BigInt(offset) },
      sha256: nbtText(hash.digest()),
      from_tick: { type: NBT.int, value: first },
      ...(format === null ? {} : { format: nbtText(format) }),
    }),
  );
  writer.noteOwn(ORIGINALS_KEY, { type: NBT.list, itemType: NBT.compound, items: [...files] });
}

/**
 * The files that a recording carries; none for recordings of other formats, for edited ones, and for those whose content
 * was changed since.
 */
export function originalsOf(reader: Reader): readonly Original[] {
  if (!(reader instanceof HcrpReader)) return [];
  const list = nbtEntry(compoundIn(reader.preamble.metadata.root, OWN_KEY), ORIGINALS_KEY);
  const channel = reader.channels.find(({ name }) => name === ORIGINAL_EVENT);
  if (list?.type !== NBT.list || channel === undefined) return [];
  return list.items.flatMap((item, number): Original[] => {
    if (item.type !== NBT.compound) return [];
    const name = nbtEntry(item, "name");
    const bytes = nbtEntry(item, "bytes");
    const sha256 = nbtEntry(item, "sha256");
    const tick = nbtEntry(item, "from_tick");
    const format = nbtEntry(item, "format");
    if (name?.type !== NBT.string || bytes?.type !== NBT.long || sha256?.type !== NBT.string) return [];
    const start = tick?.type === NBT.int ? tick.value * TICK : undefined;
    const described = {
      name: name.value,
      format: format?.type === NBT.string ? format.value : null,
      byteLength: Number(bytes.value),
      sha256: sha256.value,
    };
    return [{ ...described, bytes: () => pieces(reader, { start, channels: [channel] }, number, described) }];
  });
}

async function* pieces(
  reader: Reader,
  query: Parameters<Reader["batches"]>[0],
  number: number,
  described: Omit<Original, "bytes">,
): AsyncGenerator<Uint8Array> {
  const hash = new Sha256();
  let offset = 0;
  for await (const batch of reader.batches(query)) {
    for (let i = 0; i < batch.length; i++) {
      const cursor = new ByteCursor(batch.payload(i));
      let piece: Uint8Array;
      try {
        if (readVarInt(cursor) !== number) continue;
        const at = readVarint(cursor);
        if (at !== offset) throw lost(described, `the bytes from ${offset} on are missing`);
        piece = cursor.view(cursor.remaining);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        throw lost(described, `the piece at ${offset} is damaged`);
      }
      hash.update(piece);
      offset += piece.length;
      yield piece;
    }
    if (offset === described.byteLength) break;
  }
  if (offset !== described.byteLength) throw lost(described, `it ends at ${offset} of ${described.byteLength} bytes`);
  const found = hash.digest();
  if (found !== described.sha256) throw lost(described, `sha256 ${described.sha256} is expected, ${found} was found`);
}

function lost(described: Omit<Original, "bytes">, what: string): RecordingError {
  return new RecordingError("malformed", `the original file inside cannot be restored: ${what}: ${described.name}`, {
    format: FORMAT_ID,
  });
}
