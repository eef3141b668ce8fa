import type { DockviewApi } from "dockview";
import { goToEvent } from "../events/event-list.ts";
import { goToSpan } from "../ask/asking.ts";
import { goToDifference } from "../compare/comparing.ts";
import { exportShown } from "../export/shown.ts";
import { pickFiles } from "../open/pick.ts";
import { PANELS } from "../panels.ts";
import { SCENE_COMMANDS, WORLD_COMMANDS } from "../scene/commands.ts";
import type { Command } from "../transport/commands.ts";
import { unfoldMessages } from "../timeline/lanes.ts";
import { videoShown } from "../video/shown.ts";
import { reset, showPanel } from "./layout.ts";

/** What can be done with panels and files. */
export function commandsOf(dock: DockviewApi): readonly Command[] {
  return [
    { title: "Next event", keys: ["e"], run: (session) => void goToEvent(session, 1) },
    { title: "Previous event", keys: ["Shift+E"], run: (session) => void goToEvent(session, -1) },
    { title: "Next time found", keys: ["f"], run: (session) => goToSpan(session, 1) },
    { title: "Previous time found", keys: ["Shift+F"], run: (session) => goToSpan(session, -1) },
    { title: "Next difference", keys: ["x"], run: (session) => goToDifference(session, 1) },
    { title: "Previous difference", keys: ["Shift+X"], run: (session) => goToDifference(session, -1) },
    ...PANELS.map((kind) => ({ title: `Show ${kind.title}`, keys: [], run: () => showPanel(dock, kind) })),
    ...WORLD_COMMANDS,
    ...SCENE_COMMANDS,
    { title: "Messages by channel on the timeline", keys: [], run: unfoldMessages },
    { title: "Default layout", keys: [], run: (session) => reset(dock, session) },
    { title: "Open files …", keys: ["Ctrl+o"], run: (session) => void pickFiles(session, "files") },
    { title: "Open a folder …", keys: [], run: (session) => void pickFiles(session, "folder") },
    { title: "Add files as ghosts …", keys: [], run: (session) => void pickFiles(session, "files", "ghosts") },
    { title: "Export …", keys: [], run: () => exportShown.set(true) },
    { title: "Video …", keys: ["Shift+V"], run: () => videoShown.set(true) },
    { title: "Close", keys: [], run: (session) => void session.close() },
  ];
}
