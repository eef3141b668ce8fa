import type { TimeRange } from "simtape";
import { placeAt } from "./open/files.ts";
import type { Placement } from "./protocol.ts";
import type { Deck, Selection, Session } from "./session.ts";

/** Between two changes of the address while a recording plays, milliseconds: browsers refuse many in a short time. */
const WRITE_EVERY = 1000;

/** What the part of the address behind `#` says, as JSON. */
interface Kept {
  /** Seconds. */
  readonly t?: number;
  readonly rate?: number;
  readonly loop?: TimeRange;
  readonly selection?: Selection;
  readonly ghosts?: readonly (Placement & { readonly url: string })[];
  readonly shared?: Readonly<Record<string, unknown>>;
}

/**
 * Opens what the address names (`?url=…`, several: the others as ghosts) at what it says behind `#`, and from then on
 * writes there what is shown. Returns what ends that.
 */
export function followAddress(session: Session): () => void {
  void openNamed(session);
  let timer: ReturnType<typeof setTimeout> | null = null;
  const later = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      write(session);
    }, WRITE_EVERY);
  };
  const unsubscribe = [session.store.subscribe(later), session.onFrame(later)];
  return () => {
    for (const stop of unsubscribe) stop();
    if (timer !== null) clearTimeout(timer);
  };
}

/** The address that shows what is shown now. A file of this machine is left out:
 * whoever opens the address drops theirs, and is where it was left. */
export function addressOf(session: Session): string {
  const { decks, status, selection, shared } = session.store.value;
  const url = new URL(location.href);
  url.search = "";
  url.hash = "";
  const main = decks[0];
  if (main === undefined) return url.href;
  if (main.place.kind === "url")
    url.search = `?url=${encodeURIComponent(shortened(main.place.url)).replaceAll("%2F", "/")}`;
  const ghosts = decks.slice(1).flatMap((deck) => ghostOf(deck));
  const kept: Kept = {
    ...(session.frame === null ? {} : { t: session.frame.time / 1e9 }),
    ...(status.rate === 1 ? {} : { rate: status.rate }),
    ...(status.loop === null ? {} : { loop: status.loop }),
    ...(selection === null ? {} : { selection }),
    ...(ghosts.length === 0 ? {} : { ghosts }),
    ...(Object.keys(shared).length === 0 ? {} : { shared }),
  };
  url.hash = encodeURIComponent(JSON.stringify(kept));
  return url.href;
}

async function openNamed(session: Session): Promise<void> {
  const [main, ...others] = new URL(location.href).searchParams.getAll("url");
  const kept = read();
  session.store.update({ shared: kept.shared ?? {} });
  session.leaveAt({
    at: kept.t === undefined ? null : Math.round(kept.t * 1e9),
    rate: kept.rate ?? 1,
    loop: kept.loop ?? null,
    selection: kept.selection ?? null,
  });
  if (main === undefined) return;
  await session.open(placeAt(main));
  for (const url of others) await session.addGhost(placeAt(url));
  for (const { url, ...placement } of kept.ghosts ?? []) await session.addGhost(placeAt(url), placement);
}

/** Nothing, when there is nothing or what is there was changed by hand. */
function read(): Kept {
  const hash = location.hash.slice(1);
  if (hash === "") return {};
  try {
    const kept: unknown = JSON.parse(decodeURIComponent(hash));
    return typeof kept === "object" && kept !== null ? (kept as Kept) : {};
  } catch {
    return {};
  }
}

function write(session: Session): void {
  const address = addressOf(session);
  if (address !== location.href) history.replaceState(null, "", address);
}

function ghostOf({ place, placement }: Deck): (Placement & { readonly url: string })[] {
  return place.kind === "url" ? [{ ...placement, url: shortened(place.url) }] : [];
}

/** Relative to the page where that is shorter. */
function shortened(url: string): string {
  const base = new URL(".", document.baseURI).href;
  return url.startsWith(base) ? url.slice(base.length) : url;
}
