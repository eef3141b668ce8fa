import { LayoutError } from "../bytes/error.ts";
import { type Finding, Findings, type Reporter } from "../model/error.ts";
import type { MessageBatch } from "../model/messages/batch.ts";
import type { NativeRecord } from "../model/native-record.ts";
import type { Recording } from "../model/recording.ts";

/**
 * What a full reading has found: whether the recording is sound, how many messages were read, and everything
 * reported.
 */
export interface CheckReport {
  /** `sound`: every message was read and decoded; `damaged`: readable, but something is lost or broken. */
  readonly status: "sound" | "damaged";
  readonly messages: number;
  readonly findings: readonly Finding[];
}

/** How a recording is checked. Everything is optional. */
export interface CheckOptions {
  readonly signal?: AbortSignal | undefined;
  /** Messages checked so far. */
  readonly onProgress?: ((messages: number) => void) | undefined;
  /** Is shown what is read, on the way. */
  readonly visit?: CheckVisitor | undefined;
}

/** Looks at what a check reads, so that the recording need not be read again. */
export interface CheckVisitor {
  batch(batch: MessageBatch): void;
  records(records: readonly NativeRecord[]): void;
}

/**
 * Reads every byte, decodes every message, and reports everything that is wrong with the recording. Content that is
 * sound and that the format's own program cannot use is a warning.
 */
export async function check(recording: Recording, options: CheckOptions = {}): Promise<CheckReport> {
  const undecodable = new Findings();
  let messages = 0;
  for await (const { length } of decoded(recording, undecodable, options)) {
    messages += length;
    options.onProgress?.(messages);
  }
  await framed(recording, options);
  await recording.reader.review?.(undecodable, options.signal);
  const findings = [...recording.findings, ...undecodable.list()];
  const isDamaged = findings.some(({ severity }) => severity === "damage" || severity === "loss");
  return { status: isDamaged ? "damaged" : "sound", messages, findings };
}

/** Gives all messages, each decoded on the way; what does not decode is reported. */
export async function* decoded(
  recording: Recording,
  report: Reporter,
  { signal, visit }: CheckOptions = {},
): AsyncGenerator<MessageBatch> {
  for await (const batch of recording.batches({ signal })) {
    for (let i = 0; i < batch.length; i++) {
      const channel = recording.channels[batch.channel[i]!]!;
      try {
        channel.schema.decode(batch.payload(i), batch.context);
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        report.report({
          code: "bad-payload",
          severity: "damage",
          message: `message ${batch.sequence[i]} of channel ${channel.name} does not decode: ${error.message} of its payload`,
          time: batch.time[i],
        });
      }
    }
    visit?.batch(batch);
    yield batch;
  }
}

/** Goes through the records: checksums that only the file's own framing has are compared on the way. */
export async function framed(recording: Recording, { signal, visit }: CheckOptions = {}): Promise<void> {
  for await (const records of recording.records(signal)) visit?.records(records);
}
