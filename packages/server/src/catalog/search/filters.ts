import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { SearchOrder } from "./order.ts";
import { clean } from "../../database/clean.ts";
import { Problem } from "../../problem.ts";
import { isUnit, type Measure, measureOf } from "./measure.ts";
import { type ExtentFilter, type Question, type QuestionKey, questionIn } from "./question.ts";

const WORD = Type.String({ maxLength: 300 });
/** One value, or several: `a,b`, or the parameter given more than once. */
const WORDS = Type.Union([Type.String({ maxLength: 2000 }), Type.Array(WORD, { maxItems: 50 })]);

/** One value, or the parameter given more than once. */
const SEVERAL = Type.Union([Type.String({ maxLength: 300 }), Type.Array(WORD, { maxItems: 50 })]);

/** Milliseconds. */
const DAY = 86_400_000;

/** Filters of a search; a recording must meet all of them. */
export const FILTERS = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'words, "several", -without, altitude > 3000 ft, format:carla, longer than 30 s, two vehicles',
      examples: ["pushback format:flightgear longer than 30 s"],
    }),
  ),
  format: Type.Optional(WORDS),
  state: Type.Optional(WORDS),
  from: Type.Optional(Type.String({ format: "date-time", description: "began at this time or later" })),
  until: Type.Optional(Type.String({ format: "date-time", description: "began before this time" })),
  event: Type.Optional({ ...SEVERAL, description: "has an event of this kind, or of one of several" }),
  with: Type.Optional({
    ...SEVERAL,
    description: "a thing or person in the recording, or one of several: label or id",
  }),
  map: Type.Optional({ ...SEVERAL, description: "the map that its metadata name, or one of several" }),
  length: Type.Optional({
    ...SEVERAL,
    description: "seconds, from the first to below the second: 10-60, 3600-; or one of several",
  }),
  day: Type.Optional({ ...SEVERAL, description: "began on this day of `zone`, or on one of several: 2026-11-23" }),
  zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "time zone of `day`; UTC when it is absent",
      examples: ["Europe/Paris"],
    }),
  ),
  longer: Type.Optional(Type.Number({ description: "seconds" })),
  shorter: Type.Optional(Type.Number({ description: "seconds" })),
  path: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "a number in the recording: altitude, vehicles/7/position.x",
      examples: ["altitude"],
    }),
  ),
  above: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "the number of `path` exceeds this at some time: 3,000 ft",
      examples: ["3,000 ft"],
    }),
  ),
  below: Type.Optional(
    Type.String({ maxLength: 100, description: "the number of `path` falls below this at some time" }),
  ),
  meta: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Array(Type.String(), { maxItems: 20 })])),
  findings: Type.Optional(Type.Boolean({ description: "has findings, or none" })),
  tag: Type.Optional(WORDS),
  collection: Type.Optional(Type.String({ maxLength: 300, description: "id or name" })),
  owner: Type.Optional(Type.String({ maxLength: 300 })),
  digest: Type.Optional(Type.String({ maxLength: 64, description: "SHA-256 of the recording or of one of its files" })),
  key: Type.Optional(Type.String({ maxLength: 2000, description: "path in the library" })),
  duplicates: Type.Optional(Type.Boolean({ description: "another recording has the same content" })),
});

export const LIST = Type.Object({
  ...FILTERS.properties,
  sort: Type.Optional(
    Type.Union([
      Type.Literal("added"),
      Type.Literal("started"),
      Type.Literal("seconds"),
      Type.Literal("name"),
      Type.Literal("bytes"),
    ]),
  ),
  order: Type.Optional(Type.Union([Type.Literal("asc"), Type.Literal("desc")])),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 3000 })),
});
export type ListQuery = Static<typeof LIST>;

/** Seconds: `least` or more, less than `most`; null: no end. */
export interface Length {
  readonly least: number;
  readonly most: number | null;
}

