import type { Recording } from "../../model/recording.ts";
import { HERO } from "../../model/showing.ts";
import type { Traits } from "../../model/traits.ts";
import type { ExportOptions, ExportReport } from "../exporter.ts";
import { UtcClock } from "./clock.ts";
import { FixReader } from "./fix.ts";
import { Landmarks } from "./landmarks.ts";
import { Moments } from "./moments.ts";

/** What heights of the target are above, by its specification. */
export type Level = "sea" | "ellipsoid";

/** Sets that have places: those that the recording is about first, then those on the earth. */
export async function placedSets(recording: Recording): Promise<readonly string[]> {
  const { start, end } = await recording.timeline();
  const reader = new FixReader(null);
  const found = new Map<string, boolean>();
  for (const time of [start, (start + end) / 2, end]) {
    for (const [name, set] of (await recording.state(time)).sets) {
      const fits = reader.use(set);
      if (fits !== "not" && !found.has(name)) found.set(name, fits === "geodetic");
    }
  }
  const things = (await recording.traits()).showing?.things ?? [];
  const rank = (name: string): number =>
    (things.includes(name) ? things.indexOf(name) - 1000 : 0) + (found.get(name) === true ? 0 : 100);
  return [...found.keys()].sort((a, b) => rank(a) - rank(b));
}

/** All that is known before a recording is gone through for its fixes. */
export interface Survey {
  readonly clock: UtcClock;
  /** The id of the thing that the recording is about; null: the format names none. */
  readonly hero: number | string | null;
  readonly moments: Moments;
  readonly landmarks: Landmarks;
  /** The report on what was given; throws `RangeError` when that is nothing. */
  report(count: number, more?: readonly string[]): ExportReport;
}

/** Throws as `Exporter.write` does for a set, or things, that are not there. */
export async function surveyOf(recording: Recording, options: ExportOptions, level: Level): Promise<Survey> {
  const traits = await recording.traits();
  const { set, origin } = options;
  const things = traits.showing?.things;
  const more = things === undefined ? [] : ((await options.things?.()) ?? []);
  const sets = set !== undefined ? [set] : things === undefined ? "all" : [...things, ...more];
  const hero = heroOf(traits);
  const moments = new Moments(recording, options, { sets, hero, origin: origin?.isSet === true ? origin : null });
  const clock = new UtcClock(await recording.timeline());
  const landmarks = await Landmarks.of(recording, options);
  const report = (count: number, more: readonly string[] = []): ExportReport => {
    if (moments.sets.size === 0) throw nothing(options, [...moments.local]);
    const notes = [clock.note, ...heights(moments, traits.heights, level), left(moments), landmarks.note, ...more];
    return {
      of: [...moments.sets],
      count,
      unit: "fix",
      lost: landmarks.lost,
      notes: notes.filter((note) => note !== null),
    };
  };
  return { clock, hero, moments, landmarks, report };
}

/** The thing that a format's first charts are of, where they name one. */
function heroOf({ showing }: Traits): number | string | null {
  for (const path of (showing?.charts ?? []).flat())
    if (typeof path === "object" && "set" in path && path.id !== HERO) return path.id;
  return null;
}

function nothing({ set, ids }: ExportOptions, local: readonly string[]): RangeError {
  if (local.length > 0)
    return new RangeError(
      `${local.join(" and ")}: places on a plane, and nothing says where on the earth that is: give an origin`,
    );
  const of = set === undefined ? "nothing" : `nothing in ${set}`;
  const which = ids === undefined ? "" : ` with the id ${ids.join(", ")}`;
  return new RangeError(`${of}${which} has a place on the earth in this range`);
}

function left({ local }: Moments): string | null {
  return local.size === 0 ? null : `${[...local].join(" and ")}: left out, as no origin lays their plane on the earth`;
}

/** What heights are above, where that is, and what the target takes them for. */
function heights({ isGeodetic, isLaid }: Moments, own: "sea" | undefined, level: Level): string[] {
  const taken = level === "sea" ? "above sea level" : "above the WGS 84 ellipsoid";
  const notes: string[] = [];
  if (isLaid) notes.push(`heights are those of the plane above its origin's, and are taken as ${taken}`);
  if (!isGeodetic) return notes;
  if (own === "sea" && level === "ellipsoid")
    notes.push(
      "heights are above the simulator's sea level, which lies on the ellipsoid; on real terrain they are off by the geoid, up to 110 m",
    );
  else if (own === "sea") notes.push("heights are above the simulator's sea level, and are taken as above sea level");
  else if (level === "sea")
    notes.push(
      "heights are above the WGS 84 ellipsoid and are taken as above sea level: off by the geoid, up to 110 m",
    );
  return notes;
}
