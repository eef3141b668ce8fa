import { useEffect, useState } from "react";
import { followAddress } from "./address.ts";
import { useSession, useViewer } from "./hooks.ts";
import { ShownContext } from "./live/shown.ts";
import { useLiveView } from "./live/use-live-view.ts";
import { DropZone } from "./open/drop-zone.tsx";
import { StartPage } from "./open/start-page.tsx";
import { serverRoot } from "./server/root.ts";
import { late } from "./ui/late.tsx";
import { Workbench } from "./shell/late-workbench.ts";

/** The pages of a server with a library. */
const Site = late(async () => (await import("./server/site.tsx")).Site);

/** Files of this machine that the system opens are shown without the library: nothing of them is sent to it. */
const isAlone = new URL(location.href).searchParams.has("alone");

export function App() {
  if (serverRoot() === null || isAlone) return <Alone />;
  return <Site />;
}

/** The page without a server of its own, or served by `simtape view`. */
function Alone() {
  const session = useSession();
  const hasRecording = useViewer(({ decks }) => decks.length > 0);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    setReady(true);
    return followAddress(session);
  }, [session]);
  return <DropZone>{hasRecording ? <Running /> : isReady && <StartPage />}</DropZone>;
}

/** What is open, which may be what a program does now. */
function Running() {
  // outside of what waits: it looks at the address, which is written again soon
  const shown = useLiveView();
  return (
    <ShownContext value={shown}>
      <Workbench />
    </ShownContext>
  );
}