/** A day of a time zone: `2026-11-23`. */
export interface Day {
  readonly date: string;
  readonly zone: string;
}

/** The filters of a request, parsed. */
export interface Filters {
  readonly q: string;
  readonly formats: readonly string[];
  readonly states: readonly string[];
  readonly from: Date | null;
  readonly until: Date | null;
  /** Kinds of events, things and maps of which it has one. */
  readonly events: readonly string[];
  readonly things: readonly string[];
  readonly maps: readonly string[];
  readonly lengths: readonly Length[];
  readonly days: readonly Day[];
  readonly longer: number | null;
  readonly shorter: number | null;
  readonly extents: readonly ExtentFilter[];
  readonly meta: readonly (readonly [key: string, value: string])[];
  readonly findings: boolean | null;
  readonly tags: readonly string[];
  readonly collection: string | null;
  readonly owner: string | null;
  readonly digest: string | null;
  readonly key: string | null;
  readonly duplicates: boolean | null;
}

/** Throws `Problem` for a filter that makes no sense. */
export function filtersOf(asked: Static<typeof FILTERS>): Filters {
  const question = questionIn(clean(asked.q ?? ""));
  const { filters } = question;
  const findings = findingsIn(filters.get("findings"));
  return {
    q: question.words,
    formats: [...listOf(asked.format), ...listOf(filters.get("format"))],
    states: [...listOf(asked.state), ...listOf(filters.get("state"))],
    from: asked.from === undefined ? null : new Date(asked.from),
    until: asked.until === undefined ? null : new Date(asked.until),
    events: severalOf(asked.event, filters.get("event")),
    things: severalOf(asked.with, filters.get("with")),
    maps: severalOf(asked.map),
    lengths: severalOf(asked.length).map(lengthOf),
    days: daysOf(severalOf(asked.day), zoneOf(asked)),
    longer: asked.longer ?? question.longer,
    shorter: asked.shorter ?? question.shorter,
    extents: [...question.extents, ...extentOf(asked)],
    meta: [asked.meta ?? []].flat().map(pairOf),
    findings: asked.findings ?? findings,
    tags: [...listOf(asked.tag), ...listOf(filters.get("tag"))],
    collection: oneOf("collection", asked.collection, question),
    owner: textOf(asked.owner),
    digest: textOf(asked.digest)?.toLowerCase() ?? null,
    key: textOf(asked.key),
    duplicates: asked.duplicates ?? null,
  };
}

/**
 * The filters in the address of the page: `q=race&format=hcrp`. A day is one of UTC. Other parameters are passed over.
 * Throws `Problem` for a filter that makes no sense.
 */
export function filtersInQuery(text: string): Filters {
  const found: Record<string, string | string[]> = {};
  const words = new URLSearchParams(text);
  for (const name of new Set(words.keys())) {
    const values = words.getAll(name);
    if (Object.hasOwn(FILTERS.properties, name)) found[name] = values.length === 1 ? values[0]! : values;
  }
  for (const [name, days] of [
    ["from", 0],
    ["until", 1],
  ] as const) {
    const day = found[name];
    if (typeof day !== "string" || !/^\d{4}-\d\d-\d\d$/.test(day)) continue;
    const date = new Date(Date.parse(day) + days * DAY);
    if (!Number.isNaN(date.getTime())) found[name] = date.toISOString();
  }
  const asked = Value.Convert(FILTERS, found);
  const [error] = Value.Errors(FILTERS, asked);
  if (error !== undefined) throw new Problem(400, `${error.instancePath.slice(1)} ${error.message}`);
  return filtersOf(asked as Static<typeof FILTERS>);
}

/** Whether there is no filter, so that all recordings match. */
export function areNone(filters: Filters): boolean {
  return Object.values(filters).every((one: unknown) => one === null || one === "" || (Array.isArray(one) && !one[0]));
}

