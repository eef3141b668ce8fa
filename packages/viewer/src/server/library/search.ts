import type { AskedOf } from "simtape-client";
import type { SavedSearch } from "../shapes.ts";

/** What is looked for in the library; in the address as it is in the request. */
export interface Search {
  readonly q: string;
  /** Of each of these a recording has one that was chosen. */
  readonly formats: readonly string[];
  readonly events: readonly string[];
  readonly people: readonly string[];
  readonly maps: readonly string[];
  /** Seconds, `10-60`; days of the user's clock, `2026-11-23`. */
  readonly lengths: readonly string[];
  readonly days: readonly string[];
  readonly tag: string;
  readonly collection: string;
  readonly state: string;
  readonly findings: boolean;
  /** Dates as `2026-11-23`: began on that day or later, or until it. */
  readonly from: string;
  readonly until: string;
  /** An expression: only recordings in which it is ever true. */
  readonly where: string;
  readonly sort: string;
  /** `asc` or `desc`; empty: as `sort` has it. */
  readonly order: string;
}

export const NO_SEARCH: Search = {
  q: "",
  formats: [],
  events: [],
  people: [],
  maps: [],
  lengths: [],
  days: [],
  tag: "",
  collection: "",
  state: "",
  findings: false,
  from: "",
  until: "",
  where: "",
  sort: "",
  order: "",
};

export const SORTS: readonly (readonly [name: string, title: string])[] = [
  ["", "Added"],
  ["started", "Recorded"],
  ["name", "Name"],
  ["seconds", "Length"],
  ["bytes", "Size"],
];

/** Whether the greatest comes first: names begin with the least, all else with the newest, the longest, the largest. */
export function isDescending({ sort, order }: Pick<Search, "sort" | "order">): boolean {
  return order === "" ? sort !== "name" : order === "desc";
}

const WORDS = ["q", "tag", "collection", "state", "from", "until", "where", "sort", "order"] as const;
/** Members of which several may be chosen, with their names in requests. */
const LISTS = {
  formats: "format",
  events: "event",
  people: "with",
  maps: "map",
  lengths: "length",
  days: "day",
} as const;
export type List = keyof typeof LISTS;
const ALL = Object.entries(LISTS) as readonly (readonly [List, (typeof LISTS)[List]])[];

/** The time zone in which a day is one of the user. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function searchIn(words: URLSearchParams): Search {
  const found: Record<string, string> = {};
  for (const name of WORDS) found[name] = words.get(name) ?? "";
  return {
    ...NO_SEARCH,
    ...found,
    ...Object.fromEntries(ALL.map(([list, name]) => [list, words.getAll(name)])),
    findings: words.get("findings") === "true",
  };
}

/** For the address of the page; `""` when nothing is looked for. */
export function wordsOf(search: Search): string {
  const words = new URLSearchParams();
  for (const name of WORDS) if (search[name] !== "") words.set(name, search[name]);
  for (const [list, name] of ALL) for (const value of search[list]) words.append(name, value);
  if (search.findings) words.set("findings", "true");
  const text = words.toString();
  return text === "" ? "" : `?${text}`;
}

/** What a request for recordings can ask. */
export type Query = NonNullable<AskedOf<"GET /api/recordings">["query"]>;

/** For the request of recordings, which are asked for `where` one by one: days of the user's clock become moments. */
export function askedOf(search: Search): Query {
  const given: Record<string, unknown> = {};
  for (const name of WORDS) given[name] = search[name];
  const { from, until, findings, days } = search;
  Object.assign(given, { where: "", from: momentOf(from, 0), until: momentOf(until, 1) });
  for (const [list, name] of ALL) if (search[list].length > 0) given[name] = search[list];
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")) as Query),
    ...(findings ? { findings } : {}),
    ...(days.length > 0 ? { zone: ZONE } : {}),
  };
}

/** For the request that counts what the search finds. */
export function countedOf(search: Search): Omit<Query, "sort" | "order"> {
  return { ...askedOf({ ...search, sort: "", order: "" }), zone: ZONE };
}

/** When that day begins, or so many days later; empty for what is no day. */
function momentOf(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const moment = new Date(year, month - 1, date + days);
  return day === "" || Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}

/** For the address of the page, of a search that was saved. */
export function wordsOfSaved({ query, where }: SavedSearch): string {
  return wordsOf({ ...searchIn(new URLSearchParams(query)), where: where ?? "" });
}

/** How many filters are set beside the words. */
export function filtersIn(search: Search): number {
  const { q: _, sort: __, order: ___, findings, ...others } = search;
  const counts = Object.values(others).map((value) =>
    typeof value === "string" ? Number(value !== "") : value.length,
  );
  return counts.reduce((sum, count) => sum + count, findings ? 1 : 0);
}
