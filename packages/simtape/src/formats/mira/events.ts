import type { MessageBatch } from "../../model/batch.ts";
import { type EventTeller, eventOf, type RecordingEvent } from "../../model/query/events.ts";
import { textOf } from "../../model/query/value-text.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/time.ts";
import type { Channel, Value } from "../../model/value.ts";
import { opaqueValue, TapeSchema } from "./schema.ts";
import { poseKind } from "./state.ts";

/** A channel with as many messages tells of moments, one with more of a course. */
const FEW = 64;
const LONGEST = 120;

/** How the messages of a channel are events. */
type Telling = "each" | "changes";

/**
 * Tells events of a tape, whose channels may mean anything: each text, each message of a channel that has few and is no
 * pose, and each change of any other boolean. The kind is the channel's name.
 */
export class TapeEvents implements EventTeller {
  readonly channels: ReadonlyMap<number, readonly string[]>;
  readonly #recording: Recording;
  readonly #tellings: ReadonlyMap<number, Telling>;
  /** What booleans were last, by channel id. */
  readonly #before = new Map<number, Value>();

  private constructor(recording: Recording, tellings: ReadonlyMap<number, Telling>) {
    this.#recording = recording;
    this.#tellings = tellings;
    this.channels = new Map([...tellings.keys()].map((id) => [id, [recording.channels[id]!.name]]));
  }

  static async of(recording: Recording, signal: AbortSignal | undefined): Promise<TapeEvents> {
    const statistics = await recording.statistics(signal);
    const tellings = new Map<number, Telling>();
    for (const channel of recording.channels) {
      const telling = tellingOf(channel, statistics[channel.id]!.messages);
      if (telling !== null) tellings.set(channel.id, telling);
    }
    return new TapeEvents(recording, tellings);
  }

  async begin(start: Time, signal: AbortSignal | undefined): Promise<void> {
    if (![...this.#tellings.values()].includes("changes")) return;
    const { values } = await this.#recording.state(Math.ceil(start) - 1, { signal });
    for (const [id, telling] of this.#tellings) {
      const value = values.get(this.#recording.channels[id]!.name);
      if (telling === "changes" && typeof value === "boolean") this.#before.set(id, value);
    }
  }

  tell(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const id = batch.channel[i]!;
    const channel = this.#recording.channels[id]!;
    const payload = batch.payload(i);
    const value = channel.schema.decode(payload, batch.context);
    if (this.#tellings.get(id) === "changes") {
      const before = this.#before.get(id);
      if (typeof value === "boolean") this.#before.set(id, value);
      if (before === undefined || before === value) return;
    }
    const text = opaqueValue(payload, batch.context) === null ? textOf(value, LONGEST) : "compressed";
    into.push(eventOf(channel, batch, i, { kind: channel.name, text: `${channel.name}: ${text}`, value }));
  }
}

/** Null: its messages are no events. */
function tellingOf({ schema }: Channel, messages: number): Telling | null {
  if (messages === 0 || !(schema instanceof TapeSchema)) return null;
  const layout = schema.encoding?.layout;
  if (layout?.kind === "string") return "each";
  if (messages > FEW) return layout?.kind === "scalar" && layout.scalar === "bool" ? "changes" : null;
  return poseKind(schema) === null ? "each" : null;
}
