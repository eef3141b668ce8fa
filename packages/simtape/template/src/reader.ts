import type { ByteSource, Kit, OpenOptions, Reader, Reporter, Schema } from "simtape/kit";
import { layoutOf, MAGIC, type Position, readPosition } from "./layout.ts";
import { stateOf } from "./state.ts";

/** Opens a file. One scan finds its chunks; messages are read when they are asked for. */
export async function openFile(kit: Kit, source: ByteSource, report: Reporter, options: OpenOptions): Promise<Reader> {
  const { boundsOf, Budget, ByteCursor, FlatFile, LayoutError, readChunks } = kit;
  const end = (await source.size()) ?? 0;
  const head = await source.read(0, Math.min(end, MAGIC.length), options.signal);
  if (head.length < MAGIC.length) throw new LayoutError("truncated", "the first line is cut off", head.length);
  // The limit of memory for this recording.
  const budget = Budget.of(options.budget);
  const range = { begin: MAGIC.length, end };
  const file = await FlatFile.scan(source, layoutOf(kit), range, report, { ...options, budget });
  const schema: Schema<Position> = { name: "position", decode: (bytes) => readPosition(new ByteCursor(bytes)) };
  return {
    info: { format: "newformat", version: "1", bytes: end, seekIndex: "built", metadata: {} },
    channels: [{ id: 0, name: "position", metadata: {}, schema }],
    budget,
    chunks: file.chunks,
    state: stateOf(kit),
    timeline: async () => ({ ...boundsOf(file.chunks), epoch: null, tick: null }),
    statistics: async () => file.statistics(1),
    batches: (query) => readChunks(file.chunks, (chunk, signal) => file.decode(chunk, signal), query),
    keyframe: async () => null,
    // Every byte of the file, in order.
    async *records(signal) {
      yield [{ kind: "header", offset: 0, bytes: head }];
      yield* file.records(signal);
    },
    close: () => source.close(),
  };
}
