import { toJson } from "../../model/values/json.ts";
import type { EntitySet, State } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";

/** The shape of `simtape state --json`; `findings` are what is damaged in the recording. */
export function stateToJson(state: State, findings?: readonly unknown[]): string {
  const sets: Record<string, unknown> = {};
  for (const [name, set] of state.sets) sets[name] = setToPlain(set);
  return toJson({ time: state.time, values: Object.fromEntries(state.values), sets, findings });
}

function setToPlain(set: EntitySet): unknown {
  const columns: Record<string, unknown> = {};
  for (const [name, { unit, width, data }] of set.columns) columns[name] = { unit, width, data };
  return { ids: set.ids, columns, ...(set.axes === null ? {} : { axes: set.axes }) };
}

/** A value on one line for people, cut to `width` characters. */
export function preview(value: Value, width: number): string {
  const text = typeof value === "string" ? value : toJson(brief(value));
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Long arrays shortened, so that a preview never formats a million numbers. */
function brief(value: Value): unknown {
  if (ArrayBuffer.isView(value))
    return value.length <= 12 ? value : [...Array.from(value.subarray(0, 6)), `… ${value.length} in all`];
  if (Array.isArray(value)) {
    const items = value.slice(0, 8).map((item) => brief(item as Value));
    return value.length <= 8 ? items : [...items, `… ${value.length} in all`];
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, brief(item as Value)]));
  }
  return value;
}
