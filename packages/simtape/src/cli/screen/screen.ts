import type { PlayerStatus } from "../../play/player.ts";
import type { RecordingEvent } from "../../model/query/event.ts";
import type { State } from "../../model/state/state.ts";
import type { TimeRange } from "../../model/values/time.ts";
import { clock } from "../input/time.ts";
import { lineOf, type Piece } from "./line.ts";
import { barCells, barLine, eventRow, lastBefore } from "./timeline.ts";
import type { TopDown } from "./top-down.ts";
import { type Listed, valueLine } from "./values.ts";

/** What a screen shows. */
export interface View {
  readonly name: string;
  readonly format: string;
  readonly status: PlayerStatus;
  /** As the picture is drawn, and as it was recorded; null: nothing is loaded yet. */
  readonly state: State | null;
  readonly recorded: State | null;
  /** The map cannot follow from the picture before. */
  readonly isJump: boolean;
  readonly map: TopDown;
  readonly events: readonly RecordingEvent[];
  readonly listed: readonly Listed[];
  /** The first path of the list that shows. */
  readonly scrolled: number;
  readonly filter: string;
  /** What the user is typing, and what was wrong with the text before; null: nothing. */
  readonly prompt: string | null;
  readonly notice: string | null;
  readonly isHelp: boolean;
}

/** Cells of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Rows that are not the body: the title, the event, the row of events, the bar, the keys. */
const AROUND = 5;
/** Cells of the list beside a map, at least and at most. */
const [NARROW, WIDE] = [30, 60];

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["space", "play, pause"],
  ["← →", "5 s back, 5 s on; with Shift 50 s"],
  [", .", "a step back, a step on"],
  ["[ ]", "half the speed, twice the speed"],
  ["r", "turn round: play backwards, or forwards"],
  ["Home End", "to the start, to the end"],
  ["e E", "to the next event, to the event before"],
  ["l", "repeat from here; again: until here; again: no longer"],
  ["↑ ↓", "scroll the values; PgUp, PgDn by pages"],
  ["/", "a time (1m30s, 50%, t1200) to go there; other text: only values that have it in their names"],
  ["n", "the next recording"],
  ["?", "these keys"],
  ["q", "quit"],
];

/** The lines of a screen, each of exactly `columns` cells. */
export function screenOf(view: View, { columns, rows }: Size): readonly string[] {
  const bounds = view.status.bounds ?? { start: 0, end: 0 };
  const height = Math.max(1, rows - AROUND);
  const body = view.isHelp ? helpLines(columns, height) : bodyLines(view, columns, height);
  const at = view.status.time;
  const last = lastBefore(view.events, at);
  const before = columns - barCells(bounds, columns) - clock(bounds.end - bounds.start).length - 1;
  const lines = [
    lineOf(titleOf(view), columns),
    ...body,
    lineOf(last === null ? [] : eventPieces(last, bounds), columns),
    lineOf([{ text: `${" ".repeat(before)}${eventRow(view.events, bounds, barCells(bounds, columns))}` }], columns),
    lineOf(barLine(at, bounds, view.status.loop, columns), columns),
    lineOf(lastLine(view), columns),
  ];
  return lines.slice(0, rows);
}

function titleOf({ name, format, status }: View): readonly Piece[] {
  const { phase, rate, error } = status;
  const speed = `${Number(Math.abs(rate).toPrecision(3))}x${rate < 0 ? " backwards" : ""}`;
  return [
    { text: name, look: "bold" },
    { text: `  ${format}  `, look: "dim" },
    error === null
      ? { text: phase, look: phase === "playing" ? "green" : "yellow" }
      : { text: `failed: ${error.message}`, look: "red" },
    { text: `  ${speed}` },
  ];
}

function bodyLines(view: View, columns: number, height: number): readonly string[] {
  const { state, recorded, listed, scrolled, map, isJump, filter } = view;
  if (state === null || recorded === null) return filled(["loading …"], columns, height);
  const side = Math.min(WIDE, Math.max(NARROW, Math.floor(columns * 0.4)));
  const picture = map.rows(state, columns - side - 1, height, isJump);
  const width = picture === null ? columns : side;
  const head = filter === "" ? `${listed.length} values` : `${listed.length} values with “${filter}”`;
  const values = [lineOf([{ text: head, look: "bold" }], width)];
  for (const one of listed.slice(scrolled, scrolled + height - 1))
    values.push(lineOf(valueLine(recorded, one, width), width));
  while (values.length < height) values.push(" ".repeat(width));
  if (picture === null) return values;
  return values.slice(0, height).map((line, row) => `${picture[row] ?? " ".repeat(columns - side - 1)} ${line}`);
}

function helpLines(columns: number, height: number): readonly string[] {
  return filled(
    KEYS.map(([keys, what]) => `  ${keys.padEnd(9)} ${what}`),
    columns,
    height,
  );
}

function filled(texts: readonly string[], columns: number, height: number): readonly string[] {
  return Array.from({ length: height }, (_, row) => lineOf([{ text: texts[row] ?? "" }], columns));
}

function eventPieces({ time, kind, text }: RecordingEvent, { start }: TimeRange): readonly Piece[] {
  const words = text.startsWith(kind) ? text.slice(kind.length).trimStart() : text;
  return [{ text: `${clock(time - (start ?? 0))} ` }, { text: kind, look: "bold" }, { text: ` ${words}` }];
}

function lastLine({ prompt, notice }: View): readonly Piece[] {
  if (prompt !== null) return [{ text: "/", look: "bold" }, { text: `${prompt}▏` }];
  if (notice !== null) return [{ text: notice, look: "yellow" }];
  return [{ text: "space play  ← → 5 s  , . step  [ ] speed  r turn  e event  / find  ? keys  q quit", look: "dim" }];
}
