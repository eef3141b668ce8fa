import type { DockviewApi } from "dockview";
import { useState } from "react";
import { TransportBar } from "../transport/transport-bar.tsx";
import { Dock } from "./dock.tsx";
import { TopBar } from "./top-bar.tsx";

/** The page with a recording: what is open above, panels in the middle, time below. */
export function Workbench() {
  const [dock, setDock] = useState<DockviewApi | null>(null);
  return (
    <div className="workbench">
      <TopBar dock={dock} />
      <main className="workbench-panels">
        <Dock onReady={setDock} />
      </main>
      <footer>
        <TransportBar />
      </footer>
    </div>
  );
}
