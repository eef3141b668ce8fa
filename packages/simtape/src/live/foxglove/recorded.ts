import { definitionOf } from "../../formats/mcap/meaning/schema.ts";
import type { MessageBatch } from "../../model/messages/batch.ts";
import { after, type Time } from "../../model/values/time.ts";
import type { Channel } from "../../model/values/value.ts";
import { Programme } from "./programme.ts";

/** An MCAP recording: its messages as they are, with the schemas that they were recorded with. */
export class RecordedProgramme extends Programme {
  /** By id of the recording's channels: the number on the board. */
  readonly #numbers: number[] = [];
  #batches: AsyncGenerator<MessageBatch> | null = null;
  #batch: MessageBatch | null = null;
  #row = 0;

  introduce(): Promise<void> {
    const schemas = new Map<unknown, number>();
    for (const { name, metadata } of this.recording.channels) {
      const definition = definitionOf(metadata);
      const schema = definition?.schema ?? null;
      let number = schema === null ? 0 : schemas.get(schema);
      if (number === undefined) {
        const { name: title, encoding, data } = schema!;
        number = this.board.schema(title, encoding, data);
        schemas.set(schema, number);
      }
      // a channel keeps its topic, but where it was given another name
      const topic = definition?.name === name ? definition.channel.topic : name;
      const encoding = definition?.channel.encoding ?? metadata["encoding"] ?? "";
      this.#numbers.push(this.board.channel(topic, number, encoding));
    }
    return Promise.resolve();
  }

  rewind(): Promise<void> {
    return this.#begin(this.timeline.start);
  }

  protected moveTo(time: Time): Promise<void> {
    return this.#begin(after(time));
  }

  async run(time: Time): Promise<void> {
    while (this.#batches !== null && !this.isClosed) {
      const batch = this.#batch;
      if (batch === null || this.#row === batch.length) {
        const { value, done } = await this.#batches.next();
        if (done === true) return this.#end();
        this.#batch = value;
        this.#row = 0;
        await this.rest();
        continue;
      }
      for (; this.#row < batch.length; this.#row++) {
        if (batch.time[this.#row]! > time) return;
        this.say(batch, this.#row);
      }
    }
  }

  protected say(batch: MessageBatch, row: number): void {
    const number = this.#numbers[batch.channel[row]!]!;
    if (this.board.isWanted(number)) this.board.bytes(number, batch.time[row]!, 0, batch.payload(row));
  }

  protected numbersOf({ id }: Channel): readonly number[] {
    return [this.#numbers[id]!];
  }

  protected sayState(): void {
    // its messages are all there is
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#end();
  }

  async #begin(start: Time): Promise<void> {
    await this.#end();
    this.#batches = this.recording.batches({ start });
  }

  async #end(): Promise<void> {
    const batches = this.#batches;
    this.#batches = null;
    this.#batch = null;
    this.#row = 0;
    await batches?.return(undefined);
  }
}
