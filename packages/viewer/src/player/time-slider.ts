import type { TimeScale } from "../clock.ts";
import type { Session } from "../session.ts";
import { make } from "./make.ts";

/** All of the time of a recording, in one line: how much has played, and the loop. A drag seeks. */
export class TimeSlider {
  readonly element: HTMLElement = make("div", "player-slider");
  readonly #session: Session;
  readonly #past = make("div", "player-past");
  readonly #loop = make("div", "player-loop");
  readonly #head = make("div", "player-head");
  readonly #tip = make("div", "player-tip");
  #scale: TimeScale | null = null;

  constructor(session: Session) {
    this.#session = session;
    const { element } = this;
    element.tabIndex = 0;
    element.setAttribute("role", "slider");
    element.setAttribute("aria-label", "Time");
    this.#tip.setAttribute("aria-hidden", "true");
    this.#tip.hidden = true;
    element.append(make("div", "player-track", this.#past, this.#loop), this.#head, this.#tip);
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.#move(event);
    });
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerleave", () => {
      this.#tip.hidden = true;
    });
  }

  /** Shows the time, and the loop. Null: nothing is open. */
  show(scale: TimeScale | null): void {
    const { element } = this;
    const { start, end } = this.#session.bounds;
    const time = this.#session.time ?? start;
    const { loop } = this.#session.state.value.status;
    this.#scale = scale;
    element.setAttribute("aria-disabled", String(scale === null));
    element.setAttribute("aria-valuemin", String(start / 1e9));
    element.setAttribute("aria-valuemax", String(end / 1e9));
    element.setAttribute("aria-valuenow", String(time / 1e9));
    element.setAttribute("aria-valuetext", scale?.text(time) ?? "nothing is open");
    const at = percent(this.#partOf(time));
    this.#past.style.width = this.#head.style.left = at;
    const [from, until] = [this.#partOf(loop?.start ?? start), this.#partOf(loop?.end ?? end)];
    // The button shows a loop of all of it.
    this.#loop.hidden = from === 0 && until === 1;
    this.#loop.style.left = percent(from);
    this.#loop.style.width = percent(until - from);
  }

  #partOf(time: number): number {
    const { start, end } = this.#session.bounds;
    return end > start ? Math.min(1, Math.max(0, (time - start) / (end - start))) : 0;
  }

  #move(event: PointerEvent): void {
    const { left, width } = this.element.getBoundingClientRect();
    if (this.#scale === null || width === 0) return;
    const part = Math.min(1, Math.max(0, (event.clientX - left) / width));
    const { start, end } = this.#session.bounds;
    const time = start + part * (end - start);
    if (this.element.hasPointerCapture(event.pointerId)) void this.#session.seek(time);
    this.#tip.hidden = event.pointerType === "touch";
    this.#tip.textContent = this.#scale.text(time, 1);
    this.#tip.style.left = `${Math.min(width - 28, Math.max(28, part * width))}px`;
  }
}

function percent(part: number): string {
  return `${(100 * part).toFixed(3)}%`;
}
