import type { DockviewApi } from "dockview";
import { useContext, useMemo, useState } from "react";
import { useViewer } from "../hooks.ts";
import { Timeline } from "../timeline/timeline.tsx";
import { Keys } from "../transport/keys.tsx";
import type { Command } from "../transport/commands.ts";
import { TransportBar } from "../transport/transport-bar.tsx";
import { RECORDING_COMMANDS } from "./commands.ts";
import { Dock } from "./layout/dock.tsx";
import { Notices } from "./notices.tsx";
import { PlaceContext } from "./layout/place.ts";
import { TopBar } from "./top-bar.tsx";
import { late } from "../ui/late.tsx";

const Reading = late(
  async () => (await import("../timeline/reading.tsx")).Reading,
  <div className="timeline-reading" />,
);

/** The page with a recording: what is open above, panels in the middle, time below. */
export function Workbench() {
  const [dock, setDock] = useState<DockviewApi | null>(null);
  const isHead = useViewer(({ decks }) => decks[0]?.opened.isHead) === true;
  const place = useContext(PlaceContext);
  const others = place?.commands;
  const [more, setMore] = useState<readonly Command[]>([]);
  const commands = useMemo(() => [...RECORDING_COMMANDS, ...(others ?? [])], [others]);
  return (
    <div className="workbench">
      <Notices />
      <Keys extra={commands} later={more} />
      <div>
        <TopBar dock={dock} />
        {place?.below}
      </div>
      <main className="workbench-panels">
        <Dock onReady={setDock} onBegin={setMore} />
      </main>
      <footer>
        {place?.strip}
        {isHead ? <Reading /> : <Timeline />}
        <TransportBar />
      </footer>
    </div>
  );
}
