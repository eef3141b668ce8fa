import type { DockviewApi } from "dockview";
import { type PanelKind, panelsFor } from "../../panels.ts";

/** Where the address keeps the layout. */
export const LAYOUT = "layout";
/** Of the window, what the scene has at least at first. */
export const SCENE_PART = 0.6;
/** Pixels of a drawer that is open, and below which it stays shut at first. */
const DRAWER = { wide: 380, least: 280, high: 240 };
/** Pixels of a drawer that is shut: its tabs. */
const STRIP = 30;
/** Pixels of the height that bars and a timeline with all of its lanes take. */
const BARS = 240;

type Home = NonNullable<PanelKind["home"]>;
/** The edge that has the drawer of a home. */
const EDGES = { side: "right", below: "bottom" } as const satisfies Partial<Record<Home, "right" | "bottom">>;
export type Drawer = keyof typeof EDGES;
/** Pixels of a drawer, on a screen that is higher than wide or not; null: it is shut. */
export type DrawerSize = (drawer: Drawer, isHigh: boolean) => number | null;

/** Shows a panel: the one that is there, or a new one in the drawer that is its home, which opens. */
export function showPanel(api: DockviewApi, kind: PanelKind): void {
  const panel = api.getPanel(kind.id) ?? addPanel(api, kind, kind.home ?? "side");
  panel.api.setActive();
  panel.group.api.expand();
}

/** A layout as it was kept, as far as its panels still exist; else the one there is at first, with `main` in the middle. */
export function restore(api: DockviewApi, layout: unknown, main = "scene"): void {
  if (typeof layout === "object" && layout !== null) {
    try {
      removeDrawers(api);
      api.fromJSON(layout as Parameters<DockviewApi["fromJSON"]>[0]);
      if (isHigh(api)) stackScenes(api);
      return;
    } catch {
      // Of an older viewer, or changed by hand.
    }
  }
  arrange(api, panelsFor(main), main);
}

/**
 * Lays out panels in their homes, in this order, `main` before the others; drawers are open at first where the scene
 * keeps its part beside them.
 */
export function arrange(
  api: DockviewApi,
  panels: readonly PanelKind[],
  main: string,
  sizeOf: DrawerSize = sizeAtFirst,
): void {
  api.clear();
  removeDrawers(api);
  // On a screen that is higher than wide, all is below the scene.
  const high = isHigh(api);
  const homeOf = ({ home }: PanelKind): Home | undefined => (high && home === "side" ? "below" : home);
  for (const home of ["main", "side", "below"] as const) {
    const kinds = panels.filter((kind) => homeOf(kind) === home);
    if (kinds.length === 0) continue;
    if (home !== "main") addDrawer(api, home, sizeOf(home, high));
    for (const kind of kinds) addPanel(api, kind, home);
  }
  api.getPanel(main)?.api.setActive();
}

/** A lone scene needs no tab as long as nothing lies over it; what stands in its place says what it is. */
export function hideLoneTab({ groups, panels: all }: DockviewApi): void {
  const isLone = all.every(({ id }) => !id.startsWith("scene-"));
  for (const { panels, header } of groups) {
    const isHidden = isLone && panels.length === 1 && panels[0]!.id === "scene";
    if (header.hidden !== isHidden) header.hidden = isHidden;
  }
}

/** Whether it is on a screen that is higher than wide. */
function isHigh({ height, width }: DockviewApi): boolean {
  return height > width;
}

/** Scenes that lie beside each other on a wide screen lie over each other. */
function stackScenes({ panels }: DockviewApi): void {
  const [first, ...others] = panels.filter(({ id }) => id.startsWith("scene"));
  for (const { api, group } of others)
    if (group.element.getBoundingClientRect().x > first!.group.element.getBoundingClientRect().x)
      api.moveTo({ group: first!.group, position: "bottom" });
}

function addPanel(api: DockviewApi, { id, title }: PanelKind, home: Home): ReturnType<DockviewApi["addPanel"]> {
  const drawer = home === "main" ? undefined : api.getEdgeGroup(EDGES[home]);
  const position = drawer === undefined ? {} : { position: { referenceGroup: drawer.id } };
  return api.addPanel({ id, component: id, title, inactive: drawer !== undefined, ...position });
}

function addDrawer(api: DockviewApi, home: Drawer, size: number | null): void {
  const initialSize = size ?? (home === "side" ? DRAWER.wide : DRAWER.high);
  api.addEdgeGroup(EDGES[home], {
    id: `drawer-${home}`,
    initialSize,
    collapsed: size === null,
    collapsedSize: STRIP,
  });
}

/** As `DrawerSize`, where the scene keeps its part. */
function sizeAtFirst(home: Drawer, isHigh: boolean): number | null {
  const scene = SCENE_PART * innerWidth * innerHeight;
  const [width, height] = [innerWidth - (isHigh ? 0 : STRIP), innerHeight - BARS - STRIP];
  const spare = home === "side" ? STRIP + width - scene / height : STRIP + height - scene / width;
  const isOpen = (home === "side" || isHigh) && spare >= DRAWER.least;
  return isOpen ? Math.floor(Math.min(DRAWER.wide, spare)) : null;
}

function removeDrawers(api: DockviewApi): void {
  for (const edge of Object.values(EDGES)) if (api.getEdgeGroup(edge) !== undefined) api.removeEdgeGroup(edge);
}
