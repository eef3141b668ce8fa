import type { Time } from "simtape";
import type { Clock, Move, RoomClient } from "simtape-server/rooms";
import type { Move as PlayerMove, Session } from "../../session.ts";

/** Between two looks at the room's clock, milliseconds. */
const LOOK_EVERY = 200;
/** How long the player is left alone when it was moved, milliseconds. */
const SETTLING = 500;
/** Seconds on the wall: farther off the player seeks; nearer it plays a little faster or slower, or is let be. */
const FAR = 0.4;
const NEAR = 0.012;
/** The most that the rate is changed by. */
const MOST = 0.3;
/** Between two seeks that are sent while a leader drags, milliseconds. */
const SEND_EVERY = 70;
/** What a user reads while the room is not connected. */
export const UNREACHABLE = "The room cannot be reached now: try again in a moment";

/** Couples the player of the page with the clock of a room: in one way for the leader, in the other for all. */
export class Follower {
  readonly #session: Session;
  readonly #client: RoomClient;
  readonly #onFree: () => void;
  readonly #stops: (() => void)[];
  #isFree = false;
  /** What is asked of the player is asked here. */
  #isMoving = false;
  #settledAt = 0;
  #drifts: number[] = [];
  #factor = 1;
  #seek: Time | null = null;
  #seekTimer: ReturnType<typeof setTimeout> | null = null;

  /** `onFree`: a user who follows has moved the player. */
  constructor(session: Session, client: RoomClient, onFree: () => void) {
    this.#session = session;
    this.#client = client;
    this.#onFree = onFree;
    const timer = setInterval(() => this.look(), LOOK_EVERY);
    this.#stops = [
      () => clearInterval(timer),
      session.onMove((move) => this.#hear(move)),
      session.onFrame(({ time }) => this.#measure(time)),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    if (this.#seekTimer !== null) clearTimeout(this.#seekTimer);
  }

  setFree(isFree: boolean): void {
    this.#isFree = isFree;
    if (isFree) this.#move(() => this.#nudge(1));
    else {
      this.#settledAt = 0;
      this.look();
    }
  }

  /** Brings the player to where the room is. */
  look(): void {
    const { clock } = this.#client;
    const seconds = this.#client.position();
    const { phase, decks } = this.#session.state.value;
    const isReady = decks.length > 0 && (phase === "open" || phase === "opening");
    if (this.#isFree || clock === null || seconds === null || !isReady) return;
    if (performance.now() < this.#settledAt) return;
    this.#move(() => this.#follow(clock, seconds));
  }

  #follow(clock: Clock, seconds: number): void {
    const session = this.#session;
    const { start, end } = session.bounds;
    const { rate, loop } = session.state.value.status;
    const wanted = Math.min(end, Math.max(start, Math.round(seconds * 1e9)));
    const isOver = clock.loop === null && (clock.speed > 0 ? wanted >= end : wanted <= start);
    const isToPlay = clock.rate !== 0 && !isOver;
    if (!isSameLoop(loop, clock.loop)) {
      session.setLoop(clock.loop === null ? null : { start: clock.loop.start * 1e9, end: clock.loop.end * 1e9 });
      this.#settle();
    }
    if (rate !== clock.speed) {
      session.setRate(clock.speed);
      this.#settle();
    }
    if (!isToPlay) {
      if (session.isPlaying) session.pause();
      if (session.time !== wanted) void session.seek(wanted);
    } else if (!session.isPlaying) {
      if (session.time !== wanted) void session.seek(wanted);
      session.play();
      this.#settle();
    } else this.#correct(clock, wanted);
  }

  /** While it plays: by what its frames were off lately. */
  #correct(clock: Clock, wanted: Time): void {
    const drift = median(this.#drifts) / Math.abs(clock.rate);
    this.#drifts = [];
    if (!Number.isFinite(drift)) return;
    if (Math.abs(drift) > FAR) {
      void this.#session.seek(wanted);
      this.#settle();
      return;
    }
    const ahead = drift * Math.sign(clock.rate);
    this.#nudge(Math.abs(ahead) < NEAR ? 1 : 1 - Math.max(-MOST, Math.min(MOST, ahead)));
  }

  #nudge(factor: number): void {
    if (factor === this.#factor) return;
    this.#factor = factor;
    this.#session.nudge(factor);
  }

  #settle(): void {
    this.#drifts = [];
    this.#factor = 1;
    this.#settledAt = performance.now() + SETTLING;
  }

  #measure(time: Time): void {
    const { clock } = this.#client;
    const seconds = this.#client.position();
    if (clock === null || seconds === null || clock.rate === 0) return;
    const off = time / 1e9 - seconds;
    const length = clock.loop === null ? 0 : clock.loop.end - clock.loop.start;
    // around the end of a loop the shorter way counts
    this.#drifts.push(length > 0 ? off - length * Math.round(off / length) : off);
  }

  #move(run: () => void): void {
    this.#isMoving = true;
    try {
      run();
    } finally {
      this.#isMoving = false;
    }
  }

  /**
   * What the user does goes to the room, when they lead; others look around alone from then on. While the room is not
   * connected, a leader reads that, and the next look brings the player back to where the room is.
   */
  #hear(move: PlayerMove): void {
    if (this.#isMoving || this.#isFree) return;
    if (!this.#client.isLeader) {
      this.#onFree();
      return;
    }
    if (this.#client.state !== "connected") {
      this.#session.tell(UNREACHABLE);
      return;
    }
    this.#settle();
    switch (move.move) {
      case "step":
        this.#send({ move: "pause" });
        if (this.#session.time !== null) this.#sendSeek(this.#session.time);
        break;
      case "seek":
        this.#sendSeek(move.time);
        break;
      case "loop": {
        const { start = this.#session.bounds.start, end = this.#session.bounds.end } = move.range ?? {};
        this.#send({ move: "loop", range: move.range === null ? null : { start: start / 1e9, end: end / 1e9 } });
        break;
      }
      case "rate":
        this.#send({ move: "rate", rate: move.rate });
        break;
      default:
        this.#send({ move: move.move });
    }
  }

  /** A seek that waits goes first: moves are made in their order. */
  #send(move: Move): void {
    if (this.#seek !== null) this.#client.control({ move: "seek", time: this.#seek / 1e9 });
    this.#seek = null;
    this.#client.control(move);
  }

  #sendSeek(time: Time): void {
    if (this.#seekTimer !== null) {
      this.#seek = time;
      return;
    }
    this.#client.control({ move: "seek", time: time / 1e9 });
    this.#seekTimer = setTimeout(() => {
      this.#seekTimer = null;
      const next = this.#seek;
      this.#seek = null;
      if (next !== null) this.#sendSeek(next);
    }, SEND_EVERY);
  }
}

function isSameLoop(
  here: { readonly start?: Time | undefined; readonly end?: Time | undefined } | null,
  there: Clock["loop"],
): boolean {
  if (here === null || there === null) return here === there;
  const isNear = (a: Time | undefined, b: number): boolean => a !== undefined && Math.abs(a - b * 1e9) < 1e6;
  return isNear(here.start, there.start) && isNear(here.end, there.end);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
