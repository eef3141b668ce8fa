import "./recording.css";
import { useEffect, useRef, useState } from "react";
import { followAddress } from "../../address.ts";
import { useSession, useViewer } from "../../hooks.ts";
import { ShownContext } from "../../live/shown.ts";
import { Outcome } from "../../open/outcome.tsx";
import { PlaceContext } from "../../shell/layout/place.ts";
import { Button } from "../../ui/button.tsx";
import { at } from "../api.ts";
import { Link, useRoute } from "../route.tsx";
import type { Details } from "../shapes.ts";
import { SiteBar } from "../site-bar.tsx";
import { Trouble } from "../trouble.tsx";
import { Actions } from "./actions.tsx";
import { DetailsPanel } from "./details-panel.tsx";
import { ghostsIn, locatorOf, worldOf } from "./locator.ts";
import { NoteLane } from "./note-lane.tsx";
import { useDetails } from "./use-details.ts";
import { useLiveRecording } from "./use-live-recording.ts";
import { useNotes } from "./use-notes.ts";
import { late } from "../../ui/late.tsx";
import { Workbench } from "../../shell/late-workbench.ts";

const ReviewPanel = late(async () => (await import("../reviews/review-panel.tsx")).ReviewPanel);

/** One recording of the library, in the workbench. */
export function RecordingPage({ id }: { readonly id: string }) {
  const { details, failure, again } = useDetails(id);
  if (details === null) {
    if (failure === null) return null;
    return (
      <>
        <SiteBar />
        <Trouble message={failure} onAgain={again} />
      </>
    );
  }
  return <Shown details={details} onChange={again} />;
}

function Shown({ details, onChange }: { readonly details: Details; readonly onChange: () => void }) {
  const session = useSession();
  const { search } = useRoute();
  const isOpen = useViewer(({ decks }) => decks.length > 0);
  const [isShowing, setShowing] = useState(false);
  // the address is written again as the recording plays
  const [review] = useState(() => new URLSearchParams(search).get("review"));
  const notes = useNotes(details.id);
  const live = useLiveRecording(details, onChange);
  const { id, name, url } = details;
  const shown = { live, name };
  useEffect(() => {
    document.title = `${name} · simtape`;
  }, [name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once; what is said of it may change
  useEffect(() => {
    let stop: (() => void) | null = null;
    let isLeft = false;
    void ghostsIn(search).then((ghosts) => {
      if (!isLeft)
        stop = followAddress(session, { main: locatorOf({ id, name, url }), ghosts, companions: worldOf(details) });
    });
    return () => {
      isLeft = true;
      stop?.();
      void session.close();
    };
  }, [session, id, url]);
  const world = JSON.stringify(details.companions);
  const shownWorld = useRef(world);
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown again when a companion was added or removed
  useEffect(() => {
    if (shownWorld.current !== world) session.given.set(worldOf(details));
    shownWorld.current = world;
  }, [session, world]);
  const place = {
    back: <Back />,
    name,
    actions: <Actions details={details} isShowing={isShowing} onShow={() => setShowing(!isShowing)} />,
    strip: <NoteLane notes={notes.list} />,
  };
  return (
    <div className="recording-page" data-side={isShowing || review !== null || undefined}>
      <PlaceContext value={place}>
        {isOpen ? (
          <ShownContext value={shown}>
            <Workbench />
          </ShownContext>
        ) : (
          <Opening details={details} />
        )}
      </PlaceContext>
      {review !== null && !isShowing && <ReviewPanel id={review} details={details} />}
      {isShowing && (
        <DetailsPanel details={details} notes={notes} onChange={onChange} onClose={() => setShowing(false)} />
      )}
    </div>
  );
}

/** To the library, as it was left. */
export function Back() {
  return (
    <Link className="brand" href={at("")} title="Back to the library">
      <img src={at("icon.svg")} alt="" width={20} height={20} /> Library
    </Link>
  );
}

/** While its first bytes are read, and when it cannot be. */
export function Opening({ details }: { readonly details: Details }) {
  const session = useSession();
  const hasFailed = useViewer(({ failure }) => failure !== null);
  return (
    <div className="opening">
      <SiteBar />
      <main className="site-empty">
        <h1>{details.name}</h1>
        {details.state === "new" && <p>It is being read by the server for the first time.</p>}
        <Outcome />
        {hasFailed && <Button onClick={() => void session.tryAgain()}>Try again</Button>}
        {hasFailed && (
          <a className="button" href={details.url} download={details.name}>
            Download it
          </a>
        )}
      </main>
    </div>
  );
}
