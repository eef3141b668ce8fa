import { type Late, late } from "../ui/late.tsx";

/** What shows a recording; loaded when there is one. */
export const Workbench: Late<object> = late(async () => (await import("./workbench.tsx")).Workbench);
