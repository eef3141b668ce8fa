import type { Time } from "simtape";
import { Observable } from "../observable.ts";
import type { Answered, Opened, Progress, Span, Wrong } from "../protocol.ts";
import type { Deck, Session } from "../session.ts";
import { thingNamed } from "../subject.ts";

/** Spans that are listed at most. */
export const MOST_SPANS = 10_000;
/** Where the expression is kept. */
export const WHEN = "when";
/** Whether the next keys are meant for the expression of the panel *Find*, which may be loading still. */
export const fieldWanted: Observable<boolean> = new Observable(false);

/** What is known of when an expression is true. */
export interface Known extends Omit<Answered, "isEnd"> {
  /** "": nothing is asked. */
  readonly text: string;
  readonly phase: "reading" | "complete" | "cut" | "wrong" | "failed";
  /** Part of the recording that was gone through. */
  readonly part: number;
  readonly wrong: Wrong | null;
}

const NOTHING: Known = {
  text: "",
  phase: "complete",
  part: 1,
  spans: [],
  measure: null,
  isInstant: false,
  wrong: null,
};

/** When the expression that was asked last is true in a recording. */
export class Asking {
  readonly known: Observable<Known> = new Observable<Known>(NOTHING);
  readonly #session: Pick<Session, "query">;
  readonly #recording: number;
  #running = new AbortController();

  constructor(session: Pick<Session, "query">, { opened }: Pick<Deck, "opened">) {
    this.#session = session;
    this.#recording = opened.recording;
  }

  /** Asks, unless that is what is asked already; "" stops asking. */
  async ask(text: string): Promise<void> {
    if (text === this.known.value.text) return;
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.known.set(text === "" ? NOTHING : { ...NOTHING, text, phase: "reading", part: 0 });
    if (text === "") return;
    const add = ({ spans, measure, isInstant }: Answered, phase: Known["phase"], part: number): void => {
      if (signal.aborted) return;
      const all = [...this.known.value.spans, ...spans].sort((a, b) => a.from - b.from);
      this.known.update({ spans: all, measure, isInstant, phase, part });
    };
    const onProgress = ({ partial, done, total }: Progress): void => {
      const part = total === null ? 0 : done / Math.max(1, total);
      add(partial as Answered, "reading", part);
    };
    try {
      const ask = { recording: this.#recording, text, limit: MOST_SPANS };
      const found = await this.#session.query("when", ask, { signal, onProgress });
      if ("message" in found) this.known.update({ phase: "wrong", wrong: found, part: 1 });
      else add(found, found.isEnd ? "complete" : "cut", 1);
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      this.known.update({ phase: "failed", wrong: { message, pointed: "", isNumber: false } });
    }
  }
}

const all = new WeakMap<Opened, Asking>();

/** The one of what a deck plays. */
export function askingOf(session: Session, deck: Deck): Asking {
  const found = all.get(deck.opened) ?? new Asking(session, deck);
  all.set(deck.opened, found);
  return found;
}

/** The expression that is kept. */
export function expressionIn(shared: Readonly<Record<string, unknown>>): string {
  const kept = shared[WHEN];
  return typeof kept === "string" ? kept : "";
}

/** The last span that does not begin behind a time; -1: all do. */
export function spanAt(spans: readonly Pick<Span, "from">[], time: Time): number {
  let low = -1;
  let high = spans.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (spans[middle]!.from <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Goes to where a span begins, and selects what it is about. */
export async function showSpan(session: Session, { from, thing }: Span): Promise<void> {
  await session.seek(from);
  const state = session.frame?.recorded;
  const found = thing === null || state === undefined ? null : thingNamed(state, thing);
  if (found !== null) session.select({ kind: "thing", ...found });
}

/** Goes to the next span, or back to the one before; says so where there is none. */
export function goToSpan(session: Session, direction: 1 | -1): void {
  const deck = session.state.value.decks[0];
  const { time } = session;
  if (deck === undefined || time === null) return;
  const { spans, text } = askingOf(session, deck).known.value;
  const found = direction > 0 ? spans.find(({ from }) => from > time) : spans.findLast(({ from }) => from < time);
  if (text === "") session.tell("Say in the panel Find when something is true");
  else if (found === undefined) session.tell(`It is not true ${direction > 0 ? "after" : "before"} this moment`);
  else void showSpan(session, found);
}

/** "max 34.2 km/h" */
export function extremeText({ extreme }: Pick<Span, "extreme">, measure: Answered["measure"]): string {
  if (extreme === null || measure === null) return "";
  return `${measure.how} ${Number(extreme.toPrecision(4))}${measure.unit === "" ? "" : ` ${measure.unit}`}`;
}

/** "0:02.5", for people: "250 ms" */
export function lengthText({ from, until }: Pick<Span, "from" | "until">): string {
  const length = until - from;
  if (length === 0) return "";
  if (length < 1e9) return `${Number((length / 1e6).toPrecision(3))} ms`;
  return length < 100e9 ? `${Number((length / 1e9).toPrecision(3))} s` : `${Math.round(length / 60e9)} min`;
}
