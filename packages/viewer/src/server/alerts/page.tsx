import "../reviews/reviews.css";
import "./alerts.css";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ask, at, messageOf } from "../api.ts";
import { momentText } from "../dates.ts";
import { momentOf, timesText } from "../moment.ts";
import { go, Link, useRoute } from "../route.tsx";
import type { Alert } from "../shapes.ts";
import { SiteBar } from "../site-bar.tsx";
import { Trouble } from "../trouble.tsx";
import { Searches } from "./searches.tsx";
import { useAlerts } from "./use-alerts.ts";

/** What the watched searches of the user have found, and these searches. */
export function AlertsPage() {
  const { searchParams } = useRoute();
  const isUnread = searchParams.get("unread") === "true";
  const { alerts, hasMore, failure, more, again } = useAlerts(isUnread);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    document.title = "Alerts · simtape";
  }, []);
  const change = (answer: Promise<unknown>): void => {
    answer
      .then(() => setWrong(null))
      .catch((error: unknown) => setWrong(messageOf(error)))
      .finally(again);
  };
  const mark = ({ id }: Alert, isRead: boolean): void =>
    change(ask("PATCH /api/alerts/{id}", { params: { id }, body: { isRead } }));
  return (
    <>
      <SiteBar />
      <main className="reviews alerts">
        <div className="reviews-head">
          <h1>Alerts</h1>
          <label>
            <input
              type="checkbox"
              checked={isUnread}
              onChange={(event) => go(at(event.currentTarget.checked ? "alerts?unread=true" : "alerts"), "replace")}
            />{" "}
            unread only
          </label>
          <span className="spring" />
          <Button
            disabled={alerts === null || alerts.every(({ isRead }) => isRead)}
            onClick={() => change(ask("POST /api/alerts/read"))}
          >
            Mark all as read
          </Button>
        </div>
        {wrong !== null && (
          <p role="alert" className="wrong">
            {wrong}
          </p>
        )}
        {failure !== null && <Trouble message={failure} onAgain={again} />}
        {alerts !== null && alerts.length === 0 && failure === null && (
          <p className="site-empty">
            {isUnread ? "Nothing is unread." : "No new recording has been found yet by a search that you watch."}
          </p>
        )}
        {alerts !== null && alerts.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">Recording</th>
                <th scope="col">When in it</th>
                <th scope="col">Search</th>
                <th scope="col">Found</th>
                <th scope="col" aria-label="What can be done" />
              </tr>
            </thead>
            <tbody>
              {alerts.map((alert) => (
                <Row key={alert.id} alert={alert} onMark={(isRead) => mark(alert, isRead)} />
              ))}
            </tbody>
          </table>
        )}
        {hasMore && <Button onClick={more}>Show more</Button>}
        <Searches onChange={again} />
      </main>
    </>
  );
}

function Row({ alert, onMark }: { readonly alert: Alert; readonly onMark: (isRead: boolean) => void }) {
  const { recording, name, search, first, made, isRead } = alert;
  const deed = isRead ? "Mark as unread" : "Mark as read";
  return (
    <tr data-unread={!isRead || undefined}>
      <td>
        {!isRead && <span className="alerts-dot" role="img" aria-label="unread" />}
        <Link href={momentOf(recording, first, search.where)} onClickCapture={() => isRead || onMark(true)}>
          {name}
        </Link>
      </td>
      <td>{whenOf(alert)}</td>
      <td>{search.name}</td>
      <td>{momentText(made)}</td>
      <td>
        <Button aria-label={`${deed}: ${name}, ${search.name}`} onClick={() => onMark(!isRead)}>
          {deed}
        </Button>
      </td>
    </tr>
  );
}

function whenOf({ count, first, seconds, trouble }: Alert) {
  if (trouble !== null) return <span className="wrong">No answer: {trouble}</span>;
  if (count === null) return "fits";
  return `${timesText(count, first ?? 0)}${seconds ? `, ${lengthText(seconds)} in all` : ""}`;
}

function lengthText(seconds: number): string {
  return `${seconds < 10 ? seconds.toFixed(2) : Math.round(seconds).toLocaleString()} s`;
}
