import { useMemo, useState } from "react";
import { useTimeScale } from "../../use-time-scale.ts";
import { useSession, useViewer } from "../../hooks.ts";
import { GUTTER, MARGIN } from "../../timeline/measures.ts";
import { useWindow } from "../../timeline/use-window.ts";
import { pixelOf, wholeOf } from "../../timeline/window.ts";
import type { Note } from "../shapes.ts";

/** Notes as flags above the timeline, by the same times; nothing while there are none. */
export function NoteLane({ notes }: { readonly notes: readonly Note[] | null }) {
  const opened = useViewer(({ decks }) => decks[0]?.opened);
  if (opened === undefined || notes === null || notes.length === 0) return null;
  return <Flags notes={notes} timeline={opened.timeline} />;
}

function Flags({
  notes,
  timeline,
}: {
  readonly notes: readonly Note[];
  readonly timeline: { readonly start: number; readonly end: number };
}) {
  const session = useSession();
  const scale = useTimeScale();
  const all = useMemo(() => wholeOf(timeline), [timeline]);
  const [window] = useWindow(all);
  const [width, setWidth] = useState(0);
  const plot = Math.max(1, width - GUTTER - MARGIN);
  const measure = (element: HTMLElement | null): (() => void) | undefined => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  };
  const seen = notes.filter(({ time }) => time * 1e9 >= window.start && time * 1e9 <= window.end);
  return (
    <div ref={measure} className="note-lane">
      <span className="faint">Notes</span>
      {seen.map(({ id, time, text, author }) => (
        <button
          key={id}
          type="button"
          className="note-flag"
          style={{ left: GUTTER + pixelOf(time * 1e9, window, plot) }}
          title={`${scale.text(time * 1e9, 0)} ${author}: ${text}`}
          aria-label={`Note at ${scale.text(time * 1e9, 0)}: ${text}`}
          onClick={() => void session.seek(time * 1e9)}
        />
      ))}
    </div>
  );
}
