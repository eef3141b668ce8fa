import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec } from "../../../model/writer.ts";
import { hostName } from "../chunk/channels.ts";
import { WHOLE } from "../chunk/content.ts";
import type { Dialect } from "../chunk/context.ts";
import { EVENT_NAMES } from "../layout/events.ts";
import type { HostEvent } from "../layout/metadata.ts";
import { PRODUCTION_NAMES } from "../layout/production.ts";
import { HostTable } from "../layout/metadata-writing.ts";
import type { HcrpReader } from "../read/reader.ts";
import { checkPayload } from "./checks.ts";

/** The channels of a recording that is written, and the types that their events have in the open chunk. */
export class WriterChannels {
  /** Id of the channel of snapshots; core events have their types below it. */
  readonly snapshot: number;
  readonly #dialect: Dialect;
  readonly #extension: number;
  readonly #list: ChannelInfo[] = [];
  readonly #byName = new Map<string, ChannelInfo>();
  readonly #host: HostTable;
  /** By channel; -1 for one not looked up yet. */
  #types: number[] = [];
  #chunk = 0;

  /** `like`: host events keep the names and ids that they have there. */
  constructor(dialect: Dialect, like: HcrpReader | null) {
    this.#dialect = dialect;
    const names: readonly string[] = dialect === 1 ? EVENT_NAMES : PRODUCTION_NAMES;
    for (const [type, name] of names.entries()) this.#add(name, { type: String(type) });
    this.snapshot = this.#add("snapshot", {}).id;
    this.#extension = dialect === 1 ? this.#add("extension", {}).id : -1;
    const taken = new Set(this.#byName.keys());
    this.#host = new HostTable(like?.source.events ?? [], (event) => hostName(event, taken));
    // the channels of the source in its own order, so that ids are the same
    for (const { name, metadata } of like?.channels ?? []) if (!this.#byName.has(name)) this.#add(name, metadata);
  }

  /** The host events named so far (spec §4 `events`). */
  get hostEvents(): readonly HostEvent[] {
    return this.#host.events;
  }

  /** Whether there are others than at the beginning. */
  get isChanged(): boolean {
    return this.#host.isChanged;
  }

  /** The channel of that name, made when new. Throws `RangeError` where the dialect cannot have it. */
  channel({ name, metadata = {} }: ChannelSpec): ChannelInfo {
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    if (this.#dialect !== 1) {
      const names = this.#list.map((channel) => channel.name).join(", ");
      throw new RangeError(`no channel ${JSON.stringify(name)} in HCRP production recordings; there are ${names}`);
    }
    if (name === "") throw new RangeError("a host event of HCRP needs a name, such as my-server:score");
    return this.#add(name, { ...metadata });
  }

  /** Names host events as `events` does, so that chunks made with those ids mean the same here. */
  adopt(events: readonly HostEvent[]): void {
    this.#host.adopt(events);
  }

  /** Throws `RangeError` for a payload that would make what is behind it unreadable. */
  check(channel: number, payload: Uint8Array): void {
    const isExtension = channel === this.#extension;
    if (channel >= this.snapshot && !isExtension) return;
    checkPayload(isExtension ? null : channel, this.#dialect, payload, this.#list[channel]!.name);
  }

  /** What follows is in another chunk: ids of host events hold from one on (spec §9). */
  beginChunk(chunk: number): void {
    this.#chunk = chunk;
    this.#types = [];
  }

  /** Type of a channel's events in this chunk; `WHOLE`: payloads have type and length in them. */
  typeOf(channel: number): number {
    const known = this.#types[channel];
    return known === undefined || known === -1 ? this.#lookUp(channel) : known;
  }

  #lookUp(channel: number): number {
    let type: number;
    if (channel < this.snapshot) type = channel;
    else if (channel === this.#extension) type = WHOLE;
    else {
      const { name, metadata } = this.#list[channel]!;
      const version = Number(metadata["version"] ?? 1);
      type = this.#host.idOf(name, Number.isInteger(version) ? version : 1, this.#chunk);
    }
    for (let i = this.#types.length; i < channel; i++) this.#types.push(-1);
    this.#types[channel] = type;
    return type;
  }

  #add(name: string, metadata: Readonly<Record<string, string>>): ChannelInfo {
    const info = { id: this.#list.length, name, metadata };
    this.#list.push(info);
    this.#byName.set(name, info);
    return info;
  }
}
