import type { DockviewApi } from "dockview";
import { fieldWanted } from "../ask/asking.ts";
import { redo, undo } from "../changes.ts";
import { exportShown } from "../export/shown.ts";
import { pickFiles } from "../open/pick.ts";
import { PANELS } from "../panels.ts";
import type { Session } from "../session.ts";
import { choose, scheme } from "../theme.ts";
import { unfoldMessages } from "../timeline/lanes.ts";
import type { Command } from "../transport/commands.ts";
import { showAnother } from "./layout/another.ts";
import { showPanel } from "./layout/layout.ts";
import { reset } from "./layout/layout-keeper.ts";
import { layOut, PRESETS } from "./layout/presets.ts";
import { toggleSceneBeside } from "./layout/scene-beside.ts";

/** What can be done with panels, their layout and files: nearly all of it by the palette alone. */
export function moreCommands(dock: DockviewApi): readonly Command[] {
  return [
    ...PANELS.map((kind) => ({
      title: `Show ${kind.title}`,
      keys: [],
      run: () => {
        showPanel(dock, kind);
        if (kind.id === "find") fieldWanted.set(true);
      },
    })),
    ...PANELS.filter(({ isMany }) => isMany).map((kind) => ({
      title: `Another ${kind.title}`,
      keys: [],
      run: (session: Session) => showAnother(dock, session, kind),
    })),
    { title: "Scene beside, or close it", keys: ["Shift+S"], run: (session) => toggleSceneBeside(dock, session) },
    ...PRESETS.map(({ id, title }) => ({
      title: `Layout: ${title}`,
      keys: [],
      run: (session: Session) => layOut(dock, session, id),
    })),
    { title: "Default layout", keys: [], run: reset },
    { title: "Light or dark", keys: ["Shift+D"], run: () => choose(scheme.value === "dark" ? "light" : "dark") },
    { title: "Undo in layout and camera path", keys: ["Ctrl+z"], run: undoLast },
    { title: "Redo in them", keys: ["Ctrl+Shift+Z"], run: redoLast },
    { title: "Messages by channel on the timeline", keys: [], run: unfoldMessages },
    { title: "Open a folder …", keys: [], run: (session) => void pickFiles(session, "folder") },
    { title: "Add files as ghosts …", keys: [], run: (session) => void pickFiles(session, "files", "ghosts") },
    { title: "Export …", keys: [], run: () => exportShown.set(true) },
    { title: "Close", keys: [], run: (session) => void session.close() },
  ];
}

function undoLast(session: Session): void {
  if (undo(session) === null) session.tell("Nothing was changed");
}

function redoLast(session: Session): void {
  if (redo(session) === null) session.tell("Nothing was undone");
}
