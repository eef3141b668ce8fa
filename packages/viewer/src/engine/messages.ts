import type { Recording, Value } from "simtape";
import type { MessageRows } from "../protocol.ts";
import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";
import { MOST_FIELDS, named } from "./named.ts";
import { summary } from "./summary.ts";

/** Characters of a message's value that are shown in a row, and those that are searched. */
const SHOWN = 160;
const SEARCHED = 4000;

/** Between two reports of what was found, milliseconds. */
const REPORT_EVERY = 200;

/** Messages of a range, forwards or back, until there are `limit` of them. */
export const messages: Query<"messages"> = async (engine, ask, signal, report) => {
  const { recording: id, start, end, reverse, limit, text } = ask;
  let skip = ask.skip ?? 0;
  const recording = engine.recording(id);
  const channels = ask.channels?.map((channel) => recording.channels[channel]!);
  const wanted = text.toLowerCase();
  const rows = { time: [], channel: [], sequence: [], size: [] } as Record<string, number[]>;
  const { time, channel, sequence, size } = rows as Record<"time" | "channel" | "sequence" | "size", number[]>;
  const previews: string[] = [];
  let isEnd = true;
  let reported = performance.now();
  const breather = new Breather(signal);
  reading: for await (const batch of recording.batches({ start, end, channels, reverse, signal })) {
    for (let n = 0; n < batch.length; n++) {
      const i = reverse ? batch.length - 1 - n : n;
      if (wanted === "" && skip > 0) {
        skip--;
        continue;
      }
      let line = "";
      if (ask.preview || wanted !== "") {
        const most = wanted === "" ? SHOWN : SEARCHED;
        line = shown(recording, batch.channel[i]!, batch.payload(i), batch.context, most);
        if (wanted !== "" && !line.toLowerCase().includes(wanted)) continue;
        if (line.length > SHOWN) line = `${line.slice(0, SHOWN - 1)}…`;
      }
      if (time.length >= limit) {
        isEnd = false;
        break reading;
      }
      time.push(batch.time[i]!);
      channel.push(batch.channel[i]!);
      sequence.push(batch.sequence[i]!);
      size.push(batch.end[i]! - batch.start[i]!);
      previews.push(line);
    }
    await breather.breathe();
    if (performance.now() - reported < REPORT_EVERY) continue;
    reported = performance.now();
    report({ done: batch.time[batch.length - 1]!, total: null, partial: found(false) });
  }
  return found(isEnd);

  function found(isEnd: boolean): MessageRows {
    return {
      time: Float64Array.from(time),
      channel: Uint16Array.from(channel),
      sequence: Float64Array.from(sequence),
      size: Uint32Array.from(size),
      preview: previews,
      isEnd,
    };
  }
};

/** The payload of one message; null when there is none at that time with that sequence. */
export const message: Query<"message"> = async (engine, { recording: id, time, sequence }, signal) => {
  const recording = engine.recording(id);
  for await (const batch of recording.batches({ start: time, end: time + 1, signal })) {
    const row = batch.sequence.indexOf(sequence);
    if (row < 0) continue;
    const dissector = await recording.dissector();
    return named(batch.payload(row), dissector.message(batch, row, { most: MOST_FIELDS }));
  }
  return null;
};

function shown(recording: Recording, channel: number, payload: Uint8Array, context: unknown, most: number): string {
  let value: Value;
  try {
    value = recording.channels[channel]!.schema.decode(payload, context);
  } catch (error) {
    return `(cannot be decoded: ${error instanceof Error ? error.message : String(error)})`;
  }
  return summary(value, most);
}
