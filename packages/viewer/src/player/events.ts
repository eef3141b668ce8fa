import type { Frame, Time } from "simtape";
import type { Session, ViewerState } from "../session.ts";

/** Between two events of a time that passes, milliseconds. */
const TIME_EVERY = 250;

/** Tells what a session does by the names that media elements have for it. */
export class PlayerEvents {
  readonly #session: Session;
  readonly #tell: (name: string) => void;
  readonly #stops: (() => void)[];
  #before: ViewerState;
  /** When it last reported a time. */
  #reported = 0;
  #target: Time | null = null;
  #isEnding = false;
  #waiting: ((isShown: boolean) => void)[] = [];

  constructor(session: Session, tell: (name: string) => void) {
    this.#session = session;
    this.#tell = tell;
    this.#before = session.state.value;
    this.#stops = [
      session.state.subscribe(() => this.#follow()),
      session.onMove((move) => {
        if (move.move !== "seek") return;
        this.#target = move.time;
        tell("seeking");
      }),
      session.onFrame((frame) => this.#show(frame)),
    ];
  }

  /** The time of a seek that is not shown yet; null: none is under way. */
  get target(): Time | null {
    return this.#target;
  }

  /** Whether what is sought is shown; false: it never will be. */
  async shown(): Promise<boolean> {
    return this.#target === null || new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }

  #follow(): void {
    const before = this.#before;
    const now = this.#session.state.value;
    this.#before = now;
    if (now.status.rate !== before.status.rate) this.#tell("ratechange");
    if (now.isPlaying && !before.isPlaying) {
      this.#isEnding = false;
      this.#tell("play");
    }
    if (!now.isPlaying && before.isPlaying) this.#tell("pause");
    if (now.status.phase === "ended" && before.status.phase !== "ended" && now.decks.length > 0) {
      this.#isEnding = true;
      this.#end();
    }
  }

  #show({ time, cause }: Frame): void {
    const target = this.#target;
    // What was shown before may come once more; while it plays, the frame that was sought may be left out.
    const isThere = target !== null && (time === target || (cause === "seek" && this.#session.isPlaying));
    if (isThere) this.#target = null;
    const now = performance.now();
    if (isThere || !this.#session.isPlaying || now - this.#reported >= TIME_EVERY) {
      this.#reported = now;
      this.#tell("timeupdate");
    }
    if (isThere) {
      this.#tell("seeked");
      for (const resolve of this.#waiting.splice(0)) resolve(true);
    }
    this.#end();
  }

  /** Reports the end when the last frame is shown. */
  #end(): void {
    const { frame, state } = this.#session;
    if (!this.#isEnding || frame?.time !== state.value.status.time) return;
    this.#isEnding = false;
    this.#tell("ended");
  }
}
