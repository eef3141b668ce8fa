import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { momentText } from "../dates.ts";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

/** Between two looks, milliseconds. */
const LOOK_EVERY = 2000;
const STATES = ["", "waiting", "running", "failed", "done", "cancelled"] as const;

/** What the server does, and what went wrong with it. */
export function Jobs() {
  const [state, setState] = useState<(typeof STATES)[number]>("");
  const { list, failure, change } = useList("GET /api/jobs", LOOK_EVERY, {
    query: { limit: 200, ...(state === "" ? {} : { state }) },
  });
  const rows = list?.jobs.map(({ id, kind, subject, state: is, attempts, progress, error, made }) => ({
    key: String(id),
    cells: [
      <b key="kind">{kind}</b>,
      subject,
      is === "running" ? (
        <progress key="progress" aria-label={`How far ${kind} of ${subject} is`} max={1} value={progress} />
      ) : (
        is
      ),
      `${attempts}`,
      momentText(made),
      <span key="error" className="wrong">
        {error}
      </span>,
      is === "waiting" || is === "running" ? (
        <Button key="cancel" onClick={() => void change("POST /api/jobs/{id}/cancel", { params: { id } })}>
          Cancel
        </Button>
      ) : is === "failed" || is === "cancelled" ? (
        <Button key="retry" onClick={() => void change("POST /api/jobs/{id}/retry", { params: { id } })}>
          Try again
        </Button>
      ) : null,
    ],
  }));
  return (
    <>
      <div className="reviews-head">
        <label>
          State{" "}
          <select
            className="field"
            value={state}
            onChange={(event) => setState(event.currentTarget.value as (typeof STATES)[number])}
          >
            {STATES.map((one) => (
              <option key={one} value={one}>
                {one === "" ? "all" : one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Table
        columns={["What", "Of", "State", "Tries", "Since", "Error", ""]}
        rows={rows ?? null}
        failure={failure}
        none="There are no such jobs."
      />
    </>
  );
}
