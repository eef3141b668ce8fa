import stringWidth from "string-width";
import { visibleLine } from "../../model/values/visible.ts";
import { paint } from "../run/terminal.ts";

/** A part of a line, in one look. */
export interface Piece {
  readonly text: string;
  readonly look?: keyof typeof paint | undefined;
}

const LETTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A line of exactly `width` cells: cut with an ellipsis where it is longer, filled with spaces where it is shorter. */
export function lineOf(pieces: readonly Piece[], width: number): string {
  let room = width;
  let line = "";
  for (const { text, look } of pieces) {
    if (room === 0) break;
    const shown = cut(visibleLine(text).replaceAll("\t", " "), room);
    room -= stringWidth(shown);
    line += look === undefined ? shown : paint[look](shown);
  }
  return line + " ".repeat(room);
}

/** A text of at most `width` cells. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let [kept, cells] = ["", 0];
  for (const { segment } of LETTERS.segment(text)) {
    const more = stringWidth(segment);
    if (cells + more > width - 1) break;
    kept += segment;
    cells += more;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Cells that a text takes. */
export function cellsOf(text: string): number {
  return stringWidth(visibleLine(text));
}
