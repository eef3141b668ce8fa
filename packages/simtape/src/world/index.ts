/**
 * The worlds that recordings of a game of blocks were made in. A recording has the edits alone; the chunks below them are
 * kept once, by content, in a store beside the recordings:
 *
 * - `worlds/<world id>/chunks/<sha256>`: a chunk, gzip;
 * - `worlds/<world id>/v.<world version>/<dimension>/r.<x>.<z>`: which chunks are in a region of 32 by 32.
 */
export {
  type BlockEntity,
  BLOCKS,
  type Cells,
  decodeChunk,
  encodeChunk,
  type WorldChunk,
  type WorldSection,
} from "./chunk.ts";
export { chunkKey, isChunk, isOfSomeWorld, isOfWorld, REGION, regionKey, type WorldName } from "./keys.ts";
export { type WorldProblem, WorldReader } from "./reader.ts";
export { Region } from "./region.ts";
export { WorldWriter, type WorldWriterOptions } from "./writer.ts";
