import { useEffect, useState } from "react";
import { ask, Refusal } from "../api.ts";
import { countedOf, type List, type Search } from "./search.ts";

/** What there is to choose from, with how many recordings have it. */
export interface Facet {
  readonly value: string;
  readonly title: string;
  readonly count: number;
}

export type Facets = Readonly<Record<List | "tags" | "collections", readonly Facet[]>> & {
  /** How many recordings are found; null: not counted yet, or more than were counted. */
  readonly total: number | null;
};

const NONE: Facets = {
  ...{ total: null, formats: [], events: [], people: [], maps: [], lengths: [], days: [], tags: [], collections: [] },
};
/** Those shown of a long list, until the user wants all. */
const SHOWN = 8;
const LOOK_EVERY = 15_000;
/** Words are counted for when none was typed for so long, milliseconds. */
const PAUSE = 200;

/** What can be chosen, counted among what the search finds, and again when the library has changed. */
export function useFacets(search: Search, version: unknown): Facets {
  const [facets, setFacets] = useState<Facets>(NONE);
  const asked = JSON.stringify(countedOf(search));
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again when the library has changed
  useEffect(() => {
    const controller = new AbortController();
    let isThere = true;
    const look = (): void => {
      if (document.hidden || !isThere) return;
      ask("GET /api/facets", { query: JSON.parse(asked) as ReturnType<typeof countedOf>, signal: controller.signal })
        .then((found) => {
          const { total, whole, formats, events, people, maps, lengths, days, tags, collections } = found;
          setFacets({
            total: whole ? total : null,
            formats: formats.map((one) => facetOf(one, FORMAT_TITLES[one.value])),
            lengths: lengths.map((one) => facetOf(one, lengthText(one.value))).toSorted(byLength),
            days: days.map((one) => facetOf(one, dayText(one.value))),
            maps: maps.map((one) => facetOf(one, one.value.split("/").at(-1))),
            ...{ events: events.map((one) => facetOf(one)), people: people.map((one) => facetOf(one)) },
            ...{ tags: tags.map((one) => facetOf(one)), collections: collections.map((one) => facetOf(one)) },
          });
        })
        .catch((error: unknown) => {
          isThere = !(error instanceof Refusal && error.status === 404);
        });
    };
    const first = setTimeout(look, PAUSE);
    const timer = setInterval(look, LOOK_EVERY);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      controller.abort();
    };
  }, [asked, version]);
  return facets;
}

interface Given {
  readonly value: string;
  readonly title?: string;
  readonly count: number;
}

function facetOf({ value, title, count }: Given, text: string | undefined = title): Facet {
  return { value, title: text ?? value, count };
}

function byLength(one: Facet, other: Facet): number {
  return Number.parseInt(one.value, 10) - Number.parseInt(other.value, 10);
}

/** `10-60` as "10 s to 1 min". */
function lengthText(value: string): string {
  const [least = "", most = ""] = value.split("-");
  if (most === "") return `${secondsText(Number(least))} or longer`;
  return least === "0"
    ? `Up to ${secondsText(Number(most))}`
    : `${secondsText(Number(least))} to ${secondsText(Number(most))}`;
}

