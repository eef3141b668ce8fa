import { type Static, Type } from "typebox";
import type { SearchOrder } from "./order.ts";
import { Problem } from "../http/problem.ts";
import { isUnit, type Measure, measureOf } from "./measure.ts";

const WORD = Type.String({ maxLength: 300 });
/** One, or several: `a,b`, and given more than once. */
const WORDS = Type.Union([Type.String({ maxLength: 2000 }), Type.Array(WORD, { maxItems: 50 })]);

/** What recordings are searched by; all of it must be so. */
export const FILTERS = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 1000, description: 'words, "several", -without, altitude > 3000 ft' })),
  format: Type.Optional(WORDS),
  state: Type.Optional(WORDS),
  from: Type.Optional(Type.String({ format: "date-time", description: "began then or later" })),
  until: Type.Optional(Type.String({ format: "date-time", description: "began before" })),
  event: Type.Optional(Type.String({ maxLength: 300, description: "a kind of event that it has" })),
  with: Type.Optional(Type.String({ maxLength: 300, description: "who or what is in it: label or id" })),
  longer: Type.Optional(Type.Number({ description: "seconds" })),
  shorter: Type.Optional(Type.Number({ description: "seconds" })),
  path: Type.Optional(Type.String({ maxLength: 500, description: "a number in it: altitude, vehicles/7/position.x" })),
  above: Type.Optional(Type.String({ maxLength: 100, description: "path is at some time above: 3,000 ft" })),
  below: Type.Optional(Type.String({ maxLength: 100, description: "path is at some time below" })),
  meta: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Array(Type.String(), { maxItems: 20 })])),
  findings: Type.Optional(Type.Boolean({ description: "something is wrong with it, or nothing" })),
  tag: Type.Optional(WORDS),
  collection: Type.Optional(Type.String({ maxLength: 300, description: "id or name" })),
  owner: Type.Optional(Type.String({ maxLength: 300 })),
  digest: Type.Optional(Type.String({ maxLength: 64, description: "SHA-256 of the recording or of one of its files" })),
  key: Type.Optional(Type.String({ maxLength: 2000, description: "where it lies in the library" })),
  duplicates: Type.Optional(Type.Boolean({ description: "another one has the same content" })),
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

/** A number that is at some time above, and at some time below. */
export interface ExtentFilter {
  readonly path: string;
  readonly above: Measure | null;
  readonly below: Measure | null;
}

/** What is asked for, understood. */
export interface Filters {
  readonly q: string;
  readonly formats: readonly string[];
  readonly states: readonly string[];
  readonly from: Date | null;
  readonly until: Date | null;
  readonly event: string | null;
  readonly with: string | null;
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

/** Throws `Problem` for what has no meaning. */
export function filtersOf(asked: Static<typeof FILTERS>): Filters {
  const [q, extents] = extentsIn(clean(asked.q ?? ""));
  return {
    q,
    formats: listOf(asked.format),
    states: listOf(asked.state),
    from: asked.from === undefined ? null : new Date(asked.from),
    until: asked.until === undefined ? null : new Date(asked.until),
    event: textOf(asked.event),
    with: textOf(asked.with),
    longer: asked.longer ?? null,
    shorter: asked.shorter ?? null,
    extents: [...extents, ...extentOf(asked)],
    meta: [asked.meta ?? []].flat().map(pairOf),
    findings: asked.findings ?? null,
    tags: listOf(asked.tag),
    collection: textOf(asked.collection),
    owner: textOf(asked.owner),
    digest: textOf(asked.digest)?.toLowerCase() ?? null,
    key: textOf(asked.key),
    duplicates: asked.duplicates ?? null,
  };
}

/** Whether everything is asked for. */
export function areNone(filters: Filters): boolean {
  return Object.values(filters).every((one: unknown) => one === null || one === "" || (Array.isArray(one) && !one[0]));
}

/** Whether only columns of recordings are asked for that have one value each, and which value. */
export function isOfColumns({
  q,
  from,
  until,
  longer,
  shorter,
  event,
  with: who,
  extents,
  meta,
  tags,
  digest,
}: Filters): boolean {
  const single = [from, until, longer, shorter, event, who, digest];
  const lists = [extents, meta, tags];
  return q === "" && single.every((one) => one === null) && lists.every((list) => list.length === 0);
}

export function orderOf({ sort = "added", order }: ListQuery): SearchOrder {
  return { sort, isDescending: (order ?? (sort === "name" ? "asc" : "desc")) === "desc" };
}

const SENTENCE = /([\p{L}/][^\s"<>]*)\s*(>|<|\babove\b|\bbelow\b)\s*([+-]?\d[\d,.]*)\s?([\p{L}°][\p{L}/°]*)?/giu;

/** `altitude above 3,000 ft` among the words, and the words without it. */
function extentsIn(q: string): [rest: string, extents: ExtentFilter[]] {
  const found: ExtentFilter[] = [];
  const rest = q.replace(SENTENCE, (whole, path: string, how: string, number: string, unit: string | undefined) => {
    const isKnown = unit !== undefined && isUnit(unit);
    const measure = measureOf(isKnown ? `${number} ${unit}` : number);
    if (measure === null) return whole;
    const isAbove = how === ">" || how.toLowerCase() === "above";
    found.push({ path, above: isAbove ? measure : null, below: isAbove ? null : measure });
    return unit === undefined || isKnown ? " " : ` ${unit}`;
  });
  return [found.length === 0 ? q : rest, found];
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
      throw new Problem(400, `${name}: ${measure.unit} is no unit that is known here, as ft, m, km/h or kt are`);
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

function textOf(given: string | undefined): string | null {
  const text = clean(given?.trim() ?? "");
  return text === "" ? null : text;
}

/** PostgreSQL takes no NUL and no half of a pair. */
export function clean(text: string): string {
  return text.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\ufffd");
}
