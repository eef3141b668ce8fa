import type { Frame } from "./frame.ts";
import { Patcher } from "./patch.ts";
import type { Player } from "./player.ts";
import type { PlayerCommand, PlayerMessage, Port } from "./protocol.ts";

/**
 * Lets the other end of `port` watch and command a player. Settles when it has left, or `signal`
 * says so; the player plays on.
 */
export function servePlayer(player: Player, port: Port, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const service = new Service(player, port, resolve);
    if (signal?.aborted === true) service.leave();
    else signal?.addEventListener("abort", () => service.leave(), { once: true });
  });
}

class Service {
  readonly #player: Player;
  readonly #port: Port;
  readonly #onLeave: () => void;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #main = new Patcher();
  readonly #ghosts: Patcher[] = [];
  /** Sent last. */
  #frame: Frame | null = null;
  /** How names of values begin that are not sent. */
  #omitted: readonly string[] = [];
  /** Frames that are not taken yet. */
  #sent = 0;
  /** Lets the next frame go. */
  #taken: () => void = () => undefined;
  readonly #receive = (event: Event): void => this.#obey((event as MessageEvent<PlayerCommand>).data);

  constructor(player: Player, port: Port, onLeave: () => void) {
    this.#player = player;
    this.#port = port;
    this.#onLeave = onLeave;
    this.#say({ type: "status", status: player.status });
    this.#unsubscribe = [
      player.onStatus((status) => this.#say({ type: "status", status })),
      player.subscribe((frame) => this.#show(frame)),
    ];
    port.addEventListener("message", this.#receive);
    port.start?.();
  }

  leave(): void {
    this.#port.removeEventListener("message", this.#receive);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#taken();
    this.#onLeave();
  }

  #show(frame: Frame): Promise<void> {
    this.#send(frame);
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }

  #send(frame: Frame): void {
    const { time, cause, state, recorded, ghosts } = frame;
    const transfer: ArrayBuffer[] = [];
    const message: PlayerMessage = {
      type: "frame",
      time,
      cause,
      recorded: this.#main.next(recorded, transfer),
      ghosts: ghosts.map((ghost, i) => this.#patcher(i).next(ghost, transfer)),
      state: state === recorded ? null : this.#main.beside(state, transfer),
    };
    this.#frame = frame;
    this.#sent++;
    this.#say(message, transfer);
  }

  #patcher(ghost: number): Patcher {
    let patcher = this.#ghosts[ghost];
    if (patcher === undefined) {
      patcher = this.#ghosts[ghost] = new Patcher();
      patcher.omitValues(this.#omitted);
    }
    return patcher;
  }

  #omitValues(groups: readonly string[]): void {
    this.#omitted = groups.map((group) => `${group}/`);
    for (const patcher of [this.#main, ...this.#ghosts]) patcher.omitValues(this.#omitted);
    // As if it played on to where it is: nothing is anywhere else.
    if (this.#frame !== null) this.#send({ ...this.#frame, cause: "play" });
  }

  #obey(command: PlayerCommand): void {
    try {
      switch (command.type) {
        case "play":
          this.#player.play();
          break;
        case "pause":
          this.#player.pause();
          break;
        case "seek":
          this.#answer(command.id, this.#player.seek(command.time));
          break;
        case "step":
          this.#answer(command.id, this.#player.step(command.count, command.by ?? undefined));
          break;
        case "rate":
          this.#player.setRate(command.rate);
          break;
        case "loop":
          this.#player.setLoop(command.range);
          break;
        case "omit-values":
          this.#omitValues(command.groups);
          break;
        case "taken":
          this.#sent = Math.max(0, this.#sent - 1);
          if (this.#sent === 0) this.#taken();
          break;
        case "leave":
          this.leave();
          break;
        default:
          command satisfies never;
          throw new RangeError(`no such command: ${JSON.stringify(command)}`);
      }
    } catch (error) {
      this.#say({ type: "refused", reason: String(error) });
    }
  }

  #answer(id: number, moved: Promise<boolean>): void {
    void moved.then((isShown) => this.#say({ type: "moved", id, isShown }));
  }

  #say(message: PlayerMessage, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
