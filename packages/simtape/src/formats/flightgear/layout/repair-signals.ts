import {
  type PropertyNode,
  propertyChild,
  propertyChildren,
  propertyInteger,
  propertyNode,
} from "../../../codec/properties.ts";
import { propertyPath, SIGNAL_TYPES, type SignalType } from "./signals.ts";

/** The most signals that are believed. */
const MAX_SIGNALS = 65536;

/**
 * A config tree whose list of signals was damaged, put right by what it says twice: FlightGear numbers the signals,
 * orders them by type and tells how many of each type there are (spec §2.1). A signal that is gone gets a name that
 * tells so. Null when the tree does not say enough.
 */
export function repairSignals(config: PropertyNode): PropertyNode | null {
  const list = propertyChild(config, "signals") ?? propertyNode("signals");
  if (propertyChildren(list, "signals").length > 0) return null;
  const counts = SIGNAL_TYPES.map((type) => {
    const node = propertyChild(config, type);
    return node === undefined ? 0 : propertyInteger(node);
  });
  const total = counts.reduce((sum, count) => sum + Math.max(0, count), 0);
  const there = new Map(propertyChildren(list, "signal").map((signal) => [signal.index, signal]));
  if (total === 0 || total > MAX_SIGNALS || there.size > total) return null;
  const signals: PropertyNode[] = [];
  const seen = new Set<string>();
  SIGNAL_TYPES.forEach((type, k) => {
    for (let n = 0; n < counts[k]!; n++) {
      signals.push(repaired(there.get(signals.length), signals.length, type, seen));
    }
  });
  const nodes = propertyNode("signals", { index: list.index, children: signals });
  return { ...config, children: [...config.children.filter((child) => child !== list), nodes] };
}

function repaired(signal: PropertyNode | undefined, index: number, type: SignalType, seen: Set<string>): PropertyNode {
  const found = (signal === undefined ? undefined : propertyChild(signal, "property"))?.value ?? "";
  const isNew = found.startsWith("/") && !seen.has(propertyPath(found));
  const property = isNew ? found : `/lost[0]/signal[${index}]`;
  seen.add(propertyPath(property));
  const interpolation = signal === undefined ? undefined : propertyChild(signal, "interpolation");
  return propertyNode("signal", {
    index,
    children: [
      propertyNode("type", { type: "string", value: type }),
      interpolation ?? propertyNode("interpolation", { type: "string", value: "linear" }),
      propertyNode("property", { type: "string", value: property }),
    ],
  });
}
