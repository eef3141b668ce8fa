import { useEffect, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { placeAt } from "../open/files.ts";
import { pickFiles } from "../open/pick.ts";
import type { Mark } from "../protocol.ts";
import type { Deck, Session } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Marks of a recording that are looked at for laying two upon each other. */
const MARKS = 1000;

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
            void session.addGhost(placeAt(address));
            setAddress("");
          } catch {
            session.tell("This is not an address of the web");
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
  const common = useCommonMarks(session, main, deck);
  const place = (changes: Partial<Deck["placement"]>): void =>
    void session.placeGhost(index, { ...deck.placement, ...changes });
  const chosen = common.findIndex(([a, b]) => a.time === align?.main && b.time === align.ghost);
  return (
    <fieldset className="ghost">
      <legend>{deck.place.name}</legend>
      <label>
        Together at{" "}
        <select
          className="field"
          value={chosen}
          onChange={(event) => {
            const pair = common[Number(event.currentTarget.value)];
            place({ align: pair === undefined ? undefined : { main: pair[0].time, ghost: pair[1].time } });
          }}
        >
          <option value={-1}>the start</option>
          {common.map(([mark], i) => (
            <option key={mark.label} value={i}>
              {mark.label}
            </option>
          ))}
        </select>
      </label>
      <label>
        later by{" "}
        <input
          className="field number-field"
          type="number"
          step="0.1"
          defaultValue={offset / 1e9}
          onBlur={(event) => place({ offset: Math.round(event.currentTarget.valueAsNumber * 1e9) || 0 })}
        />{" "}
        s
      </label>
      <label>
        at{" "}
        <input
          className="field number-field"
          type="number"
          step="0.1"
          min="0.01"
          max="64"
          defaultValue={rate}
          onBlur={(event) => place({ rate: event.currentTarget.valueAsNumber || 1 })}
        />
        ×
      </label>
      <Button kind="bare" label={`Remove ${deck.place.name}`} onClick={() => void session.removeGhost(index)}>
        ✕
      </Button>
    </fieldset>
  );
}

/** What happened in both, each the first time. */
function useCommonMarks(session: Session, main: Deck, ghost: Deck): readonly (readonly [Mark, Mark])[] {
  const [common, setCommon] = useState<readonly (readonly [Mark, Mark])[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const marksOf = ({ opened }: Deck): Promise<readonly Mark[]> =>
      session.query("marks", { recording: opened.recording, limit: MARKS }, { signal: controller.signal });
    Promise.all([marksOf(main), marksOf(ghost)])
      .then(([ours, theirs]) => {
        const firsts = ours.filter((mark, i) => ours.findIndex(({ label }) => label === mark.label) === i);
        setCommon(
          firsts.flatMap((mark) => {
            const same = theirs.find(({ label }) => label === mark.label);
            return same === undefined ? [] : [[mark, same] as const];
          }),
        );
      })
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, main, ghost]);
  return common;
}
