import "../reviews/reviews.css";
import "./sql.css";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { useMe } from "../me.tsx";
import { go, useRoute } from "../route.tsx";
import { hasRole } from "../shapes.ts";
import { SiteBar } from "../site-bar.tsx";
import { AnswerTable } from "./answer-table.tsx";
import { Editor } from "./editor.tsx";
import { forgetAll, history, remember } from "./history.ts";
import { Tables } from "./tables.tsx";
import { type FileFormat, MOST_ROWS, type Outcome, type Statement, useStatement } from "./use-statement.ts";
import { late } from "../../ui/late.tsx";

const Chart = late(async () => (await import("./chart.tsx")).Chart);

const FILES: readonly (readonly [FileFormat, string])[] = [
  ["csv", "CSV"],
  ["parquet", "Parquet"],
  ["arrow", "Arrow"],
];

/** Statements that any library has an answer to. */
const EXAMPLES = [
  "select format, count(*) as recordings, sum(duration) as seconds from recordings group by all order by recordings desc",
  "select kind, count(*) as events from events group by all order by events desc",
  "select recording, time, kind, text from events order by recording, time limit 100",
];

/** Questions in SQL about the recordings: a statement, its answer as rows and as a chart, and what can be asked. */
export function SqlPage() {
  const me = useMe();
  useEffect(() => {
    document.title = "SQL · simtape";
  }, []);
  return (
    <>
      <SiteBar />
      {hasRole(me, "staff") ? (
        <Questions />
      ) : (
        <main className="site-empty">
          <p>Questions in SQL are for the staff.</p>
        </main>
      )}
    </>
  );
}

function Questions() {
  const { searchParams } = useRoute();
  const [shared, sharedWords] = [searchParams.get("q") ?? "", searchParams.get("in") ?? ""];
  const [text, setText] = useState(shared);
  const [words, setWords] = useState(sharedWords);
  const [past, setPast] = useState(history);
  // from one answer to the next
  const [isChart, setChart] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { outcome, run, download, cancel } = useStatement();
  // the statement of the address: of a link, or of a step back
  useEffect(() => {
    setText(shared);
    setWords(sharedWords);
    if (shared.trim() !== "") run({ sql: shared, words: sharedWords });
  }, [shared, sharedWords, run]);

  const start = (sql: string): void => {
    if (sql.trim() === "") return;
    setText(sql);
    setPast(remember(sql));
    const query = new URLSearchParams({ q: sql, ...(words.trim() === "" ? {} : { in: words.trim() }) });
    // the same one is run again; another one by its address
    if (sql === shared && words.trim() === sharedWords) run({ sql, words: sharedWords });
    else go(`${at("sql")}?${query}`);
  };
  const insert = (name: string): void => {
    const input = field.current!;
    const { selectionStart, selectionEnd, value } = input;
    setText(value.slice(0, selectionStart) + name + value.slice(selectionEnd));
    requestAnimationFrame(() => {
      input.focus();
      input.setSelectionRange(selectionStart + name.length, selectionStart + name.length);
    });
  };
  const isRunning = outcome.is === "running";
  return (
    <main className="sql">
      <div className="sql-main">
        <h1 className="sql-title">SQL</h1>
        <Editor
          field={field}
          value={text}
          outcome={outcome}
          onChange={setText}
          onRun={() => start(text)}
          onCancel={cancel}
        />
        <div className="sql-bar">
          <Button kind="main" disabled={text.trim() === ""} onClick={() => start(text)}>
            Run
          </Button>
          <Button disabled={!isRunning} onClick={cancel}>
            Cancel
          </Button>
          <label>
            Recordings{" "}
            <input
              className="field"
              placeholder="all; or words of the search"
              value={words}
              onChange={(event) => setWords(event.currentTarget.value)}
            />
          </label>
          <small id="sql-keys" className="hint">
            Ctrl+Enter runs, Escape cancels
          </small>
        </div>
        <p role="status" className="sql-status">
          {statusOf(outcome)}
        </p>
        {outcome.is === "none" && (
          <section aria-labelledby="sql-examples-title">
            <h2 id="sql-examples-title" className="sql-subtitle">
              For example
            </h2>
            <Statements of={EXAMPLES} className="sql-examples" onStatement={start} />
          </section>
        )}
        {outcome.is === "answer" && (
          <Answered
            outcome={outcome}
            isChart={isChart}
            onChart={() => setChart(!isChart)}
            onDownload={(format) => download(outcome.of, format)}
          />
        )}
      </div>
      <aside className="sql-side" aria-label="What can be asked">
        <Tables
          words={sharedWords}
          onName={insert}
          onTable={(name) => start(`select * from ${/^\w+$/.test(name) ? name : `"${name}"`} limit 100`)}
        />
        <section aria-labelledby="sql-history-title">
          <h2 id="sql-history-title">History</h2>
          {past.length === 0 && <p className="hint">Statements that you run are kept in this browser.</p>}
          <Statements of={past} className="sql-history" onStatement={start} />
          {past.length > 0 && <Button onClick={() => setPast(forgetAll())}>Forget all</Button>}
        </section>
      </aside>
    </main>
  );
}

/** Statements, which a press runs. */
function Statements({
  of,
  className,
  onStatement,
}: {
  readonly of: readonly string[];
  readonly className: string;
  readonly onStatement: (sql: string) => void;
}) {
  return (
    <ol className={className}>
      {of.map((one) => (
        <li key={one}>
          <button type="button" className="sql-name" title={one} onClick={() => onStatement(one)}>
            {one}
          </button>
        </li>
      ))}
    </ol>
  );
}

function Answered({
  outcome: { answer },
  isChart,
  onChart,
  onDownload,
}: {
  readonly outcome: Extract<Outcome, { is: "answer" }> & { readonly of: Statement };
  readonly isChart: boolean;
  readonly onChart: () => void;
  readonly onDownload: (format: FileFormat) => void;
}) {
  return (
    <>
      <div className="sql-bar">
        <Button aria-pressed={isChart} onClick={onChart}>
          Chart
        </Button>
        <span className="spring" />
        <span id="sql-download">Download</span>
        {FILES.map(([format, title]) => (
          <Button key={format} label={`Download all rows as ${title}`} onClick={() => onDownload(format)}>
            {title}
          </Button>
        ))}
      </div>
      {answer.unread > 0 && (
        <details className="sql-problems">
          <summary>
            {answer.unread === 1 ? "1 recording" : `${answer.unread} recordings`} could not be read: rows are missing
          </summary>
          <ul>
            {answer.problems.map(({ recording, message }) => (
              <li key={recording}>
                <b>{recording}</b>: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
      {isChart && answer.rows.length > 0 && (
        <Chart key={answer.columns.map(({ name }) => name).join()} answer={answer} />
      )}
      {answer.rows.length > 0 && <AnswerTable answer={answer} />}
    </>
  );
}

function statusOf(outcome: Outcome): string {
  switch (outcome.is) {
    case "none":
    case "failure":
      return "";
    case "running":
      return "Running …";
    case "cancelled":
      return "Cancelled.";
    case "answer": {
      const { answer, seconds } = outcome;
      const count = answer.rows.length;
      const rows = answer.truncated
        ? `The first ${count.toLocaleString()} rows; a download has ${count < MOST_ROWS ? "no more" : "more"}`
        : count === 1
          ? "1 row"
          : `${count === 0 ? "No" : count.toLocaleString()} rows`;
      return `${rows}, ${seconds.toFixed(seconds < 10 ? 2 : 0)} s`;
    }
    default:
      return outcome satisfies never;
  }
}
