import "./live.css";
import { useFrame, useViewer } from "../hooks.ts";
import { Button } from "../ui/button.tsx";
import type { Live } from "./use-live.ts";

/** That a recording is being made, and whether what is shown is of now, or how far behind; a click goes there. */
export function LiveBadge({ live: { isNow, goNow, failure } }: { readonly live: Live }) {
  const end = useViewer(({ decks }) => decks[0]?.opened.timeline.end ?? 0);
  const time = useFrame(2)?.time ?? end;
  const behind = Math.max(0, Math.round((end - time) / 1e9));
  return (
    <>
      <Button
        className="button button-plain live-badge"
        aria-pressed={isNow}
        onClick={goNow}
        title={isNow ? "This is what is happening now" : "Back to what is happening now (End)"}
      >
        Live
        {!isNow && <span className="live-behind">{behindText(behind)} behind</span>}
      </Button>
      {failure !== null && (
        <span className="live-failure" role="status" title={failure}>
          No connection, trying again …
        </span>
      )}
    </>
  );
}

function behindText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
