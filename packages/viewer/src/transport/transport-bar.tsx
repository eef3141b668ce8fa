import { useTimeScale } from "../use-time-scale.ts";
import { useFrames, useSession, useViewer } from "../hooks.ts";
import { tickAt } from "../time.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useRef } from "react";
import { RATES, toggle } from "./commands.ts";
import { TimeField } from "./time-field.tsx";

/** Going through time, and what time it is. */
export function TransportBar() {
  const session = useSession();
  const phase = useViewer(({ status }) => status.phase);
  const rate = useViewer(({ status }) => status.rate);
  const loop = useViewer(({ status }) => status.loop);
  const timeline = useViewer(({ decks }) => decks[0]?.opened.timeline);
  const isHead = useViewer(({ decks }) => decks[0]?.opened.isHead) === true;
  const scale = useTimeScale();
  const tick = useRef<HTMLSpanElement>(null);
  useFrames((frame) => {
    if (tick.current === null || timeline === undefined) return;
    const number = tickAt(frame.time, timeline);
    tick.current.textContent = number === null ? "" : `${timeline.tick!.name} ${number}`;
  });
  const isPlaying = useViewer((state) => state.isPlaying);
  const way = rate < 0 ? " backwards" : "";
  const rates = RATES.includes(Math.abs(rate)) ? RATES : [...RATES, Math.abs(rate)].sort((a, b) => a - b);
  return (
    <div className="transport" role="toolbar" aria-label="Playing" data-phase={phase}>
      <Button kind="bare" label="To the start (Home)" onClick={() => void session.seek(session.bounds.start)}>
        <Icon name="start" />
      </Button>
      <Button kind="bare" label="One step back (,)" onClick={() => void session.step(-1)}>
        <Icon name="stepBack" />
      </Button>
      <Button kind="main" label={`${isPlaying ? "Pause" : "Play"}${way} (Space)`} onClick={() => toggle(session)}>
        <span className="play-signs">
          {isPlaying && <Icon name="pause" />}
          <Icon name={rate < 0 ? "reverse" : "play"} />
        </span>
      </Button>
      <Button kind="bare" label="One step forward (.)" onClick={() => void session.step(1)}>
        <Icon name="stepForward" />
      </Button>
      <Button
        kind="bare"
        label="To the end (End)"
        disabled={isHead}
        onClick={() => void session.seek(session.bounds.end)}
      >
        <Icon name="end" />
      </Button>
      <select
        className="field"
        aria-label="Rate"
        value={rate}
        onChange={(event) => session.setRate(Number(event.currentTarget.value))}
      >
        {["Forwards", "Backwards"].map((label, i) => (
          <optgroup key={label} label={label}>
            {rates.map((step) => (
              <option key={step} value={i === 0 ? step : -step}>
                {i === 0 ? "" : "−"}
                {step}×
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <Button
        kind="bare"
        label={loop === null ? "Loop the whole recording" : "No loop (\\)"}
        aria-pressed={loop !== null}
        disabled={isHead}
        onClick={() => session.setLoop(loop === null ? session.bounds : null)}
      >
        <Icon name="loop" />
      </Button>
      <TimeField />
      <span className="faint">/ {isHead ? "…" : scale.text(timeline?.end ?? 0)}</span>
      <span className="faint time" ref={tick} />
      <span className="spring" />
      <span className="transport-phase" role="status">
        {phase === "buffering" || phase === "loading" || phase === "failed" ? phase : ""}
      </span>
    </div>
  );
}
