import "../inspect/inspect.css";
import "../plots/plots.css";
import "./race.css";
import type { Race, RaceLap } from "simtape/race";
import { useEffect, useMemo, useState } from "react";
import { isTooFar } from "../afar.ts";
import { useObservable, useSession, useViewer } from "../hooks.ts";
import { VirtualList } from "../inspect/virtual-list.tsx";
import { colorOf } from "../plots/chart-options.ts";
import type { Deck } from "../session.ts";
import { DraftField } from "../shell/draft-field.tsx";
import { scheme } from "../theme.ts";
import { Button } from "../ui/button.tsx";
import { GapChart } from "./gap-chart.tsx";
import {
  gapText,
  lapTime,
  nameOfLap,
  optionsOf,
  RACING,
  races,
  startRacing,
  USUAL,
  type Wanted,
  wantedIn,
} from "./racing.ts";

/** Who was faster, and where: laps of the recording and of its ghosts. */
export function RacePanel() {
  const decks = useViewer((state) => state.decks);
  return decks[0] === undefined ? null : <RaceOf key={decks[0].opened.recording} decks={decks} />;
}

function RaceOf({ decks }: { readonly decks: readonly Deck[] }) {
  const session = useSession();
  const shared = useViewer((state) => state.shared);
  const subject = useViewer((state) => state.subject);
  const kept = shared[RACING];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is wanted counts
  const wanted = useMemo(() => wantedIn(shared), [kept]);
  const run = useObservable(races.of(decks[0]!).run, (value) => value);
  const isFar = decks.some(isTooFar);
  const [isAsked, ask] = useState(false);
  const set = subject?.set ?? decks[0]!.opened.showing.things?.[0];
  const id = wanted.who === "subject" ? subject?.id : undefined;
  useEffect(() => {
    const options = optionsOf(wanted, set, id);
    if (options !== null && (!isFar || isAsked)) startRacing(session, decks, options);
  }, [session, decks, wanted, set, id, isFar, isAsked]);
  const want = (next: Partial<Wanted>): void => session.share(RACING, { ...USUAL, ...wanted, ...next });
  return (
    <div className="inspect">
      <div className="inspect-bar race-bar">
        <select
          className="field"
          aria-label="Who races"
          value={wanted.who}
          onChange={(event) => want({ who: event.currentTarget.value as Wanted["who"] })}
        >
          <option value="all">all {set ?? "things"}</option>
          <option value="subject">the one shown</option>
        </select>
        <select
          className="field"
          aria-label="Where laps begin"
          value={wanted.by}
          onChange={(event) => want({ by: event.currentTarget.value as Wanted["by"], at: "" })}
        >
          <option value="whole">one lap each</option>
          <option value="line">laps by a line</option>
          <option value="mark">laps by a mark</option>
        </select>
        {wanted.by !== "whole" && (
          <DraftField
            key={wanted.by}
            label={wanted.by === "line" ? "Line at which laps begin" : "Text of the mark at which laps begin"}
            placeholder={wanted.by === "line" ? "x1,y1,x2,y2" : "start"}
            isNumber={false}
            text={wanted.at}
            parse={(text) => text}
            onChange={(at) => want({ at })}
          />
        )}
        {run.phase === "running" && <output>{Math.floor(100 * run.part)} %</output>}
      </div>
      {isFar && !isAsked && (
        <p className="panel-note">
          The recordings are read as a whole, over the network. <Button onClick={() => ask(true)}>Race</Button>
        </p>
      )}
      {run.message !== null && (
        <p className="panel-note" role="alert">
          {run.message}
        </p>
      )}
      {run.answer !== null && run.message === null && <Standings race={run.answer} decks={decks} />}
    </div>
  );
}

function Standings({ race, decks }: { readonly race: Race; readonly decks: readonly Deck[] }) {
  const session = useSession();
  const colors = useObservable(scheme, (value) => value);
  const [active, setActive] = useState(0);
  const { laps, theoretical, notes } = race;
  const chosen = laps[Math.min(active, laps.length - 1)];
  const show = async (lap: RaceLap | undefined): Promise<void> => {
    if (lap === undefined) return;
    if (lap.recording !== 0) {
      session.tell("This lap is of a ghost: it plays along");
      return;
    }
    session.select({ kind: "thing", set: lap.set, id: lap.id });
    await session.seek(lap.start);
  };
  return (
    <>
      <GapChart race={race} chosen={Math.min(active, laps.length - 1)} />
      <VirtualList
        label="Laps"
        role="listbox"
        count={laps.length}
        active={Math.min(active, laps.length - 1)}
        onActive={setActive}
        onChoose={(index) => void show(laps[index])}
        row={(index) => {
          const lap = laps[index]!;
          return {
            key: `${index}`,
            content: (
              <>
                <span className="race-place">{index + 1} </span>
                <span className="plot-swatch" style={{ background: colorOf(index, colors) }} />
                <span className="message-text number-name">{nameOfLap(race, lap, decks)} </span>
                <span className="number">{lapTime(lap.seconds)} </span>
                <span className="number">{index === 0 ? "" : gapText(lap.gap.seconds)}</span>
              </>
            ),
          };
        }}
      />
      {chosen !== undefined && <Splits race={race} lap={chosen} />}
      {theoretical !== null && <p className="race-note">Best sectors together: {lapTime(theoretical.seconds)}</p>}
      {notes.map((note) => (
        <p key={note} className="race-note faint">
          {note}
        </p>
      ))}
    </>
  );
}

/** Times of a lap at the splits, and where it lost and won most. */
function Splits({ race, lap }: { readonly race: Race; readonly lap: RaceLap }) {
  const { splits } = race.course;
  const [lost, won] = [lap.lost[0], lap.won[0]];
  return (
    <div className="race-splits">
      <table>
        <thead>
          <tr>
            <th scope="col">split</th>
            <th scope="col">time</th>
            <th scope="col">sector</th>
            <th scope="col">gap</th>
          </tr>
        </thead>
        <tbody>
          {splits.map(({ name }, i) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{lapTime(lap.splits[i]?.seconds ?? null)}</td>
              <td>{lapTime(lap.splits[i]?.sector ?? null)}</td>
              <td>{gapText(lap.splits[i]?.gap ?? null)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lost !== undefined && (
        <p>
          Lost most from {Math.round(lost.from)} to {Math.round(lost.to)} m: {gapText(lost.seconds)} s
        </p>
      )}
      {won !== undefined && (
        <p>
          Won most from {Math.round(won.from)} to {Math.round(won.to)} m: {gapText(won.seconds)} s
        </p>
      )}
    </div>
  );
}
