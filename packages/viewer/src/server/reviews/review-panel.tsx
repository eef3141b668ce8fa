import { useCallback, useEffect, useState } from "react";
import { useSession } from "../../hooks.ts";
import { chosenName, thingNamed } from "../../subject.ts";
import { clock } from "../../time.ts";
import { Button } from "../../ui/button.tsx";
import { ask, at, messageOf } from "../api.ts";
import { momentText } from "../dates.ts";
import { useMe } from "../me.tsx";
import { Link } from "../route.tsx";
import type { Details, ReviewWithMarks } from "../shapes.ts";

/** What was reported of the recording that is shown: marks at its moments, and a verdict. */
export function ReviewPanel({ id, details }: { readonly id: string; readonly details: Details }) {
  const me = useMe();
  const session = useSession();
  const { review, failure, again } = useReview(id);
  useSubject(review?.subject ?? null, details);
  const [wrong, setWrong] = useState<string | null>(null);
  const [label, setLabel] = useState("");
  const [severity, setSeverity] = useState(0);
  const params = { id };
  const change = async (answer: Promise<unknown>): Promise<void> => {
    try {
      await answer;
      setWrong(null);
    } catch (error) {
      setWrong(messageOf(error));
    }
    again();
  };
  const mark = async (): Promise<void> => {
    const thing = chosenName(session.state.value);
    const body = { time: Math.max(0, (session.time ?? 0) / 1e9), thing, label, severity };
    await change(ask("POST /api/reviews/{id}/marks", { params, body }));
    setLabel("");
  };
  if (review === null)
    return (
      <aside className="side" aria-label="Review">
        {failure !== null && (
          <p role="alert" className="wrong">
            {failure}
          </p>
        )}
      </aside>
    );
  const { subject, reporter, text, flags, score, first, last, made, state, assignee, marks } = review;
  const { clipPage, clipError, clipLost } = review;
  const hasIt = assignee !== null && assignee === me.id;
  const goTo = (seconds: number): void => void session.seek(Math.round(seconds * 1e9));
  return (
    <aside className="side" aria-label="Review">
      <div className="side-head">
        <h2>Review: {subject}</h2>
        <span className="spring" />
        <Link href={at("reviews")}>Queue</Link>
      </div>
      <p className="side-summary">{text === "" ? "Nothing was written." : text}</p>
      <p className="side-names">
        {flags.map((flag) => (
          <span key={flag} className="tag">
            {flag}
          </span>
        ))}
        {score > 0 && <span className="tag">score {score.toLocaleString()}</span>}
      </p>
      <p>
        Reported {momentText(made)}
        {reporter === null ? "" : ` by ${reporter}`}
        {first !== null && last !== null && (
          <>
            {", "}
            <Button onClick={() => goTo(first)}>{`${clock(first * 1e9, 0)} to ${clock(last * 1e9, 0)}`}</Button>
          </>
        )}
      </p>
      {clipPage !== null && (
        <p>
          <Link href={clipPage}>The clip that was kept</Link>
        </p>
      )}
      {clipError !== null && <p className="wrong">No clip was made: {clipError}</p>}
      {clipLost.map(({ path, count, reason }) => (
        <p key={`${path} ${reason}`} className="wrong">
          Not in the clip: {path}
          {count > 1 && ` (${count})`}: {reason}
        </p>
      ))}
      {state !== "closed" && (
        <Button
          onClick={() =>
            void change(
              ask("POST /api/reviews/{id}/assign", { params, body: hasIt ? { assignee: null, from: me.id } : {} }),
            )
          }
        >
          {hasIt ? "Give back" : assignee === null ? "Take" : `Take (with ${assignee} now)`}
        </Button>
      )}
      {wrong !== null && (
        <p role="alert" className="wrong">
          {wrong}
        </p>
      )}
      <h3>Marks</h3>
      <ul className="note-list">
        {marks.map((one) => (
          <li key={one.id} className="side-line">
            <button type="button" onClick={() => goTo(one.time)}>
              <b>{clock(one.time * 1e9, 1)}</b> {one.label}
              {one.thing === null ? "" : ` · ${one.thing}`}
              {one.severity > 0 ? ` · ${one.severity}` : ""}
            </button>
            {state !== "closed" && (
              <Button
                kind="bare"
                label={`Take away the mark ${one.label}`}
                onClick={() =>
                  void change(ask("DELETE /api/reviews/{id}/marks/{mark}", { params: { id, mark: one.id } }))
                }
              >
                ✕
              </Button>
            )}
          </li>
        ))}
      </ul>
      {state === "closed" ? <Closed review={review} /> : null}
      {state !== "closed" && (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            void mark();
          }}
        >
          <label className="form-stack">
            A mark at this moment, about what is selected
            <input className="field" required value={label} onChange={(event) => setLabel(event.currentTarget.value)} />
          </label>
          <div className="form-line">
            <label>
              Severity{" "}
              <input
                className="field number-field"
                type="number"
                min={0}
                max={127}
                value={severity}
                onChange={(event) => setSeverity(Number(event.currentTarget.value))}
              />
            </label>
            <Button type="submit" disabled={label.trim() === ""}>
              Mark
            </Button>
          </div>
        </form>
      )}
      {state !== "closed" && (
        <Verdict onVerdict={(body) => void change(ask("POST /api/reviews/{id}/verdict", { params, body }))} />
      )}
    </aside>
  );
}

