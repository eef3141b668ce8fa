import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { momentText } from "../dates.ts";
import { Table } from "./table.tsx";
import { useList } from "./use-list.ts";

interface Job {
  readonly id: number;
  readonly kind: string;
  readonly subject: string;
  readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
  readonly attempts: number;
  readonly progress: number;
  readonly error: string | null;
  readonly made: string;
}

/** Between two looks, milliseconds. */
const LOOK_EVERY = 2000;
const STATES = ["", "waiting", "running", "failed", "done", "cancelled"] as const;

/** What the server does, and what went wrong with it. */
export function Jobs() {
  const [state, setState] = useState<string>("");
  const path = `api/jobs?limit=200${state === "" ? "" : `&state=${state}`}`;
  const { list, failure, change } = useList<{ readonly jobs: readonly Job[] }>(path, LOOK_EVERY);
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
        <Button key="cancel" onClick={() => void change(`api/jobs/${id}/cancel`, "POST")}>
          Cancel
        </Button>
      ) : is === "failed" || is === "cancelled" ? (
        <Button key="retry" onClick={() => void change(`api/jobs/${id}/retry`, "POST")}>
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
          <select className="field" value={state} onChange={(event) => setState(event.currentTarget.value)}>
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
