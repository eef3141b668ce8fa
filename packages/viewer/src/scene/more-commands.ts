import type { Session } from "../session.ts";
import { type MoleculeStyle, STYLES } from "./presenters/molecules/settings.ts";
import type { SceneSettings } from "./scene-panel.tsx";

export { toggleMeasuring } from "../measure/measuring.ts";

export function nextStyle(session: Session): void {
  const settings = (session.state.value.shared["scene"] ?? {}) as SceneSettings;
  const { style = "auto" } = settings.molecules ?? {};
  const all: readonly MoleculeStyle[] = ["auto", ...STYLES];
  const next = all[(all.indexOf(style) + 1) % all.length]!;
  session.share("scene", { ...settings, molecules: { ...settings.molecules, style: next } });
}
