import type { ChannelInfo } from "../model/values/value.ts";
import type { ChannelSpec, Lost, Writer } from "../model/writer.ts";

/** Channels of a writer for those of a source; what it has no room for is counted, and its messages are dropped. */
export class ChannelRoom {
  readonly #writer: Writer;
  readonly #refused = new Map<string, { reason: string; count: number }>();

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  channel(spec: ChannelSpec): ChannelInfo | null {
    try {
      return this.#writer.channel(spec);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#refused.set(spec.name, { reason: error.message, count: 0 });
      return null;
    }
  }

  /** Counts the rows of a batch whose channel, by the source's id, has this name and no room. */
  count(channel: ArrayLike<number>, names: readonly string[]): number {
    if (this.#refused.size === 0) return channel.length;
    let taken = 0;
    for (let i = 0; i < channel.length; i++) {
      const refused = this.#refused.get(names[channel[i]!]!);
      if (refused === undefined) taken++;
      else refused.count++;
    }
    return taken;
  }

  /** After the writer was closed. */
  get lost(): Lost[] {
    const channels = Array.from(this.#refused, ([path, { reason, count }]) => ({ path, count, reason }));
    return [...channels, ...(this.#writer.lost ?? [])];
  }
}
