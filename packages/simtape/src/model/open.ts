import { Budget } from "../bytes/budget.ts";
import { LayoutError } from "../bytes/error.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../io/source.ts";
import { Findings, RecordingError } from "./error.ts";
import { withMainOf } from "./file-names.ts";
import type { ChannelsOf, Format, OpenOptions, SniffHint } from "./reader.ts";
import { Recording } from "./recording.ts";

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
  try {
    source = await bundle.open();
    if (source === null) throw new SourceError("failed", `nothing there: ${bundle.name ?? "recording"}`);
    format = await recognize(source, bundle.name, formats, options.signal);
    const reader = await format.open(withMain(bundle, source), findings, { ...options, budget });
    return new Recording<object, string>(reader, findings, format) as Recording<ChannelsOf<F>, F["id"]>;
  } catch (error) {
    await source?.close().catch(() => undefined);
    throw RecordingError.from(error, format?.id ?? "recording");
  }
}

/** `bundle`, with its main source already open: what was read to recognise it is not asked for again. */
function withMain(bundle: SourceBundle, source: ByteSource): SourceBundle {
  return {
    name: bundle.name,
    open: (name) => (name === undefined || name === bundle.name ? Promise.resolve(source) : bundle.open(name)),
  };
}

/** The one format that knows the content of `source`; `name` is its file name, when it has one. */
export async function recognize<F extends Format>(
  source: ByteSource,
  name: string | null,
  formats: readonly F[],
  signal?: AbortSignal,
): Promise<F> {
  const head = await source.read(0, HEAD_BYTES, signal);
  const hint: SniffHint = { name, size: await source.size() };
  const certain: F[] = [];
  const possible: F[] = [];
  for (const format of formats) {
    const answer = sniff(format, head, hint);
    if (answer === "certain") certain.push(format);
    else if (answer === "possible") possible.push(format);
  }
  const candidates = certain.length > 0 ? certain : possible;
  if (candidates.length === 1) return candidates[0]!;
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
