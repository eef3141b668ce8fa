import { type ComponentType, createElement } from "react";
import { late } from "./ui/late.tsx";

/** A kind of panel: it takes nothing, and gets what it shows from `hooks.ts`. */
export interface PanelKind {
  /** Kept in addresses and saved layouts: never changes. */
  readonly id: string;
  readonly title: string;
  /** Loaded when it is first shown. */
  readonly component: ComponentType;
  /** Where it is at first, in a layout that is unchanged; absent: it is opened from the menu. */
  readonly home?: "main" | "side" | "below";
  /** What it shows is true of one moment, and so of a recording of which only the head is open. */
  readonly showsMoment?: boolean;
  /** There may be several, each with what it shows: the others have the ids `plots-2`, `plots-3`. */
  readonly isMany?: boolean;
}

export const PANELS: readonly PanelKind[] = [
  {
    id: "scene",
    title: "Scene",
    component: panel(async () => (await import("./scene/panel/scene-panel.tsx")).ScenePanel),
    home: "main",
    showsMoment: true,
    isMany: true,
  },
  {
    id: "plots",
    title: "Plots",
    component: panel(async () => (await import("./plots/plots-panel.tsx")).PlotsPanel),
    home: "below",
    isMany: true,
  },
  {
    id: "events",
    title: "Events",
    component: panel(async () => (await import("./events/events-panel.tsx")).EventsPanel),
    home: "side",
  },
  {
    id: "find",
    title: "Find",
    component: panel(async () => (await import("./ask/ask-panel.tsx")).AskPanel),
    home: "side",
  },
  {
    id: "state",
    title: "State",
    component: panel(async () => (await import("./inspect/state-panel.tsx")).StatePanel),
    home: "side",
    showsMoment: true,
  },
  {
    id: "messages",
    title: "Messages",
    component: panel(async () => (await import("./inspect/messages-panel.tsx")).MessagesPanel),
    home: "side",
  },
  {
    id: "bytes",
    title: "Bytes",
    component: panel(async () => (await import("./inspect/bytes-panel.tsx")).BytesPanel),
    home: "side",
  },
  {
    id: "compare",
    title: "Compare",
    component: panel(async () => (await import("./compare/compare-panel.tsx")).ComparePanel),
  },
  {
    id: "race",
    title: "Race",
    component: panel(async () => (await import("./race/race-panel.tsx")).RacePanel),
  },
  {
    id: "stats",
    title: "Statistics",
    component: panel(async () => (await import("./stats/stats-panel.tsx")).StatsPanel),
  },
  {
    id: "info",
    title: "Info",
    component: panel(async () => (await import("./inspect/info-panel.tsx")).InfoPanel),
    home: "side",
  },
];

/** Where panels are at first, with another one than the scene in the middle for what the scene does not show. */
export function panelsFor(main: string): readonly PanelKind[] {
  return PANELS.map((kind) => {
    if (kind.id === main) return { ...kind, home: "main" };
    const { home, ...rest } = kind;
    return home === "main" ? rest : kind;
  });
}

/** The title of a panel: of one of several with its number. */
export function nameOfPanel({ id, title }: PanelKind, panel: string): string {
  return title + panel.slice(id.length).replace("-", " ");
}

function panel(load: () => Promise<ComponentType>): ComponentType {
  return late(load, createElement("p", { className: "panel-note" }, "Loading …"));
}
