import type {
  ChannelInfo,
  CreateOptions,
  Kit,
  MadeMessage,
  Reader,
  SinkBundle,
  Time,
  Writer,
  WritingFormat,
} from "simtape/kit";
import { encoderOf } from "./encode.ts";
import {
  CHANNELS,
  DIALECTS,
  type Dialect,
  GONE,
  type Header,
  POSE,
  writeHeader,
  writePose,
  recordWriter,
} from "./layout.ts";
import { THINGS, rotationColumn } from "./state.ts";

/** Bytes that go to the sink at once. */
const PIECE = 1 << 20;

export function writingOf(kit: Kit): WritingFormat {
  return {
    create: (to, options) => create(kit, to, options),
    restate: (from, time, behind) => restate(kit, from, time, behind),
    apart: (one, other) => {
      const [own, others] = [one, other].map((reader) => reader.info.metadata["dialect"] as Dialect);
      return own === others ? null : `its dialect is ${own} and not ${others}`;
    },
    repair: async (from, to, note) => {
      const writer = await create(kit, to, { like: from });
      try {
        for await (const batch of from.batches({})) {
          writer.append(batch, from.channels);
          await writer.ready;
        }
        for await (const records of from.records()) {
          for (const { kind, offset, bytes } of records) {
            if (kind !== "damaged") continue;
            const message = "bytes that are no record";
            note.lost({ code: "damaged-bytes", severity: "loss", message, offset, length: bytes.length });
          }
        }
        await writer.close();
      } catch (error) {
        await writer.abort();
        throw error;
      }
    },
    encoder: (writer, account, origin) => encoderOf(kit, writer, account, origin),
  };
}

async function create(kit: Kit, to: SinkBundle, options: CreateOptions): Promise<Writer> {
  const header = await headerFor(options);
  const behind = new kit.WriteBehind(await to.open());
  const out = new kit.ByteBuilder();
  writeHeader(out, header);
  const metadata = { dialect: header.dialect };
  const channels: readonly ChannelInfo[] = CHANNELS.map((name, id) => ({ id, name, metadata }));
  const record = recordWriter(kit, header.dialect);
  const write = (kind: number, time: Time, payload: Uint8Array): void => {
    record(out, kind, time, payload);
    if (out.length >= PIECE) behind.write(out.take());
  };
  return {
    channel: ({ name }) => {
      const found = channels.find((channel) => channel.name === name);
      if (found === undefined) throw new RangeError(`a pose log has no channel ${name}: ${CHANNELS.join(", ")}`);
      return found;
    },
    write: ({ id }, time, payload) => write(id, time, payload),
    append: (batch, to, shift = 0) => {
      for (let row = 0; row < batch.length; row++) {
        const channel = to[batch.channel[row]!];
        if (channel != null) write(channel.id, batch.time[row]! + shift, batch.payload(row));
      }
    },
    get ready() {
      return behind.ready;
    },
    flush: () => {
      behind.write(out.take());
      return behind.flush();
    },
    close: () => {
      behind.write(out.take());
      return behind.close();
    },
    abort: () => behind.abort(),
  };
}

/** What the options say, else the header of the log that `like` is. */
async function headerFor({ like, dialect, epoch, metadata }: CreateOptions): Promise<Header> {
  const known = like?.info.format === "poselog" ? like : undefined;
  const own = known?.info.metadata["dialect"] as Dialect | undefined;
  const wanted = DIALECTS.find((one) => one === (dialect ?? own ?? DIALECTS[0]));
  if (wanted === undefined) throw new RangeError(`no dialect ${dialect}: ${DIALECTS.join(", ")}`);
  if (own !== undefined && own !== wanted) throw new RangeError(`a copy has the dialect of its source: ${own}`);
  const title = metadata?.["title"] ?? known?.info.metadata["title"];
  return {
    dialect: wanted,
    epoch: (epoch === undefined ? (await known?.timeline())?.epoch : epoch) ?? 0n,
    title: typeof title === "string" ? title : "",
  };
}

/** A pose for each thing. Behind another log, records come first that take away its things. */
async function restate(kit: Kit, from: Reader, time: Time, behind?: Reader): Promise<MadeMessage[]> {
  const out = new kit.ByteBuilder();
  const made = (kind: number): MadeMessage => ({ channel: from.channels[kind]!, payload: out.take(), keyframe: false });
  const things = (await new kit.Fold(from).at(time)).sets.get(THINGS);
  const left = behind === undefined ? null : await new kit.Fold(behind).at((await behind.timeline()).end);
  const columns = ["position", rotationColumn(from.info.metadata["dialect"] as Dialect)];
  const messages: MadeMessage[] = [];
  for (const id of left?.sets.get(THINGS)?.ids ?? []) {
    if ((things?.find(id) ?? -1) >= 0) continue;
    out.u32le(Number(id));
    messages.push(made(GONE));
  }
  for (const [row, id] of (things?.ids ?? []).entries()) {
    const [position, rotation] = columns.map((name) => [...things!.columns.get(name)!.cells(row)].map(Number));
    writePose(out, { thing: Number(id), position: position!, rotation: rotation! });
    messages.push(made(POSE));
  }
  return messages;
}