function secondsText(seconds: number): string {
  if (seconds >= 3600 && seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** A day of the user's clock. */
function dayText(value: string): string {
  const [year = 0, month = 1, date = 1] = value.split("-").map(Number);
  return new Date(year, month - 1, date).toLocaleDateString(undefined, { dateStyle: "medium" });
}

/** Properties of which several values can be chosen, in the order in which they are shown. */
const SEVERAL: readonly (readonly [list: List, title: string, titleOf: (value: string) => string])[] = [
  ["formats", "Format", (value) => FORMAT_TITLES[value] ?? value],
  ["people", "People", (value) => value],
  ["maps", "Map", (value) => value],
  ["events", "Has an event", (value) => value],
  ["lengths", "Length", lengthText],
  ["days", "Day", dayText],
];

/** The library by what its recordings are and hold. */
export function FacetList({
  facets,
  search,
  onChange,
}: {
  readonly facets: Facets;
  readonly search: Search;
  readonly onChange: (changes: Partial<Search>) => void;
}) {
  const toggled = (list: List, value: string): readonly string[] =>
    search[list].includes(value) ? search[list].filter((one) => one !== value) : [...search[list], value];
  return (
    <>
      {SEVERAL.map(([list, title, titleOf]) => (
        <Group
          key={list}
          title={title}
          facets={facets[list]}
          chosen={search[list]}
          titleOf={titleOf}
          onChoose={(value) => onChange({ [list]: toggled(list, value) })}
        />
      ))}
      <One name="collection" title="Collection" facets={facets.collections} search={search} onChange={onChange} />
      <One name="tag" title="Tag" facets={facets.tags} search={search} onChange={onChange} />
      <fieldset className="facet">
        <legend>State</legend>
        <Choice
          title="Live now"
          isChosen={search.state === "live"}
          onChoose={() => onChange({ state: search.state === "live" ? "" : "live" })}
        />
        <Choice
          title="With findings"
          isChosen={search.findings}
          onChoose={() => onChange({ findings: !search.findings })}
        />
      </fieldset>
      <fieldset className="facet">
        <legend>Date of recording</legend>
        <label className="facet-date">
          From
          <input
            type="date"
            className="field"
            value={search.from}
            onChange={(event) => onChange({ from: event.currentTarget.value })}
          />
        </label>
        <label className="facet-date">
          Until
          <input
            type="date"
            className="field"
            value={search.until}
            onChange={(event) => onChange({ until: event.currentTarget.value })}
          />
        </label>
      </fieldset>
    </>
  );
}

/** Facets of which one can be chosen. */
function One({
  name,
  title,
  facets,
  search,
  onChange,
}: {
  readonly name: "tag" | "collection";
  readonly title: string;
  readonly facets: readonly Facet[];
  readonly search: Search;
  readonly onChange: (changes: Partial<Search>) => void;
}) {
  const chosen = search[name];
  return (
    <Group
      title={title}
      facets={facets}
      chosen={chosen === "" ? [] : [chosen]}
      onChoose={(value) => onChange({ [name]: value === chosen ? "" : value })}
    />
  );
}

function Group({
  title,
  facets,
  chosen,
  titleOf = (value) => value,
  onChoose,
}: {
  readonly title: string;
  readonly facets: readonly Facet[];
  readonly chosen: readonly string[];
  /** The title of a chosen value that nothing has. */
  readonly titleOf?: (value: string) => string;
  readonly onChoose: (value: string) => void;
}) {
  const [isAll, setAll] = useState(false);
  const gone = chosen.filter((value) => !facets.some((facet) => facet.value === value));
  const all = [...gone.map((value) => ({ value, title: titleOf(value), count: 0 })), ...facets];
  if (all.length === 0) return null;
  const shown = isAll ? all : all.filter(({ value }, i) => i < SHOWN || chosen.includes(value));
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      {shown.map((facet) => (
        <Choice
          key={facet.value}
          {...facet}
          isChosen={chosen.includes(facet.value)}
          onChoose={() => onChoose(facet.value)}
        />
      ))}
      {shown.length < all.length && (
        <button type="button" className="facet-more" onClick={() => setAll(true)}>
          {all.length - shown.length} more …
        </button>
      )}
    </fieldset>
  );
}

function Choice({
  title,
  count,
  isChosen,
  onChoose,
}: {
  readonly title: string;
  readonly count?: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <label className="facet-choice">
      <input type="checkbox" checked={isChosen} onChange={onChoose} />
      <span>{title}</span>
      {count !== undefined && count > 0 && <small>{count.toLocaleString()}</small>}
    </label>
  );
}
