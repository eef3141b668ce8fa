import { useTimeScale } from "../clock.ts";
import { useViewer } from "../hooks.ts";

/** In place of the timeline, while only the head of a recording is open: how much of it is read. */
export function Reading() {
  const opening = useViewer((state) => state.opening);
  const timeline = useViewer(({ decks }) => decks[0]?.opened.timeline);
  const scale = useTimeScale();
  const { done = 0, total = null } = opening ?? {};
  return (
    <section className="timeline-reading" aria-label="Timeline">
      <p>
        The rest is still being read: how long the recording is, and what happens in it, is not known yet. Until{" "}
        {scale.text(timeline?.end ?? 0)} it can be played.
      </p>
      <progress aria-label="Read" max={1} {...(total === null ? {} : { value: done / total })} />
    </section>
  );
}
