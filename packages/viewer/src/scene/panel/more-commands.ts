import type { Session } from "../../session.ts";
import { type MoleculeStyle, STYLES } from "../presenters/molecules/settings.ts";
import { toggleMeasuring } from "../../measure/measuring.ts";
import { usedScene } from "./lend.ts";
import { sceneSettings } from "./settings.ts";
import { addKeyframe as add } from "../../video/path-changes.ts";
import { pathShown } from "../../video/shown.ts";

/** Shows something in the scene that the user turned to last, or leaves it out. */
export function toggle(session: Session, name: "world" | "cut" | "instruments", usual: boolean): void {
  const scene = usedScene(session);
  const settings = sceneSettings(session, scene);
  session.share(scene, { ...settings, [name]: !(settings[name] ?? usual) });
}

export function measure(session: Session): void {
  toggleMeasuring(usedScene(session));
}

export function togglePath(): void {
  pathShown.set(!pathShown.value);
}

export function addKeyframe(session: Session): void {
  add(session);
  // what was added is seen
  pathShown.set(true);
}

export function nextStyle(session: Session): void {
  const scene = usedScene(session);
  const settings = sceneSettings(session, scene);
  const { style = "auto" } = settings.molecules ?? {};
  const all: readonly MoleculeStyle[] = ["auto", ...STYLES];
  const next = all[(all.indexOf(style) + 1) % all.length]!;
  session.share(scene, { ...settings, molecules: { ...settings.molecules, style: next } });
}
