import "./live.css";
import { createContext, useContext } from "react";
import { useFrame, useViewer } from "../hooks.ts";
import { Button } from "../ui/button.tsx";
import type { Live } from "./use-live.ts";

/** What a page knows of the recording that is shown beside what is in it. */
export interface Shown {
  /** Null: it is not being made. */
  readonly live: Live | null;
  /** What its server calls it; null: as its file is called. */
  readonly name: string | null;
}

export const ShownContext: React.Context<Shown> = createContext<Shown>({ live: null, name: null });

/** That a recording is being made, and whether what is shown is of now, or how far behind; a click goes there. */
export function LiveBadge() {
  const { live } = useContext(ShownContext);
  return live === null ? null : <Badge live={live} />;
}

function Badge({ live: { isNow, goNow, failure } }: { readonly live: Live }) {
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
