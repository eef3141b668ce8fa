import "../inspect/inspect.css";
import "./stats.css";
import type { ChannelRates, PathStatistics, RecordingStatistics, Travel } from "simtape/stats";
import { useEffect, useMemo, useState } from "react";
import { isTooFar } from "../afar.ts";
import type { TimeScale } from "../clock.ts";
import { useTimeScale } from "../use-time-scale.ts";
import { numberText } from "../compare/text.ts";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import { VirtualList } from "../inspect/virtual-list.tsx";
import { hasWords, wordsOf } from "../plots/paths.ts";
import { toggled, useShown } from "../plots/shared.ts";
import type { Deck, Session } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { lengthText } from "../ask/asking.ts";
import { Box } from "./box.tsx";
import { numbers, pathFor, startCounting } from "./numbers.ts";

/** What all numbers of the recording are, how far things went, how often messages came. */
export function StatsPanel() {
  const deck = useViewer(({ decks }) => decks[0]);
  return deck === undefined ? null : <StatsOf key={deck.opened.recording} deck={deck} />;
}

function StatsOf({ deck }: { readonly deck: Deck }) {
  const session = useSession();
  const run = useObservable(numbers.of(deck).run, (value) => value);
  const isFar = isTooFar(deck);
  useEffect(() => {
    if (!isFar) startCounting(session, deck);
  }, [session, deck, isFar]);
  if (run.answer !== null) return <Numbers numbers={run.answer} />;
  return (
    <div className="panel-note">
      {run.phase === "running" && <p>Reading the recording: {Math.floor(100 * run.part)} %</p>}
      {run.message !== null && <p role="alert">{run.message}</p>}
      {run.phase === "none" && isFar && (
        <p>
          The recording is read as a whole, over the network.{" "}
          <Button onClick={() => startCounting(session, deck)}>Read it</Button>
        </p>
      )}
    </div>
  );
}

type Row =
  | { readonly kind: "path"; readonly text: string; readonly of: PathStatistics }
  | { readonly kind: "thing"; readonly text: string; readonly of: Travel }
  | { readonly kind: "channel"; readonly text: string; readonly of: ChannelRates }
  | { readonly kind: "event"; readonly text: string; readonly of: RecordingStatistics["events"][number] };

const SECTIONS = [
  ["path", "Numbers"],
  ["thing", "How far things went"],
  ["channel", "Messages"],
  ["event", "Events"],
] as const;

function Numbers({ numbers }: { readonly numbers: RecordingStatistics }) {
  const session = useSession();
  const scale = useTimeScale();
  const [plots, setPlots] = useShown();
  const [kind, setKind] = useState<Row["kind"]>("path");
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const rows = useMemo(() => {
    const words = wordsOf(text);
    return rowsOf(numbers, kind).filter((row) => hasWords(row.text, words));
  }, [numbers, kind, text]);
  const choose = (row: Row | undefined): void => {
    if (row?.kind !== "path") {
      show(session, row);
      return;
    }
    const state = session.frame?.recorded;
    const path = state === undefined ? null : pathFor(row.of, state, session.state.value.subject);
    if (path === null) session.tell("Nothing has this number at this moment");
    else setPlots(toggled(plots, path, null));
  };
  return (
    <div className="inspect">
      <div className="inspect-bar">
        <select
          className="field"
          aria-label="What is counted"
          value={kind}
          onChange={(event) => {
            setKind(event.currentTarget.value as Row["kind"]);
            setActive(0);
          }}
        >
          {SECTIONS.map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
        <input
          type="search"
          className="field"
          aria-label="Search numbers of the recording"
          placeholder="Search: position, speed …"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <output>{rows.length.toLocaleString("en")}</output>
      </div>
      <VirtualList
        label="Numbers"
        role="listbox"
        count={rows.length}
        active={Math.min(active, rows.length - 1)}
        onActive={setActive}
        onChoose={(index) => choose(rows[index])}
        row={(index) => {
          const row = rows[index]!;
          return { key: `${index}`, attributes: { title: titleOf(row) }, content: <Cells row={row} scale={scale} /> };
        }}
      />
    </div>
  );
}

function Cells({ row, scale }: { readonly row: Row; readonly scale: TimeScale }) {
  const name = <span className="message-text number-name">{row.text} </span>;
  if (row.kind === "path") {
    const { least, mean, most, unit } = row.of;
    return (
      <>
        {name}
        <span className="number">{numberText(least, null)} </span>
        <Box of={row.of} />
        <span className="number">{numberText(most, unit)} </span>
        <span className="number number-mean">⌀ {numberText(mean, null)}</span>
      </>
    );
  }
  if (row.kind === "thing") {
    const { distance, speed, first, last } = row.of;
    return (
      <>
        {name}
        <span className="number">{numberText(distance, "m")} </span>
        <span className="number">{speed === null ? "" : `⌀ ${numberText(speed, "m/s")}`} </span>
        <span className="message-time">
          {scale.text(first)} to {scale.text(last)}
        </span>
      </>
    );
  }
  if (row.kind === "channel") {
    const { messages, rate, gap } = row.of;
    return (
      <>
        {name}
        <span className="number">{messages.toLocaleString("en")} </span>
        <span className="number">{rate === null ? "" : numberText(rate, "Hz")} </span>
        <span className="number">
          {gap === null ? "" : `gap ${lengthText({ from: gap.from, until: gap.from + gap.length })}`}
        </span>
      </>
    );
  }
  const { count, perMinute } = row.of;
  return (
    <>
      {name}
      <span className="number">{count.toLocaleString("en")} </span>
      <span className="number">{perMinute === null ? "" : `${numberText(perMinute, null)} a minute`}</span>
    </>
  );
}

/** Goes to what a row is about. */
function show(session: Session, row: Row | undefined): void {
  if (row?.kind === "thing") {
    session.select({ kind: "thing", set: row.of.set, id: row.of.id });
    void session.seek(row.of.first);
  } else if (row?.kind === "channel" && row.of.gap !== null) void session.seek(row.of.gap.from);
}

function titleOf(row: Row): string {
  if (row.kind !== "path") return row.kind === "channel" ? `${row.text}: press to go to its longest gap` : row.text;
  const { count, deviation, quantiles, unit } = row.of;
  const middle = numberText(quantiles[3]!, unit);
  return `${row.text}: ${count.toLocaleString("en")} numbers, median ${middle}, deviation ${numberText(deviation, unit)}; press to plot it`;
}

function rowsOf({ paths, travels, channels, events }: RecordingStatistics, kind: Row["kind"]): readonly Row[] {
  switch (kind) {
    case "path":
      return paths.map((of) => ({ kind, text: of.path, of }));
    case "thing":
      return travels.map((of) => ({ kind, text: `${of.set}/${of.id}${of.label === "" ? "" : ` ${of.label}`}`, of }));
    case "channel":
      return channels.filter(({ messages }) => messages > 0).map((of) => ({ kind, text: of.name, of }));
    case "event":
      return events.map((of) => ({ kind, text: of.kind, of }));
  }
}
