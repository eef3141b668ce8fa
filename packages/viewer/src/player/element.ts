import type { PlayerError, PlayerPhase, PlayerState, SimtapePlayer } from "../../player.d.ts";
import { hashOf } from "../kept.ts";
import { locatorAt } from "../open/files.ts";
import type { Locator } from "../protocol.ts";
import { type OpenAt, Session } from "../session.ts";
import type { Scheme } from "../theme.ts";
import { parseTime } from "../time.ts";
import { PlayerEvents } from "./events.ts";
import { Face } from "./face.ts";
import { sheets } from "./sheets.ts";
import type { Trouble } from "./trouble.ts";
import { lookAs, loopIn, rateIn, select } from "./wishes.ts";

const ATTRIBUTES = ["src", "at", "rate", "loop", "playing", "theme", "camera", "follow", "viewer"] as const;
type Attribute = (typeof ATTRIBUTES)[number];

/** What there is while the element is in a page. */
interface Shown {
  readonly session: Session;
  readonly face: Face;
  readonly events: PlayerEvents;
  readonly stops: (() => void)[];
}

/** Nothing is named. */
const NO_SOURCE: Trouble = {
  title: "No recording is named",
  text: 'Give the element one: <simtape-player src="town.log">.',
  advice: [],
  lines: [],
};

const NO_OBJECT = "recording";

/** `<simtape-player>`: a recording in any page, in a shadow of its own. Its worker and its drawing end when it is removed. */
export class Player extends HTMLElement implements SimtapePlayer {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;
  #shown: Shown | null = null;
  #object: Blob | readonly File[] | null = null;
  /** Where it was when it was removed. */
  #left: OpenAt | null = null;
  /** Which opening is the newest. */
  #openings = 0;
  #opened: Promise<void> = Promise.resolve();
  #unfollow = (): void => undefined;
  readonly #system = matchMedia("(prefers-color-scheme: dark)");

