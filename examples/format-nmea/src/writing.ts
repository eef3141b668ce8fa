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
import { reportOf } from "./ais.ts";
import { DAY, later, marker, stampOf, timeOf, type Zero } from "./clock.ts";
import { encoderOf } from "./encode.ts";
import { CHANNELS, channelOf, contentEnd, judge, readSentence, type Sentence } from "./sentence.ts";

/** Bytes that go to the sink at once. */
const PIECE = 1 << 20;

export function writingOf(kit: Kit): WritingFormat {
  return {
    create: (to, options) => create(kit, to, options),
    restate,
    repair: async (from, to, note) => {
      const writer = await create(kit, to, { like: from, epoch: (await from.timeline()).epoch });
      try {
        for await (const batch of from.batches({})) {
          writer.append(batch, from.channels);
          await writer.ready;
        }
        for await (const records of from.records()) {
          for (const { kind, offset, bytes } of records) {
            if (kind !== "damaged" && kind !== "text") continue;
            const message = kind === "text" ? "a line that is no sentence" : "a sentence that is damaged";
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
  const behind = new kit.WriteBehind(await to.open());
  const out = new kit.ByteBuilder();
  const channels: readonly ChannelInfo[] = CHANNELS.map((name, id) => ({ id, name, metadata: {} }));
  const stamps = new Stamps(zeroAt(options.epoch ?? null));
  const put = (payload: Uint8Array): void => {
    out.raw(payload);
    if (out.length >= PIECE) behind.write(out.take());
  };
  const write = (channel: number, time: Time, payload: Uint8Array): void => {
    if (!Number.isSafeInteger(time) || time < 0) throw new RangeError(`a log begins at 0: ${time} ns`);
    if (judge(payload, 0, payload.length) !== "sentence" || channelOf(readSentence(payload)) !== channel)
      throw new RangeError(`no sentence of the channel ${CHANNELS[channel]}`);
    // A line without an ending would run into the next one.
    const isOpen = contentEnd(payload, 0, payload.length) === payload.length;
    if (stamps.isOpen) put(LINE);
    stamps.isOpen = isOpen;
    stamps.put(time, payload, put);
  };
  return {
    channel: ({ name }) => {
      const found = channels.find((channel) => channel.name === name);
      if (found === undefined) throw new RangeError(`a log has no channel ${name}: ${CHANNELS.join(", ")}`);
      return found;
    },
    write: ({ id }, time, payload) => write(id, time, payload),
    append: (batch, into, shift = 0) => {
      for (let row = 0; row < batch.length; row++) {
        const channel = into[batch.channel[row]!];
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

const LINE = Uint8Array.of(0x0d, 0x0a);

/**
 * Makes the reader find every sentence at its time: most sentences say that time already, and it stamps the others
 * again.
 */
class Stamps {
  /** The last line has no ending yet. */
  isOpen = false;
  /** Null: not known, the first sentence that says the time decides. */
  #zero: Zero | null;
  /** Whether a written sentence says what time 0 is. */
  #isSaid = false;
  #now = 0;

  constructor(zero: Zero | null) {
    this.#zero = zero;
  }

  put(time: Time, payload: Uint8Array, write: (bytes: Uint8Array) => void): void {
    const sentence = readSentence(payload);
    const stamp = stampOf(sentence);
    this.#zero ??= stamp === null ? null : { ofDay: modulo(stamp.ofDay - time), day: stamp.day };
    if (stamp === null) {
      if (time !== this.#now) this.#say(time, write);
      write(payload);
      return;
    }
    const zero = this.#zero!;
    // The first sentence that says the time is at 0, unless another has said it before.
    if (!this.#isSaid && (time !== 0 || stamp.ofDay !== zero.ofDay)) this.#say(0, write);
    this.#isSaid = true;
    const found = timeOf(stamp, zero, this.#now);
    const isRight = found === time;
    write(isRight ? payload : later(sentence, time - atOf(stamp.ofDay, stamp.day, zero, time), endingOf(payload)));
    this.#now = time;
  }

  /** Writes a sentence that only says the time. */
  #say(time: Time, write: (bytes: Uint8Array) => void): void {
    this.#zero ??= { ofDay: 0, day: null };
    const zero = this.#zero;
    if (!this.#isSaid && time !== 0) {
      this.#isSaid = true;
      write(marker(zero));
    }
    this.#isSaid = true;
    const sum = zero.ofDay + time;
    const days = Math.floor(sum / DAY);
    write(marker({ ofDay: sum - days * DAY, day: zero.day === null ? null : zero.day + days }));
    this.#now = time;
  }
}

/** Time of a stamp, wherever that is; without a date, near to `time`. */
function atOf(ofDay: number, day: number | null, zero: Zero, time: Time): Time {
  const days = day !== null && zero.day !== null ? day - zero.day : Math.round((zero.ofDay + time - ofDay) / DAY);
  return days * DAY + ofDay - zero.ofDay;
}

function endingOf(payload: Uint8Array): string {
  return String.fromCharCode(...payload.subarray(contentEnd(payload, 0, payload.length)));
}

function modulo(time: number): number {
  return ((time % DAY) + DAY) % DAY;
}

function zeroAt(epoch: bigint | null): Zero | null {
  if (epoch === null) return null;
  const day = 86_400_000_000_000n;
  const ofDay = ((epoch % day) + day) % day;
  return { ofDay: Number(ofDay), day: Number((epoch - ofDay) / day) };
}

/** The last sentence of each kind before the time. Those that say a time are stamped with this one. */
async function restate(from: Reader, time: Time): Promise<MadeMessage[]> {
  const last = new Map<string, { readonly order: number; readonly message: MadeMessage }>();
  let order = 0;
  for await (const batch of from.batches({ end: time + 1 })) {
    for (let row = 0; row < batch.length; row++) {
      const payload = batch.payload(row);
      const sentence = readSentence(payload);
      const key = keyOf(sentence);
      if (key === null) continue;
      // To a whole microsecond: a cut asks for the state just before it.
      const by = Math.round((time - batch.time[row]!) / 1e3) * 1e3;
      const stamped = by === 0 || stampOf(sentence) === null ? payload.slice() : later(sentence, by, endingOf(payload));
      const channel = from.channels[batch.channel[row]!]!;
      last.set(key, { order: order++, message: { channel, payload: stamped, keyframe: false } });
    }
  }
  return [...last.values()].sort((one, other) => one.order - other.order).map(({ message }) => message);
}

/** Sentences with the same key replace one another; null: the state does not hold what it says. */
function keyOf(sentence: Sentence): string | null {
  const { formatter } = sentence;
  if (formatter === "VDM") {
    const report = reportOf(sentence);
    return report === null ? null : `${report.mmsi} ${report.type}`;
  }
  if (formatter === "MWV") return `${formatter} ${sentence.fields[1]}`;
  const channel = channelOf(sentence);
  return channel < CHANNELS.indexOf("vdm") && formatter !== "ZDA" ? formatter : null;
}
