import { useViewer } from "./hooks.ts";
import { UNITS, unitSystem, type UnitSystem } from "./measures.ts";

/** The system that is chosen; kept in the address. */
export function useUnitSystem(): UnitSystem {
  return unitSystem(useViewer(({ shared }) => shared[UNITS]));
}
