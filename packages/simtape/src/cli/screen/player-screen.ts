import { emitKeypressEvents, type Key } from "node:readline";
import type { Deck, Loaded } from "../../live/deck.ts";
import type { RecordingEvent } from "../../model/query/event.ts";
import { firstChartOf } from "../../model/query/first-chart.ts";
import { tellingOf } from "../../model/query/source.ts";
import type { State } from "../../model/state/state.ts";
import type { Time } from "../../model/values/time.ts";
import type { Frame } from "../../play/frame.ts";
import { instantOf } from "../input/time.ts";
import { drive } from "../live/keys.ts";
import { UsageError } from "../run/failure.ts";
import { FullScreen } from "../run/terminal.ts";
import { screenOf, type Size } from "./screen.ts";
import { neighbour } from "./timeline.ts";
import { TopDown } from "./top-down.ts";
import { type Listed, type ListHints, listedOf } from "./values.ts";

/** Events that are kept, and bytes of a recording up to which it is read as a whole for them. */
const EVENTS = 100_000;
const READ_FOR_EVENTS = 256 << 20;
/** Milliseconds between two looks at which paths there are. */
const LIST_EVERY = 500;

/** Shows a deck on the terminal, and lets keys drive it, until it is closed. */
export class PlayerScreen {
  readonly #deck: Deck;
  readonly #end: () => void;
  readonly #screen = new FullScreen();
  #leave: () => void = () => undefined;
  #unload: () => void = () => undefined;
  #loaded: Loaded | null = null;
  #map = new TopDown();
  #hints: ListHints = {};
  #events: RecordingEvent[] = [];
  #frame: Frame | null = null;
  #isJump = true;
  #listed: readonly Listed[] = [];
  /** What the list was made of. */
  #listedFor = "";
  #listedAt = 0;
  #scrolled = 0;
  #filter = "";
  #prompt: string | null = null;
  #notice: string | null = null;
  #isHelp = false;
  /** Where a loop begins of which the end is not set yet. */
  #loopStart: Time | null = null;
  #isDue = false;

  constructor(deck: Deck, end: () => void) {
    this.#deck = deck;
    this.#end = end;
  }

  open(): void {
    emitKeypressEvents(process.stdin);
    process.stdin.setRawMode(true);
    process.stdin.on("keypress", this.#press);
    process.stdin.resume();
    process.stdout.on("resize", this.#resized);
    this.#screen.open();
    this.#unload = this.#deck.onLoad((loaded) => this.#show(loaded));
  }

  close(): void {
    this.#unload();
    this.#leave();
    process.stdin.off("keypress", this.#press);
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.stdout.off("resize", this.#resized);
    this.#screen.close();
  }

  #show(loaded: Loaded): void {
    this.#leave();
    const { player } = loaded;
    const away = new AbortController();
    this.#loaded = loaded;
    this.#map = new TopDown();
    this.#hints = {};
    this.#events = [];
    this.#frame = null;
    this.#listed = [];
    this.#listedFor = "";
    this.#loopStart = null;
    this.#notice = null;
    const unframe = player.subscribe((frame) => {
      this.#isJump ||= frame.since === null;
      this.#frame = frame;
      this.#draw();
    });
    const unstatus = player.onStatus(() => this.#draw());
    this.#leave = () => {
      away.abort();
      unframe();
      unstatus();
    };
    this.#learn(loaded, away.signal).catch((error: unknown) => {
      if (away.signal.aborted) return;
      this.#notice = `events: ${error instanceof Error ? error.message : String(error)}`;
      this.#draw();
    });
  }

  /** What the recording and its format tell beside the state; events come as they are read. */
  async #learn({ recording }: Loaded, signal: AbortSignal): Promise<void> {
    const traits = await recording.traits();
    const telling = await tellingOf({ reader: recording.reader, traits: () => Promise.resolve(traits) });
    const first = await firstChartOf(recording, { isReading: false, signal });
    if (signal.aborted) return;
    this.#map = new TopDown(traits.showing?.things);
    this.#hints = { first, telling, bulk: traits.showing?.bulk };
    this.#listedFor = "";
    this.#draw();
    const isLong = recording.sideCar === null && (recording.info.bytes ?? 0) > READ_FOR_EVENTS;
    for await (const events of recording.events({ listed: isLong, signal })) {
      this.#events.push(...events.slice(0, EVENTS - this.#events.length));
      if (signal.aborted || this.#events.length >= EVENTS) return;
      if (events.length > 0) this.#draw();
    }
  }

  readonly #resized = (): void => {
    this.#screen.clear();
    this.#draw();
  };

  /** Draws when everything that happens now has happened; a slow terminal gets the newest picture when it can. */
  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const draw = (): void => {
      this.#isDue = false;
      if (this.#loaded === null) return;
      if (!this.#screen.isReady) {
        this.#isDue = true;
        process.stdout.once("drain", draw);
        return;
      }
      this.#screen.show(this.#lines(this.#loaded));
    };
    setImmediate(draw);
  }

