import { useEffect, useState } from "react";
import { ask, Refusal } from "../api.ts";
import type { Search } from "./search.ts";

/** What there is to choose from, with how many recordings have it. */
export interface Facet {
  readonly value: string;
  readonly title: string;
  readonly count: number;
}

export interface Facets {
  readonly formats: readonly Facet[];
  readonly events: readonly Facet[];
  readonly tags: readonly Facet[];
  readonly collections: readonly Facet[];
}

const NONE: Facets = { formats: [], events: [], tags: [], collections: [] };
/** Those shown of a long list, until the user wants all. */
const SHOWN = 8;
const LOOK_EVERY = 15_000;

/** Of a server without them there are none, and nothing is said of it. */
export function useFacets(version: unknown): Facets {
  const [facets, setFacets] = useState<Facets>(NONE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again when the library has changed
  useEffect(() => {
    const controller = new AbortController();
    let isThere = true;
    const look = (): void => {
      if (document.hidden || !isThere) return;
      ask("GET /api/facets", { signal: controller.signal })
        .then((found) =>
          setFacets({
            formats: found.formats.map((one) => facetOf(one, FORMAT_TITLES)),
            events: found.events.map((one) => facetOf(one)),
            tags: found.tags.map((one) => facetOf(one)),
            collections: found.collections.map((one) => facetOf(one)),
          }),
        )
        .catch((error: unknown) => {
          isThere = !(error instanceof Refusal && error.status === 404);
        });
    };
    const first = setTimeout(look, 100);
    const timer = setInterval(look, LOOK_EVERY);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      controller.abort();
    };
  }, [version]);
  return facets;
}

interface Given {
  readonly value: string;
  readonly title?: string;
  readonly count: number;
}

function facetOf({ value, title, count }: Given, titles: Readonly<Record<string, string>> = {}): Facet {
  return { value, title: title ?? titles[value] ?? value.replaceAll("-", " "), count };
}

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
  const toggled = (value: string): string[] =>
    search.formats.includes(value) ? search.formats.filter((one) => one !== value) : [...search.formats, value];
  return (
    <>
      <Group
        title="Format"
        facets={facets.formats}
        chosen={search.formats}
        onChoose={(value) => onChange({ formats: toggled(value) })}
      />
      <One name="collection" title="Collection" facets={facets.collections} search={search} onChange={onChange} />
      <One name="tag" title="Tag" facets={facets.tags} search={search} onChange={onChange} />
      <One name="event" title="Has an event" facets={facets.events} search={search} onChange={onChange} />
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
  readonly name: "event" | "tag" | "collection";
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
  onChoose,
}: {
  readonly title: string;
  readonly facets: readonly Facet[];
  readonly chosen: readonly string[];
  readonly onChoose: (value: string) => void;
}) {
  const [isAll, setAll] = useState(false);
  const gone = chosen.filter((value) => !facets.some((facet) => facet.value === value));
  const all = [...gone.map((value) => ({ value, title: FORMAT_TITLES[value] ?? value, count: 0 })), ...facets];
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
