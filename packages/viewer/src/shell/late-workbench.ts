import type { ComponentType } from "react";
import { late } from "../ui/late.tsx";

/** What shows a recording; loaded when there is one. */
export const Workbench: ComponentType = late(async () => (await import("./workbench.tsx")).Workbench);
