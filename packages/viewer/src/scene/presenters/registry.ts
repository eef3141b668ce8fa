import { aircraft } from "./aircraft.ts";
import { blocks } from "./blocks.ts";
import { molecules } from "./molecules.ts";
import { points } from "./points.ts";
import type { PresenterKind } from "./presenter.ts";
import { robots } from "./robots.ts";
import { traffic } from "./traffic.ts";

/** The first that claims a set draws it; sets without a claim are drawn as points. */
export const PRESENTERS: readonly PresenterKind[] = [molecules, traffic, robots, aircraft, blocks, points];
