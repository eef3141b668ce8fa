import type { DockviewApi } from "dockview";
import { SCENE } from "../../scene/panel/settings.ts";
import type { PanelKind } from "../../panels.ts";
import type { Session } from "../../session.ts";
import { beginningBeside } from "./another-scene.ts";
import { addBeside } from "./beside.ts";

/** Shows one more panel of a kind. */
export function showAnother(api: DockviewApi, session: Session, kind: PanelKind): void {
  let number = 2;
  while (api.getPanel(`${kind.id}-${number}`) !== undefined) number++;
  const id = `${kind.id}-${number}`;
  if (kind.id === SCENE) session.share(id, beginningBeside(session));
  addBeside(api, kind, id).api.setActive();
}
