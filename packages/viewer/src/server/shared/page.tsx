import "../recording/recording.css";
import { useEffect, useState } from "react";
import { followAddress } from "../../address.ts";
import { useSession, useViewer } from "../../hooks.ts";
import { Outcome } from "../../open/outcome.tsx";
import { PlaceContext } from "../../shell/layout/place.ts";
import { Button } from "../../ui/button.tsx";
import { ask, at, messageOf, Refusal } from "../api.ts";
import { momentText } from "../dates.ts";
import type { SharedRecording } from "../shapes.ts";
import { Trouble } from "../trouble.tsx";
import { partText } from "./part-text.ts";
import { Workbench } from "../../shell/late-workbench.ts";

/** Between two looks at a copy that is being made, milliseconds. */
const LOOK_EVERY = 1000;

/** What a link shows to all who have it: no account is needed. */
export function SharedPage({ secret }: { readonly secret: string }) {
  const { shared, failure, again } = useShared(secret);
  if (failure !== null) return <Trouble message={failure} onAgain={again} />;
  if (shared === null) return null;
  if (shared.state === "failed") return <Trouble message="The part that this link is about could not be made." />;
  if (shared.url === null)
    return (
      <main className="site-empty">
        <h1>{shared.name}</h1>
        <p role="status">The part that this link is about is being made …</p>
      </main>
    );
  return <Shown shared={shared} url={shared.url} secret={secret} />;
}

function Shown({
  shared: { name, first, last, expires },
  url,
  secret,
}: {
  readonly shared: SharedRecording;
  readonly url: string;
  readonly secret: string;
}) {
  const session = useSession();
  const isOpen = useViewer(({ decks }) => decks.length > 0);
  const hasFailed = useViewer((state) => state.failure !== null);
  useEffect(() => {
    document.title = `${name} · simtape`;
  }, [name]);
  useEffect(() => {
    const place = { kind: "url", name, url: new URL(url, location.origin).href, page: at(`s/${secret}`) } as const;
    const stop = followAddress(session, { main: place, ghosts: [] });
    return () => {
      stop();
      void session.close();
    };
  }, [session, name, url, secret]);
  const place = {
    back: (
      <span className="brand">
        <img src={at("icon.svg")} alt="" width={20} height={20} /> simtape
      </span>
    ),
    name,
    actions: (
      <span className="shared-note" title={`This link ends ${momentText(expires)}`}>
        {partText(first, last)}
      </span>
    ),
    strip: null,
  };
  return (
    <div className="recording-page">
      <PlaceContext value={place}>
        {isOpen ? (
          <Workbench />
        ) : (
          <main className="site-empty">
            <h1>{name}</h1>
            <Outcome />
            {hasFailed && <Button onClick={() => void session.tryAgain()}>Try again</Button>}
          </main>
        )}
      </PlaceContext>
    </div>
  );
}

function useShared(secret: string): {
  readonly shared: SharedRecording | null;
  readonly failure: string | null;
  readonly again: () => void;
} {
  const [shared, setShared] = useState<SharedRecording | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [count, setCount] = useState(0);
  const isMade = shared !== null && shared.state !== "making";
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the user wants to
  useEffect(() => {
    if (isMade) return;
    const controller = new AbortController();
    const look = (): void => {
      ask("GET /api/shares/{secret}", { params: { secret }, signal: controller.signal })
        .then((found) => {
          setShared(found);
          setFailure(null);
        })
        .catch((error: unknown) => void (controller.signal.aborted || setFailure(failureText(error))));
    };
    look();
    const timer = setInterval(look, LOOK_EVERY);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [secret, isMade, count]);
  return { shared, failure, again: () => setCount((before) => before + 1) };
}

function failureText(error: unknown): string {
  if (error instanceof Refusal && error.status === 404)
    return "This link shows nothing. It has expired, was taken back, or is not complete.";
  return messageOf(error);
}
