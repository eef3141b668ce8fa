import { useEffect, useState } from "react";
import { useSession } from "../hooks.ts";
import { sizeText } from "../size.ts";
import { locatorAt } from "./files.ts";

/** An entry of what `simtape view` serves. */
interface Listed {
  readonly name: string;
  /** Relative to the page. */
  readonly url: string;
  readonly bytes: number | null;
}

/** Where the server has written down what it serves: in the page itself; empty for a page without such a server. */
function listAddress(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="simtape-recordings"]')?.content ?? "";
}

/** What the server of this page has to show, when it is `simtape view`. */
export function RecordingList() {
  const session = useSession();
  const [list, setList] = useState<readonly Listed[]>([]);
  useEffect(() => {
    const address = listAddress();
    if (address === "") return;
    const controller = new AbortController();
    fetch(address, { signal: controller.signal })
      .then(async (response) => setList((await response.json()) as Listed[]))
      .catch(() => undefined);
    return () => controller.abort();
  }, []);
  if (list.length === 0) return null;
  return (
    <nav className="start-list" aria-label="Recordings">
      {list.map(({ name, url, bytes }) => (
        <button key={url} type="button" onClick={() => void session.open(locatorAt(url))}>
          <span>{name}</span>
          {bytes !== null && <small>{sizeText(bytes)}</small>}
        </button>
      ))}
    </nav>
  );
}
