import type { Time } from "simtape";
import { isTooFar } from "../afar.ts";
import { Observable } from "../observable.ts";
import type { EventRow, Events, Opened, Progress } from "../protocol.ts";
import type { Deck, Session } from "../session.ts";
import { clock } from "../time.ts";

/** Events that are listed at most. */
export const MOST_EVENTS = 100_000;
/** Where it is kept which events are wanted. */
export const WANTED = "events";

/** Which events are wanted. */
export interface Wanted {
  /** None: all kinds. */
  readonly kinds: readonly string[];
  /** Words that all occur in it. */
  readonly text: string;
}

export const ALL: Wanted = { kinds: [], text: "" };

/** What is known of the events of a recording. */
export interface Known {
  /** By time. */
  readonly events: readonly EventRow[];
  /** `listed`: the file says more than is read, as it is far away. */
  readonly phase: "reading" | "complete" | "cut" | "listed" | "failed";
}

/** The events of a recording, read once when the first user of them comes. */
export class EventList {
  readonly known: Observable<Known> = new Observable<Known>({ events: [], phase: "reading" });
  readonly #session: Pick<Session, "query">;
  readonly #recording: number;

  constructor(session: Pick<Session, "query">, deck: Pick<Deck, "opened" | "place">) {
    this.#session = session;
    this.#recording = deck.opened.recording;
    void this.read(!isTooFar(deck));
  }

  /** From the start; `isReading`: messages are read for them, too. */
  async read(isReading: boolean): Promise<void> {
    this.known.set({ events: [], phase: "reading" });
    const add = ({ events }: Events, phase: Known["phase"]): void =>
      this.known.set({ events: [...this.known.value.events, ...events], phase });
    const ask = { recording: this.#recording, limit: MOST_EVENTS, isReading };
    try {
      const onProgress = ({ partial }: Progress): void => add(partial as Events, "reading");
      const rest = await this.#session.query("events", ask, { onProgress });
      add(rest, rest.isEnd ? (isReading ? "complete" : "listed") : "cut");
    } catch {
      // What is damaged is in the findings; a recording that was closed has no list.
      this.known.update({ phase: "failed" });
    }
  }

  /** The first one behind a time, or the last one before it, as far as it must be read; null: there is none. */
  async beside(time: Time, direction: 1 | -1, wanted: Wanted): Promise<EventRow | null> {
    const isThere = ({ time: its }: EventRow): boolean => (direction > 0 ? its > time : its >= time);
    while (this.known.value.phase === "reading" && !among(this.known.value.events, wanted).some(isThere))
      await changeOf(this.known);
    const events = among(this.known.value.events, wanted);
    const found = direction > 0 ? events.find(isThere) : events.findLast(({ time: its }) => its < time);
    return found ?? null;
  }
}

const lists = new WeakMap<Opened, EventList>();

/** The one list of what a deck plays. */
export function eventListOf(session: Session, deck: Deck): EventList {
  const found = lists.get(deck.opened) ?? new EventList(session, deck);
  lists.set(deck.opened, found);
  return found;
}

/** Those that are wanted, in the same order. */
export function among(events: readonly EventRow[], { kinds, text }: Wanted): readonly EventRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (kinds.length === 0 && words.length === 0) return events;
  return events.filter(({ kind, text: its, who }) => {
    if (kinds.length > 0 && !kinds.includes(kind)) return false;
    const whole = `${kind} ${its} ${who}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}

/** The last one that is not behind a time; -1: all are. */
export function indexAt(events: readonly EventRow[], time: Time): number {
  let low = -1;
  let high = events.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (events[middle]!.time <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The last part of a kind that is a path; the whole of any other. */
export function kindName(kind: string): string {
  return kind.split("/").findLast((part) => part !== "") ?? kind;
}

/** The text without what its kind says already. */
export function textOf({ kind, text }: Pick<EventRow, "kind" | "text">): string {
  return text.startsWith(`${kind}: `) ? text.slice(kind.length + 2) : text;
}

/** Shows an event, and selects what it is about. */
export function showEvent(session: Session, { time, thing }: EventRow): void {
  if (thing !== null) session.select({ kind: "thing", ...thing });
  void session.seek(time);
}

/** Goes to the next event that is wanted, or back to the one before, and says which it is. */
export async function goToEvent(session: Session, direction: 1 | -1): Promise<void> {
  const deck = session.state.value.decks[0];
  const { time } = session;
  if (deck === undefined || time === null) return;
  const found = await eventListOf(session, deck).beside(time, direction, wantedIn(session.state.value.shared));
  if (deck !== session.state.value.decks[0]) return;
  if (found === null) {
    session.tell(direction > 0 ? "No event after this moment" : "No event before this moment");
    return;
  }
  showEvent(session, found);
  session.tell(`${clock(found.time)} ${kindName(found.kind)}: ${textOf(found)}`);
}

export function wantedIn(shared: Readonly<Record<string, unknown>>): Wanted {
  const { kinds, text } = (shared[WANTED] ?? ALL) as Partial<Record<keyof Wanted, unknown>>;
  return {
    kinds: Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === "string") : ALL.kinds,
    text: typeof text === "string" ? text : ALL.text,
  };
}

function changeOf(known: Observable<Known>): Promise<void> {
  return new Promise((resolve) => {
    const stop = known.subscribe(() => {
      stop();
      resolve();
    });
  });
}
