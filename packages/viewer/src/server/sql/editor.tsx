import { type KeyboardEvent, type RefObject, useEffect } from "react";
import type { Outcome } from "./use-statement.ts";

/** Letters beside a wrong place that are shown, and rows of the field. */
const BESIDE = 60;
const [LEAST_ROWS, MOST_ROWS] = [5, 16];

/** The field of a statement. Ctrl+Enter runs it, Escape ends one that runs. Tab leaves the field. */
export function Editor({
  field,
  value,
  outcome,
  onChange,
  onRun,
  onCancel,
}: {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly value: string;
  readonly outcome: Outcome;
  readonly onChange: (value: string) => void;
  readonly onRun: () => void;
  readonly onCancel: () => void;
}) {
  const failure = outcome.is === "failure" ? outcome : null;
  const isHere = failure !== null && failure.of.sql === value;
  useEffect(() => {
    // the cursor stands where it is wrong
    if (failure?.at == null || field.current?.value !== failure.of.sql) return;
    field.current.focus();
    field.current.setSelectionRange(failure.at, failure.at);
  }, [failure, field]);
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onRun();
    else if (event.key === "Escape" && outcome.is === "running") onCancel();
    else return;
    event.preventDefault();
  };
  const rows = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, value.split("\n").length + 1));
  return (
    <>
      <textarea
        ref={field}
        className="field sql-editor"
        aria-label="Statement"
        aria-describedby={failure === null ? "sql-keys" : "sql-failure"}
        aria-invalid={isHere || undefined}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        rows={rows}
        value={value}
        placeholder="select recording, kind, count(*) as events from events group by all"
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={press}
      />
      {failure !== null && (
        <div id="sql-failure" role="alert" className="sql-failure">
          <p className="wrong">{failure.message}</p>
          {failure.at !== null && <pre aria-hidden="true">{caretAt(failure.of.sql, failure.at)}</pre>}
        </div>
      )}
    </>
  );
}

/** The line of a place, and `^` below the place. */
export function caretAt(sql: string, at: number): string {
  const start = sql.lastIndexOf("\n", at - 1) + 1;
  const end = sql.indexOf("\n", at);
  const line = sql.slice(start, end < 0 ? sql.length : end).replaceAll("\t", " ");
  const column = at - start;
  const from = Math.max(0, column - BESIDE);
  const shown = `${from > 0 ? "…" : ""}${line.slice(from, column + BESIDE)}`;
  return `${shown}\n${" ".repeat(column - from + (from > 0 ? 1 : 0))}^`;
}
