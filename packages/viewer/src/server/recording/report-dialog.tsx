import { useState } from "react";
import { useTimeScale } from "../../use-time-scale.ts";
import { useSession } from "../../hooks.ts";
import type { Subject } from "../../subject.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ask, messageOf } from "../api.ts";
import type { Details } from "../shapes.ts";

/** Seconds before this moment that a report is about at first. */
const BEFORE = 60;

/** Tells the staff of something in a recording; they get the range to look at. */
export function ReportDialog({ details, onClose }: { readonly details: Details; readonly onClose: () => void }) {
  const session = useSession();
  const scale = useTimeScale();
  const { start, end } = session.bounds;
  const now = session.time ?? end;
  const loop = session.state.value.status.loop;
  const [subject, setSubject] = useState(() => chosenIn(session.state.value.subject, details));
  const [text, setText] = useState("");
  const [first, setFirst] = useState(scale.text(loop?.start ?? Math.max(start, now - BEFORE * 1e9), 0));
  const [last, setLast] = useState(scale.text(loop?.end ?? now, 0));
  const [failure, setFailure] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const send = async (): Promise<void> => {
    const [from, to] = [scale.parse(first, now), scale.parse(last, now)];
    if (from === null || to === null) {
      setFailure("A time is expected, as 1:30 or 12.5s");
      return;
    }
    setAsking(true);
    try {
      const range = to > from ? { first: from / 1e9, last: to / 1e9 } : {};
      await ask("POST /api/reports", { body: { recording: details.id, subject, text, ...range } });
      session.tell("Reported. The staff will look at it.");
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
      setAsking(false);
    }
  };
  return (
    <Dialog title="Report to the staff" onClose={onClose}>
      <h2>Report to the staff</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label className="form-stack">
          Who or what
          <input
            className="field"
            required
            list="report-subjects"
            value={subject}
            onChange={(event) => setSubject(event.currentTarget.value)}
          />
        </label>
        <datalist id="report-subjects">
          {details.entities.slice(0, 200).map(({ set, name, label }) => (
            <option key={`${set} ${name}`} value={label || name} />
          ))}
        </datalist>
        <label className="form-stack">
          What happened
          <textarea className="field" rows={4} value={text} onChange={(event) => setText(event.currentTarget.value)} />
        </label>
        <div className="form-line">
          <label>
            From{" "}
            <input
              className="field number-field"
              value={first}
              onChange={(event) => setFirst(event.currentTarget.value)}
            />
          </label>
          <label>
            until{" "}
            <input
              className="field number-field"
              value={last}
              onChange={(event) => setLast(event.currentTarget.value)}
            />
          </label>
        </div>
        {failure !== null && (
          <p role="alert" className="wrong">
            {failure}
          </p>
        )}
        <Button kind="main" type="submit" disabled={isAsking || subject.trim() === ""}>
          Report
        </Button>
      </form>
    </Dialog>
  );
}

/** The name of what was chosen, when the server knows it. */
function chosenIn(subject: Subject | null, { entities }: Details): string {
  if (subject?.isChosen !== true) return "";
  const found = entities.find(({ set, name }) => set === subject.set && name === String(subject.id));
  return found?.label || String(subject.id);
}
