import { Budget } from "../bytes/budget.ts";
import { LayoutError } from "../bytes/error.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../io/source.ts";
import { EarlyFiles, HeldReporter, LentSource } from "./early.ts";
import { Findings, RecordingError } from "./error.ts";
import { withMainOf } from "./file-names.ts";
import type { ChannelsOf, Format, OpenOptions, SniffHint } from "./reader.ts";
import { Recording } from "./recording.ts";
import { SIDE_CAR_ENDING } from "./side-car/layout.ts";
import { SideCar, tellIgnored } from "./side-car/side-car.ts";

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
    const owner = { format, bundle, main: source, open: (name: string) => early.look(name) };
    const kept = options.scans === undefined ? await sideCarOf(bundle, options) : null;
    const sideCar = kept === null ? null : await SideCar.open(kept, owner, budget, findings, options.signal);
    const opened = sideCar === null ? null : await openedWith(sideCar, format, early, source, findings, options);
    if (opened !== null) return opened as unknown as Recording<ChannelsOf<F>, F["id"]>;
    const reader = await format.open(early.withMain(source), findings, { ...options, budget });
    return new Recording<object, string>(reader, findings, format) as Recording<ChannelsOf<F>, F["id"]>;
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

/** Opens with what was kept; null: it does not fit, and nothing came of it but a finding that says so. */
async function openedWith(
  sideCar: SideCar,
  format: Format,
  early: EarlyFiles,
  source: ByteSource,
  findings: Findings,
  options: OpenOptions,
): Promise<Recording | null> {
  // of its own: what is held for nothing is not counted
  const budget = new Budget(Budget.of(options.budget).limit);
  const report = new HeldReporter();
  const lent = new LentSource(source);
  let why: string | null;
  try {
    const reader = await format.open(early.withMain(lent), report, { ...options, budget, scans: sideCar.scans });
    why = sideCar.misfit(reader);
    if (why === null) {
      report.release(findings);
      lent.give();
      return new Recording<object, string>(reader, findings, format, sideCar);
    }
    await reader.close();
  } catch (error) {
    options.signal?.throwIfAborted();
    why = error instanceof Error ? error.message : String(error);
  }
  await sideCar.close().catch(() => undefined);
  tellIgnored(why, findings);
  return null;
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