/** Whether all filters are on columns that have one value for each recording, and which value. */
export function isOfColumns({
  q,
  from,
  until,
  longer,
  shorter,
  events,
  things,
  lengths,
  days,
  extents,
  meta,
  tags,
  digest,
}: Filters): boolean {
  const single = [from, until, longer, shorter, digest];
  const lists: readonly (readonly unknown[])[] = [extents, meta, tags, events, things, lengths, days];
  return q === "" && single.every((one) => one === null) && lists.every((list) => list.length === 0);
}

export function orderOf({ sort = "added", order }: ListQuery): SearchOrder {
  return { sort, isDescending: (order ?? (sort === "name" ? "asc" : "desc")) === "desc" };
}

/** A filter with one value, given as a parameter or among the words. Throws `Problem` for two different values. */
function oneOf(name: QuestionKey, given: string | undefined, { filters }: Question): string | null {
  const all = new Set([textOf(given), ...(filters.get(name) ?? []).map(textOf)].filter((one) => one !== null));
  if (all.size > 1) throw new Problem(400, `${name} takes one value, not ${[...all].join(" and ")}`);
  return [...all][0] ?? null;
}

function findingsIn(words: readonly string[] | undefined): boolean | null {
  const word = words?.at(-1)?.toLowerCase();
  if (word === undefined) return null;
  if (["yes", "true", "no", "false"].includes(word)) return word === "yes" || word === "true";
  throw new Problem(400, `findings:yes or findings:no, not findings:${word}`);
}

function extentOf({ path, above, below }: Static<typeof FILTERS>): readonly ExtentFilter[] {
  if (path === undefined || path.trim() === "") {
    if (above === undefined && below === undefined) return [];
    throw new Problem(400, "above and below need a path: path=altitude&above=3000 ft");
  }
  const understood = (text: string | undefined, name: string): Measure | null => {
    if (text === undefined || text.trim() === "") return null;
    const measure = measureOf(text);
    if (measure === null) throw new Problem(400, `${name} is a number with or without a unit, not ${text}`);
    if (measure.unit !== null && !isUnit(measure.unit))
      throw new Problem(400, `${name}: ${measure.unit} is an unknown unit; known are ft, m, km/h, kt and others`);
    return measure;
  };
  return [{ path: clean(path.trim()), above: understood(above, "above"), below: understood(below, "below") }];
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Problem(400, `meta is key=value, not ${text}`);
  return [clean(text.slice(0, at)), clean(text.slice(at + 1))];
}

function listOf(given: string | readonly string[] | undefined): readonly string[] {
  const all = [given ?? []].flat().flatMap((text) => text.split(","));
  return all.map((text) => clean(text.trim())).filter((text) => text !== "");
}

/** The values of a parameter that may be given more than once, and those among the words: a value may have commas. */
function severalOf(given: string | readonly string[] | undefined, words: readonly string[] = []): readonly string[] {
  const all = [...[given ?? []].flat(), ...words].map((text) => clean(text.trim()));
  return [...new Set(all.filter((text) => text !== ""))];
}

function lengthOf(text: string): Length {
  const [, least, most] = /^(\d{1,9})-(\d{1,9})?$/.exec(text) ?? [];
  if (least === undefined) throw new Problem(400, `length is seconds, from-to: 10-60, not ${text}`);
  return { least: Number(least), most: most === undefined ? null : Number(most) };
}

function daysOf(dates: readonly string[], zone: string): readonly Day[] {
  for (const date of dates)
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date)))
      throw new Problem(400, `day is a date: 2026-11-23, not ${date}`);
  return dates.map((date) => ({ date, zone }));
}

/** The time zone of days. Throws `Problem` for one that does not exist. */
export function zoneOf({ zone = "UTC" }: { readonly zone?: string }): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new Problem(400, `there is no time zone ${clean(zone)}`);
  }
}

function textOf(given: string | undefined): string | null {
  const text = clean(given?.trim() ?? "");
  return text === "" ? null : text;
}
