import type { Session } from "../session.ts";
import { toggleMeasuring } from "../measure/measuring.ts";
import type { Command } from "../transport/commands.ts";
import { type MoleculeStyle, STYLES } from "./presenters/molecules/settings.ts";
import type { SceneSettings } from "./scene-panel.tsx";

/** What can be done with the world that a recording was made in. */
export const WORLD_COMMANDS: readonly Command[] = [
  { title: "Show the world, or leave it out", keys: ["w"], run: (session) => toggle(session, "world", true) },
  { title: "Cut the world above the players, or not", keys: ["c"], run: (session) => toggle(session, "cut", false) },
];

/** What can be done with things in the scene. */
export const SCENE_COMMANDS: readonly Command[] = [
  { title: "Measure between things, or stop", keys: ["m"], run: toggleMeasuring },
  { title: "Next style of molecules", keys: ["Shift+M"], run: nextStyle },
];

function nextStyle(session: Session): void {
  const settings = (session.state.value.shared["scene"] ?? {}) as SceneSettings;
  const { style = "auto" } = settings.molecules ?? {};
  const all: readonly MoleculeStyle[] = ["auto", ...STYLES];
  const next = all[(all.indexOf(style) + 1) % all.length]!;
  session.share("scene", { ...settings, molecules: { ...settings.molecules, style: next } });
}

function toggle(session: Session, name: "world" | "cut", usual: boolean): void {
  const settings = (session.state.value.shared["scene"] ?? {}) as SceneSettings;
  session.share("scene", { ...settings, [name]: !(settings[name] ?? usual) });
}
