import type { Session } from "../session.ts";
import { type MoleculeStyle, STYLES } from "./presenters/molecules/settings.ts";
import { SCENE, sceneSettings } from "./settings.ts";
import { addKeyframe as add } from "../video/path-changes.ts";
import { pathShown } from "../video/shown.ts";

export { toggleMeasuring } from "../measure/measuring.ts";

export function togglePath(): void {
  pathShown.set(!pathShown.value);
}

export function addKeyframe(session: Session): void {
  add(session);
  // what was added is seen
  pathShown.set(true);
}

export function nextStyle(session: Session): void {
  const settings = sceneSettings(session);
  const { style = "auto" } = settings.molecules ?? {};
  const all: readonly MoleculeStyle[] = ["auto", ...STYLES];
  const next = all[(all.indexOf(style) + 1) % all.length]!;
  session.share(SCENE, { ...settings, molecules: { ...settings.molecules, style: next } });
}
