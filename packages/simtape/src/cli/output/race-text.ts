import type { Race, RaceLap, Stretch, TheoreticalBest } from "../../race/report.ts";
import { counted, grouped, paint } from "../run/terminal.ts";

/** Laps that are listed, and drawn. */
const MOST_LAPS = 24;
const MOST_CURVES = 8;
/** Letters of a name. */
const NAME = 36;
/** Blocks of a curve. */
const WIDTH = 60;
const BLOCKS = "▁▂▃▄▅▆▇█";

/** A race as tables and curves for people. `files`: names of the recordings. */
export function raceText(found: Race, files: readonly string[]): string[] {
  const { course, laps, theoretical, own, notes } = found;
  const names = laps.map((lap) => lapName(lap, files));
  const from =
    course.from === "lap"
      ? course.lap === null
        ? "a lap"
        : names[course.lap]!
      : { path: "a path", checkpoints: "checkpoints" }[course.from];
  const lines = [paint.bold(`${metresText(course.length)} along ${from}, ${counted(laps.length, "lap")}`), ""];
  const head = ["", "lap", "time", "gap", ...course.splits.map(({ name }) => cut(name, 12))];
  const rows = laps.slice(0, MOST_LAPS).map((lap, i) => [
    String(i + 1),
    names[i]!,
    lap.seconds === null ? `${Math.floor((100 * lap.reached) / course.length)} %` : clockOf(lap.seconds),
    i === 0 ? "" : signed(lap.gap.seconds),
    ...lap.splits.map(({ sector }, k) => {
      const isBest = theoretical?.sectors[k]?.lap === i && laps.length > 1;
      return sector === null ? "" : `${sector.toFixed(2)}${isBest ? "*" : " "}`;
    }),
  ]);
  lines.push(...table(head, rows));
  if (laps.length > MOST_LAPS) lines.push(paint.dim(`… and ${grouped(laps.length - MOST_LAPS)} more; --json has them`));
  if (laps.length > 1 && theoretical !== null) lines.push("", `theoretical best ${bestText(theoretical, names)}`);
  for (const one of own.length > 1 ? own.slice(0, MOST_CURVES) : []) {
    const { recording, set, id } = one;
    const any = laps.find((lap) => lap.recording === recording && lap.set === set && lap.id === id)!;
    lines.push(`  of ${thingName(any, files)} ${clockOf(one.theoretical.seconds)}`);
  }
  const others = laps.slice(1, 1 + MOST_CURVES).map((lap, i) => [lap, names[i + 1]!] as const);
  if (others.length > 0) lines.push("", paint.dim(`gap to 1 along the course: up is behind`));
  for (const [lap, name] of others) lines.push(...curveLines(lap, name));
  for (const note of notes) lines.push(paint.dim(`note: ${note}`));
  return lines;
}

/** `a.log vehicles[24] hero #2`: what of it is the same for all is said all the same. */
export function lapName(lap: RaceLap, files: readonly string[]): string {
  return `${thingName(lap, files)} #${lap.number}`;
}

function thingName({ recording, set, id, label }: RaceLap, files: readonly string[]): string {
  const file =
    files[recording]!.replace(/[?#].*$/s, "")
      .split("/")
      .findLast((part) => part !== "") ?? "";
  return `${cut(file, NAME)} ${cut(label === "" ? `${set}[${id}]` : label, NAME)}`;
}

function bestText({ seconds, sectors }: TheoreticalBest, names: readonly string[]): string {
  const laps = [...new Set(sectors.map(({ lap }) => lap))].map((lap) => names[lap]!);
  return `${clockOf(seconds)}: sectors of ${laps.slice(0, 4).join(", ")}${laps.length > 4 ? ", …" : ""}`;
}

function curveLines({ curve, lost, won }: RaceLap, name: string): string[] {
  const known = curve.seconds.filter((gap) => gap !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
  const cells = Array.from({ length: WIDTH }, (_, i) => {
    const at = Math.round(((i + 0.5) / WIDTH) * (curve.seconds.length - 1));
    const gap = curve.seconds[at];
    if (gap === null || gap === undefined) return " ";
    const part = most > least ? (gap - least) / (most - least) : 0;
    return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(part * BLOCKS.length))]!;
  });
  const what = [lost[0], won[0]].filter((one) => one !== undefined).map(stretchText);
  return [
    `  ${name}: ${signed(least)} to ${signed(most)} s${what.length > 0 ? `; ${what.join(", ")}` : ""}`,
    `  ${cells.join("").trimEnd()}`,
  ];
}

function stretchText({ from, to, seconds }: Stretch): string {
  const [first, last] = [from.toFixed(0), to.toFixed(0)];
  const where = first === last ? `at ${first} m` : `from ${first} to ${last} m`;
  return `${seconds > 0 ? "lost" : "won"} ${Math.abs(seconds).toFixed(2)} s ${where}`;
}

/** The second column to the left, numbers to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, k) => Math.max(title.length, ...rows.map((row) => row[k]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, k) => (k === 1 ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!)))
      .join("  ")
      .trimEnd();
  return [paint.dim(line(head)), ...rows.map(line)];
}

/** `1:23.456`. */
function clockOf(seconds: number): string {
  const whole = Math.round(seconds * 1000);
  const minutes = Math.floor(whole / 60_000);
  return `${minutes}:${((whole % 60_000) / 1000).toFixed(3).padStart(6, "0")}`;
}

function signed(seconds: number | null): string {
  if (seconds === null) return "";
  const text = Math.abs(seconds).toFixed(3);
  return `${text === "0.000" ? "±" : seconds < 0 ? "-" : "+"}${text}`;
}

function metresText(metres: number): string {
  return metres < 10_000 ? `${metres.toFixed(1)} m` : `${(metres / 1000).toFixed(2)} km`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
