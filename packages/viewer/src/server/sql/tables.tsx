import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ask, messageOf } from "../api.ts";
import type { SqlTables } from "../shapes.ts";

/** The tables that a statement can name, with their columns. A press puts a name into the statement. */
export function Tables({
  words,
  onName,
  onTable,
}: {
  readonly words: string;
  readonly onName: (name: string) => void;
  readonly onTable: (name: string) => void;
}) {
  const [found, setFound] = useState<SqlTables | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const body = words.trim() === "" ? {} : { recordings: { q: words } };
    ask("POST /api/sql/tables", { body, signal })
      .then((tables) => {
        setFound(tables);
        setFailure(null);
      })
      .catch((error: unknown) => void (signal.aborted || setFailure(messageOf(error))));
    return () => controller.abort();
  }, [words]);
  return (
    <section aria-labelledby="sql-tables-title">
      <h2 id="sql-tables-title">Tables</h2>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      {found === null && failure === null && <p className="hint">Looking at the recordings …</p>}
      {found !== null && (
        <p className="hint">
          {found.looked === found.recordings
            ? `Of ${found.recordings === 1 ? "1 recording" : `${found.recordings} recordings`}.`
            : `Of ${found.looked} of ${found.recordings} recordings: the newest of each format.`}
        </p>
      )}
      {found?.tables.map(({ name, columns }) => (
        <details key={name} className="sql-table">
          <summary>{name}</summary>
          <Button onClick={() => onTable(name)}>Show its rows</Button>
          <ul>
            {columns.map((column) => (
              <li key={column}>
                <button type="button" className="sql-name" onClick={() => onName(column)}>
                  {column}
                </button>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}
