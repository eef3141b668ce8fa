import { visible } from "../run/visible.ts";

/** A row as RFC 4180 has it, but for its end of line, which is of Unix. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`;
}

/**
 * A text as a cell that a spreadsheet takes for text: what it would calculate has an apostrophe before it, which is how
 * one writes text there. Control characters are shown; numbers, and lists of numbers, are as they are.
 */
export function textCell(text: string): string {
  const shown = visible(text);
  return /^[=+\-@\t\n＝＋－＠]/.test(shown) && !NUMBERS.test(shown) ? `'${shown}` : shown;
}

/** A number, or several with commas or semicolons between: nothing that is calculated. */
const NUMBERS = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:[,;] ?|$))+$/i;
