import { McapStreamReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";

/** The stream reader gives chunks only of compressions that it could unpack. */
const decompressHandlers = await loadDecompressHandlers();

/** The chunks of a file of MCAP, packed as they are. */
export function chunksOf(
  file: Uint8Array,
): { readonly compression: string; readonly records: Uint8Array; readonly uncompressedSize: bigint }[] {
  const reader = new McapStreamReader({ includeChunks: true, decompressHandlers });
  reader.append(file);
  const chunks: { compression: string; records: Uint8Array; uncompressedSize: bigint }[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Chunk") chunks.push(record);
  }
  return chunks;
}
