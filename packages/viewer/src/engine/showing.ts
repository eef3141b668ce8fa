import type { Format, Recording, Showing } from "simtape";

/**
 * How to show a recording. A conversion, and what a running program is recorded into, keep the names of values and sets:
 * what other formats say of theirs holds here, too, behind what its own format says.
 */
export async function showingOf(recording: Recording, formats: readonly Format[]): Promise<Showing> {
  const { showing, handsOf } = await recording.traits();
  const hands = handsOf?.(recording.info) ?? null;
  const others = formats.filter(({ id }) => id !== recording.info.format);
  const all = (await Promise.all(others.map(async (format) => format.traits?.()))).flatMap(
    (traits) => traits?.showing ?? [],
  );
  // absent: everything that has a place
  const things = showing?.things === undefined ? {} : { things: unique([showing, ...all], "things") };
  const charts = all.flatMap(({ charts: more = [] }) => more.filter((chart) => chart !== "any"));
  return {
    ...showing,
    ...things,
    ...(hands === null ? {} : { hands }),
    charts: [...(showing?.charts ?? []), ...charts],
    presenters: Object.assign({}, ...all.map(({ presenters }) => presenters), showing?.presenters),
    bulk: unique([...(showing === undefined ? [] : [showing]), ...all], "bulk"),
  };
}

function unique(showings: readonly Showing[], key: "things" | "bulk"): readonly string[] {
  return [...new Set(showings.flatMap((showing) => showing[key] ?? []))];
}
