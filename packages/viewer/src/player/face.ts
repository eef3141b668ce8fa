import { Projector } from "../scene/panel/projector.ts";
import { sceneSettings } from "../scene/panel/settings.ts";
import type { Session } from "../session.ts";
import type { Scheme } from "../theme.ts";
import { COMMANDS } from "../transport/commands.ts";
import { listenForKeys } from "../transport/listen.ts";
import { Bar } from "./bar.ts";
import { make } from "./make.ts";
import { type Trouble, troubleOf } from "./trouble.ts";

export interface FaceOptions {
  readonly scheme: Scheme;
  /** Address of a page that shows the same with all panels; null: there is none. */
  readonly link: () => string | null;
  /** What becomes as large as the screen; absent: the face. */
  readonly whole?: HTMLElement;
}

/** What a player shows: the scene of a session, what keeps it from being there, and a slim transport. Needs no React. */
export class Face {
  readonly element: HTMLElement = make("div", "player");
  readonly #session: Session;
  readonly #projector: Projector | null;
  readonly #bar: Bar;
  readonly #note = make("p", "player-note");
  readonly #trouble = make("div", "player-trouble");
  readonly #link: () => string | null;
  readonly #stops: (() => void)[];
  /** What keeps it from showing anything, beside a recording that cannot be opened. */
  #reason: Trouble | null = null;
  #shown: Trouble | null = null;
  #areMeasuresLoaded = false;
  #isGone = false;

  constructor(session: Session, { scheme, link, whole }: FaceOptions) {
    this.#session = session;
    this.#link = link;
    const { element } = this;
    // A click into it gives it the keys.
    element.tabIndex = -1;
    element.setAttribute("role", "region");
    element.dataset["scheme"] = scheme;
    this.#note.setAttribute("role", "status");
    this.#trouble.setAttribute("role", "alert");
    this.#trouble.hidden = true;
    const places = {
      view: make("div", "scene-view"),
      readings: make("section", ""),
      gaps: make("div", "scene-gaps"),
    };
    places.readings.setAttribute("aria-label", "Readings");
    places.gaps.setAttribute("role", "status");
    places.gaps.setAttribute("aria-label", "Ghosts");
    const corner = make("div", "scene-corner", places.readings, places.gaps);
    element.append(make("div", "scene player-scene", places.view, corner, this.#note, this.#trouble));
    this.#projector = this.#project(places, scheme);
    this.#bar = new Bar(session, { whole: () => whole ?? element, link });
    element.append(this.#bar.element);
    this.#stops = [
      listenForKeys(element, session, COMMANDS),
      session.state.subscribe(() => this.#show()),
      session.state.subscribe(() => this.#measure()),
      this.#projector?.seen.subscribe(() => this.#show()) ?? ((): void => undefined),
    ];
    this.#yieldWheel();
    this.#measure();
    this.#show();
  }

  set scheme(scheme: Scheme) {
    this.element.dataset["scheme"] = scheme;
    if (this.#projector !== null) this.#projector.scheme = scheme;
  }

  /** Says why nothing can be shown; null: nothing is wrong. */
  set reason(reason: Trouble | null) {
    this.#reason = reason;
    this.#show();
  }

  dispose(): void {
    this.#isGone = true;
    for (const stop of this.#stops) stop();
    this.#bar.dispose();
    this.#projector?.dispose();
    this.element.remove();
  }

  #project(places: ConstructorParameters<typeof Projector>[1], scheme: Scheme): Projector | null {
    try {
      return new Projector(this.#session, places, scheme);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#reason = { title: "The scene cannot be drawn", text, advice: [], lines: [] };
      return null;
    }
  }

  /** What draws measures is loaded with the first that an address has. */
  #measure(): void {
    const view = this.#projector?.view;
    const { measures = [] } = sceneSettings(this.#session);
    if (view === undefined || measures.length === 0 || this.#areMeasuresLoaded) return;
    this.#areMeasuresLoaded = true;
    import("../measure/follow-measures.ts")
      .then((it) => !this.#isGone && this.#stops.push(it.followMeasures(this.#session, view)))
      .catch(() => undefined);
  }

  /** What is read, what is empty, what is wrong. */
  #show(): void {
    const { decks, opening, failure, notice, status } = this.#session.state.value;
    const name = decks[0]?.place.name;
    this.element.setAttribute("aria-label", name === undefined ? "Player" : `Player of ${name}`);
    const trouble = this.#reason ?? (failure === null ? null : troubleOf(failure, location));
    this.#showTrouble(trouble);
    const isEmpty = decks.length > 0 && this.#projector?.seen.value.isEmpty === true;
    const part = opening?.total == null ? "" : ` ${Math.round((100 * opening.done) / Math.max(1, opening.total))} %`;
    const note =
      trouble !== null
        ? ""
        : (notice ??
          status.error?.message ??
          (opening !== null
            ? `Reading ${opening.place.name}${part} …`
            : isEmpty
              ? "Nothing in this recording has a place in space now."
              : ""));
    if (this.#note.textContent !== note) this.#note.textContent = note;
    this.#note.hidden = note === "";
  }

  #showTrouble(trouble: Trouble | null): void {
    if (JSON.stringify(trouble) === JSON.stringify(this.#shown)) return;
    this.#shown = trouble;
    this.#trouble.hidden = trouble === null;
    this.#trouble.replaceChildren();
    if (trouble === null) return;
    const { title, text, advice, lines } = trouble;
    this.#trouble.append(make("strong", "", title), make("p", "", text), ...advice.map((one) => make("p", "", one)));
    if (lines.length > 0) this.#trouble.append(make("pre", "", lines.join("\n")));
    const buttons = make("p", "player-buttons");
    if (this.#session.state.value.failure !== null) {
      const again = make("button", "button", "Try again");
      again.type = "button";
      again.addEventListener("click", () => void this.#session.tryAgain());
      buttons.append(again);
    }
    const address = this.#link();
    if (address !== null) {
      const link = make("a", "button", "Open in simtape");
      link.href = address;
      link.target = "_blank";
      link.rel = "noopener";
      buttons.append(link);
    }
    this.#trouble.append(buttons);
  }

  /** A wheel over a player that the user has not entered scrolls the page around it. */
  #yieldWheel(): void {
    this.element.addEventListener(
      "wheel",
      (event) => {
        if (!this.element.matches(":focus-within")) event.stopPropagation();
      },
      { capture: true },
    );
  }
}
