import type { Packet } from "../game/packet.ts";
import type { Adapter } from "../scene/adapter.ts";

const NAME = "simtape-ghosts";
const BEGINS = 0;
const ENDS = 1;
const GAINS = 3;
const LOSES = 4;

/** A packet of the server about its teams. */
export interface TeamPacket {
  readonly team: string;
  readonly mode: number;
  readonly players?: readonly string[] | undefined;
}

/**
 * The team of a runner and its ghosts, which only the runner's client knows: the ghosts do not push the runner, and
 * their invisible bodies are shown as transparent. A client is in one team: a runner whom the server has put into a
 * team stays there, and sees its ghosts as solid bodies.
 */
export class GhostTeam {
  readonly #runner: string;
  /** Null: the client does not know this team. */
  #members: ReadonlySet<string> | null = null;
  /** The server's team of the runner; null: none. */
  #others: string | null = null;

  constructor(runner: string) {
    this.#runner = runner;
  }

  get isSeenThrough(): boolean {
    return this.#others === null;
  }

  /** The client knows no teams. */
  forget(): void {
    this.#members = null;
    this.#others = null;
  }

  /** Handles a packet of the server about its teams. */
  see({ team, mode, players = [] }: TeamPacket): void {
    const isIn = players.includes(this.#runner);
    if ((mode === BEGINS || mode === GAINS) && isIn) {
      this.#others = team;
      // the client has removed the runner from every other team
      if (this.#members !== null) this.#members = without(this.#members, this.#runner);
    } else if (this.#others === team && (mode === ENDS || (mode === LOSES && isIn))) this.#others = null;
  }

  /**
   * Makes the packets by which these ghosts and the runner become the members. `done` is called when the packets were
   * sent.
   */
  plan(adapter: Adapter, ghosts: readonly string[]): { readonly packets: Packet[]; readonly done: () => void } {
    const before = this.#members;
    const isRunnerIn = this.isSeenThrough && ghosts.length > 0;
    const wanted = new Set(isRunnerIn ? [this.#runner, ...ghosts] : ghosts);
    if (before === null && wanted.size === 0) return { packets: [], done: () => undefined };
    const done = (): void => {
      this.#members = wanted;
    };
    if (before === null) return { packets: adapter.team(NAME, "begin", [...wanted]), done };
    const gone = [...before].filter((name) => !wanted.has(name));
    const come = [...wanted].filter((name) => !before.has(name));
    const packets = [
      ...(gone.length === 0 ? [] : adapter.team(NAME, "leave", gone)),
      ...(come.length === 0 ? [] : adapter.team(NAME, "join", come)),
    ];
    return { packets, done };
  }
}

function without(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...names].filter((one) => one !== name));
}
