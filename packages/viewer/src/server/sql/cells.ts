import type { SqlAnswer } from "../shapes.ts";

export type Column = SqlAnswer["columns"][number];

const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;

/** Whether its cells are numbers. */
export function isNumeric({ type }: Column): boolean {
  return NUMERIC.test(type);
}

/** A column as it is headed: `position_x [cm]`. */
export function titleOf({ name, unit }: Column): string {
  return unit === null ? name : `${name} [${unit}]`;
}

/** For people: numbers to twelve digits, as the last ones of a double say nothing. */
export function cellText(cell: unknown, { type }: Column): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(Number(cell.toPrecision(type === "FLOAT" ? 7 : 12)));
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell as string | boolean);
}

/** NaN: there is none. Numbers that JSON cannot write are texts. */
export function numberIn(cell: unknown): number {
  return cell === null || cell === "" ? Number.NaN : Number(cell);
}
