import type { Time } from "../../model/values/time.ts";
import type { Value } from "../../model/values/value.ts";

/** Takes schemas, channels and messages as MCAP has them: a file, or a server that sends them. */
export interface TopicSink {
  /** The number of a new schema. */
  schema(name: string, encoding: string, data: Uint8Array): number;
  /** The number of a new channel; schema 0: it has none. */
  channel(topic: string, schema: number, encoding: string, metadata?: Readonly<Record<string, string>>): number;
  /** A message. The payload is copied. */
  bytes(channel: number, time: Time, sequence: number, payload: Uint8Array): void;
  /** A message whose payload is the JSON of a value. */
  json(channel: number, time: Time, sequence: number, value: Value): void;
}

/** Holds messages until it is drained: a file. */
export interface Drainable {
  /** It holds much more than it should: await `drain()` before the next message, also inside a moment. */
  readonly isOverfull: boolean;
  /** Lets go of what it holds. */
  drain(): Promise<void>;
}
