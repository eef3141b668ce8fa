import type { AddPanelPositionOptions, DockviewApi } from "dockview";
import { nameOfPanel, type PanelKind } from "../../panels.ts";

/** Adds a panel of a kind, so that all of them are seen: beside the last, on a high screen below it, or below what is in the middle. */
export function addBeside(api: DockviewApi, kind: PanelKind, id: string): ReturnType<DockviewApi["addPanel"]> {
  return api.addPanel({ id, component: kind.id, title: nameOfPanel(kind, id), ...placeFor(api, kind) });
}

function placeFor(api: DockviewApi, { id }: PanelKind): { readonly position?: AddPanelPositionOptions } {
  const isOfKind = (panel: string): boolean => panel === id || panel.startsWith(`${id}-`);
  const inMiddle = api.panels.filter(({ group }) => group.api.location.type === "grid");
  const other = inMiddle.findLast((panel) => isOfKind(panel.id));
  if (other !== undefined)
    return { position: { referencePanel: other.id, direction: api.height > api.width ? "below" : "right" } };
  const [first] = inMiddle;
  return first === undefined ? {} : { position: { referencePanel: first.id, direction: "below" } };
}
