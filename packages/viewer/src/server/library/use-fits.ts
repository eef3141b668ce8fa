import { useEffect, useRef, useState } from "react";
import { ask, messageOf, Refusal } from "../api.ts";
import type { Item } from "../shapes.ts";

/** Recordings that are asked at once: a server answers so many. */
const AT_ONCE = 2;
/** Until a server is asked again that has too much to do, milliseconds. */
const AGAIN = 2000;
/** Recordings that are looked at without being asked to. */
export const MOST = 500;

/** What an expression is in a recording. */
export interface Fit {
  readonly count: number;
  /** Seconds; null: never. */
  readonly first: number | null;
  /** Why there is no answer. */
  readonly trouble: string | null;
}

/** What is wrong with the expression, and the line of it with carets below. */
export interface WrongExpression {
  readonly message: string;
  readonly excerpt: string | null;
}

export interface Fits {
  /** Undefined: it was not asked yet. */
  readonly of: (item: Item) => Fit | undefined;
  /** Recordings that were asked. */
  readonly asked: number;
  readonly isDone: boolean;
  readonly wrong: WrongExpression | null;
  /** Why it fits none of those that were asked: it names what they do not have. */
  readonly unfit: string | null;
}

const NEVER: Fit = { count: 0, first: null, trouble: null };

/** Asks the recordings of a search, one after the other, how often an expression is true. `where` "": none is asked. */
export function useFits(items: readonly Item[], where: string): Fits {
  const [, setVersion] = useState(0);
  const known = useRef(new Looked(""));
  if (known.current.where !== where) known.current = new Looked(where);
  const looked = known.current;
  const fitting = where === "" ? [] : items.filter(({ state }) => state === "indexed" || state === "live");
  const left = fitting.filter((item) => !looked.fits.has(keyOf(item)));
  const next = left.map(({ id }) => id).join(" ");
  const isWrong = looked.wrong !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is left says which recordings are to be asked
  useEffect(() => {
    if (isWrong || left.length === 0) return;
    const controller = new AbortController();
    const { signal } = controller;
    const queue = [...left];
    const work = async (): Promise<void> => {
      for (let item = queue.shift(); item !== undefined && !signal.aborted; item = queue.shift()) {
        const one = item;
        await lookAt(one.id, where, signal).then(
          (found) => looked.take(keyOf(one), found),
          (error: unknown) => (signal.aborted ? undefined : looked.take(keyOf(one), troubleOf(error))),
        );
        if (looked.wrong !== null) queue.length = 0;
      }
    };
    const all = Array.from({ length: AT_ONCE }, work);
    const timer = setInterval(() => setVersion(looked.version), 200);
    void Promise.all(all).then(() => signal.aborted || setVersion(looked.version));
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [where, next === "" ? "" : fitting.map(keyOf).join(" "), isWrong]);
  const asked = fitting.length - left.length;
  return {
    of: (item) => looked.fits.get(keyOf(item)),
    asked,
    isDone: left.length === 0 || isWrong,
    wrong: looked.wrong,
    unfit: looked.unfit !== null && asked > 0 && looked.unfitting >= asked ? looked.unfit : null,
  };
}

/** What an expression was found to be, by recording. */
class Looked {
  readonly where: string;
  readonly fits = new Map<string, Fit>();
  wrong: WrongExpression | null = null;
  unfit: string | null = null;
  unfitting = 0;
  /** Counts changes. */
  version = 0;

  constructor(where: string) {
    this.where = where;
  }

  take(key: string, found: Fit | Unanswered): void {
    this.version++;
    if (!("how" in found)) this.fits.set(key, found);
    else if (found.how === "wrong") this.wrong = found.wrong;
    else {
      this.fits.set(key, NEVER);
      this.unfitting++;
      this.unfit ??= found.message;
    }
  }
}

/** `wrong`: it is no expression; `unfit`: it names what this recording does not have. */
type Unanswered =
  | { readonly how: "wrong"; readonly wrong: WrongExpression }
  | { readonly how: "unfit"; readonly message: string };

async function lookAt(id: string, where: string, signal: AbortSignal): Promise<Fit> {
  for (;;) {
    try {
      const query = { where, limit: 0 };
      const { count, first } = await ask("GET /api/recordings/{id}/when", { params: { id }, query, signal });
      return { count, first: first === null ? null : first / 1e9, trouble: null };
    } catch (error) {
      const isBusy = error instanceof Refusal && error.status === 503 && error.details["code"] === undefined;
      if (!isBusy) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
      signal.throwIfAborted();
    }
  }
}

function troubleOf(error: unknown): Fit | Unanswered {
  const trouble = { count: 0, first: null, trouble: messageOf(error) };
  if (!(error instanceof Refusal) || error.status !== 400) return trouble;
  const { code, excerpt } = error.details;
  const { message } = error;
  if (code === "limit") return trouble;
  if (code !== undefined && code !== "syntax") return { how: "unfit", message };
  return { how: "wrong", wrong: { message, excerpt: typeof excerpt === "string" ? excerpt : null } };
}

/** Another one when the recording has changed. */
function keyOf({ id, state, bytes }: Item): string {
  return `${id} ${state} ${bytes}`;
}
