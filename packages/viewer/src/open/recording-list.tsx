import { useSession, useViewer } from "../hooks.ts";
import { sizeText } from "../size.ts";
import { locatorAt } from "./files.ts";
import type { Listed } from "./listed.ts";
import { isAbout, Outcome } from "./outcome.tsx";
import { type Facts, RecordingFacts, useFacts } from "./recording-facts.tsx";

const NONE: readonly Listed[] = [];

/** A row for each, which opens it; how far that is, and why it could not be opened, stands below it. */
export function RecordingList({ list }: { readonly list: readonly Listed[] }) {
  // Server and page are busy with what is being opened: it comes first.
  const isOpening = useViewer(({ phase }) => phase === "opening");
  const factsOf = useFacts(isOpening ? NONE : list);
  return (
    <nav className="start-list" aria-label="Recordings">
      {list.map((listed) => (
        <Row key={listed.url} listed={listed} facts={factsOf(listed)} />
      ))}
    </nav>
  );
}

function Row({ listed, facts }: { readonly listed: Listed; readonly facts: Facts | undefined }) {
  const session = useSession();
  const isOpened = useViewer((state) => isAbout(state, listed));
  const { name, url, bytes, live } = listed;
  return (
    <>
      <button type="button" onClick={() => void session.open(locatorAt(url))}>
        <RecordingFacts facts={facts} />
        <span>{name}</span>
        {live != null && <small>live</small>}
        {bytes !== null && <small>{sizeText(bytes)}</small>}
      </button>
      {isOpened && <Outcome />}
    </>
  );
}
