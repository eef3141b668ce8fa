import { type EntitySet, pathText, type SeriesPath, type State } from "simtape";
import { expressionOf } from "./derived.ts";

/** Endings of names that say the unit. */
const UNIT_ENDING = /-(deg|ft|m|kt|kts|fps|fpm|norm|rpm|inhg|mhz|lbs|sec|hz|degc|degf)$/i;

const GEODETIC = ["latitude", "longitude", "altitude"];

/** What a number is, for people: `hero · speed`, `energy · kinetic`. `hasUnit`: its unit is shown beside it. */
export function nameOfPath(path: SeriesPath, state: State | undefined, hasUnit: boolean): string {
  if ("set" in path) return `${thingName(path, state)} · ${columnName(path.column, path.item)}`;
  const expression = expressionOf(path);
  if (expression !== null) return expression;
  const parts = path.value.split(/[/.]/).filter((part) => part !== "");
  const last = parts.pop() ?? pathText(path);
  const own = words([hasUnit ? last.replace(UNIT_ENDING, "") : last, ...path.keys].join(" "));
  return parts.length === 0 ? own : `${words(parts.at(-1)!)} · ${own}`;
}

/** The same of many paths of a state, those of one thing after each other. */
export function namesIn(state: State): (path: SeriesPath) => string {
  let last = { set: "", id: "" as number | string, name: "" };
  return (path) => {
    if (!("set" in path)) return nameOfPath(path, state, false);
    const { set, id, column, item } = path;
    if (last.set !== set || last.id !== id) last = { set, id, name: thingName(path, state) };
    return `${last.name} · ${columnName(column, item)}`;
  };
}

/** As the scene calls it. */
function thingName(
  { set, id }: { readonly set: string; readonly id: number | string },
  state: State | undefined,
): string {
  const things = state?.sets.get(set);
  const row = things?.ids.indexOf(id as never) ?? -1;
  const label = textIn(things, "label", row);
  // a role that every vehicle may have
  if (label !== "" && label !== "autopilot") return label;
  // where there are several scenes, the id has its topic before it
  const own = typeof id === "string" ? id.replace(/^\/\S+ /, "") : id;
  if (typeof own === "string" && own.startsWith("/")) return own.slice(1);
  const kind = textIn(things, "kind", row)
    .split(/[:./]/)
    .findLast((word) => /\D/.test(word));
  if (kind === undefined && typeof own === "string") return own;
  return `${kind ?? oneOf(set)} ${own}`;
}

function textIn(set: EntitySet | undefined, column: string, row: number): string {
  const text = row < 0 ? undefined : set?.columns.get(column)?.data[row];
  return typeof text === "string" ? text : "";
}

function columnName(column: string, item: number | string | null): string {
  if (item === "speed" || (item === "length" && column === "velocity")) return "speed";
  if (column === "geodetic" && typeof item === "number") return GEODETIC[item] ?? column;
  if (item === null || item === "length") return words(column);
  return `${words(column)} ${typeof item === "number" ? ("xyzw"[item] ?? item) : item}`;
}

/** "particles" → "particle" */
function oneOf(set: string): string {
  return set.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}

/** "forwardSpeed", "forward-speed" → "forward speed" */
function words(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[-_]+/g, " ")
    .trim()
    .toLowerCase();
}
