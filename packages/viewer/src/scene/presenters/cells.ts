import type { EntitySet } from "simtape";

/** One cell of a text column. */
export function textAt(set: EntitySet | undefined, column: string, row: number): string {
  const cell = set?.columns.get(column)?.data[row];
  return typeof cell === "string" ? cell : "";
}

/** One cell of a column of numbers; NaN when it is not there. */
export function numberAt(set: EntitySet | undefined, column: string, row: number, item = 0): number {
  const found = set?.columns.get(column);
  const cell = found?.data[row * found.width + item];
  return typeof cell === "number" ? cell : Number.NaN;
}

/** The label, else the end of the kind, else set and id. */
export function nameOf(set: EntitySet | undefined, name: string, row: number): string {
  const label = textAt(set, "label", row);
  if (label !== "") return label;
  // where there are several scenes, the id has its topic before it
  const id = String(set?.ids[row] ?? "").replace(/^\/\S+ /, "");
  const words = textAt(set, "kind", row)
    .split(/[:./]/)
    .filter((word) => /\D/.test(word));
  return `${words.at(-1) ?? name} ${id}`;
}
