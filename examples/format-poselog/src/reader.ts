import type { ByteSource, Kit, OpenOptions, Reader, Reporter, Schema } from "simtape/kit";
import { dissectorOf } from "./fields.ts";
import { CHANNELS, type Gone, HEADER_MOST, layoutOf, type Pose, readHeader, readPose } from "./layout.ts";
import { stateOf } from "./state.ts";

/** Opens a log. One scan finds its chunks; messages are read on demand. */
export async function openLog(kit: Kit, source: ByteSource, report: Reporter, options: OpenOptions): Promise<Reader> {
  const { boundsOf, Budget, ByteCursor, FlatFile, readChunks } = kit;
  const end = (await source.size()) ?? 0;
  const start = await source.read(0, Math.min(end, HEADER_MOST), options.signal);
  const cursor = new ByteCursor(start);
  const header = readHeader(kit, cursor);
  const head = start.slice(0, cursor.position);
  const budget = Budget.of(options.budget);
  const range = { begin: head.length, end };
  const file = await FlatFile.scan(source, layoutOf(kit, header.dialect), range, report, { ...options, budget });
  const pose: Schema<Pose> = { name: "pose", decode: (bytes) => readPose(new ByteCursor(bytes), header.dialect) };
  const gone: Schema<Gone> = { name: "gone", decode: (bytes) => ({ thing: new ByteCursor(bytes).u32le() }) };
  return {
    info: {
      format: "poselog",
      version: `1 (${header.dialect})`,
      bytes: end,
      seekIndex: "built",
      metadata: { title: header.title, dialect: header.dialect },
    },
    channels: CHANNELS.map((name, id) => ({
      id,
      name,
      metadata: { dialect: header.dialect },
      schema: [pose, gone][id]!,
    })),
    budget,
    chunks: file.chunks,
    state: stateOf(header.dialect),
    timeline: async () => ({
      ...boundsOf(file.chunks),
      epoch: header.epoch === 0n ? null : header.epoch,
      tick: null,
    }),
    statistics: async () => file.statistics(CHANNELS.length),
    batches: (query) => readChunks(file.chunks, (chunk, signal) => file.decode(chunk, signal), query),
    // No record holds the whole state.
    keyframe: async () => null,
    async *records(signal) {
      yield [{ kind: "header", offset: 0, bytes: head }];
      yield* file.records(signal);
    },
    dissector: async () => dissectorOf(kit, header.dialect),
    close: () => source.close(),
  };
}
