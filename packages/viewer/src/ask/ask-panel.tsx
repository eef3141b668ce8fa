import "../inspect/inspect.css";
import "./ask.css";
import { useEffect, useMemo, useRef, useState } from "react";
import { isTooFar } from "../afar.ts";
import { useTimeScale } from "../use-time-scale.ts";
import { eventListOf } from "../events/event-list.ts";
import { useFrame, useObservable, useSession, useViewer } from "../hooks.ts";
import { VirtualList } from "../inspect/virtual-list.tsx";
import { derivedPath } from "../plots/derived.ts";
import { toggled, useShown } from "../plots/shared.ts";
import type { Deck } from "../session.ts";
import { Button } from "../ui/button.tsx";
import {
  fieldWanted,
  expressionIn,
  extremeText,
  goToSpan,
  type Known,
  lengthText,
  showSpan,
  spanAt,
  WHEN,
} from "./asking.ts";
import { examplesFor } from "./examples.ts";
import { ExpressionField } from "./expression-field.tsx";
import { useAsking } from "./use-asking.ts";

/** When an expression is true: a field to type it, and the times, by time. */
export function AskPanel() {
  const deck = useViewer(({ decks }) => decks[0]);
  return deck === undefined ? null : <AskOf key={deck.opened.recording} deck={deck} />;
}

function AskOf({ deck }: { readonly deck: Deck }) {
  const session = useSession();
  const text = useViewer(({ shared }) => expressionIn(shared));
  const known = useAsking(deck);
  const now = useFrame(8)?.time ?? 0;
  const scale = useTimeScale();
  const [active, setActive] = useState(-1);
  const [plots, setPlots] = useShown();
  const { spans, measure, phase, wrong } = known;
  const current = spanAt(spans, now);
  useEffect(() => setActive((index) => (spans[index]?.from === now ? index : spanAt(spans, now))), [spans, now]);
  const loop = spans[active];
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const take = (): void => {
      if (!fieldWanted.value) return;
      fieldWanted.set(false);
      bar.current?.querySelector("input")?.focus();
    };
    take();
    return fieldWanted.subscribe(take);
  }, []);
  return (
    <div className="inspect">
      <div ref={bar} className="inspect-bar">
        <ExpressionField
          recording={deck.opened.recording}
          text={text}
          isWrong={wrong !== null}
          onChange={(next) => session.share(WHEN, next === "" ? undefined : next)}
          onEnter={() => spans[0] !== undefined && void showSpan(session, spans[0])}
        />
      </div>
      {spans.length > 0 && (
        <div className="inspect-bar">
          <output className="spring">{countText(known)}</output>
          <Button label="Previous time (Shift F)" onClick={() => goToSpan(session, -1)}>
            ‹
          </Button>
          <Button label="Next time (F)" onClick={() => goToSpan(session, 1)}>
            ›
          </Button>
          <Button
            label="Loop this time"
            disabled={loop === undefined || loop.until <= loop.from}
            onClick={() => loop !== undefined && session.setLoop({ start: loop.from, end: loop.until })}
          >
            ⟲
          </Button>
        </div>
      )}
      {phase === "reading" && spans.length === 0 && (
        <p className="panel-note">Reading: {Math.floor(100 * known.part)} %</p>
      )}
      {wrong !== null && (
        <div className="expression-wrong" role="alert">
          {wrong.message}
          {wrong.isNumber ? (
            <Button onClick={() => setPlots(toggled(plots, derivedPath(text), null))}>Plot it</Button>
          ) : (
            wrong.pointed !== "" && <pre>{wrong.pointed}</pre>
          )}
        </div>
      )}
      {text === "" && <Examples deck={deck} />}
      {spans.length > 0 && (
        <VirtualList
          label="Times at which it is true"
          role="listbox"
          count={spans.length}
          active={Math.min(active, spans.length - 1)}
          onActive={setActive}
          onChoose={(index) => {
            const span = spans[index];
            if (span !== undefined) void showSpan(session, span);
          }}
          row={(index) => {
            const span = spans[index]!;
            const length = lengthText(span);
            return {
              key: `${index}`,
              attributes: { "data-now": (index === current && now <= span.until) || undefined },
              content: (
                <>
                  <span className="message-time">{scale.text(span.from)} </span>
                  {length !== "" && <span className="span-length">{length} </span>}
                  <span className="message-text">{extremeText(span, measure)} </span>
                  {span.thing !== null && <span className="event-who">{span.thing}</span>}
                </>
              ),
            };
          }}
        />
      )}
      {text !== "" && spans.length === 0 && phase === "complete" && (
        <p className="panel-note">It is not true at any time of this recording.</p>
      )}
    </div>
  );
}

/** What can be asked of this recording, to begin with. */
function Examples({ deck }: { readonly deck: Deck }) {
  const session = useSession();
  const isFar = isTooFar(deck);
  const events = useObservable(
    useMemo(() => eventListOf(session, deck), [session, deck]).known,
    ({ events: all }) => all,
  );
  const frame = useFrame(1);
  const examples = useMemo(() => {
    const kinds = [...new Set(events.map(({ kind }) => kind))];
    return frame === null ? [] : examplesFor(frame.recorded, kinds);
  }, [events, frame]);
  return (
    <div className="panel-note">
      <p>Type what should be true, with the names and units of this recording.</p>
      {isFar && <p>All of the recording is read over the network for an answer.</p>}
      <div className="expression-examples">
        {examples.map((example) => (
          <button key={example} type="button" onClick={() => session.share(WHEN, example)}>
            {example}
          </button>
        ))}
      </div>
    </div>
  );
}

function countText({ phase, part, spans }: Known): string {
  const count = `${spans.length.toLocaleString("en")}${spans.length === 1 ? " time" : " times"}`;
  if (phase === "cut") return `the first ${count}`;
  return phase === "reading" ? `${count}, ${Math.floor(100 * part)} %` : count;
}
