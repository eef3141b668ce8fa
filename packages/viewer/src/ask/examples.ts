import type { State } from "simtape";

/** Examples that are offered at most. */
const MOST = 5;

/** Expressions that fit what a state has: to begin with, where nothing is typed yet. */
export function examplesFor({ sets, values }: State, kinds: readonly string[]): readonly string[] {
  const found: string[] = [];
  // what has no velocity where others have one stands, such as traffic lights
  for (const column of ["velocity", "position"]) {
    if (found.length > 0) break;
    for (const [set, { columns }] of sets)
      if (columns.has(column) && /^[A-Za-z][\w-]*$/.test(set)) found.push(`any ${set} (speed > 1 m/s for 200 ms)`);
  }
  for (const kind of kinds) found.push(`event(${/^[A-Za-z][\w-]*$/.test(kind) ? kind : JSON.stringify(kind)})`);
  for (const [name, value] of values) {
    if (typeof value === "number" && Number.isFinite(value) && /^\/?[A-Za-z_][\w/.-]*$/.test(name))
      found.push(`derivative(${name}) > 0`);
  }
  const [moving, happened] = [found.filter((text) => text.startsWith("any")), found.filter((text) => text[0] === "e")];
  const others = found.filter((text) => text.startsWith("derivative"));
  return [...moving.slice(0, 2), ...happened.slice(0, 2), ...others].slice(0, MOST);
}
