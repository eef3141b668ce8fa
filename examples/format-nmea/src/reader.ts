import type { ByteSource, Kit, OpenOptions, Reader, Reporter, Schema } from "simtape/kit";
import type { Zero } from "./clock.ts";
import { layoutOf, zeroIn } from "./layout.ts";
import { CHANNELS } from "./sentence.ts";
import { dissectorOf } from "./fields.ts";
import { stateOf } from "./state.ts";
import { type NmeaValue, nmeaValueOf } from "./value.ts";

/** The first time and date are looked for in so many bytes. */
const HEAD = 1 << 20;
const SECOND = 1_000_000_000n;
/** Channels that say where the vessel is. */
const PLACES: readonly string[] = ["rmc", "gga", "gll"];
const UNKNOWN: Zero = { ofDay: 0, day: null };

/** Opens a log. One scan finds its chunks; messages are read when they are asked for. */
export async function openLog(kit: Kit, source: ByteSource, report: Reporter, options: OpenOptions): Promise<Reader> {
  const { boundsOf, Budget, FlatFile, readChunks } = kit;
  const end = (await source.size()) ?? 0;
  const head = await source.read(0, Math.min(end, HEAD), options.signal);
  const zero = zeroIn(head);
  if (zero === null) {
    const message = "no sentence says the time: all of them are at 0";
    report.report({ code: "nmea:no-time", severity: "note", message });
  }
  const budget = Budget.of(options.budget);
  const file = await FlatFile.scan(source, layoutOf(zero ?? UNKNOWN), { begin: 0, end }, report, {
    ...options,
    budget,
  });
  const statistics = file.statistics(CHANNELS.length);
  const messages = (name: string): number => statistics[CHANNELS.findIndex((one) => one === name)]!.messages;
  const moving = PLACES.filter((name) => messages(name) > 0).sort((one, other) => messages(other) - messages(one))[0];
  const schema: Schema<NmeaValue> = { name: "nmea 0183", decode: nmeaValueOf };
  const day = zero?.day ?? null;
  return {
    info: {
      format: "nmea",
      version: "0183",
      bytes: end,
      seekIndex: "built",
      metadata: {},
    },
    channels: CHANNELS.map((name, id) => ({ id, name, metadata: {}, schema })),
    budget,
    chunks: file.chunks,
    state: stateOf(moving === undefined ? null : CHANNELS.findIndex((name) => name === moving)),
    timeline: async () => ({
      ...boundsOf(file.chunks),
      epoch: day === null ? null : BigInt(day) * 86_400n * SECOND + BigInt(zero!.ofDay),
      tick: null,
    }),
    statistics: async () => statistics,
    batches: (query) => readChunks(file.chunks, (chunk, signal) => file.decode(chunk, signal), query),
    // No sentence says everything.
    keyframe: async () => null,
    records: (signal) => file.records(signal),
    dissector: async () => dissectorOf(kit),
    close: () => source.close(),
  };
}
