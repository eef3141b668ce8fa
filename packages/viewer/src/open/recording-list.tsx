import { useEffect, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { sizeText } from "../size.ts";
import { locatorAt } from "./files.ts";
import { isAbout, Outcome } from "./outcome.tsx";
import { type Facts, RecordingFacts, useFacts } from "./recording-facts.tsx";

/** An entry of what `simtape view` serves. */
export interface Listed {
  readonly name: string;
  /** Relative to the page. */
  readonly url: string;
  readonly bytes: number | null;
  /** Where the server tells more of it, relative to the page; absent: it does not. */
  readonly facts?: string | null;
  /** Of one that a program is recorded into: where the server tells how far it is, relative to the page; null: it has ended. */
  readonly live?: string | null;
}

/** Between two looks at what is there, milliseconds. */
const LOOK_EVERY = 5000;

const NONE: readonly Listed[] = [];

/** Where the server has written down what it serves: in the page itself; empty for a page without such a server. */
export function listAddress(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="simtape-recordings"]')?.content ?? "";
}

/** What the server of this page has to show, when it is `simtape view`; else nothing. */
export function useRecordings(): readonly Listed[] {
  const [list, setList] = useState<readonly Listed[]>([]);
  useEffect(() => {
    const address = listAddress();
    if (address === "") return;
    const controller = new AbortController();
    let seen = "";
    const look = async (): Promise<void> => {
      const text = await (await fetch(address, { signal: controller.signal })).text();
      if (text !== seen) setList(JSON.parse(text) as Listed[]);
      seen = text;
    };
    const lookAgain = (): void => {
      // A page that is not seen need not know.
      if (!document.hidden) look().catch(() => undefined);
    };
    lookAgain();
    const timer = setInterval(lookAgain, LOOK_EVERY);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, []);
  return list;
}

/** A row for each, which opens it; how far that is, and why it could not be opened, stands below it. */
export function RecordingList({ list }: { readonly list: readonly Listed[] }) {
  // Server and page are busy with what is being opened: it comes first.
  const isOpening = useViewer(({ phase }) => phase === "opening");
  const factsOf = useFacts(isOpening ? NONE : list);
  if (list.length === 0) return null;
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
