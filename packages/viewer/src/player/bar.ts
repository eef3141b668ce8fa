import { timeScale } from "../clock.ts";
import type { Session } from "../session.ts";
import { RATES, toggle } from "../transport/commands.ts";
import { make, setLabel, setSign, signButton } from "./make.ts";
import { TimeSlider } from "./time-slider.ts";

/** What the transport of a player offers beside the session. */
export interface BarChoices {
  /** The element that becomes as large as the screen. */
  readonly whole: () => HTMLElement;
  /** Address of a page that shows the same with all panels; null: there is none. */
  readonly link: () => string | null;
}

/** The slim transport: play, time, rate, loop, full screen, and the way to all panels. */
export class Bar {
  readonly element: HTMLElement = make("div", "player-bar");
  readonly #session: Session;
  readonly #choices: BarChoices;
  readonly #slider: TimeSlider;
  readonly #play: HTMLButtonElement;
  readonly #time = make("span", "time player-time");
  readonly #end = make("span", "faint time");
  readonly #phase = make("span", "player-phase");
  readonly #rates = make("select", "field");
  readonly #loop: HTMLButtonElement;
  readonly #full: HTMLButtonElement;
  readonly #link: HTMLAnchorElement;
  readonly #stops: (() => void)[];

  constructor(session: Session, choices: BarChoices) {
    this.#session = session;
    this.#choices = choices;
    this.#slider = new TimeSlider(session);
    this.#play = signButton("play", "Play (Space)", () => toggle(session));
    this.#loop = signButton("loop", "Loop", () =>
      session.setLoop(session.state.value.status.loop === null ? session.bounds : null),
    );
    this.#full = signButton("fullScreen", "Full screen", () => void toggleFullScreen(choices.whole()));
    this.#link = this.#makeLink();
    this.#phase.setAttribute("role", "status");
    this.#makeRates();
    const line = make("div", "player-line");
    line.setAttribute("role", "toolbar");
    line.setAttribute("aria-label", "Playing");
    line.append(this.#play, make("span", "player-times", this.#time, this.#end), this.#phase, make("span", "spring"));
    line.append(this.#rates, this.#loop, this.#full, this.#link);
    this.element.append(this.#slider.element, line);
    const removals = new AbortController();
    document.addEventListener("fullscreenchange", () => this.#show(), { signal: removals.signal });
    this.#stops = [
      session.state.subscribe(() => this.#show()),
      session.onFrame(() => this.#showTime()),
      () => removals.abort(),
    ];
    this.#show();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.element.remove();
  }

  #show(): void {
    const { decks, isPlaying, status } = this.#session.state.value;
    const isOpen = decks.length > 0;
    const isHead = decks[0]?.opened.isHead === true;
    const way = status.rate < 0 ? " backwards" : "";
    setLabel(this.#play, `${isPlaying ? "Pause" : "Play"}${way} (Space)`);
    setSign(this.#play, isPlaying ? "pause" : status.rate < 0 ? "reverse" : "play");
    this.#play.disabled = this.#rates.disabled = !isOpen;
    this.#loop.disabled = !isOpen || isHead;
    setLabel(this.#loop, status.loop === null ? "Loop the whole recording" : "No loop (\\)");
    this.#loop.setAttribute("aria-pressed", String(status.loop !== null));
    this.#showRate(status.rate);
    const { phase } = status;
    const text = phase === "buffering" || phase === "failed" ? phase : "";
    if (this.#phase.textContent !== text) this.#phase.textContent = text;
    const whole = this.#choices.whole();
    const isFull = isFullScreen(whole);
    this.#full.hidden = !document.fullscreenEnabled;
    setLabel(this.#full, isFull ? "Leave full screen" : "Full screen");
    this.#full.setAttribute("aria-pressed", String(isFull));
    const address = this.#choices.link();
    this.#link.hidden = address === null;
    if (address !== null) this.#link.href = address;
    this.#showTime();
  }

  #showTime(): void {
    const timeline = this.#session.state.value.decks[0]?.opened.timeline;
    const { shared } = this.#session.state.value;
    const scale = timeline === undefined ? null : timeScale(timeline, shared["time"]);
    const time = this.#session.time ?? timeline?.start ?? 0;
    this.#time.textContent = scale?.text(time, 1) ?? "–";
    this.#end.textContent = scale === null || timeline === undefined ? "" : ` / ${scale.text(timeline.end, 1)}`;
    this.#slider.show(scale);
  }

  #makeRates(): void {
    this.#rates.setAttribute("aria-label", "Rate");
    this.#rates.append(...RATES.map(optionOf));
    this.#rates.addEventListener("change", () => this.#session.setRate(Number(this.#rates.value)));
  }

  /** One that is no choice of the list is one while it is used. */
  #showRate(rate: number): void {
    const text = String(rate);
    if (this.#rates.value === text) return;
    for (const option of [...this.#rates.options]) if (!RATES.includes(Number(option.value))) option.remove();
    if (!RATES.includes(rate)) this.#rates.append(optionOf(rate));
    this.#rates.value = text;
  }

  /** What it leads to is what is shown when it is used. */
  #makeLink(): HTMLAnchorElement {
    const link = make("a", "button button-bare player-link", "simtape");
    link.target = "_blank";
    link.rel = "noopener";
    setLabel(link, "Open in simtape, with all panels");
    const update = (): void => {
      link.href = this.#choices.link() ?? "";
    };
    for (const kind of ["pointerenter", "pointerdown", "focus"]) link.addEventListener(kind, update);
    return link;
  }
}

function optionOf(rate: number): HTMLOptionElement {
  const option = document.createElement("option");
  option.value = String(rate);
  option.text = `${rate < 0 ? "−" : ""}${Math.abs(rate)}×`;
  return option;
}

/** An element in a shadow is full screen there. */
function isFullScreen(element: HTMLElement): boolean {
  const root = element.getRootNode();
  return (root instanceof ShadowRoot ? root.fullscreenElement : document.fullscreenElement) === element;
}

async function toggleFullScreen(element: HTMLElement): Promise<void> {
  // A frame that may not is left as it is.
  if (isFullScreen(element)) await document.exitFullscreen().catch(() => undefined);
  else await element.requestFullscreen().catch(() => undefined);
}
