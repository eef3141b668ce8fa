import type { Race, RaceLap, RaceOptions } from "simtape/race";
import { LongQueries } from "../long-query.ts";
import type { Deck, Session } from "../session.ts";

/** Where it is kept how the race is run. */
export const RACING = "race";

/** How the race is run. */
export interface Wanted {
  /** Which things: `subject`, or all of its set. */
  readonly who: "subject" | "all";
  /** Where laps begin; `whole`: each recording is one lap. */
  readonly by: "whole" | "line" | "mark";
  /** The line, `x1,y1,x2,y2`, or the text of the mark. */
  readonly at: string;
  readonly sectors: number;
}

export const USUAL: Wanted = { who: "all", by: "whole", at: "", sectors: 3 };

export function wantedIn(shared: Readonly<Record<string, unknown>>): Wanted {
  const kept = (shared[RACING] ?? {}) as Partial<Record<keyof Wanted, unknown>>;
  const { sectors } = kept;
  return {
    who: kept.who === "subject" ? "subject" : USUAL.who,
    by: kept.by === "line" || kept.by === "mark" ? kept.by : USUAL.by,
    at: typeof kept.at === "string" ? kept.at : USUAL.at,
    sectors:
      typeof sectors === "number" && Number.isInteger(sectors) && sectors > 0 && sectors <= 100
        ? sectors
        : USUAL.sectors,
  };
}

/** The race of what a deck plays. */
export const races: LongQueries<Race> = new LongQueries<Race>();

/**
 * What the library is asked: about a thing of a set, or all of them. Null as long as the place where laps begin is not said.
 */
export function optionsOf(
  { who, by, at, sectors }: Wanted,
  set: string | undefined,
  id: number | string | undefined,
): RaceOptions | null {
  if (by !== "whole" && at.trim() === "") return null;
  const racer = who === "all" ? "*" : id;
  const things = set === undefined || racer === undefined ? undefined : [`${set}[${racer}]`];
  return { things, sectors, ...(by === "whole" ? {} : { [by]: at.trim() }) };
}

/** Races, unless that is what was raced. */
export function startRacing(session: Session, decks: readonly Deck[], options: RaceOptions): void {
  const [main, ...ghosts] = decks;
  const { things, line, mark, sectors } = options;
  const ask = {
    recording: main!.opened.recording,
    others: ghosts.map(({ opened }) => opened.recording),
    ...{ things, line, mark, sectors },
  };
  void races.of(main!).ask(JSON.stringify(ask), (query) => session.query("race", ask, query));
}

/** "1:02.345" */
export function lapTime(seconds: number | null): string {
  if (seconds === null) return "–";
  const milliseconds = Math.round(seconds * 1000);
  const minutes = Math.floor(milliseconds / 60_000);
  const rest = ((milliseconds - 60_000 * minutes) / 1000).toFixed(3);
  return minutes === 0 ? rest : `${minutes}:${rest.padStart(6, "0")}`;
}

/** "+0.512" behind the lap that leads. */
export function gapText(seconds: number | null): string {
  if (seconds === null) return "";
  return `${seconds < 0 ? "−" : "+"}${Math.abs(seconds).toFixed(3)}`;
}

/** What a lap is called: the thing, its recording where there are several, its number where there are several. */
export function nameOfLap({ laps }: Race, lap: RaceLap, decks: readonly Deck[]): string {
  const name = lap.label === "" ? `${lap.set}/${lap.id}` : lap.label;
  const hasMore = laps.some(
    ({ recording, id, number }) => recording === lap.recording && id === lap.id && number !== lap.number,
  );
  const recording =
    decks.length > 1 ? ` · ${lap.recording === 0 ? "" : "ghost "}${decks[lap.recording]?.place.name ?? ""}` : "";
  return `${name}${recording}${hasMore ? ` · lap ${lap.number}` : ""}`;
}
