import type { Keeper } from "./session.ts";

type Flushed = Keeper & { flush(): Promise<void> };

/** Puts everything into two keepers: a channel has the same id in both, as each counts them from 0. */
export function both(one: Flushed, other: Flushed): Flushed {
  return {
    channel: (channel) => {
      other.channel(channel);
      return one.channel(channel);
    },
    write: (channel, arrival, time, payload) => {
      one.write(channel, arrival, time, payload);
      other.write(channel, arrival, time, payload);
    },
    describe: (at, create) => {
      one.describe(at, create);
      other.describe(at, create);
    },
    gap: (gap) => {
      one.gap(gap);
      other.gap(gap);
    },
    lost: (note) => {
      one.lost(note);
      other.lost(note);
    },
    get ready() {
      const [a, b] = [one.ready, other.ready];
      return a === null ? b : b === null ? a : Promise.all([a, b]).then(() => undefined);
    },
    flush: async () => {
      await Promise.all([one.flush(), other.flush()]);
    },
  };
}
