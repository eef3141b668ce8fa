import type { AddPanelPositionOptions, DockviewApi } from "dockview";
import { nameOfPanel, type PanelKind } from "../panels.ts";

/** Shows one more panel of a kind, so that all of them are seen: beside the first, or below what is in the middle. */
export function showAnother(api: DockviewApi, kind: PanelKind): void {
  let number = 2;
  while (api.getPanel(`${kind.id}-${number}`) !== undefined) number++;
  const id = `${kind.id}-${number}`;
  const panel = api.addPanel({ id, component: kind.id, title: nameOfPanel(kind, id), ...placeFor(api, kind) });
  panel.api.setActive();
}

function placeFor(api: DockviewApi, { id }: PanelKind): { readonly position?: AddPanelPositionOptions } {
  const isOfKind = (panel: string): boolean => panel === id || panel.startsWith(`${id}-`);
  const inMiddle = api.panels.filter(({ group }) => group.api.location.type === "grid");
  const other = inMiddle.findLast((panel) => isOfKind(panel.id));
  if (other !== undefined) return { position: { referencePanel: other.id, direction: "right" } };
  const [first] = inMiddle;
  return first === undefined ? {} : { position: { referencePanel: first.id, direction: "below" } };
}
