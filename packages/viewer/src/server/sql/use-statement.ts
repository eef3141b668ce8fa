import { useCallback, useEffect, useRef, useState } from "react";
import { ask, messageOf, Refusal } from "../api.ts";
import type { SqlAnswer } from "../shapes.ts";

/** Rows that the page asks for; a download has all that the server gives. */
export const MOST_ROWS = 10_000;

export type FileFormat = "csv" | "parquet" | "arrow";

/** Of which recordings a statement is: words of the search of the library; "" all. */
export interface Statement {
  readonly sql: string;
  readonly words: string;
}

export type Outcome =
  | { readonly is: "none" }
  | { readonly is: "running" }
  | { readonly is: "cancelled" }
  | { readonly is: "answer"; readonly of: Statement; readonly answer: SqlAnswer; readonly seconds: number }
  | { readonly is: "failure"; readonly of: Statement; readonly message: string; readonly at: number | null };

/** Runs one statement at a time. A new one ends the one before it. */
export function useStatement(): {
  readonly outcome: Outcome;
  readonly run: (statement: Statement) => void;
  readonly download: (statement: Statement, format: FileFormat) => void;
  readonly cancel: () => void;
} {
  const [outcome, setOutcome] = useState<Outcome>({ is: "none" });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const during = useCallback(async (of: Statement, work: (signal: AbortSignal) => Promise<Outcome>) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setOutcome({ is: "running" });
    const found = await work(controller.signal).catch((error: unknown): Outcome => {
      const at = error instanceof Refusal ? error.details["at"] : null;
      return { is: "failure", of, message: messageOf(error), at: typeof at === "number" ? at : null };
    });
    if (running.current === controller) setOutcome(controller.signal.aborted ? { is: "cancelled" } : found);
  }, []);

  const run = useCallback(
    (of: Statement) => {
      const started = performance.now();
      void during(of, async (signal) => {
        const body = { ...bodyOf(of), limit: MOST_ROWS };
        const answer = (await ask("POST /api/sql", { body, signal })) as unknown as SqlAnswer;
        return { is: "answer", of, answer, seconds: (performance.now() - started) / 1000 };
      });
    },
    [during],
  );
  const download = useCallback(
    (of: Statement, format: FileFormat) => {
      const before = outcome;
      void during(of, async (signal) => {
        const answer = (await ask("POST /api/sql", { body: { ...bodyOf(of), format }, signal })) as unknown as Response;
        save(await answer.blob(), `answer.${format}`);
        return before;
      });
    },
    [during, outcome],
  );
  const cancel = useCallback(() => running.current?.abort(), []);
  return { outcome, run, download, cancel };
}

function bodyOf({ sql, words }: Statement): { readonly sql: string; readonly recordings?: { readonly q: string } } {
  return words.trim() === "" ? { sql } : { sql, recordings: { q: words } };
}

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // the browser reads it after the click
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
