import type { Session } from "../../session.ts";
import type { Command } from "../../transport/commands.ts";

/** What can be done with the world that a recording was made in. */
export const WORLD_COMMANDS: readonly Command[] = [
  { title: "Show the world, or leave it out", keys: ["w"], run: (session) => toggle(session, "world", true) },
  { title: "Cut the world above the players, or not", keys: ["c"], run: (session) => toggle(session, "cut", false) },
];

/** Loaded with the first key: the first page is small. */
const more = () => import("./more-commands.ts");

/** What can be done with things in the scene. */
export const SCENE_COMMANDS: readonly Command[] = [
  { title: "Show flight instruments, or not", keys: ["i"], run: (session) => toggle(session, "instruments", true) },
  {
    title: "Measure between things, or stop",
    keys: ["m"],
    run: (session) => void more().then((it) => it.measure(session)),
  },
  {
    title: "Next style of molecules",
    keys: ["Shift+M"],
    run: (session) => void more().then((it) => it.nextStyle(session)),
  },
  { title: "Camera path", keys: ["Shift+P"], run: () => void more().then((it) => it.togglePath()) },
  { title: "Add a keyframe", keys: ["Shift+K"], run: (session) => void more().then((it) => it.addKeyframe(session)) },
];

function toggle(session: Session, name: "world" | "cut" | "instruments", usual: boolean): void {
  void more().then((it) => it.toggle(session, name, usual));
}
