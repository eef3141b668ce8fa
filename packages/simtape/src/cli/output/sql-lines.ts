import type { Span, TablePlan } from "../../sql/wanted.ts";
import type { Catalogue } from "../../sql/tables.ts";
import { counted, paint } from "../run/terminal.ts";
import { clock } from "../input/time.ts";

/** Letters of a line, about. */
const WIDTH = 100;

/** Tables with their columns, for people. */
export function linesOfTables(tables: Catalogue): string[] {
  return [...tables].flatMap(([name, columns]) => [paint.bold(name), ...wrapped(columns)]);
}

function wrapped(columns: readonly string[]): string[] {
  const lines: string[] = [];
  let line = "";
  for (const column of columns) {
    if (line !== "" && line.length + column.length + 2 > WIDTH) {
      lines.push(`  ${line},`);
      line = "";
    }
    line += line === "" ? column : `, ${column}`;
  }
  return line === "" ? lines : [...lines, `  ${line}`];
}

/** What is read for each table of a statement. */
export function linesOfPlans(plans: readonly TablePlan[], count: number): string[] {
  if (plans.length === 0) return ["reads nothing"];
  return plans.map(({ name, recordings, wanted }) => {
    const { columns, spans, ids, kinds } = wanted;
    const some = [...recordings].slice(0, 3).join(", ");
    const more = recordings.size > 3 ? " …" : "";
    const of =
      recordings.size === count ? counted(count, "recording") : `${recordings.size} of ${counted(count, "recording")}`;
    const parts = [
      recordings.size === count || recordings.size === 0 ? of : `${of} (${some}${more})`,
      columns === null ? "all columns" : `columns ${[...columns].join(", ")}`,
      spans === null ? "all times" : spans.map(spanText).join(" and "),
      ...(ids === null ? [] : [`id ${ids.map(({ id }) => id).join(", ")}`]),
      ...(kinds === null ? [] : [`kind ${kinds.join(", ")}`]),
    ];
    return `${paint.bold(name)}: ${parts.join("; ")}`;
  });
}

function spanText({ from, until, fromUtc, untilUtc }: Span): string {
  const at = (seconds: number): string => clock(Math.round(seconds * 1e9));
  const utc = (microseconds: number): string => new Date(microseconds / 1000).toISOString();
  const parts = [
    from === -Infinity ? "" : `from ${at(from)}`,
    until === Infinity ? "" : `until ${at(until)}`,
    fromUtc === -Infinity ? "" : `from ${utc(fromUtc)}`,
    untilUtc === Infinity ? "" : `until ${utc(untilUtc)}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "all times" : parts.join(" ");
}
