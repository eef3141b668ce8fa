import "./ghost-dialog.css";
import { useEffect, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { locatorAt } from "../open/files.ts";
import { pickFiles } from "../open/pick.ts";
import type { Mark, Placement } from "../protocol.ts";
import type { Deck, Session } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DraftField } from "./draft-field.tsx";
import { MomentField } from "./moment-field.tsx";

/** Moments of each kind that are looked at for laying two recordings upon each other. */
const MARKS = 500;
/** Rates that a ghost may have. */
const RATES = { least: 0.01, most: 64 };

/** The ghosts: which there are, and how they lie beside what is played. */
export function GhostDialog({ onClose }: { readonly onClose: () => void }) {
  const session = useSession();
  const decks = useViewer((state) => state.decks);
  const [address, setAddress] = useState("");
  return (
    <Dialog title="Ghosts" onClose={onClose}>
      <h2>Ghosts</h2>
      <p className="faint">Recordings that play along on the same clock.</p>
      {decks.slice(1).map((deck, i) => (
        <Ghost key={deck.opened.recording} index={i + 1} deck={deck} main={decks[0]!} />
      ))}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          try {
            void session.addGhost(locatorAt(address));
            setAddress("");
          } catch {
            session.tell("This is not a web address");
          }
        }}
      >
        <Button kind="main" onClick={() => void pickFiles(session, "files", "ghosts")}>
          Add files …
        </Button>
        <input
          className="field spring"
          aria-label="Address of a recording"
          placeholder="or an address"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <button type="submit" className="button button-plain" disabled={address === ""}>
          Add
        </button>
      </form>
    </Dialog>
  );
}

function Ghost({ index, deck, main }: { readonly index: number; readonly deck: Deck; readonly main: Deck }) {
  const session = useSession();
  const { offset = 0, rate = 1, align } = deck.placement;
  const ours = useMarks(session, main);
  const theirs = useMarks(session, deck);
  const common = commonMarks(ours, theirs);
  const place = (changes: Partial<Placement>): void =>
    void session.placeGhost(index, { ...deck.placement, ...changes });
  const moments = {
    main: align?.main ?? main.opened.timeline.start,
    ghost: align?.ghost ?? deck.opened.timeline.start,
  };
  const chosen = common.findIndex(([a, b]) => a.time === moments.main && b.time === moments.ghost);
  return (
    <fieldset className="ghost">
      <legend>{deck.place.name}</legend>
      <label>
        Aligned at{" "}
        <select
          className="field"
          value={align === undefined ? "start" : chosen < 0 ? "own" : chosen}
          onChange={(event) => {
            const pair = common[Number(event.currentTarget.value)];
            place({ align: pair === undefined ? undefined : { main: pair[0].time, ghost: pair[1].time } });
          }}
        >
          <option value="start">the start of both</option>
          {align !== undefined && chosen < 0 && <option value="own">the moments below</option>}
          {common.map(([mark], i) => (
            <option key={mark.label} value={i}>
              {mark.label}
            </option>
          ))}
        </select>
      </label>
      <MomentField
        name={main.place.name}
        deck={main}
        marks={ours}
        time={moments.main}
        now={() => session.time}
        onChange={(time) => place({ align: { ...moments, main: time } })}
      />
      <MomentField
        name={`ghost ${deck.place.name}`}
        deck={deck}
        marks={theirs}
        time={moments.ghost}
        now={() => session.frame?.ghosts[index - 1]?.time ?? null}
        onChange={(time) => place({ align: { ...moments, ghost: time } })}
      />
      <div className="row">
        later by
        <DraftField
          label="Later by, seconds"
          text={String(offset / 1e9)}
          parse={secondsOf}
          onChange={(seconds) => place({ offset: Math.round(seconds * 1e9) })}
        />
        s, at
        <DraftField label="Rate" text={String(rate)} parse={rateOf} onChange={(next) => place({ rate: next })} />×
      </div>
      <Button kind="bare" label={`Remove ${deck.place.name}`} onClick={() => void session.removeGhost(index)}>
        ✕
      </Button>
    </fieldset>
  );
}

function secondsOf(text: string): number | null {
  const seconds = Number(text);
  return text.trim() !== "" && Number.isFinite(seconds) ? seconds : null;
}

function rateOf(text: string): number | null {
  const rate = Number(text);
  return rate >= RATES.least && rate <= RATES.most ? rate : null;
}

function useMarks(session: Session, { opened }: Deck): readonly Mark[] {
  const [marks, setMarks] = useState<readonly Mark[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const { recording, timeline } = opened;
    const ask = { recording, start: timeline.start, end: timeline.end + 1, columns: MARKS, isReading: true };
    session
      .query("marks", ask, { signal: controller.signal })
      .then((found) => setMarks(found.marks))
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, opened]);
  return marks;
}

/** What happened in both, each the first time. */
function commonMarks(ours: readonly Mark[], theirs: readonly Mark[]): (readonly [Mark, Mark])[] {
  const first = (marks: readonly Mark[]): Map<string, Mark> =>
    new Map(marks.toReversed().map((mark) => [mark.label, mark]));
  const other = first(theirs);
  return [...first(ours).values()].reverse().flatMap((mark) => {
    const same = other.get(mark.label);
    return same === undefined ? [] : [[mark, same] as const];
  });
}
