import type { AskedOf } from "simtape-client";
import type { SavedSearch } from "../shapes.ts";

/** What is looked for in the library; in the address as it is in the request. */
export interface Search {
  readonly q: string;
  readonly formats: readonly string[];
  readonly event: string;
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
}

export const NO_SEARCH: Search = {
  q: "",
  formats: [],
  event: "",
  tag: "",
  collection: "",
  state: "",
  findings: false,
  from: "",
  until: "",
  where: "",
  sort: "",
};

export const SORTS: readonly (readonly [name: string, title: string])[] = [
  ["", "Newest first"],
  ["started", "By date of recording"],
  ["seconds", "Longest first"],
  ["bytes", "Largest first"],
  ["name", "By name"],
];

const WORDS = ["q", "event", "tag", "collection", "state", "from", "until", "where", "sort"] as const;

export function searchIn(words: URLSearchParams): Search {
  const found: Record<string, string> = {};
  for (const name of WORDS) found[name] = words.get(name) ?? "";
  return {
    ...NO_SEARCH,
    ...found,
    formats: words.getAll("format"),
    findings: words.get("findings") === "true",
  };
}

/** For the address of the page; `""` when nothing is looked for. */
export function wordsOf(search: Search): string {
  const words = new URLSearchParams();
  for (const name of WORDS) if (search[name] !== "") words.set(name, search[name]);
  for (const format of search.formats) words.append("format", format);
  if (search.findings) words.set("findings", "true");
  const text = words.toString();
  return text === "" ? "" : `?${text}`;
}

/** What a request for recordings can ask. */
export type Query = NonNullable<AskedOf<"GET /api/recordings">["query"]>;

/** For the request of recordings, which are asked for `where` one by one: days of the user's clock become moments. */
export function askedOf({ formats, findings, from, until, ...words }: Search): Query {
  const given = Object.entries({ ...words, where: "", from: momentOf(from, 0), until: momentOf(until, 1) });
  return {
    ...(Object.fromEntries(given.filter(([, value]) => value !== "")) as Query),
    ...(formats.length > 0 ? { format: formats } : {}),
    ...(findings ? { findings } : {}),
  };
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
  const { formats, findings, q: _, sort: __, ...others } = search;
  return formats.length + (findings ? 1 : 0) + Object.values(others).filter((value) => value !== "").length;
}
