import type { AddPanelPositionOptions, DockviewApi } from "dockview";
import { SCENE } from "../scene/settings.ts";
import { nameOfPanel, type PanelKind } from "../panels.ts";
import type { Session } from "../session.ts";
import { beginningBeside } from "./another-scene.ts";

/** Shows one more panel of a kind, so that all of them are seen: beside the last, on a high screen below it, or below what is in the middle. */
export function showAnother(api: DockviewApi, session: Session, kind: PanelKind): void {
  let number = 2;
  while (api.getPanel(`${kind.id}-${number}`) !== undefined) number++;
  const id = `${kind.id}-${number}`;
  if (kind.id === SCENE) session.share(id, beginningBeside(session));
  const panel = api.addPanel({ id, component: kind.id, title: nameOfPanel(kind, id), ...placeFor(api, kind) });
  panel.api.setActive();
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
