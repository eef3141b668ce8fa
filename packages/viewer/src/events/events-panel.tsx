import "../inspect/inspect.css";
import "./events.css";
import { useEffect, useMemo, useState } from "react";
import { useFrame, useObservable, useSession, useViewer } from "../hooks.ts";
import { VirtualList } from "../inspect/virtual-list.tsx";
import type { Deck } from "../session.ts";
import { useTimeScale } from "../use-time-scale.ts";
import { Button } from "../ui/button.tsx";
import {
  ALL,
  among,
  eventListOf,
  goToEvent,
  indexAt,
  kindName,
  type Known,
  showEvent,
  textOf,
  WANTED,
  wantedIn,
} from "./event-list.ts";
import { folded } from "./presence.ts";

/** Kinds that are offered as filters. */
const KINDS = 24;

/** What happened, by time: who, what; those of a kind, or in which words occur. */
export function EventsPanel() {
  const deck = useViewer(({ decks }) => decks[0]);
  return deck === undefined ? null : <EventsOf key={deck.opened.recording} deck={deck} />;
}

function EventsOf({ deck }: { readonly deck: Deck }) {
  const session = useSession();
  const shared = useViewer((state) => state.shared);
  const list = useMemo(() => eventListOf(session, deck), [session, deck]);
  const known = useObservable(list.known, (value) => value);
  const now = useFrame(8)?.time ?? 0;
  const scale = useTimeScale();
  const [active, setActive] = useState(-1);
  const kept = shared[WANTED];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is wanted counts
  const wanted = useMemo(() => wantedIn(shared), [kept]);
  const [isUnfolded, unfold] = useState(false);
  const found = useMemo(() => among(known.events, wanted), [known, wanted]);
  // What is looked for is shown.
  const isAll = isUnfolded || wanted.kinds.length > 0 || wanted.text !== "";
  const { start } = deck.opened.timeline;
  const events = useMemo(() => (isAll ? found : folded(found, start)), [found, isAll, start]);
  const kinds = useMemo(() => countsOf(known), [known]);
  const current = indexAt(events, now);
  // What was chosen stays as long as its time is shown; of several at a time any may be.
  useEffect(() => setActive((index) => (events[index]?.time === now ? index : indexAt(events, now))), [events, now]);

  const want = (next: Partial<typeof wanted>): void => {
    const all = { ...wanted, ...next };
    session.share(WANTED, all.kinds.length === 0 && all.text === "" ? undefined : all);
  };
  return (
    <div className="inspect">
      <div className="inspect-bar">
        <input
          type="search"
          className="field"
          aria-label="Search events"
          placeholder="Who, what …"
          value={wanted.text}
          onChange={(event) => want({ text: event.currentTarget.value })}
        />
        <Button label="Previous event (Shift E)" onClick={() => void goToEvent(session, -1)}>
          ‹
        </Button>
        <Button label="Next event (E)" onClick={() => void goToEvent(session, 1)}>
          ›
        </Button>
        <output>{countText(known, found.length)}</output>
      </div>
      {known.phase === "listed" && (
        <p className="panel-note">
          These are the events that the file lists.{" "}
          <Button onClick={() => void list.read(true)}>Read the whole recording for more</Button>
        </p>
      )}
      {kinds.length > 1 && (
        <fieldset className="event-kinds" aria-label="Kinds of events">
          {kinds.slice(0, KINDS).map(([kind, count]) => {
            const isWanted = wanted.kinds.includes(kind);
            const others = wanted.kinds.filter((other) => other !== kind);
            return (
              <button
                key={kind}
                type="button"
                title={kind}
                aria-pressed={isWanted}
                onClick={() => want({ kinds: isWanted ? others : [...others, kind] })}
              >
                {kindName(kind)} <small>{count.toLocaleString("en")}</small>
              </button>
            );
          })}
          {wanted.kinds.length > 0 && (
            <button type="button" onClick={() => want({ kinds: ALL.kinds })}>
              all kinds
            </button>
          )}
        </fieldset>
      )}
      <VirtualList
        label="Events"
        role="listbox"
        count={events.length}
        active={Math.min(active, events.length - 1)}
        onActive={setActive}
        onChoose={(index) => {
          const event = events[index];
          if (event === undefined) return;
          if ("folds" in event) unfold(true);
          showEvent(session, event);
        }}
        row={(index) => {
          const event = events[index]!;
          const { time, kind, who } = event;
          const text = textOf(event);
          return {
            key: `${index}`,
            attributes: {
              title: "folds" in event ? `${text}: press to list them` : `${kind}: ${text}`,
              "data-now": index === current || undefined,
            },
            content: (
              <>
                <span className="message-time">{scale.text(time)} </span>
                <span className="event-kind">{kindName(kind)} </span>
                <span className="message-text">{text} </span>
                {!text.includes(who) && <span className="event-who">{who}</span>}
              </>
            ),
          };
        }}
      />
      {known.phase !== "reading" && known.events.length === 0 && (
        <p className="panel-note">This recording has no events.</p>
      )}
    </div>
  );
}

/** How many there are of each kind, the most frequent last: what is rare is looked for. */
function countsOf({ events }: Known): readonly (readonly [kind: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => a - b);
}

function countText({ events, phase }: Known, shown: number): string {
  const count = shown.toLocaleString("en");
  const all = shown === events.length ? count : `${count} of ${events.length.toLocaleString("en")}`;
  if (phase === "cut") return `the first ${all}`;
  return phase === "reading" ? `${all} …` : all;
}
