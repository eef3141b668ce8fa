import { visible } from "./visible.ts";

/** A row as RFC 4180 has it, but for its end of line, which is of Unix. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`;
}

/**
 * A text as a cell that a spreadsheet takes for text: what it would calculate has an apostrophe before it, which is how
 * one writes text there. Control characters are shown, and numbers are numbers.
 */
export function textCell(text: string): string {
  const shown = visible(text);
  return /^[=+\-@\t\n＝＋－＠]/.test(shown) && !NUMBER.test(shown) ? `'${shown}` : shown;
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
