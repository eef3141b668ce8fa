import type { MessageBatch } from "../../../model/messages/batch.ts";
import { eventOf } from "../../../model/query/events.ts";
import type { EventReader, RecordingEvent } from "../../../model/query/event.ts";
import { textOf } from "../../../model/query/value-text.ts";
import type { Recorded } from "../../../model/traits.ts";
import type { Time } from "../../../model/values/time.ts";
import type { Channel, Value } from "../../../model/values/value.ts";
import { opaqueValue, TapeSchema } from "./schema.ts";
import { poseKind } from "./poses.ts";

/** A channel with at most so many messages has moments; one with more has a course. */
const FEW = 64;
const LONGEST = 120;

/** Which messages of a channel are events. */
type Choice = "each" | "changes";

/**
 * Reads events from a tape, whose channels may mean anything: each text, each message of a channel that has few and is no
 * pose, and each change of any other boolean. The kind is the channel's name.
 */
export class TapeEvents implements EventReader {
  readonly channels: ReadonlyMap<number, readonly string[]>;
  readonly #recording: Recorded;
  readonly #choices: ReadonlyMap<number, Choice>;
  /** What booleans were last, by channel id. */
  readonly #before = new Map<number, Value>();

  private constructor(recording: Recorded, choices: ReadonlyMap<number, Choice>) {
    this.#recording = recording;
    this.#choices = choices;
    this.channels = new Map([...choices.keys()].map((id) => [id, [recording.channels[id]!.name]]));
  }

  static async of(recording: Recorded, signal: AbortSignal | undefined): Promise<TapeEvents> {
    const statistics = await recording.statistics(signal);
    const choices = new Map<number, Choice>();
    for (const channel of recording.channels) {
      const choice = choiceOf(channel, statistics[channel.id]!.messages);
      if (choice !== null) choices.set(channel.id, choice);
    }
    return new TapeEvents(recording, choices);
  }

  async begin(start: Time, signal: AbortSignal | undefined): Promise<void> {
    if (![...this.#choices.values()].includes("changes")) return;
    const { values } = await this.#recording.state(Math.ceil(start) - 1, { signal });
    for (const [id, choice] of this.#choices) {
      const value = values.get(this.#recording.channels[id]!.name);
      if (choice === "changes" && typeof value === "boolean") this.#before.set(id, value);
    }
  }

  read(batch: MessageBatch, i: number, into: RecordingEvent[]): void {
    const id = batch.channel[i]!;
    const channel = this.#recording.channels[id]!;
    const payload = batch.payload(i);
    const value = channel.schema.decode(payload, batch.context);
    if (this.#choices.get(id) === "changes") {
      const before = this.#before.get(id);
      if (typeof value === "boolean") this.#before.set(id, value);
      if (before === undefined || before === value) return;
    }
    const text = opaqueValue(payload, batch.context) === null ? textOf(value, LONGEST) : "compressed";
    into.push(eventOf(channel, batch, i, { kind: channel.name, text: `${channel.name}: ${text}`, value }));
  }
}

/** Null: its messages are no events. */
function choiceOf({ schema }: Channel, messages: number): Choice | null {
  if (messages === 0 || !(schema instanceof TapeSchema)) return null;
  const layout = schema.encoding?.layout;
  if (layout?.kind === "string") return "each";
  if (messages > FEW) return layout?.kind === "scalar" && layout.scalar === "bool" ? "changes" : null;
  return poseKind(schema) === null ? "each" : null;
}
