import type { Time } from "../../model/values/time.ts";
import { ProtoBuilder } from "./proto.ts";
import type { TopicSink } from "./topic-sink.ts";
import type { JsonSchema } from "./value-schema.ts";
import { descriptorsOf, type WellKnown } from "./well-known.ts";

const UTF8 = new TextEncoder();

/** Topics of the file being written: each has a name of its own, and each well-known schema is written once. */
export class Topics {
  readonly sink: TopicSink;
  /** For one message of a well-known schema after the other. */
  readonly proto: ProtoBuilder = new ProtoBuilder();
  readonly #taken = new Map<string, number>();
  readonly #schemas = new Map<string, number>();

  constructor(sink: TopicSink) {
    this.sink = sink;
  }

  /** The channel of that topic, whose messages are protobuf of a well-known schema; made when it is new. */
  of(topic: string, known: WellKnown): number {
    const found = this.#taken.get(topic);
    if (found !== undefined) return found;
    let id = this.#schemas.get(known.name);
    if (id === undefined) {
      id = this.sink.schema(known.name, "protobuf", descriptorsOf(known));
      this.#schemas.set(known.name, id);
    }
    return this.#made(topic, id, "protobuf", {});
  }

  /** A new channel whose messages are JSON, with a schema of its own; its topic is `topic`, or that with a number behind it. */
  own(topic: string, name: string, schema: JsonSchema, metadata: Readonly<Record<string, string>>): number {
    const id = this.sink.schema(name, "jsonschema", UTF8.encode(JSON.stringify(schema)));
    let free = topic;
    for (let n = 2; this.#taken.has(free); n++) free = `${topic}#${n}`;
    return this.#made(free, id, "json", metadata);
  }

  /** Writes what `proto` has built. */
  say(topic: number, time: Time, sequence: number): void {
    this.sink.bytes(topic, time, sequence, this.proto.lend());
  }

  #made(topic: string, schema: number, encoding: string, metadata: Readonly<Record<string, string>>): number {
    const channel = this.sink.channel(topic, schema, encoding, metadata);
    this.#taken.set(topic, channel);
    return channel;
  }
}

/** Metadata of a channel of the recording: its own, and what it is. */
export function channelMetadata(
  name: string,
  schema: string,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...own, "simtape:channel": name, "simtape:schema": schema };
}
