import type { State } from "../model/state/state.ts";
import type { Time, TimeRange } from "../model/values/time.ts";
import { Audience } from "./audience.ts";
import { checkedCount, checkedLoop, checkedRate, checkedTime } from "./checks.ts";
import type { FrameListener } from "./frame.ts";
import type { MovingState } from "./ground-speeds.ts";
import { patched } from "./patch.ts";
import type { Player, PlayerStatus } from "./player.ts";
import type { PlayerCommand, PlayerMessage, Port } from "./protocol.ts";
import type { StepUnit } from "./transport.ts";

/** A player that is elsewhere. */
export interface RemotePlayer extends Player {
  /**
   * Values of these groups are not sent from now on: `["bones"]` for those whose names begin with `bones/`. The state
   * has their names, and undefined for each. The frame shown is sent again, with all values that it is to have.
   */
  omitValues(groups: readonly string[]): void;
}

/** A player at the other end of `port`, where `servePlayer` serves it. Closing it leaves that one as it is. */
export function connectPlayer(port: Port): RemotePlayer {
  return new ConnectedPlayer(port);
}

const UNKNOWN: PlayerStatus = { phase: "loading", time: 0, rate: 1, loop: null, bounds: null, error: null };

class ConnectedPlayer implements RemotePlayer {
  readonly #port: Port;
  readonly #audience = new Audience();
  readonly #watchers = new Set<(status: PlayerStatus) => void>();
  /** Moves not answered yet. */
  readonly #moves = new Map<number, (isShown: boolean) => void>();
  #moveCount = 0;
  #status = UNKNOWN;
  #recorded: State | null = null;
  #ghosts: readonly MovingState[] = [];
  readonly #receive = (event: Event): void => this.#hear((event as MessageEvent<PlayerMessage>).data);

  constructor(port: Port) {
    this.#port = port;
    port.addEventListener("message", this.#receive);
    port.start?.();
  }

  get status(): PlayerStatus {
    return this.#status;
  }

  play(): void {
    this.#say({ type: "play" });
  }

  pause(): void {
    this.#say({ type: "pause" });
  }

  seek(time: Time): Promise<boolean> {
    checkedTime(time);
    return this.#move((id) => ({ type: "seek", id, time }));
  }

  step(count: number, by?: StepUnit): Promise<boolean> {
    checkedCount(count);
    return this.#move((id) => ({ type: "step", id, count, by: by ?? null }));
  }

  setRate(rate: number): void {
    this.#say({ type: "rate", rate: checkedRate(rate) });
  }

  setLoop(range: TimeRange | null): void {
    checkedLoop(range);
    this.#say({ type: "loop", range });
  }

  omitValues(groups: readonly string[]): void {
    this.#say({ type: "omit-values", groups });
  }

  subscribe(listener: FrameListener): () => void {
    return this.#audience.join(listener);
  }

  onStatus(listener: (status: PlayerStatus) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  close(): Promise<void> {
    if (this.#status.phase === "closed") return Promise.resolve();
    this.#say({ type: "leave" });
    this.#port.removeEventListener("message", this.#receive);
    for (const settle of this.#moves.values()) settle(false);
    this.#moves.clear();
    this.#setStatus({ ...this.#status, phase: "closed" });
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #move(command: (id: number) => PlayerCommand): Promise<boolean> {
    if (this.#status.phase === "closed") return Promise.resolve(false);
    const id = this.#moveCount++;
    return new Promise((resolve) => {
      this.#moves.set(id, resolve);
      this.#say(command(id));
    });
  }

  #hear(message: PlayerMessage): void {
    switch (message.type) {
      case "status":
        this.#setStatus(message.status);
        break;
      case "frame":
        this.#show(message);
        break;
      case "moved":
        this.#moves.get(message.id)?.(message.isShown);
        this.#moves.delete(message.id);
        break;
      case "refused":
        break;
      default:
        message satisfies never;
    }
  }

  /** Taken when a listener has taken it, or there is none. */
  #show({ time, cause, recorded, state, ghosts }: PlayerMessage & { type: "frame" }): void {
    this.#recorded = patched(this.#recorded, recorded);
    this.#ghosts = ghosts.map((ghost, i) => patched(this.#ghosts[i] ?? null, ghost));
    this.#status = { ...this.#status, time };
    const shown = state === null ? this.#recorded : patched(this.#recorded, state);
    this.#audience.show({ time, cause, state: shown, recorded: this.#recorded, ghosts: this.#ghosts });
    const free = this.#audience.whenFree();
    if (free === null) this.#say({ type: "taken" });
    else void free.then(() => this.#say({ type: "taken" }));
  }

  #setStatus(status: PlayerStatus): void {
    this.#status = status;
    for (const watcher of [...this.#watchers]) watcher(status);
  }

  #say(command: PlayerCommand): void {
    if (this.#status.phase !== "closed") this.#port.postMessage(command, []);
  }
}
