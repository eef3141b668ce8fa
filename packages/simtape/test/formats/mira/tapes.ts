import { createMira, mira, readMessageHeader, type MiraWriting } from "../../../src/formats/mira/format.ts";
import type { TapeReader } from "../../../src/formats/mira/read/reader.ts";
import {
  type ByteSink,
  type CreateOptions,
  MemoryFiles,
  open,
  type Reader,
  type Recording,
} from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";

export const writing: MiraWriting = await mira.writing();

export function openTape(tape: Uint8Array): Promise<Recording> {
  return open(bundleOfFiles({ "a.tape": tape }), { formats: [mira] });
}

/** The format's own reader, and what it found. */
export async function readerOf(tape: Uint8Array): Promise<{ reader: TapeReader; findings: Findings }> {
  const findings = new Findings();
  const reader = await createMira().open(bundleOfFiles({ "a.tape": tape }), findings, {});
  return { reader: reader as TapeReader, findings };
}

/** Everything that a message is, one text for each, in order. */
export async function messagesOf(reader: Pick<Reader, "channels" | "batches">): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of reader.batches({})) {
    for (let i = 0; i < batch.length; i++) {
      const { frameId, sequenceId } = readMessageHeader(batch, i);
      const { name, schema } = reader.channels[batch.channel[i]!]!;
      const payload = Buffer.from(batch.payload(i)).toString("base64");
      found.push([name, schema.name, batch.time[i], frameId, sequenceId, payload].join(" | "));
    }
  }
  return found;
}

/** The messages of `tape` written again. */
export async function rewritten(tape: Uint8Array, options: CreateOptions = {}): Promise<Uint8Array> {
  const { reader } = await readerOf(tape);
  const to = new MemoryFiles();
  const writer = await writing.create(to, { like: reader, ...options });
  const channels = reader.channels.map(({ name, schema, metadata }) =>
    writer.channel({ name, schema: schema.name, metadata }),
  );
  for await (const batch of reader.batches({})) writer.append(batch, channels);
  await writer.close();
  await writer.close();
  return to.bytes;
}

/** Keeps what was written so far at hand, as a disk does when the program dies. */
export class DiskSink implements ByteSink {
  readonly name = "disk";
  #bytes = new Uint8Array(0);
  /** What is there after a crash. */
  flushed: Uint8Array = new Uint8Array(0);
  end: "open" | "closed" | "aborted" = "open";
  /** Thrown by every write from the `failAt`th byte on. */
  failAt = Number.POSITIVE_INFINITY;
  readonly failure = new Error("no space left on device");

  get position(): number {
    return this.#bytes.length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#bytes.length + bytes.length > this.failAt) throw this.failure;
    this.#bytes = new Uint8Array(Buffer.concat([this.#bytes, bytes]));
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#bytes.set(bytes, offset);
  }

  async flush(): Promise<void> {
    this.flushed = this.#bytes.slice();
  }

  async close(): Promise<void> {
    await this.flush();
    this.end = "closed";
  }

  async abort(): Promise<void> {
    this.end = "aborted";
  }
}
