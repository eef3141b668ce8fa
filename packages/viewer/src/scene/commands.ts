import type { Session } from "../session.ts";
import type { Command } from "../transport/commands.ts";
import type { SceneSettings } from "./scene-panel.tsx";

/** What can be done with the world that a recording was made in. */
export const WORLD_COMMANDS: readonly Command[] = [
  { title: "Show the world, or leave it out", keys: ["w"], run: (session) => toggle(session, "world", true) },
  { title: "Cut the world above the players, or not", keys: ["c"], run: (session) => toggle(session, "cut", false) },
];

function toggle(session: Session, name: "world" | "cut", usual: boolean): void {
  const settings = (session.state.value.shared["scene"] ?? {}) as SceneSettings;
  session.share("scene", { ...settings, [name]: !(settings[name] ?? usual) });
}
