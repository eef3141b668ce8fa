import type { Shapes } from "simtape-client";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ask, messageOf } from "../api.ts";
import { type Search, wordsOf } from "./search.ts";

type Saved = Shapes["SavedSearch"];

/** Searches that the user has named. A server without them shows nothing here. */
export function SavedSearches({
  search,
  onChoose,
}: {
  readonly search: Search;
  readonly onChoose: (words: string) => void;
}) {
  const [saved, setSaved] = useState<readonly Saved[] | null>(null);
  const [name, setName] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const load = (): void => {
    ask("GET /api/searches")
      .then(({ searches }) => setSaved(searches))
      .catch(() => undefined);
  };
  useEffect(load, []);
  const words = wordsOf({ ...search, sort: "" });
  if (saved === null || (saved.length === 0 && words === "")) return null;
  const isSaved = saved.some(({ query }) => query === words.slice(1));
  const change = (answer: Promise<unknown>): void => {
    answer
      .then(() => {
        setFailure(null);
        setName(null);
        load();
      })
      .catch((error: unknown) => setFailure(messageOf(error)));
  };
  return (
    <fieldset className="facet">
      <legend>Saved searches</legend>
      {saved.map(({ id, name: title, query }) => (
        <div key={id} className="saved-search">
          <button
            type="button"
            aria-pressed={query === words.slice(1)}
            onClick={() => onChoose(query === "" ? "" : `?${query}`)}
          >
            {title}
          </button>
          <Button
            kind="bare"
            label={`Forget ${title}`}
            onClick={() => change(ask("DELETE /api/searches/{id}", { params: { id } }))}
          >
            ✕
          </Button>
        </div>
      ))}
      {words !== "" && !isSaved && name === null && (
        <Button kind="bare" onClick={() => setName(search.q)}>
          Save this search …
        </Button>
      )}
      {name !== null && (
        <form
          className="saved-search"
          onSubmit={(event) => {
            event.preventDefault();
            change(ask("POST /api/searches", { body: { name, query: words.slice(1) } }));
          }}
        >
          <input
            className="field"
            aria-label="Name of the search"
            // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" disabled={name.trim() === ""}>
            Save
          </Button>
        </form>
      )}
      {failure !== null && (
        <p role="alert" className="wrong">
          {failure}
        </p>
      )}
    </fieldset>
  );
}
