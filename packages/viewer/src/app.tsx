import { lazy, Suspense, useEffect, useState } from "react";
import { followAddress } from "./address.ts";
import { useSession, useViewer } from "./hooks.ts";
import { DropZone } from "./open/drop-zone.tsx";
import { StartPage } from "./open/start-page.tsx";

/** What shows a recording is loaded when there is one. */
const Workbench = lazy(async () => ({ default: (await import("./shell/workbench.tsx")).Workbench }));

export function App() {
  const session = useSession();
  const hasRecording = useViewer(({ decks }) => decks.length > 0);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    setReady(true);
    return followAddress(session);
  }, [session]);
  return (
    <DropZone>
      {hasRecording ? (
        <Suspense fallback={null}>
          <Workbench />
        </Suspense>
      ) : (
        isReady && <StartPage />
      )}
    </DropZone>
  );
}