  connectedCallback(): void {
    if (this.#shown !== null) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = sheets();
    const session = new Session();
    const face = new Face(session, { scheme: this.#scheme, link: () => this.#link(), whole: this });
    root.append(face.element);
    const recolor = (): void => {
      face.scheme = this.#scheme;
    };
    this.#system.addEventListener("change", recolor);
    const events = new PlayerEvents(session, (name) => {
      if (name === "play" || name === "pause") this.toggleAttribute("playing", session.isPlaying);
      this.dispatchEvent(new Event(name));
    });
    this.#shown = {
      session,
      face,
      events,
      stops: [
        () => events.stop(),
        () => this.#system.removeEventListener("change", recolor),
        () => face.dispose(),
        () => session.end(),
      ],
    };
    this.#open(this.#left ?? {});
    this.#left = null;
  }

  /** An element that is only moved in its page goes on. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected || this.#shown === null) return;
      const { session, stops } = this.#shown;
      const { rate, loop } = session.state.value.status;
      if (session.time !== null) this.#left = { at: session.time, rate, loop };
      this.#openings++;
      this.#unfollow();
      this.#shown = null;
      for (const stop of stops) stop();
      this.removeAttribute("playing");
    });
  }

  attributeChangedCallback(name: Attribute, before: string | null, now: string | null): void {
    if (this.#shown === null || before === now) return;
    const { session, face } = this.#shown;
    switch (name) {
      case "src":
        if (this.#object === null) this.load();
        break;
      case "at":
        this.#seekTo(now);
        break;
      case "rate":
        session.setRate(rateIn(now) ?? 1);
        break;
      case "loop":
        this.#applyLoop();
        break;
      case "playing":
        if (now === null) this.pause();
        else this.play().catch(() => undefined);
        break;
      case "theme":
        face.scheme = this.#scheme;
        break;
      case "camera":
      case "follow":
        this.#look();
        break;
      default:
    }
  }

  get src(): string {
    return this.getAttribute("src") ?? "";
  }

  set src(address: string) {
    this.setAttribute("src", address);
  }

  get srcObject(): Blob | readonly File[] | null {
    return this.#object;
  }

  set srcObject(object: Blob | readonly File[] | null) {
    this.#object = object;
    this.load();
  }

  get at(): string {
    return this.getAttribute("at") ?? "";
  }

  set at(text: string) {
    this.setAttribute("at", text);
  }

  get autoplay(): boolean {
    return this.hasAttribute("autoplay");
  }

  set autoplay(is: boolean) {
    this.toggleAttribute("autoplay", is);
  }

  get loop(): boolean {
    return this.hasAttribute("loop");
  }

  set loop(is: boolean) {
    this.toggleAttribute("loop", is);
  }

  get theme(): string {
    return this.getAttribute("theme") ?? "";
  }

  set theme(name: string) {
    this.setAttribute("theme", name);
  }

  get camera(): string {
    return this.getAttribute("camera") ?? "";
  }

  set camera(text: string) {
    this.setAttribute("camera", text);
  }

  get follow(): string {
    return this.getAttribute("follow") ?? "";
  }

  set follow(name: string) {
    this.setAttribute("follow", name);
  }

  get viewer(): string {
    return this.getAttribute("viewer") ?? "";
  }

  set viewer(address: string) {
    this.setAttribute("viewer", address);
  }

  get currentTime(): number {
    return (this.#shown?.events.target ?? this.#shown?.session.time ?? 0) / 1e9;
  }

  set currentTime(seconds: number) {
    void this.seek(seconds);
  }

  get duration(): number {
    return this.#timeline === undefined ? Number.NaN : this.#timeline.end / 1e9;
  }

  get startTime(): number {
    return this.#timeline === undefined ? Number.NaN : this.#timeline.start / 1e9;
  }

  get playbackRate(): number {
    return this.#shown?.session.state.value.status.rate ?? rateIn(this.getAttribute("rate")) ?? 1;
  }

  set playbackRate(rate: number) {
    if (rateIn(String(rate)) === null) throw new RangeError(`no rate from -64 to 64 but 0: ${rate}`);
    this.#shown?.session.setRate(rate);
  }

  get paused(): boolean {
    return this.#shown?.session.isPlaying !== true;
  }

  get ended(): boolean {
    return this.#shown?.session.state.value.status.phase === "ended";
  }

  get seeking(): boolean {
    return this.#shown !== null && this.#shown.events.target !== null;
  }

  get phase(): PlayerPhase {
    const { failure = null, decks = [], opening = null } = this.#shown?.session.state.value ?? {};
    if (failure !== null) return "failed";
    return opening !== null ? "reading" : decks.length > 0 ? "ready" : "empty";
  }

  get error(): PlayerError | null {
    const failure = this.#shown?.session.state.value.failure ?? null;
    return failure === null ? null : { code: failure.code, message: failure.message };
  }

  get state(): PlayerState | null {
    return this.#shown?.session.frame?.recorded ?? null;
  }

  async play(): Promise<void> {
    await this.#opened;
    this.#shown?.session.play();
  }

  pause(): void {
    this.#shown?.session.pause();
  }

  async seek(seconds: number): Promise<boolean> {
    if (!Number.isFinite(seconds)) throw new TypeError(`no time in seconds: ${seconds}`);
    if (this.#shown === null) return false;
    const { session, events } = this.#shown;
    return (await session.seek(Math.round(seconds * 1e9))) && events.shown();
  }

  load(): void {
    if (this.#shown !== null) this.#open({});
  }

  get #timeline(): { readonly start: number; readonly end: number } | undefined {
    return this.#shown?.session.state.value.decks[0]?.opened.timeline;
  }

  get #scheme(): Scheme {
    const { theme } = this;
    return theme === "light" || theme === "dark" ? theme : this.#system.matches ? "dark" : "light";
  }

  /** As it was left, or as the attributes say. */
  #open(left: OpenAt): void {
    this.#opened = this.#load(left, ++this.#openings);
    this.#opened.catch(() => undefined);
  }

  async #load(left: OpenAt, opening: number): Promise<void> {
    const { session, face } = this.#shown!;
    const tell = (name: string): void => void this.dispatchEvent(new Event(name));
    this.#unfollow();
    if (session.state.value.decks.length > 0) tell("emptied");
    await session.close();
    if (opening !== this.#openings) throw new DOMException("another recording is opened instead", "AbortError");
    let place: Locator | null;
    try {
      place = this.#place();
    } catch (error) {
      place = null;
      const message = (error as Error).message;
      session.fail({ place: { kind: "url", name: this.src, url: this.src }, as: "main", code: null, message });
    }
    face.reason = place === null && session.state.value.failure === null ? NO_SOURCE : null;
    if (place !== null) {
      tell("loadstart");
      this.#look();
      await session.open(place, { at: this.at || null, rate: rateIn(this.getAttribute("rate")) ?? 1, ...left });
    }
    if (opening !== this.#openings) throw new DOMException("another recording is opened instead", "AbortError");
    if (session.state.value.decks.length === 0) {
      if (place !== null || session.state.value.failure !== null) tell("error");
      throw new DOMException(session.state.value.failure?.message ?? NO_SOURCE.title, "NotSupportedError");
    }
    if (left.loop == null) this.#applyLoop();
    tell("loadedmetadata");
    if (this.autoplay || this.hasAttribute("playing")) session.play();
  }

  /** Null: none is named. Throws `TypeError` when the address is none. */
  #place(): Locator | null {
    const object = this.#object;
    if (object === null) return this.src === "" ? null : locatorAt(this.src);
    if (!(object instanceof Blob)) return { kind: "files", name: object[0]?.name ?? NO_OBJECT, files: object };
    const file = object instanceof File ? object : new File([object], NO_OBJECT);
    return { kind: "files", name: file.name, files: [file] };
  }

  #applyLoop(): void {
    const session = this.#shown!.session;
    if (session.state.value.decks.length === 0) return;
    const loop = loopIn(this.getAttribute("loop"));
    const range = loop === "whole" ? session.bounds : loop;
    if (range !== null || session.state.value.status.loop !== null) session.setLoop(range);
  }

  #look(): void {
    const { session } = this.#shown!;
    this.#unfollow();
    lookAs(session, this.getAttribute("camera"), this.getAttribute("follow"));
    if (this.follow !== "") this.#unfollow = select(session, this.follow);
  }

  #seekTo(text: string | null): void {
    const { session } = this.#shown!;
    const timeline = session.state.value.decks[0]?.opened.timeline;
    const time = text === null || timeline === undefined ? null : parseTime(text, timeline, session.time ?? 0);
    if (time !== null) void session.seek(time);
  }

  /** The page that shows all of it, at this moment. */
  #link(): string | null {
    if (this.viewer === "" || this.#object !== null || this.src === "") return null;
    const page = new URL(this.viewer, document.baseURI);
    page.search = `?url=${encodeURIComponent(new URL(this.src, document.baseURI).href)}`;
    const time = this.#shown?.session.time ?? null;
    page.hash = time === null ? "" : hashOf({ t: time / 1e9 });
    return page.href;
  }
}
