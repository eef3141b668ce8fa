import { Budget } from "../../bytes/budget.ts";
import type { ByteSource, SourceBundle } from "../../io/source/source.ts";
import { type EarlyFiles, HeldReporter, LentSource } from "../early.ts";
import type { Findings } from "../error.ts";
import type { Format, OpenOptions } from "../format.ts";
import type { Reader } from "../reader.ts";
import { SideCar, tellIgnored } from "./side-car.ts";

/** A recording that is being opened. */
interface Owner {
  readonly format: Format;
  readonly bundle: SourceBundle;
  readonly main: ByteSource;
  readonly early: EarlyFiles;
}

/** A reader, and the side-car that it was opened with. */
interface Opened {
  readonly reader: Reader;
  readonly sideCar: SideCar;
}

/** Opens with what a side-car kept. Null: it does not fit, and nothing came of it but a finding that says so. */
export async function openWith(
  kept: ByteSource,
  { format, bundle, main, early }: Owner,
  findings: Findings,
  options: OpenOptions,
): Promise<Opened | null> {
  const owner = { format, bundle, main, open: (name: string) => early.look(name) };
  const sideCar = await SideCar.open(kept, owner, Budget.of(options.budget), findings, options.signal);
  if (sideCar === null) return null;
  // of its own: what is held for nothing is not counted
  const budget = new Budget(Budget.of(options.budget).limit);
  const report = new HeldReporter();
  const lent = new LentSource(main);
  let why: string | null;
  try {
    const reader = await format.open(early.withMain(lent), report, { ...options, budget, scans: sideCar.scans });
    why = sideCar.misfit(reader);
    if (why === null) {
      report.release(findings);
      lent.give();
      return { reader, sideCar };
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
