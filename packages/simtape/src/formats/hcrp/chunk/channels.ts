import { type Channel, type Schema, untyped } from "../../../model/values/value.ts";
import type { Dialect } from "./context.ts";
import type { ChannelMap } from "./decode.ts";
import { EVENT_NAMES, FIRST_SIZED } from "../layout/events.ts";
import type { HostEvent } from "../layout/metadata.ts";
import { SET_EVENT, VALUE_EVENT } from "../layout/own.ts";
import { PRODUCTION_NAMES } from "../layout/production.ts";
import {
  CHANGE_SCHEMA,
  eventSchema,
  EXTENSION_SCHEMA,
  HOST_SCHEMA,
  productionSchema,
  SNAPSHOT_SCHEMA,
} from "./schema.ts";
import type { StateChange } from "./state-change.ts";

/** Channels of host events at most; further names share the channel `extension`. */
const MAX_HOST_CHANNELS = 4096;

/**
 * The channels of a recording, fixed when it is opened: core event kinds under their own ids, then `snapshot`,
 * `extension`, and one for each host event that the metadata lists.
 */
export class Channels implements ChannelMap {
  readonly list: readonly Channel[];
  readonly snapshot: number;
  readonly extension: number;
  /** By type, latest `sinceChunk` first. */
  readonly #sized = new Map<number, { readonly sinceChunk: number; readonly channel: number }[]>();

  constructor(dialect: Dialect, events: readonly HostEvent[]) {
    const list: Channel[] = [];
    const add = <T>(name: string, schema: Schema<T>, metadata: Readonly<Record<string, string>>): number => {
      list.push({ id: list.length, name, metadata, schema: untyped(schema) });
      return list.length - 1;
    };
    if (dialect === 1)
      for (const [id, name] of EVENT_NAMES.entries()) add(name, eventSchema(name), { type: String(id) });
    else
      for (const [id, name] of PRODUCTION_NAMES.entries())
        add(name, productionSchema(name, dialect), { type: String(id) });
    this.snapshot = add("snapshot", SNAPSHOT_SCHEMA, {});
    this.extension = dialect === 1 ? add("extension", EXTENSION_SCHEMA, {}) : -1;
    const taken = new Set(list.map(({ name }) => name));
    const byName = new Map<string, number>();
    for (const event of dialect === 1 ? events : []) {
      const { id, version, sinceChunk } = event;
      if (id < FIRST_SIZED) continue;
      const name = hostName(event, taken);
      if (!byName.has(name) && byName.size === MAX_HOST_CHANNELS) continue;
      const metadata = { type: String(id), version: String(version) };
      const schema = untyped<StateChange | Uint8Array>(isChange(name) ? CHANGE_SCHEMA : HOST_SCHEMA);
      const channel = byName.get(name) ?? add(name, schema, metadata);
      byName.set(name, channel);
      const entries = this.#sized.get(id) ?? [];
      entries.push({ sinceChunk, channel });
      entries.sort((a, b) => b.sinceChunk - a.sinceChunk);
      this.#sized.set(id, entries);
    }
    this.list = list;
  }

  sized(type: number, chunk: number): number | null {
    return this.#sized.get(type)?.find(({ sinceChunk }) => sinceChunk <= chunk)?.channel ?? null;
  }
}

function isChange(name: string): boolean {
  return name === VALUE_EVENT || name === SET_EVENT;
}

/** Name of a host event's channel: one that is empty, or that a core event has, gives way to the number. */
export function hostName(event: HostEvent, taken: ReadonlySet<string>): string {
  return event.name === "" || taken.has(event.name) ? `host-${event.id}` : event.name;
}
