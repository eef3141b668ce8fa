import { Budget } from "../bytes/budget.ts";
import { LayoutError } from "../bytes/error.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../io/source/source.ts";
import { EarlyFiles } from "./early.ts";
import { Findings, RecordingError } from "./error.ts";
import { withMainOf } from "./file-names.ts";
import type { ChannelsOf, Format, OpenOptions, SniffHint } from "./format.ts";
import { Recording } from "./recording.ts";
import { SIDE_CAR_ENDING } from "./side-car/ending.ts";

/** How many bytes at the start of a file show its format. */
const HEAD_BYTES = 4096;

/**
 * Opens a recording of any of the formats, by its content.
 * Throws `RecordingError`: `unknown-format`, `ambiguous-format`, or the code of what made the file unreadable.
 */
export async function openBundle<F extends Format>(
  from: SourceBundle,
  formats: readonly F[],
  options: OpenOptions = {},
): Promise<Recording<ChannelsOf<F>, F["id"]>> {
  const bundle = withMainOf(from, formats);
  const findings = new Findings();
  const budget = Budget.of(options.budget);
  let format: F | null = null;
  let source: ByteSource | null = null;
  const early = new EarlyFiles(bundle);
  try {
    source = await bundle.open();
    if (source === null) throw new SourceError("failed", `nothing there: ${bundle.name ?? "recording"}`);
    format = await recognize(source, bundle.name, formats, options.signal);
    const kept = options.scans === undefined ? await sideCarOf(bundle, options) : null;
    const owner = { format, bundle, main: source, early };
    const given = { ...options, budget };
    // what opens with a side-car is loaded on use
    const opened =
      kept === null ? null : await (await import("./side-car/open-with.ts")).openWith(kept, owner, findings, given);
    const reader = opened?.reader ?? (await format.open(early.withMain(source), findings, given));
    const sideCar = opened?.sideCar ?? null;
    return new Recording<object, string>(reader, findings, format, sideCar, bundle) as Recording<
      ChannelsOf<F>,
      F["id"]
    >;
  } catch (error) {
    await source?.close().catch(() => undefined);
    throw RecordingError.from(error, format?.id ?? "recording");
  } finally {
    await early.close();
  }
}

/** The side-car as it was asked for, or as the bundle knows of it; null: there is none. */
async function sideCarOf(bundle: SourceBundle, { seekIndex }: OpenOptions): Promise<ByteSource | null> {
  if (seekIndex === false) return null;
  if (typeof seekIndex === "object") return seekIndex;
  if (seekIndex === undefined) return (await bundle.sideCar?.()) ?? null;
  return bundle.name === null ? null : bundle.open(bundle.name + SIDE_CAR_ENDING).catch(() => null);
}

/** The one format that knows the content of `source`; `name` is its file name, when it has one. */
export async function recognize<F extends Format>(
  source: ByteSource,
  name: string | null,
  formats: readonly F[],
  signal?: AbortSignal,
): Promise<F> {
  return (await recognition(source, name, formats, signal)).format;
}

/** As `recognize`, with whether the format is certain: it may be, if not. */
export async function recognition<F extends Format>(
  source: ByteSource,
  name: string | null,
  formats: readonly F[],
  signal?: AbortSignal,
): Promise<{ readonly format: F; readonly isCertain: boolean }> {
  const head = await source.read(0, HEAD_BYTES, signal);
  const hint: SniffHint = { name, size: await source.size() };
  const certain: F[] = [];
  const possible: F[] = [];
  for (const format of formats) {
    const answer = sniff(format, head, hint);
    if (answer === "certain") certain.push(format);
    else if (answer === "possible") possible.push(format);
  }
  // a file of another kind that is known is none that may be a recording
  if (certain.length === 0)
    for (const { advice } of formats) {
      const what = advice?.(head) ?? null;
      if (what !== null) throw new RecordingError("unknown-format", `${what}: ${source.name}`, { offset: 0 });
    }
  const isCertain = certain.length > 0;
  const candidates = isCertain ? certain : possible;
  if (candidates.length === 1) return { format: candidates[0]!, isCertain };
  if (candidates.length > 1) {
    const ids = candidates.map(({ id }) => id).join(", ");
    throw new RecordingError("ambiguous-format", `could be any of ${ids}: ${source.name}`, { offset: 0 });
  }
  const known = formats.map((format) => format.name).join(", ");
  const what = head.length === 0 ? "the file is empty" : `begins ${beginning(head)}`;
  throw new RecordingError("unknown-format", `not a recording of ${known} (${what}): ${source.name}`, { offset: 0 });
}

function sniff(format: Format, head: Uint8Array, hint: SniffHint): "certain" | "possible" | null {
  try {
    return format.sniff(head, hint);
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

function beginning(head: Uint8Array): string {
  return Array.from(head.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
