import { KEYFRAME } from "../model/messages/batch.ts";
import type { Query } from "../model/messages/batch-query.ts";
import type { Recording } from "../model/recording.ts";

/** Queries made of each recording. */
const QUERIES = 16;

interface Row {
  readonly time: number;
  readonly sequence: number;
  readonly channel: number;
  readonly keyframe: boolean;
  readonly payload: Uint8Array;
}

/**
 * Asks for ranges and channels, forwards and backwards, and compares with a filtered scan. The queries are the same every
 * time. Gives the number of messages compared; throws `RangeError` at the first that is another one.
 */
export async function compareRanges(recording: Recording): Promise<number> {
  const all = await rows(recording, {});
  let compared = match(await rows(recording, { reverse: true }), all.toReversed(), "all, in reverse");
  const random = linear(all.length);
  const some = (): number | undefined => {
    const row = all[Math.floor(random() * all.length)];
    return row === undefined || random() < 0.2 ? undefined : row.time + Math.floor(random() * 3) - 1;
  };
  for (let n = 0; n < QUERIES; n++) {
    const [start, end] = [some(), some()];
    const channels = random() < 0.4 ? undefined : recording.channels.filter(() => random() < 0.5);
    const ids = channels === undefined ? null : new Set(channels.map(({ id }) => id));
    const expected = all.filter(
      ({ time, channel }) =>
        (start === undefined || time >= start) && (end === undefined || time < end) && (ids?.has(channel) ?? true),
    );
    const label = JSON.stringify({ start, end, channels: channels?.map(({ name }) => name) });
    const query: Query = { start, end, channels };
    compared += match(await rows(recording, query), expected, label);
    compared += match(
      await rows(recording, { ...query, reverse: true }),
      expected.toReversed(),
      `${label}, in reverse`,
    );
  }
  return compared;
}

async function rows(recording: Recording, query: Query): Promise<Row[]> {
  const found: Row[] = [];
  for await (const batch of recording.batches(query)) {
    for (let n = 0; n < batch.length; n++) {
      const i = query.reverse === true ? batch.length - 1 - n : n;
      found.push({
        time: batch.time[i]!,
        sequence: batch.sequence[i]!,
        channel: batch.channel[i]!,
        keyframe: (batch.flags[i]! & KEYFRAME) !== 0,
        payload: batch.payload(i),
      });
    }
  }
  return found;
}

function match(found: readonly Row[], expected: readonly Row[], query: string): number {
  if (found.length !== expected.length) {
    throw new RangeError(`expected ${expected.length} messages, found ${found.length}: ${query}`);
  }
  for (let i = 0; i < found.length; i++) {
    const [a, b] = [found[i]!, expected[i]!];
    const isSame =
      a.time === b.time &&
      a.sequence === b.sequence &&
      a.channel === b.channel &&
      a.keyframe === b.keyframe &&
      a.payload.length === b.payload.length &&
      a.payload.every((byte, k) => byte === b.payload[k]);
    if (!isSame) {
      throw new RangeError(`expected message ${b.sequence} at ${b.time}, found ${a.sequence} at ${a.time}: ${query}`);
    }
  }
  return found.length;
}

/** Numbers in [0, 1), the same for the same seed. */
function linear(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