function Closed({ review: { verdict, remark, judge, closed, writtenError } }: { readonly review: ReviewWithMarks }) {
  return (
    <>
      <h3>Verdict</h3>
      <p className="side-summary">
        <b>{verdict}</b> {remark}
      </p>
      <p>
        {judge} {closed === null ? "" : momentText(closed)}
      </p>
      {writtenError !== null && <p className="wrong">It does not stand in the recording: {writtenError}</p>}
    </>
  );
}

function Verdict({
  onVerdict,
}: {
  readonly onVerdict: (verdict: { readonly verdict: string; readonly remark: string; readonly keep: boolean }) => void;
}) {
  const [verdict, setVerdict] = useState("");
  const [remark, setRemark] = useState("");
  const [keep, setKeep] = useState(true);
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onVerdict({ verdict: verdict.trim(), remark, keep });
      }}
    >
      <h3>Verdict</h3>
      <label className="form-stack">
        What it is
        <input
          className="field"
          required
          list="verdicts"
          value={verdict}
          onChange={(event) => setVerdict(event.currentTarget.value)}
        />
      </label>
      <datalist id="verdicts">
        {["confirmed", "not confirmed", "not clear"].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <label className="form-stack">
        Remark
        <textarea
          className="field"
          rows={2}
          value={remark}
          onChange={(event) => setRemark(event.currentTarget.value)}
        />
      </label>
      <label>
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} /> keep the
        recording, whatever the retention says
      </label>
      <Button kind="main" type="submit" disabled={verdict.trim() === ""}>
        Close with this verdict
      </Button>
    </form>
  );
}

/** Selects what a review is about, by its name or its label, unless something was chosen already. */
function useSubject(subject: string | null, { entities }: Details): void {
  const session = useSession();
  const found =
    entities.find(({ name }) => name === subject) ??
    entities.find(({ label }) => subject !== null && label === subject);
  const { set, name } = found ?? {};
  useEffect(() => {
    if (set === undefined || name === undefined) return;
    const stop = session.onFrame(({ recorded }) => {
      stop();
      if (chosenName(session.state.value) !== null) return;
      // Where it is not there yet, its id is not known as the recording has it.
      const id = Number.isSafeInteger(Number(name)) ? Number(name) : name;
      session.select({ kind: "thing", ...(thingNamed(recorded, `${set}/${name}`) ?? { set, id }) });
    });
    return stop;
  }, [session, set, name]);
}

function useReview(id: string): {
  readonly review: ReviewWithMarks | null;
  readonly failure: string | null;
  readonly again: () => void;
} {
  const [review, setReview] = useState<ReviewWithMarks | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when something was changed here
  useEffect(() => {
    const controller = new AbortController();
    ask("GET /api/reviews/{id}", { params: { id }, signal: controller.signal })
      .then((found) => {
        setReview(found);
        setFailure(null);
      })
      .catch((error: unknown) => void (controller.signal.aborted || setFailure(messageOf(error))));
    return () => controller.abort();
  }, [id, count]);
  return { review, failure, again: useCallback(() => setCount((before) => before + 1), []) };
}
