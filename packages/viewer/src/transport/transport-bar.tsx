import { useRef } from "react";
import { useFrames, useSession, useViewer } from "../hooks.ts";
import { clock } from "../time.ts";
import { Button } from "../ui/button.tsx";

/** Play, pause, and the time. */
export function TransportBar() {
  const session = useSession();
  const phase = useViewer(({ status }) => status.phase);
  const time = useRef<HTMLOutputElement>(null);
  useFrames((frame) => {
    if (time.current !== null) time.current.value = clock(frame.time);
  });
  const isPlaying = phase === "playing" || phase === "buffering";
  return (
    <div className="transport" data-phase={phase}>
      <Button kind="main" onClick={() => (isPlaying ? session.pause() : session.play())}>
        {isPlaying ? "Pause" : "Play"}
      </Button>
      <output ref={time} className="time" aria-label="Time shown" />
    </div>
  );
}
