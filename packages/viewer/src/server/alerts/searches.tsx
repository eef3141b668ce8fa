import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ask, at, messageOf } from "../api.ts";
import { wordsOfSaved } from "../library/search.ts";
import { Link } from "../route.tsx";
import type { SavedSearch } from "../shapes.ts";

/** The saved searches: which are watched, what they look for, what they are called. */
export function Searches({ onChange }: { readonly onChange: () => void }) {
  const [saved, setSaved] = useState<readonly SavedSearch[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const load = (): void => {
    ask("GET /api/searches")
      .then(({ searches }) => setSaved(searches))
      .catch((error: unknown) => setFailure(messageOf(error)));
  };
  useEffect(load, []);
  const change = (answer: Promise<unknown>): void => {
    answer
      .then(() => {
        setFailure(null);
        onChange();
      })
      .catch((error: unknown) => setFailure(messageOf(error)))
      .finally(load);
  };
  if (saved === null) return null;
  return (
    <section aria-labelledby="alerts-searches">
      <h2 id="alerts-searches">Saved searches</h2>
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
      {saved.length === 0 && (
        <p className="hint">
          Search in the <Link href={at("")}>library</Link>, save the search, and watch it: new recordings that fit are
          listed here.
        </p>
      )}
      <ul className="alerts-searches">
        {saved.map((one) => (
          <Saved key={one.id} search={one} onChange={change} />
        ))}
      </ul>
    </section>
  );
}

function Saved({
  search,
  onChange,
}: {
  readonly search: SavedSearch;
  readonly onChange: (answer: Promise<unknown>) => void;
}) {
  const { id, name, query, where, watched } = search;
  const [renamed, setRenamed] = useState<string | null>(null);
  // shown at once, and as it is when the server has answered
  const [isWatched, setWatched] = useState(watched);
  useEffect(() => setWatched(search.watched), [search]);
  const change = (body: { watched?: boolean; name?: string }): void =>
    onChange(ask("PATCH /api/searches/{id}", { params: { id }, body }));
  return (
    <li>
      <label>
        <input
          type="checkbox"
          aria-label={`Watch ${name}`}
          checked={isWatched}
          onChange={(event) => {
            setWatched(event.currentTarget.checked);
            change({ watched: event.currentTarget.checked });
          }}
        />{" "}
        watch
      </label>
      {renamed === null ? (
        <Link href={at(wordsOfSaved(search))}>{name}</Link>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change({ name: renamed.trim() });
            setRenamed(null);
          }}
        >
          <input
            className="field"
            aria-label={`New name of ${name}`}
            // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
            autoFocus
            maxLength={200}
            value={renamed}
            onChange={(event) => setRenamed(event.currentTarget.value)}
            onKeyDown={(event) => void (event.key === "Escape" && setRenamed(null))}
          />
          <Button type="submit" disabled={renamed.trim() === ""}>
            Rename
          </Button>
        </form>
      )}
      <span className="alerts-words">
        {query !== "" && <code>{decodeURIComponent(query.replaceAll("+", " "))}</code>}
        {where !== null && <code>{where}</code>}
        {query === "" && where === null && "all recordings"}
      </span>
      {renamed === null && (
        <Button aria-label={`Rename … ${name}`} onClick={() => setRenamed(name)}>
          Rename …
        </Button>
      )}
      <Button
        label="Delete it, and its alerts"
        aria-label={`Delete ${name}`}
        onClick={() => onChange(ask("DELETE /api/searches/{id}", { params: { id } }))}
      >
        Delete
      </Button>
    </li>
  );
}
