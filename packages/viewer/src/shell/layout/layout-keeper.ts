import type { DockviewApi, SerializedDockview } from "dockview";
import { amend, change } from "../../changes.ts";
import { mainPanel, type Session } from "../../session.ts";
import { keepLayout, ownOf, pack } from "./keep-layout.ts";
import { nameOf } from "../by-recording.ts";
import { keptLayout, unpack } from "./kept-layout.ts";
import { LAYOUT, restore } from "./layout.ts";

/** What says only which panel is before the others. */
const FRONT: ReadonlySet<string> = new Set(["activeView", "activeGroup", "activePanel"]);

/**
 * Between the layout that is shown and the one that is kept, in the address and with the recording: what the user does
 * with panels is kept as a change that can be undone; what is kept otherwise, by *Undo* for instance, is laid out.
 */
export class LayoutKeeper {
  readonly #api: DockviewApi;
  readonly #session: Session;
  readonly #ends = new AbortController();
  readonly #changes: readonly { dispose(): void }[];
  readonly #unsubscribe: () => void;
  /** Kept, and laid out. */
  #shown: unknown;
  /** What its panels show, as it was kept. */
  #own = "";
  #recording: string | null;
  /** The layout as it was before what the user does now. */
  #before: Written;
  #isQuiet = false;
  /** Looks at what was done that are still to come. */
  #due = 0;

  /** `place` is the element of the layout, `before` the layout as it was before the user has done anything. */
  constructor(api: DockviewApi, session: Session, place: HTMLElement, before: SerializedDockview) {
    this.#api = api;
    this.#session = session;
    this.#shown = session.state.value.shared[LAYOUT];
    this.#recording = this.#recordingNow();
    this.#before = written(before);
    this.#own = this.#ownNow();
    const later = (): void => {
      this.#due++;
      setTimeout(() => {
        this.#due--;
        this.#note();
      });
    };
    // what follows from the size of the page is no change; what was done before is one, on a page that is slow, too
    const begin = (): void => {
      if (this.#due > 0) this.#note();
      this.#before = written(api.toJSON());
    };
    const release = ({ key }: KeyboardEvent): void => {
      if (key === "Enter" || key === " ") later();
    };
    const { signal } = this.#ends;
    place.addEventListener("pointerdown", begin, { signal, capture: true });
    place.addEventListener("keydown", begin, { signal, capture: true });
    place.addEventListener("pointerup", later, { signal });
    place.addEventListener("keyup", release, { signal });
    this.#changes = [api.onDidAddPanel(later), api.onDidRemovePanel(later), api.onDidMovePanel(later)];
    this.#unsubscribe = session.state.subscribe(() => this.#follow());
    this.#note();
  }

  /** Lays out without taking it for something that the user does. */
  quietly(lay: () => void): void {
    this.#isQuiet = true;
    lay();
    // behind what was noted meanwhile
    setTimeout(() => {
      this.#before = written(this.#api.toJSON());
      this.#isQuiet = false;
    });
  }

  dispose(): void {
    this.#ends.abort();
    this.#unsubscribe();
    for (const one of this.#changes) one.dispose();
  }

  /** Keeps what the user has done, if it is something. */
  #note(): void {
    if (this.#isQuiet || this.#ends.signal.aborted) return;
    const layout = this.#api.toJSON();
    const now = written(layout);
    const before = this.#before;
    if (now.all === before.all) return;
    this.#before = now;
    this.#shown = layout;
    if (now.places === before.places) amend(this.#session, LAYOUT, layout);
    else change(this.#session, LAYOUT, layout);
    this.#keep();
  }

  /** Lays out what is kept, if that is something else than what is shown; of another recording, its own. */
  #follow(): void {
    const recording = this.#recordingNow();
    if (recording !== null && recording !== this.#recording) {
      this.#recording = recording;
      const own = keptLayout(this.#session.state.value.decks[0]);
      if (own !== undefined) {
        // it calls this again
        this.#session.share(LAYOUT, unpack(this.#session, own));
        return;
      }
    }
    const { [LAYOUT]: layout } = this.#session.state.value.shared;
    if (layout === this.#shown) {
      if (this.#ownNow() !== this.#own) this.#keep();
      return;
    }
    this.#shown = layout;
    this.quietly(() => restore(this.#api, layout, mainPanel(this.#session.state.value)));
    this.#keep();
  }

  #keep(): void {
    const [deck] = this.#session.state.value.decks;
    this.#own = this.#ownNow();
    if (deck !== undefined) keepLayout(deck, isLayout(this.#shown) ? pack(this.#session, this.#shown) : undefined);
  }

  #ownNow(): string {
    return isLayout(this.#shown) ? JSON.stringify(ownOf(this.#session, this.#shown)) : "";
  }

  #recordingNow(): string | null {
    const [deck] = this.#session.state.value.decks;
    return deck === undefined ? null : nameOf(deck);
  }
}

/** Back to the layout there is at first, which no address need carry. */
export function reset(session: Session): void {
  change(session, LAYOUT, undefined);
}

function isLayout(layout: unknown): layout is object {
  return typeof layout === "object" && layout !== null;
}

/** A layout as texts that can be compared. */
interface Written {
  readonly all: string;
  /** Without what is before what. */
  readonly places: string;
}

function written(layout: SerializedDockview): Written {
  return {
    all: JSON.stringify(layout),
    places: JSON.stringify(layout, (key, value: unknown) => (FRONT.has(key) ? undefined : value)),
  };
}
