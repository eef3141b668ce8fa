/** What reads series of a format that has a reader of columns; loaded for such formats only. */
import type { ColumnReader, WantedNumber } from "../state/column-reader.ts";
import type { Reader } from "../reader.ts";
import { channelsOf, type Scope } from "../scope.ts";
import type { Probe } from "./probe.ts";
import { isSpeed } from "./sinks.ts";

export { Runs } from "./runs.ts";

/** A reader of columns, and what it reads. */
export interface Found {
  readonly columns: ColumnReader;
  readonly probes: ReadonlySet<Probe>;
  readonly channels: ReadonlySet<number>;
  /** Those among them that can change what speeds are counted from, which have moments of their own. */
  readonly speeding: ReadonlySet<number>;
}

/**
 * What reads columns for some of the probes; null: nothing. Paths that share a channel with one that has to be folded are
 * folded, too.
 */
export function columnsOf(reader: Reader, { model }: Scope, probes: readonly Probe[]): Found | null {
  // what a model knows of its file is not so of one that is edited
  if (reader.base !== undefined || model.columns === undefined || probes.length === 0) return null;
  const channels = new Map(probes.map((probe) => [probe, channelsOf(reader, probe.path)]));
  let wanted = new Set(probes);
  for (;;) {
    const numbers = [...wanted].flatMap((probe) => probe.wanted.map((number) => ({ probe, number })));
    const columns = model.columns(numbers.map(({ number }): WantedNumber => number));
    if (columns === null) return null;
    const declined = new Set(numbers.filter((_, n) => !columns.accepts[n]!).map(({ probe }) => probe));
    const folded = new Set(probes.filter((probe) => !wanted.has(probe) || declined.has(probe)));
    const shared = new Set([...folded].flatMap((probe) => channels.get(probe)!));
    const left = [...wanted].filter(
      (probe) => !folded.has(probe) && !channels.get(probe)!.some((id) => shared.has(id)),
    );
    if (left.length === 0) return null;
    if (left.length === wanted.size) {
      const channelsFor = (some: readonly Probe[]): Set<number> => new Set(some.flatMap((one) => channels.get(one)!));
      const speeding = channelsFor(left.filter(({ path }) => isSpeed(path)));
      return { columns, probes: wanted, channels: channelsFor(left), speeding };
    }
    wanted = new Set(left);
  }
}
