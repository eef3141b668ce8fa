import type { State } from "simtape";
import type { DrawnColor, DrawnStyle } from "./settings.ts";
import type { Structure } from "./structure.ts";

/** One colour and what it stands for. */
export interface LegendLine {
  readonly text: string;
  readonly color: string;
}

/** What is known of molecules beside the picture. */
export interface MoleculeFacts {
  readonly structure: Structure;
  readonly style: DrawnStyle;
  readonly color: DrawnColor;
  readonly legend: readonly LegendLine[];
  readonly state: State;
  /** kJ/mol/nm; 0: no force is recorded now. */
  readonly force: number;
}
