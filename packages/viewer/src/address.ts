import { hashOf, keptIn } from "./kept.ts";
import { locatorAt } from "./open/files.ts";
import type { Locator, Placement } from "./protocol.ts";
import type { Deck, OpenAt, Session } from "./session.ts";

/** Between two changes of the address while a recording plays, milliseconds: browsers refuse many in a short time. */
const WRITE_EVERY = 1000;

/** What is to be opened where the address itself says it otherwise: as the path of a server's page. */
export interface Given {
  readonly main: Locator;
  readonly ghosts: readonly Locator[];
  /** Files that show the world of the main one. */
  readonly companions?: readonly Locator[];
}

/**
 * Opens what the address names (`?url=…`, several: the others as ghosts; `&world=…`: companions of the first) at what it says behind `#`, and from then on
 * writes there what is shown. Returns what ends that.
 */
export function followAddress(session: Session, given: Given | null = null): () => void {
  void openAddress(session, given);
  const { pathname } = location;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let hasOpened = false;
  const later = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      const { decks, opening } = session.state.value;
      hasOpened ||= decks.length > 0;
      // Until all that the address names is there, it says more than the page knows.
      if (hasOpened && opening === null) write(session);
    }, WRITE_EVERY);
  };
  // Another address typed or pasted over this one: `replaceState` tells nothing.
  const leave = (): void => void (location.pathname === pathname && location.reload());
  addEventListener("hashchange", leave);
  const unsubscribe = [session.state.subscribe(later), session.onFrame(later)];
  return () => {
    for (const stop of unsubscribe) stop();
    removeEventListener("hashchange", leave);
    if (timer !== null) clearTimeout(timer);
  };
}

/** The address that shows what is shown now. A file of this machine is left out:
 * the user who opens the address drops their own, and is where it was left. */
export function addressOf(session: Session): string {
  const { decks, status, selection, subject, shared } = session.state.value;
  const url = new URL(location.href);
  url.search = "";
  url.hash = "";
  const main = decks[0];
  if (main === undefined) return url.href;
  const companions = session.given.value.flatMap((place) =>
    place.kind === "url" ? [`world=${written(place.url)}`] : [],
  );
  if (main.place.kind === "url" && main.place.page !== undefined) {
    const page = new URL(main.place.page, location.origin);
    url.pathname = page.pathname;
    url.search = page.search;
  } else if (main.place.kind === "url") url.search = `?${[`url=${written(main.place.url)}`, ...companions].join("&")}`;
  const ghosts = decks.slice(1).flatMap((deck) => ghostOf(deck));
  url.hash = hashOf({
    ...(session.time === null ? {} : { t: session.time / 1e9 }),
    ...(status.rate === 1 ? {} : { rate: status.rate }),
    ...(status.loop === null ? {} : { loop: status.loop }),
    ...(selection === null ? {} : { selection }),
    ...(subject?.isChosen === true && selection?.kind !== "thing" ? { subject } : {}),
    ...(ghosts.length === 0 ? {} : { ghosts }),
    ...(Object.keys(shared).length === 0 ? {} : { shared }),
  });
  return url.href;
}

/**
 * Opens what the address names, as `followAddress` does, without writing there. What is in `wishes` goes before what is
 * behind `#`; `prepare` is called when what panels keep there is known, before anything is opened.
 */
export async function openAddress(
  session: Session,
  given: Given | null,
  wishes: OpenAt = {},
  prepare: () => void = () => undefined,
): Promise<void> {
  const named = given === null ? new URL(location.href).searchParams.getAll("url") : [];
  const [main, ...others]: readonly (string | Locator)[] = given === null ? named : [given.main, ...given.ghosts];
  const {
    t,
    rate = 1,
    loop = null,
    selection = null,
    subject = null,
    ghosts = [],
    shared = {},
  } = keptIn(location.hash);
  session.state.update({ shared });
  prepare();
  const worlds = new URL(location.href).searchParams.getAll("world");
  const companions = [...(given?.companions ?? []), ...worlds.flatMap((address) => companionAt(address) ?? [])];
  session.leaveAt({
    companions,
    at: t === undefined ? null : Math.round(t * 1e9),
    rate,
    loop,
    selection,
    subject,
    ...wishes,
  });
  if (main === undefined) return;
  await openAt(session, main, "main", (place) => session.open(place));
  if (session.state.value.decks.length === 0) return;
  for (const { url, ...placement } of [...others.map((url) => ({ url })), ...ghosts]) {
    await openAt(session, url, "ghost", (place) => session.addGhost(place, placement));
  }
}

/** Null: it is no web address. */
function companionAt(address: string): Locator | null {
  try {
    return locatorAt(address);
  } catch {
    return null;
  }
}

async function openAt(
  session: Session,
  address: string | Locator,
  as: "main" | "ghost",
  open: (place: Locator) => Promise<void>,
): Promise<void> {
  let place: Locator;
  try {
    place = typeof address === "string" ? locatorAt(address) : address;
  } catch (error) {
    const url = typeof address === "string" ? address : address.name;
    session.fail({ place: { kind: "url", name: url, url }, as, code: null, message: (error as Error).message });
    return;
  }
  await open(place);
}

function write(session: Session): void {
  const address = addressOf(session);
  if (address !== location.href) history.replaceState(null, "", address);
}

function ghostOf({ place, placement }: Deck): (Placement & { readonly url: string })[] {
  return place.kind === "url" ? [{ ...placement, url: shortened(place.url) }] : [];
}

function written(url: string): string {
  return encodeURIComponent(shortened(url)).replaceAll("%2F", "/");
}

/** Relative to the page where that is shorter. */
function shortened(url: string): string {
  const base = new URL(".", document.baseURI).href;
  return url.startsWith(base) ? url.slice(base.length) : url;
}
