import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ask, messageOf } from "../api.ts";
import { Bell } from "../bell.tsx";
import type { SavedSearch } from "../shapes.ts";
import { type Search, wordsOf, wordsOfSaved } from "./search.ts";

/** Searches that the user has named. A server without them shows nothing here. */
export function SavedSearches({
  search,
  onChoose,
}: {
  readonly search: Search;
  readonly onChoose: (words: string) => void;
}) {
  const [saved, setSaved] = useState<readonly SavedSearch[] | null>(null);
  const [name, setName] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const load = (): void => {
    ask("GET /api/searches")
      .then(({ searches }) => setSaved(searches))
      .catch(() => undefined);
  };
  useEffect(load, []);
  const words = wordsOf({ ...search, sort: "", order: "" });
  if (saved === null || (saved.length === 0 && words === "")) return null;
  const isSaved = saved.some((one) => wordsOfSaved(one) === words);
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
      {saved.map((one) => {
        const { id, name: title, watched } = one;
        const own = wordsOfSaved(one);
        return (
          <div key={id} className="saved-search">
            <button type="button" aria-pressed={own === words} onClick={() => onChoose(own)}>
              {title}
            </button>
            <Button
              kind="bare"
              label={`Watch ${title}`}
              title={watched ? "New recordings that fit become alerts" : "Watch for new recordings"}
              aria-pressed={watched}
              onClick={() => change(ask("PATCH /api/searches/{id}", { params: { id }, body: { watched: !watched } }))}
            >
              <Bell isFilled={watched} />
            </Button>
            <Button
              kind="bare"
              label={`Forget ${title}`}
              onClick={() => change(ask("DELETE /api/searches/{id}", { params: { id } }))}
            >
              ✕
            </Button>
          </div>
        );
      })}
      {words !== "" && !isSaved && name === null && (
        <Button kind="bare" onClick={() => setName(search.q || search.where)}>
          Save this search …
        </Button>
      )}
      {name !== null && (
        <form
          className="saved-search"
          onSubmit={(event) => {
            event.preventDefault();
            const query = wordsOf({ ...search, where: "", sort: "", order: "" }).slice(1);
            const where = search.where === "" ? null : search.where;
            change(ask("POST /api/searches", { body: { name, query, where } }));
          }}
        >
          <input
            className="field"
            aria-label="Name of the search"
            // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
            autoFocus
            maxLength={200}
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
