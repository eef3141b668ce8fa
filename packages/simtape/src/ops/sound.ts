import type { MessageBatch } from "../model/messages/batch.ts";
import { type Finding, Findings, RecordingError } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import { type CheckVisitor, decoded, framed } from "./check.ts";

/** Who looks at a result while it is read back, so that it need not be read again. Everything is optional. */
export interface Onlookers {
  readonly visit?: CheckVisitor | undefined;
  /** Is given all its messages. It may take its time, and leave off before the end. */
  readonly follow?: ((batches: AsyncIterable<MessageBatch>) => Promise<void>) | undefined;
}

/**
 * Reads back what was made of `sources`, as `check` does. Gives what is damaged in it, all of which is damaged in the
 * sources, too: they are read for that only when something is. Throws `RecordingError` when anything else is.
 */
export async function mustBeSound(
  written: Recording,
  sources: readonly Recording[],
  onlookers: Onlookers = {},
): Promise<readonly Finding[]> {
  const faults = await faultsIn(written, onlookers, unsound);
  if (faults.length === 0) return faults;
  const known = new Map<string, number>();
  for (const source of sources)
    for (const { code } of await faultsIn(source)) known.set(code, (known.get(code) ?? 0) + 1);
  for (const { code, message } of faults) {
    const left = known.get(code) ?? 0;
    if (left === 0) throw new RecordingError("malformed", `${UNSOUND}: ${message}`, { format: written.info.format });
    known.set(code, left - 1);
  }
  return faults;
}

/** What `work` gives of a result: what goes wrong while it is opened and read is said to be wrong with the result. */
export async function readBack<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw unsound(cause);
  }
}

/** Whether a full reading finds nothing damaged or missing in it. */
export async function isSound(recording: Recording): Promise<boolean> {
  return (await faultsIn(recording)).length === 0;
}

/**
 * What a full reading finds damaged or missing. What only a newer reader can read is no damage; what a format's own
 * program would not play is not asked.
 */
async function faultsIn(
  recording: Recording,
  { visit, follow }: Onlookers = {},
  explained: (cause: unknown) => unknown = (cause) => cause,
): Promise<readonly Finding[]> {
  const undecodable = new Findings();
  const batches = each(decoded(recording, undecodable, { visit }), explained);
  await follow?.(batches);
  for await (const _ of batches);
  await framed(recording, { visit }).catch((cause: unknown) => {
    throw explained(cause);
  });
  return [...recording.findings, ...undecodable.list()].filter(
    ({ severity, code }) => (severity === "damage" || severity === "loss") && !code.startsWith("unsupported-"),
  );
}

async function* each<T>(all: AsyncIterable<T>, explained: (cause: unknown) => unknown): AsyncGenerator<T> {
  try {
    yield* all;
  } catch (cause) {
    throw explained(cause);
  }
}

const UNSOUND = "the result would be damaged, so it was not written";

function unsound(cause: unknown): unknown {
  if (!RecordingError.is(cause)) return cause;
  const { code, message, offset, format } = cause;
  const more = { cause, offset: offset ?? undefined, format: format ?? undefined };
  return new RecordingError(code, `${UNSOUND}: ${message}`, more);
}
