import { useTimeScale } from "../use-time-scale.ts";
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
        The page is still reading the recording. Its length and its events are not known yet. You can play it until{" "}
        {scale.text(timeline?.end ?? 0)}.
      </p>
      <progress aria-label="Read" max={1} {...(total === null ? {} : { value: done / total })} />
    </section>
  );
}