  #lines({ name, recording, player }: Loaded): readonly string[] {
    const { columns = 80, rows = 24 } = process.stdout as Partial<Size>;
    const frame = this.#frame;
    if (frame !== null) this.#list(frame.recorded);
    const lines = screenOf(
      {
        name,
        format: recording.info.format,
        status: player.status,
        state: frame?.state ?? null,
        recorded: frame?.recorded ?? null,
        isJump: this.#isJump,
        map: this.#map,
        events: this.#events,
        listed: this.#listed,
        scrolled: this.#scrolled,
        filter: this.#filter,
        prompt: this.#prompt,
        notice: this.#notice,
        isHelp: this.#isHelp,
      },
      { columns, rows },
    );
    this.#isJump = false;
    return lines;
  }

  /** Makes the list again when things have come or gone. */
  #list(state: State): void {
    const sizes = [...state.sets].map(([name, { ids, columns }]) => `${name} ${ids.length} ${columns.size}`);
    const made = [this.#filter, state.values.size, ...sizes].join("\n");
    const now = performance.now();
    if (made === this.#listedFor || (this.#listedFor !== "" && now - this.#listedAt < LIST_EVERY)) return;
    this.#listedFor = made;
    this.#listedAt = now;
    this.#listed = listedOf(state, this.#filter, this.#hints);
    this.#scrolled = Math.min(this.#scrolled, Math.max(0, this.#listed.length - 1));
  }

  readonly #press = (text: string | undefined, key: Key): void => {
    this.#notice = null;
    if (key.ctrl === true && key.name === "c") this.#end();
    else if (this.#prompt === null) this.#command(key);
    else this.#type(this.#prompt, text, key);
    this.#draw();
  };

  #command(key: Key): void {
    const { name, sequence } = key;
    const page = Math.max(1, (process.stdout.rows ?? 24) - 6);
    if (this.#isHelp) this.#isHelp = false;
    else if (sequence === "q") this.#end();
    else if (sequence === "?") this.#isHelp = true;
    else if (sequence === "/") this.#prompt = "";
    else if (name === "escape") this.#filterBy("");
    else if (name === "up") this.#scroll(-1);
    else if (name === "down") this.#scroll(1);
    else if (name === "pageup") this.#scroll(-page);
    else if (name === "pagedown") this.#scroll(page);
    else if (this.#loaded === null) return;
    else if (sequence === "n") this.#next(this.#loaded.index);
    else if (sequence === "e" || sequence === "E") this.#toEvent(this.#loaded, sequence === "e");
    else if (sequence === "l") this.#loop(this.#loaded);
    else if (name === "home") void this.#loaded.player.seek(this.#loaded.player.status.bounds?.start ?? 0);
    else if (name === "end") void this.#loaded.player.seek(this.#loaded.player.status.bounds?.end ?? 0);
    else drive(this.#loaded.player, key);
  }

  #type(prompt: string, text: string | undefined, { name, ctrl, meta }: Key): void {
    if (name === "escape") this.#prompt = null;
    else if (name === "return" || name === "enter") {
      this.#prompt = null;
      void this.#find(prompt);
    } else if (name === "backspace") this.#prompt = prompt === "" ? null : prompt.slice(0, -1);
    else if (text !== undefined && ctrl !== true && meta !== true && text >= " ") this.#prompt = prompt + text;
  }

  /** Goes to a time; what is none is a filter. */
  async #find(text: string): Promise<void> {
    const loaded = this.#loaded;
    if (loaded === null) return;
    try {
      const { start, end } = await loaded.recording.timeline();
      const time = await instantOf(text, loaded.recording);
      if (time < start || time > end) this.#notice = `${text} is not in the recording`;
      else void loaded.player.seek(time);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#filterBy(text);
    }
    this.#draw();
  }

  #filterBy(filter: string): void {
    this.#filter = filter;
    this.#scrolled = 0;
    this.#listedFor = "";
  }

  #scroll(by: number): void {
    this.#scrolled = Math.max(0, Math.min(this.#scrolled + by, this.#listed.length - 1));
  }

  #next(index: number): void {
    const { entries } = this.#deck;
    if (entries.length === 1) this.#notice = "there is one recording";
    else
      this.#deck.load((index + 1) % entries.length).catch((error: unknown) => {
        this.#notice = error instanceof Error ? error.message : String(error);
        this.#draw();
      });
  }

  #toEvent({ player }: Loaded, isNext: boolean): void {
    const event = neighbour(this.#events, player.status.time, isNext);
    if (event === null) this.#notice = isNext ? "no event follows" : "no event is before";
    else void player.seek(event.time);
  }

  #loop({ player }: Loaded): void {
    const { time, loop } = player.status;
    const start = this.#loopStart;
    this.#loopStart = null;
    if (loop !== null) player.setLoop(null);
    else if (start === null || start === time) {
      this.#loopStart = time;
      this.#notice = "repeats from here: press l again where it ends";
    } else player.setLoop({ start: Math.min(start, time), end: Math.max(start, time) });
  }
}
