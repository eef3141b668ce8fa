import type { DockviewApi } from "dockview";
import { PANELS } from "../../panels.ts";
import { SCENE } from "../../scene/panel/settings.ts";
import type { Session } from "../../session.ts";
import { showAnother } from "./another.ts";
import { showPanel } from "./layout.ts";

/** Shows a second scene beside the first; where there is one, closes it. */
export function toggleSceneBeside(api: DockviewApi, session: Session): void {
  const kind = PANELS.find(({ id }) => id === SCENE)!;
  const last = api.panels.findLast(({ id }) => id.startsWith(`${SCENE}-`));
  if (last !== undefined) last.api.close();
  else if (api.getPanel(SCENE) === undefined) showPanel(api, kind);
  else showAnother(api, session, kind);
}
