import type {
  ComparedSide,
  Comparison,
  Divergence,
  EventDifference,
  OnlyIn,
  PathDifference,
} from "../../compare/report.ts";
import { toJson } from "../../model/values/json.ts";
import type { Time } from "../../model/values/time.ts";
import type { Value } from "../../model/values/value.ts";
import { visibleLine } from "../../model/values/visible.ts";
import { damageIn } from "../run/ending.ts";
import { counted, grouped, paint } from "../run/terminal.ts";
import { clock } from "../input/time.ts";

/** A screen: what is said fits on it. */
const WIDTH = 80;
const MOST_PATHS = 8;
const MOST_EVENTS = 3;
const MOST_NOTES = 2;

/** A comparison for people: at most 24 lines of 80 characters. */
export function comparisonText(found: Comparison, nameA: string, nameB: string): string[] {
  const { a, b, same, first, alignment, range, moments } = found;
  const by =
    alignment.by === "start" ? "" : `, aligned by ${alignment.by} (B shifted by ${secondsOf(alignment.shift)} s)`;
  const lines = [
    `A ${sideText(nameA, a)}`,
    `B ${sideText(nameB, b)}`,
    `compared ${clock(range.start)} to ${clock(range.end)}${by}`,
  ].map(fitted);
  if (first === null)
    lines.push(paint.green(moments === 0 ? "same, message by message" : `same in ${counted(moments, "moment")}`));
  else lines.push(...firstText(first));
  lines.push(...pathLines(found));
  lines.push(
    ...onlyLines("A", found.onlyIn.a, found.moreOnlyIn.a),
    ...onlyLines("B", found.onlyIn.b, found.moreOnlyIn.b),
  );
  if (!same || found.events.same > 0) lines.push(...eventLines(found));
  const notes = found.notes.slice(0, MOST_NOTES).map((note) => fitted(`note: ${note}`));
  if (found.notes.length > MOST_NOTES) notes.push(`… and ${counted(found.notes.length - MOST_NOTES, "more note")}`);
  return [...lines, ...notes];
}

function sideText(name: string, { format, start, end, findings }: ComparedSide): string {
  const damage = damageIn(findings).length;
  const said = damage > 0 ? `, ${counted(damage, "finding")} of damage` : "";
  return `${name} (${format}, ${clock(start)} to ${clock(end)}${said})`;
}

function firstText({ time, kind, path, a, b, error, unit, tolerance }: Divergence): string[] {
  const head = paint.red(fitted(`differ, first at ${clock(time)}: ${kind === "extent" ? "one ends earlier" : path}`));
  if (kind === "extent") return [head, fitted(`  A to ${clock(Number(a))}, B to ${clock(Number(b))}`)];
  if (kind === "thing") return [head, `  only in ${a === null ? "B" : "A"}`];
  if (kind === "event")
    return [
      head,
      fitted(`  A ${a === null ? "has none" : text(a)}`),
      fitted(`  B ${b === null ? "has none" : text(b)}`),
    ];
  const in_ = unit === null ? "" : ` ${unit}`;
  const apart =
    error === null ? "" : `   apart ${number(error)}${in_}${tolerance ? `, tolerance ${number(tolerance)}` : ""}`;
  return [head, fitted(`  A ${text(a)}   B ${text(b)}${apart}`)];
}

function pathLines({ paths, morePaths }: Comparison): string[] {
  const differing = paths.filter(({ differs }) => differs);
  const within = paths.length - differing.length;
  if (differing.length === 0) return within === 0 ? [] : [`${counted(within, "path")} within tolerance`];
  const lines = [paint.bold(fitted(row("path", "max", "at", "rms", "moments")))];
  for (const path of differing.slice(0, MOST_PATHS)) lines.push(fitted(pathRow(path)));
  const more = differing.length - MOST_PATHS + morePaths;
  if (more > 0) lines.push(paint.dim(`… and ${counted(more, "more path")}; --json has all`));
  return lines;
}

function pathRow({ path, unit, max, rms, moments }: PathDifference): string {
  const in_ = unit === null ? "" : ` ${unit}`;
  const greatest = max.error === null ? "differs" : `${number(max.error)}${in_}`;
  return row(path, greatest, clock(max.time), rms === null ? "" : number(rms), grouped(moments));
}

function row(path: string, max: string, at: string, rms: string, moments: string): string {
  return `  ${shortened(path, 34).padEnd(34)} ${max.padStart(13)} ${at.padStart(10)} ${rms.padStart(9)} ${moments.padStart(7)}`;
}

function onlyLines(which: string, only: readonly OnlyIn[], more: number): string[] {
  if (only.length === 0) return [];
  const rest = only.length - 3 + more;
  const names = only.slice(0, 3).map(({ path, first }) => `${path} (from ${clock(first)})`);
  const said = rest > 0 ? ` and ${grouped(rest)} more` : "";
  return [`${shortened(`only in ${which}: ${visibleLine(names.join(", "))}`, WIDTH - said.length)}${said}`];
}

function eventLines({ events: { same, differing, differences } }: Comparison): string[] {
  if (differing === 0) return same === 0 ? [] : [`events: ${counted(same, "event")} alike`];
  const lines = [`events: ${grouped(same)} alike, ${grouped(differing)} differ`];
  for (const one of differences.slice(0, MOST_EVENTS)) lines.push(fitted(`  ${eventText(one)}`));
  return lines;
}

const HOW = { time: "at another time", order: "in another order", kind: "of another kind", only: "" } as const;

function eventText({ how, a, b }: EventDifference): string {
  const one = (a ?? b)!;
  const said = `${clock(one.time)} ${one.kind}: ${one.text}`;
  if (how === "only") return `only in ${a === null ? "B" : "A"}: ${said}`;
  const other = how === "time" ? ` (B ${clock(b!.time)})` : how === "kind" ? ` (B ${b!.kind})` : "";
  return `${HOW[how]}${other}: ${said}`;
}

function secondsOf(time: Time): string {
  return number(time / 1e9);
}

function text(value: Value): string {
  if (typeof value === "number") return number(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "number"))
    return `(${value.map((item) => number(item as number)).join(", ")})`;
  if (value === null) return "nothing";
  return typeof value === "string" ? JSON.stringify(shortened(value, 24)) : shortened(toJson(value), 28);
}

function number(value: number): string {
  return String(Number(value.toPrecision(7)));
}

function fitted(line: string): string {
  return shortened(visibleLine(line), WIDTH);
}

function shortened(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
