import type { DockviewApi } from "dockview";
import { mainPanel, type Session } from "../session.ts";
import { type PanelKind, panelsFor } from "../panels.ts";

/** Of the height, what lies below the scene takes at first. */
const BELOW = 0.32;
/** Each of what lies below it where nothing lies beside. */
const BESIDE = 0.24;

/** Shows a panel: the one that is there, or a new one in the group that is used. */
export function showPanel(api: DockviewApi, { id, title }: PanelKind): void {
  const there = api.getPanel(id);
  if (there !== undefined) there.api.setActive();
  else api.addPanel({ id, component: id, title });
}

/** A layout as it was kept, as far as its panels still exist; else the one there is at first, with `main` in the middle. */
export function restore(api: DockviewApi, layout: unknown, main = "scene"): void {
  if (typeof layout === "object" && layout !== null) {
    try {
      api.fromJSON(layout as Parameters<DockviewApi["fromJSON"]>[0]);
      return;
    } catch {
      // Of an older viewer, or changed by hand.
    }
  }
  api.clear();
  const kinds = panelsFor(main).filter(({ home }) => home !== undefined);
  const first = new Map<string, string>();
  // On a screen that is higher than wide, all is below the scene.
  const isHigh = api.height > api.width;
  for (const home of ["main", "side", "below"] as const) {
    for (const { id, title } of kinds.filter((kind) => kind.home === home)) {
      const beside = first.get(home);
      const reference = beside ?? first.get("main") ?? first.get("side");
      const direction = beside !== undefined ? "within" : home === "side" && !isHigh ? "right" : "below";
      api.addPanel({
        id,
        component: id,
        title,
        inactive: beside !== undefined,
        ...(reference === undefined ? {} : { position: { referencePanel: reference, direction } }),
        ...(beside === undefined ? sizeOf(home, isHigh, api.height) : {}),
      });
      if (beside === undefined) first.set(home, id);
    }
  }
  if (!isHigh) return;
  // What came last took its height from the lowest, not from the scene.
  for (const [home, part] of [
    ["main", 1 - 2 * BESIDE],
    ["side", BESIDE],
  ] as const) {
    const id = first.get(home);
    if (id !== undefined) api.getPanel(id)?.api.setSize({ height: Math.round(part * api.height) });
  }
}

/** Pixels that a group takes at first. */
function sizeOf(
  home: PanelKind["home"],
  isHigh: boolean,
  height: number,
): { initialWidth?: number; initialHeight?: number } {
  if (home === "main") return {};
  if (isHigh) return { initialHeight: Math.round(BESIDE * height) };
  return home === "side" ? { initialWidth: 380 } : { initialHeight: Math.round(BELOW * height) };
}

/** Back to the layout there is at first, which no address need carry. */
export function reset(api: DockviewApi, session: Session): void {
  restore(api, null, mainPanel(session.state.value));
  session.share("layout", undefined);
}
