import type { Reader } from "../model/reader.ts";
import type { Query } from "../model/messages/batch-query.ts";
import type { Time, TimeDomain } from "../model/values/time.ts";
import type { Lost } from "../model/writer.ts";

/** Why what is outside of a domain is left out: completes "… was not carried: ". */
export function outsideOf({ first, last }: TimeDomain): string {
  return `the format holds times from ${seconds(first)} to ${seconds(last)} s only`;
}

/** Without the fraction of a bound that is far away. */
function seconds(time: Time): string {
  return String(Math.abs(time) < 1e15 ? time / 1e9 : Math.trunc(time / 1e9));
}

/** Messages of a reader before `start` and from `end` on, of those that a query asks for, by channel. */
export async function messagesOutside(
  reader: Reader,
  query: Query,
  start: Time,
  end: Time,
  reason: string,
): Promise<Lost[]> {
  const counts = new Map<number, number>();
  const parts: Query[] = [
    { ...query, end: Math.min(start, query.end ?? start) },
    { ...query, start: Math.max(end, query.start ?? end) },
  ];
  for (const part of parts) {
    if ((part.start ?? Number.NEGATIVE_INFINITY) >= (part.end ?? Number.POSITIVE_INFINITY)) continue;
    for await (const { length, channel } of reader.batches(part)) {
      for (let i = 0; i < length; i++) counts.set(channel[i]!, (counts.get(channel[i]!) ?? 0) + 1);
    }
  }
  return [...counts].map(([id, count]) => ({ path: reader.channels[id]!.name, count, reason }));
}
