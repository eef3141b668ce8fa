import "../inspect/inspect.css";
import "./compare.css";
import type { Comparison, EventDifference, PathDifference } from "simtape/compare";
import { useEffect, useMemo, useState } from "react";
import { isTooFar } from "../afar.ts";
import type { TimeScale } from "../clock.ts";
import { useTimeScale } from "../use-time-scale.ts";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import { VirtualList } from "../inspect/virtual-list.tsx";
import { pickFiles } from "../open/pick.ts";
import type { Deck } from "../session.ts";
import { DraftField } from "../shell/draft-field.tsx";
import { Button } from "../ui/button.tsx";
import {
  COMPARING,
  comparisons,
  goToDifference,
  showDivergence,
  showGreatest,
  shownPath,
  startComparing,
  USUAL,
  type Wanted,
  wantedIn,
} from "./comparing.ts";
import { Curve } from "./curve.tsx";
import { errorText, numberText, valueText } from "./text.ts";

/** Where what is played differs from a ghost. */
export function ComparePanel() {
  const decks = useViewer((state) => state.decks);
  const session = useSession();
  if (decks[0] === undefined) return null;
  if (decks.length > 1) return <CompareOf key={decks[0].opened.recording} decks={decks} />;
  return (
    <div className="panel-note">
      <p>A recording is compared with a ghost: another one that plays along.</p>
      <Button kind="main" onClick={() => void pickFiles(session, "files", "ghosts")}>
        Add files as ghosts …
      </Button>
    </div>
  );
}

function CompareOf({ decks: [main, ...ghosts] }: { readonly decks: readonly Deck[] }) {
  const session = useSession();
  const shared = useViewer((state) => state.shared);
  const kept = shared[COMPARING];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is wanted counts
  const wanted = useMemo(() => wantedIn(shared), [kept]);
  const query = comparisons.of(main!);
  const run = useObservable(query.run, (value) => value);
  const ghost = ghosts[wanted.ghost] ?? ghosts[0]!;
  const isFar = isTooFar(main!) || isTooFar(ghost);
  const [isAsked, ask] = useState(false);
  useEffect(() => {
    if (!isFar || isAsked) startComparing(session, main!, ghost, wanted);
  }, [session, main, ghost, wanted, isFar, isAsked]);
  const want = (next: Partial<Wanted>): void => session.share(COMPARING, { ...USUAL, ...wanted, ...next });
  return (
    <div className="inspect">
      <div className="inspect-bar compare-bar">
        {ghosts.length > 1 && (
          <select
            className="field"
            aria-label="Ghost to compare with"
            value={ghosts.indexOf(ghost)}
            onChange={(event) => want({ ghost: Number(event.currentTarget.value) })}
          >
            {ghosts.map((one, i) => (
              <option key={one.opened.recording} value={i}>
                {one.place.name}
              </option>
            ))}
          </select>
        )}
        <select
          className="field"
          aria-label="Aligned"
          value={wanted.align}
          onChange={(event) => want({ align: event.currentTarget.value as Wanted["align"] })}
        >
          <option value="start">from the start</option>
          <option value="utc">by the clock</option>
          <option value="tick">tick by tick</option>
        </select>
        <DraftField
          label="Rules: what may differ by how much"
          placeholder="may differ: vehicles/*.position: 0.01 m"
          isNumber={false}
          text={wanted.rules}
          parse={(text) => text}
          onChange={(rules) => want({ rules })}
        />
        <Button label="Previous difference (Shift X)" onClick={() => goToDifference(session, -1)}>
          ‹
        </Button>
        <Button label="Next difference (X)" onClick={() => goToDifference(session, 1)}>
          ›
        </Button>
        {run.phase === "running" && <output>{Math.floor(100 * run.part)} %</output>}
      </div>
      {isFar && !isAsked && (
        <p className="panel-note">
          Both recordings are read as a whole, over the network. <Button onClick={() => ask(true)}>Compare</Button>
        </p>
      )}
      {run.message !== null && (
        <p className="panel-note" role="alert">
          {run.message}
        </p>
      )}
      {run.answer !== null && <Found comparison={run.answer} wanted={wanted} want={want} />}
    </div>
  );
}

