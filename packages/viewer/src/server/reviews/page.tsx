import "./reviews.css";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { hashOf } from "../../kept.ts";
import { clock } from "../../time.ts";
import { Button } from "../../ui/button.tsx";
import { ask, at, messageOf } from "../api.ts";
import { momentText } from "../dates.ts";
import { useMe } from "../me.tsx";
import { go, Link, useRoute } from "../route.tsx";
import type { Review } from "../shapes.ts";
import { SiteBar } from "../site-bar.tsx";
import { Trouble } from "../trouble.tsx";
import { useReviews } from "./use-reviews.ts";

const STATES = [
  ["pending", "To do"],
  ["open", "Not taken"],
  ["assigned", "Taken"],
  ["closed", "Closed"],
] as const;
const SORTS = [
  ["score", "Surest first"],
  ["age", "Oldest first"],
  ["newest", "Newest first"],
] as const;

/** The queue of the staff: what was reported, who has it, and what became of it. */
export function ReviewsPage() {
  const me = useMe();
  const { searchParams } = useRoute();
  const state = STATES.find(([one]) => one === searchParams.get("state"))?.[0] ?? "pending";
  const sort = SORTS.find(([one]) => one === searchParams.get("sort"))?.[0] ?? "score";
  const isMine = searchParams.get("assignee") === "me";
  const { reviews, failure, again } = useReviews({ state, sort, ...(isMine ? { assignee: "me" } : {}) });
  const [wrong, setWrong] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    document.title = "Reviews · simtape";
  }, []);
  const change = (changes: Readonly<Record<string, string | null>>): void => {
    const next = new URLSearchParams(searchParams);
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) next.delete(key);
      else next.set(key, value);
    }
    go(`${at("reviews")}?${next}`, "replace");
  };
  const assign = async (review: Review): Promise<void> => {
    const hasIt = review.assignee !== null && review.assignee === me.id;
    try {
      await ask("POST /api/reviews/{id}/assign", {
        params: { id: review.id },
        body: hasIt ? { assignee: null, from: me.id } : {},
      });
      setWrong(null);
    } catch (error) {
      setWrong(messageOf(error));
    }
    again();
  };
  const move = (event: KeyboardEvent): void => {
    const count = reviews?.length ?? 0;
    const step =
      event.key === "j" || event.key === "ArrowDown" ? 1 : event.key === "k" || event.key === "ArrowUp" ? -1 : 0;
    const review = reviews?.[active];
    if (step !== 0 && count > 0) {
      const next = Math.min(count - 1, Math.max(0, active + step));
      setActive(next);
      list.current?.querySelectorAll("tr")[next]?.focus();
    } else if (event.key === "Enter" && review !== undefined && event.target instanceof HTMLTableRowElement)
      go(pageOf(review));
    else if (event.key === "a" && review !== undefined) void assign(review);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <SiteBar />
      <main className="reviews">
        <div className="reviews-head">
          <h1>Reviews</h1>
          <select
            className="field"
            aria-label="Which"
            value={state}
            onChange={(event) => change({ state: event.currentTarget.value })}
          >
            {STATES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
          <select
            className="field"
            aria-label="In which order"
            value={sort}
            onChange={(event) => change({ sort: event.currentTarget.value })}
          >
            {SORTS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
          <label>
            <input
              type="checkbox"
              checked={isMine}
              onChange={(event) => change({ assignee: event.currentTarget.checked ? "me" : null })}
            />{" "}
            mine
          </label>
          <span className="spring" />
          <small className="hint">J and K move, Enter opens, A takes and gives back</small>
        </div>
        {wrong !== null && (
          <p role="alert" className="wrong">
            {wrong}
          </p>
        )}
        {failure !== null && <Trouble message={failure} onAgain={again} />}
        {reviews !== null && reviews.length === 0 && failure === null && (
          <p className="site-empty">Nothing is waiting here.</p>
        )}
        {reviews !== null && reviews.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">Who</th>
                <th scope="col">What happened</th>
                <th scope="col">Recording</th>
                <th scope="col">Reported</th>
                <th scope="col">State</th>
                <th scope="col" aria-label="What can be done" />
              </tr>
            </thead>
            <tbody ref={list} onKeyDown={move}>
              {reviews.map((review, index) => (
                <Row
                  key={review.id}
                  review={review}
                  isActive={index === active}
                  onFocus={() => setActive(index)}
                  onAssign={() => void assign(review)}
                />
              ))}
            </tbody>
          </table>
        )}
      </main>
    </>
  );
}

function Row({
  review,
  isActive,
  onFocus,
  onAssign,
}: {
  readonly review: Review;
  readonly isActive: boolean;
  readonly onFocus: () => void;
  readonly onAssign: () => void;
}) {
  const me = useMe();
  const { subject, text, flags, score, name, first, last, made, state, assignee, verdict } = review;
  const hasIt = assignee !== null && assignee === me.id;
  return (
    <tr tabIndex={isActive ? 0 : -1} onFocus={onFocus} data-active={isActive || undefined}>
      <td>
        <b>{subject}</b>
        {score > 0 && <small title="how sure a detector is"> {score.toLocaleString()}</small>}
      </td>
      <td className="reviews-text">
        {text}
        {flags.map((flag) => (
          <span key={flag} className="tag">
            {flag}
          </span>
        ))}
      </td>
      <td>
        {name === null ? (
          "gone"
        ) : (
          <Link href={pageOf(review)}>
            {name}
            {first !== null && last !== null && (
              <small>
                {" "}
                {clock(first * 1e9, 0)} to {clock(last * 1e9, 0)}
              </small>
            )}
          </Link>
        )}
      </td>
      <td>{momentText(made)}</td>
      <td>
        {state === "closed" ? (verdict ?? "closed") : assignee === null ? "open" : hasIt ? "yours" : `with ${assignee}`}
      </td>
      <td>{state !== "closed" && <Button onClick={onAssign}>{hasIt ? "Give back" : "Take"}</Button>}</td>
    </tr>
  );
}

/** The recording, where it was reported, with the review beside it. */
function pageOf({ id, recording, first }: Review): string {
  const hash = first === null ? "" : hashOf({ t: first });
  return `${at(`r/${recording ?? ""}`)}?review=${encodeURIComponent(id)}${hash}`;
}
