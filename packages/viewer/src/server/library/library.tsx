import "./library.css";
import { Fragment, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { go, useRoute } from "../route.tsx";
import { SiteBar } from "../site-bar.tsx";
import { Trouble } from "../trouble.tsx";
import { Card } from "./card.tsx";
import { FacetList, useFacets } from "./facets.tsx";
import { Grid, type GridHandle } from "./grid.tsx";
import { SavedSearches } from "./saved-searches.tsx";
import { askedOf, filtersIn, isDescending, NO_SEARCH, type Search, searchIn, SORTS, wordsOf } from "./search.ts";
import { UploadPlace, useUploads } from "./uploads.tsx";
import { type Fit, MOST, useFits } from "./use-fits.ts";
import { useRecordings } from "./use-recordings.ts";
import { useSelection } from "./use-selection.ts";
import { WhereField } from "./where-field.tsx";
import { late } from "../../ui/late.tsx";

const FirstPage = late(async () => (await import("./first-page.tsx")).FirstPage);
const SelectionBar = late(async () => (await import("./selection-bar.tsx")).SelectionBar);

/** Until the next part is asked for again, milliseconds. */
const NEXT_EVERY = 500;

/** All recordings, found by what is typed and chosen. */
export function Library() {
  const { search: words } = useRoute();
  const search = useMemo(() => searchIn(new URLSearchParams(words)), [words]);
  const change = (changes: Partial<Search>): void => go(at(wordsOf({ ...search, ...changes })), "replace");
  const recordings = useRecordings(askedOf(search));
  const { items: all, hasMore, isOld, failure, more } = recordings;
  const { where } = search;
  const fits = useFits(all, where);
  const items = where === "" ? all : all.filter((item) => isShown(fits.of(item)));
  const isLooking = where !== "" && fits.wrong === null && (!fits.isDone || (hasMore && all.length < MOST));
  // the next part, when the expression was looked for in all that there are
  const isNext = isLooking && fits.isDone && hasMore && !isOld;
  useEffect(() => {
    if (!isNext) return undefined;
    more();
    // it does nothing while something else is asked
    const timer = setInterval(more, NEXT_EVERY);
    return () => clearInterval(timer);
  }, [isNext, more]);
  // one that was read meanwhile has something to choose
  const facets = useFacets(search, all.map(({ id, state }) => id + state).join());
  const selection = useSelection(items);
  const [isFiltering, setFiltering] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const grid = useRef<GridHandle>(null);
  const uploads = useUploads(recordings.again);
  const filters = filtersIn(search);
  useEffect(() => {
    document.title = "Library · simtape";
    const press = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const isSearch = search.q !== "" || filters > 0;
  const [hasSelected, setHasSelected] = useState(false);
  if (!hasSelected && selection.items.length > 0) setHasSelected(true);
  return (
    <UploadPlace uploads={uploads}>
      <div className="library">
        <SiteBar>
          <search className="library-search">
            <input
              ref={field}
              type="search"
              className="field"
              aria-label="Search the library"
              placeholder="Search: race, format:carla, longer than 30 s, altitude above 3,000 ft"
              aria-keyshortcuts="/"
              value={search.q}
              onChange={(event) => change({ q: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key !== "ArrowDown" && event.key !== "Enter") return;
                event.preventDefault();
                grid.current?.focus();
              }}
            />
            <kbd>/</kbd>
          </search>
          <Button kind="main" onClick={() => void uploads.choose()}>
            Upload …
          </Button>
        </SiteBar>
        <div className="library-body" data-filtering={isFiltering || undefined}>
          <aside className="library-facets" aria-label="Filters">
            <SavedSearches search={search} onChoose={(words) => go(at(words), "push")} />
            <WhereField value={where} wrong={fits.wrong} onChange={(next) => change({ where: next })} />
            <FacetList facets={facets} search={search} onChange={change} />
          </aside>
          <main className="library-main">
            <div className="library-head">
              <h1 role="status">
                {where === "" || isOld
                  ? headOf(items.length, hasMore ? facets.total : items.length, isOld && items.length === 0, isSearch)
                  : fitText(items.length, fits.asked, isLooking)}
              </h1>
              {filters > 0 && (
                <Button onClick={() => change({ ...NO_SEARCH, q: search.q, sort: search.sort, order: search.order })}>
                  {filters === 1 ? "Remove the filter" : `Remove ${filters} filters`}
                </Button>
              )}
              <span className="spring" />
              <button
                type="button"
                className="button library-filter"
                aria-expanded={isFiltering}
                onClick={() => setFiltering(!isFiltering)}
              >
                Filters{filters > 0 ? ` (${filters})` : ""}
              </button>
              <select
                className="field"
                aria-label="Order"
                value={search.sort}
                onChange={(event) => change({ sort: event.currentTarget.value, order: "" })}
              >
                {SORTS.map(([name, title]) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </select>
              <Button
                label={isDescending(search) ? "Descending: turn the order" : "Ascending: turn the order"}
                onClick={() => change({ order: isDescending(search) ? "asc" : "desc" })}
              >
                {isDescending(search) ? "↓" : "↑"}
              </Button>
            </div>
            {failure !== null && <Trouble message={failure} onAgain={recordings.again} />}
            {items.length > 0 ? (
              <Grid
                label="Recordings"
                count={items.length}
                keyOf={(index) => items[index]!.id}
                card={(index, tabIndex) => (
                  <>
                    <Card item={items[index]!} fit={fits.of(items[index]!)} where={where} tabIndex={tabIndex} />
                    <input
                      type="checkbox"
                      className="card-select"
                      aria-label={`Select ${items[index]!.name}`}
                      tabIndex={-1}
                      checked={selection.has(items[index]!.id)}
                      onChange={() => undefined}
                      onClick={({ shiftKey }) => (shiftKey ? selection.extend(index, index) : selection.toggle(index))}
                    />
                  </>
                )}
                selection={selection}
                onNearEnd={more}
                handle={grid}
              />
            ) : (
              !isOld &&
              !isLooking &&
              failure === null && (
                <Empty
                  isSearch={isSearch}
                  why={fits.wrong === null ? fits.unfit : "The expression is wrong."}
                  onClear={() => change(NO_SEARCH)}
                  onUpload={() => void uploads.choose()}
                />
              )
            )}
          </main>
        </div>
        {hasSelected && <SelectionBar selection={selection} onChange={recordings.again} />}
      </div>
    </UploadPlace>
  );
}

/** Whether the expression is true there, or nothing is known of that. */
function isShown(fit: Fit | undefined): boolean {
  return fit !== undefined && (fit.count > 0 || fit.trouble !== null);
}

function fitText(count: number, asked: number, isLooking: boolean): string {
  if (isLooking) return `${count.toLocaleString()} of ${asked.toLocaleString()} so far …`;
  return count === 0 ? "Nothing found" : `${count.toLocaleString()} of ${asked.toLocaleString()} recordings`;
}

/** `total` is null where more are found than were counted. */
function headOf(count: number, total: number | null, isLoading: boolean, isSearch: boolean): string {
  if (isLoading) return "Looking …";
  if (count === 0) return isSearch ? "Nothing found" : "No recordings yet";
  const all = Math.max(total ?? 0, count);
  return `${all.toLocaleString()}${total === null ? " and more" : ""} ${all === 1 ? "recording" : "recordings"}`;
}

/** As `docs/server.md` has them. */
const EXAMPLES = [
  "race",
  '"several words"',
  "-without",
  "format:carla",
  "event:collision",
  "tag:night",
  'with:"Amaya"',
  "findings:yes",
  "longer than 30 s",
  "two vehicles",
  "altitude above 3,000 ft",
  "vehicles/24/gear > 2",
];

function Empty({
  isSearch,
  why,
  onClear,
  onUpload,
}: {
  readonly isSearch: boolean;
  readonly why: string | null;
  readonly onClear: () => void;
  readonly onUpload: () => void;
}) {
  if (why === null && !isSearch) return <FirstPage onUpload={onUpload} />;
  return (
    <div className="site-empty">
      {why !== null ? (
        <p>{why}</p>
      ) : (
        <>
          <p>No recording has all of these words and filters. What can be asked, alone or together:</p>
          <p>
            {EXAMPLES.map((example) => (
              <Fragment key={example}>
                <code>{example}</code>{" "}
              </Fragment>
            ))}
          </p>
        </>
      )}
      <Button onClick={onClear}>Show all recordings</Button>
    </div>
  );
}