type Row =
  | { readonly kind: "path"; readonly path: PathDifference }
  | { readonly kind: "event"; readonly event: EventDifference }
  | { readonly kind: "only"; readonly where: string; readonly path: string; readonly time: number };

function Found({
  comparison,
  wanted,
  want,
}: {
  readonly comparison: Comparison;
  readonly wanted: Wanted;
  readonly want: (next: Partial<Wanted>) => void;
}) {
  const session = useSession();
  const scale = useTimeScale();
  const [active, setActive] = useState(-1);
  const { first, notes, same, events } = comparison;
  const rows = useMemo(() => rowsOf(comparison), [comparison]);
  const shown = shownPath(comparison, wanted.path);
  const choose = (row: Row | undefined): void => {
    if (row?.kind === "path") {
      want({ path: row.path.path });
      void showGreatest(session, row.path);
    } else if (row?.kind === "event") void session.seek((row.event.a ?? row.event.b)!.time);
    else if (row !== undefined) void session.seek(row.time);
  };
  return (
    <>
      <div className="compare-sum">
        {same && <p>The same{comparison.moments === 0 ? ", byte for byte" : " within the tolerances"}.</p>}
        {first !== null && (
          <>
            <p>
              First difference:{" "}
              <button type="button" className="go-to" onClick={() => void showDivergence(session, first)}>
                {scale.text(first.time)} {first.path}
              </button>
              {first.error !== null && `, ${numberText(first.error, first.unit)} apart`}
            </p>
            <dl className="compare-both">
              <dt>here</dt>
              <dd>{valueText(first.a)}</dd>
              <dt>there</dt>
              <dd>{valueText(first.b)}</dd>
            </dl>
          </>
        )}
        {events.differing > 0 && (
          <p>
            {events.differing.toLocaleString("en")} events differ, {events.same.toLocaleString("en")} are alike.
          </p>
        )}
        {notes.map((note) => (
          <p key={note} className="faint">
            {note}
          </p>
        ))}
      </div>
      <VirtualList
        label="Differences"
        role="listbox"
        count={rows.length}
        active={Math.min(active, rows.length - 1)}
        onActive={setActive}
        onChoose={(index) => choose(rows[index])}
        row={(index) => {
          const row = rows[index]!;
          return {
            key: `${index}`,
            attributes: { "data-chosen": (row.kind === "path" && row.path === shown) || undefined },
            content: <Difference row={row} scale={scale} />,
          };
        }}
      />
    </>
  );
}

function Difference({ row, scale }: { readonly row: Row; readonly scale: TimeScale }) {
  if (row.kind === "path") {
    const { path, curve, differs } = row.path;
    const error = differs ? errorText(row.path) : `${errorText(row.path)}, as it may`;
    return (
      <>
        <span className="compare-path" title={path}>
          {path}{" "}
        </span>
        <Curve values={curve} />
        <span className="message-text" title={error}>
          {error}
        </span>
      </>
    );
  }
  if (row.kind === "only") {
    return (
      <>
        <span className="message-time">{scale.text(row.time)} </span>
        <span className="compare-path">{row.path} </span>
        <span className="message-text">{row.where}</span>
      </>
    );
  }
  const { how, a, b } = row.event;
  const one = (a ?? b)!;
  const where = {
    only: a === null ? "only in the other" : "only here",
    time: "at another time",
    order: "in another order",
    kind: `there: ${b?.kind ?? ""}`,
  };
  return (
    <>
      <span className="message-time">{scale.text(one.time)} </span>
      <span className="event-kind">{one.kind} </span>
      <span className="message-text">
        {one.text}, {where[how]}
      </span>
    </>
  );
}

function rowsOf({ paths, onlyIn, events }: Comparison): readonly Row[] {
  return [
    ...paths
      .filter(({ max, differs }) => differs || (max.error ?? 0) > 0)
      .map((path) => ({ kind: "path", path }) as const),
    ...onlyIn.a.map(({ path, first }) => ({ kind: "only", where: "only here", path, time: first }) as const),
    ...onlyIn.b.map(({ path, first }) => ({ kind: "only", where: "only in the other", path, time: first }) as const),
    ...events.differences.map((event) => ({ kind: "event", event }) as const),
  ];
}
