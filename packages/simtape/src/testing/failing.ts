import { type ByteSink, MemoryFiles, type SinkBundle } from "../io/sink/sink.ts";
import type { Recording } from "../model/recording.ts";
import type { WritingFormat } from "../model/writer.ts";
import { ChannelRoom } from "../ops/channel-room.ts";
import { ObservationError } from "./observe.ts";

/** Operations of the output, each of which fails once: opening, writing, flushing and closing of the first files. */
const PLACES = 16;

/**
 * A writer whose output fails, at whatever operation, rejects with the error of the output and leaves no file open. Its
 * `ready` may be looked at without waiting for it.
 */
export async function failsWithItsOutput(recording: Recording, writing: WritingFormat, name: string): Promise<void> {
  for (let place = 0; place < PLACES; place++) {
    const to = new FailingFiles(name, place);
    let error: unknown = null;
    try {
      await write(recording, writing, to);
    } catch (thrown) {
      error = thrown;
    }
    if (!to.hasFailed) return;
    if (!isOrComesOf(error, to.failure))
      throw new ObservationError(`operation ${place} of the output failed, and its error is lost: ${String(error)}`, {
        cause: error,
      });
    if (to.unfinished.size > 0)
      throw new ObservationError(
        `operation ${place} of the output failed, and a file stays open: ${[...to.unfinished][0]}`,
      );
  }
}

async function write(recording: Recording, writing: WritingFormat, to: SinkBundle): Promise<void> {
  const { reader } = recording;
  const { epoch } = await recording.timeline();
  const writer = await writing.create(to, { epoch, like: reader });
  try {
    const room = new ChannelRoom(writer);
    const channels = recording.channels.map(({ name, schema, metadata }) =>
      room.channel({ name, schema: schema.name, metadata }),
    );
    for await (const batch of reader.batches({})) {
      writer.append(batch, channels);
      // a failure has time to be known, and is left alone here: an unhandled rejection would end the process
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
      void writer.ready;
      void writer.ready;
    }
    await writer.flush();
    void writer.ready;
    await writer.close();
  } catch (error) {
    void writer.ready;
    await writer.abort();
    throw error;
  }
}

function isOrComesOf(error: unknown, cause: Error): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at === cause) return true;
  return false;
}

class FailingFiles extends MemoryFiles {
  readonly failure: Error = new Error("the output fails here");
  /** Names of files that are neither closed nor thrown away. */
  readonly unfinished: Set<string> = new Set();
  #left: number;

  /** `place`: operations that succeed before the one that fails. */
  constructor(name: string, place: number) {
    super(name);
    this.#left = place;
  }

  get hasFailed(): boolean {
    return this.#left < 0;
  }

  override async open(name?: string): Promise<ByteSink> {
    this.#count();
    const sink = await super.open(name);
    this.unfinished.add(sink.name);
    const { write, writeAt, flush, close, abort } = sink;
    return Object.assign(sink, {
      write: (bytes: Uint8Array) => this.#counted(() => write.call(sink, bytes)),
      writeAt: (offset: number, bytes: Uint8Array) => this.#counted(() => writeAt.call(sink, offset, bytes)),
      flush: () => this.#counted(() => flush.call(sink)),
      close: () =>
        this.#counted(async () => {
          await close.call(sink);
          this.unfinished.delete(sink.name);
        }),
      abort: async () => {
        await abort.call(sink);
        this.unfinished.delete(sink.name);
      },
    });
  }

  async #counted(work: () => Promise<void>): Promise<void> {
    this.#count();
    await work();
  }

  #count(): void {
    if (this.#left-- === 0) throw this.failure;
  }
}
