import type { MessageBatch } from "../../model/messages/batch.ts";
import { KEYFRAME } from "../../model/messages/batch.ts";
import type { MadeMessage } from "../../model/writer.ts";
import type { Recording } from "../../model/recording.ts";
import { after, type Time } from "../../model/values/time.ts";
import { FRAME, STATE } from "../../formats/nanover/layout/layout.ts";
import { readPart, readState } from "../../formats/nanover/layout/messagepack.ts";
import { type Container, payloadsOf } from "../../formats/nanover/meaning/schema.ts";
import { type Entry, frameEntries, stateEntries } from "../../formats/nanover/write/entries.ts";
import { transcodeFrame, transcodeState } from "../../formats/nanover/write/transcode.ts";

/** Messages of a recording in their order, from any place on. One caller at a time. */
export class Passing {
  readonly #recording: Recording;
  #batches: AsyncGenerator<MessageBatch> | null = null;
  #batch: MessageBatch | null = null;
  #row = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** The next message is the first at or after `time`. */
  async move(time: Time): Promise<void> {
    await this.end();
    this.#batches = this.#recording.batches({ start: time })[Symbol.asyncIterator]() as AsyncGenerator<MessageBatch>;
  }

  /** Gives every message up to `time`, that of `time` too. */
  async until(time: Time, take: (batch: MessageBatch, row: number) => void): Promise<void> {
    while (this.#batches !== null) {
      if (this.#batch === null || this.#row === this.#batch.length) {
        const { value, done } = await this.#batches.next();
        if (done === true) return this.end();
        this.#batch = value;
        this.#row = 0;
        continue;
      }
      if (this.#batch.time[this.#row]! > time) return;
      take(this.#batch, this.#row++);
    }
  }

  async end(): Promise<void> {
    const batches = this.#batches;
    this.#batches = null;
    this.#batch = null;
    await batches?.return(undefined);
  }

  /** As `move`, behind `time`. */
  moveBehind(time: Time): Promise<void> {
    return this.move(after(time));
  }
}

/** What a recorded message says, as the current protocol has it. */
export interface Update {
  /** Keys of a frame; null: it is none. */
  readonly frame: readonly Entry[] | null;
  /** Before the frame everything of the frames before is gone. */
  readonly isReset: boolean;
  /** A change of the shared state, be it of nothing. */
  readonly isUpdate: boolean;
  readonly updates: readonly Entry[];
  readonly removals: readonly string[];
}

const NOTHING: Update = { frame: null, isReset: false, isUpdate: false, updates: [], removals: [] };

/** One row of a recording of container `own`. Throws `LayoutError` when it does not decode. */
export function updateOf(batch: MessageBatch, row: number, own: Container): Update {
  const from = payloadsOf(batch.context)?.container ?? own;
  return decoded(batch.channel[row]!, batch.payload(row), from, (batch.flags[row]! & KEYFRAME) !== 0);
}

/** The same of a message that was made. */
export function updateOfMade({ channel, payload, keyframe, context }: MadeMessage, own: Container): Update {
  return decoded(channel.id, payload, payloadsOf(context)?.container ?? own, keyframe);
}

function decoded(channel: number, payload: Uint8Array, from: Container, keyframe: boolean): Update {
  if (channel === FRAME) {
    const frame = frameEntries(transcodeFrame(payload, from, "zip", 1), "zip");
    return { ...NOTHING, frame, isReset: keyframe };
  }
  if (channel !== STATE) return NOTHING;
  const update = transcodeState(payload, from, "zip");
  const removals = readPart(update, "state", readState)?.removals ?? [];
  return { ...NOTHING, isUpdate: true, updates: stateEntries(update, "zip"), removals };
}
