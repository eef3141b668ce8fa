import type { DockviewApi } from "dockview";
import { useMemo, useState } from "react";
import { Timeline } from "../timeline/timeline.tsx";
import { Keys } from "../transport/keys.tsx";
import { TransportBar } from "../transport/transport-bar.tsx";
import { commandsOf } from "./commands.ts";
import { Dock } from "./dock.tsx";
import { Notices } from "./notices.tsx";
import { TopBar } from "./top-bar.tsx";

/** The page with a recording: what is open above, panels in the middle, time below. */
export function Workbench() {
  const [dock, setDock] = useState<DockviewApi | null>(null);
  const commands = useMemo(() => (dock === null ? [] : commandsOf(dock)), [dock]);
  return (
    <div className="workbench">
      <Notices />
      <Keys extra={commands} />
      <TopBar dock={dock} />
      <main className="workbench-panels">
        <Dock onReady={setDock} />
      </main>
      <footer>
        <Timeline />
        <TransportBar />
      </footer>
    </div>
  );
}
