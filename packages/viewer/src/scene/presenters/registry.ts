import type { EntitySet } from "simtape";
import { aircraft } from "./aircraft.ts";
import { blocks } from "./blocks.ts";
import { molecules } from "./molecules/molecules.ts";
import type { PresenterKind } from "./presenter.ts";
import { robots } from "./robots.ts";
import { thingsAs } from "./things.ts";
import { traffic } from "./traffic.ts";

/** By the names that formats have for them. */
export const PRESENTERS: ReadonlyMap<string, PresenterKind> = new Map<string, PresenterKind>([
  ["molecules", molecules],
  ["traffic", traffic],
  ["robots", robots],
  ["aircraft", aircraft],
  ["blocks", blocks],
  ["points", thingsAs("point")],
  ["vehicle", thingsAs("vehicle")],
  ["vessel", thingsAs("vessel")],
  ["person", thingsAs("person")],
]);

/** The first that claims a set draws it, where its format names none; sets without a claim are drawn as points. */
export function claimant(name: string, set: EntitySet): PresenterKind | undefined {
  return [...PRESENTERS.values()].find((candidate) => candidate.claims(name, set));
}
