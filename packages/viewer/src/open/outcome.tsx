import { useViewer } from "../hooks.ts";
import type { ViewerState } from "../session.ts";

/** What is being opened, and how far that is; or why it could not be. */
export function Outcome() {
  const opening = useViewer((state) => state.opening);
  const failure = useViewer((state) => state.failure);
  return (
    <>
      {opening !== null && (
        <p role="status" className="start-progress">
          Reading {opening.place.name} …
          <progress
            aria-label="Read"
            max={1}
            {...(opening.total === null ? {} : { value: opening.done / opening.total })}
          />
        </p>
      )}
      {failure !== null && (
        <p role="alert" className="start-failure">
          <b>{failure.place.name}</b> {failure.message}
        </p>
      )}
    </>
  );
}

/** Whether that is about what is at an address, relative to the page. */
export function isAbout({ opening, failure }: ViewerState, listed: { readonly url: string }): boolean {
  const place = opening?.place ?? failure?.place;
  return place?.kind === "url" && place.url === new URL(listed.url, document.baseURI).href;
}
