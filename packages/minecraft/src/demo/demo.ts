import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { directoryStore } from "simtape/node";
import { GameProxy } from "../proxy/proxy.ts";
import { ReplayServer } from "../serve/server.ts";
import { worldIdOf } from "../world/names.ts";
import { Builder } from "./builder.ts";
import { HOST, VERSION } from "./place.ts";
import { checkPrograms } from "./programs.ts";

/** The players, and the blocks that pave their paths. */
const PLAYERS = [
  ["Amaya", "gold_block"],
  ["Bo_Builds", "lapis_block"],
  ["cedar", "redstone_block"],
  ["Dov", "emerald_block"],
] as const;

/** A game with players; a proxy records it, and a replay server shows it: all on this machine. */
export class Demo {
  readonly #game: ChildProcess;
  readonly #proxy: GameProxy;
  readonly #replays: ReplayServer;
  readonly #builders: readonly Builder[];

  private constructor(game: ChildProcess, proxy: GameProxy, replays: ReplayServer) {
    this.#game = game;
    this.#proxy = proxy;
    this.#replays = replays;
    this.#builders = PLAYERS.map(([name, block]) => new Builder(proxy.port, name, VERSION, block));
  }

  /**
   * `store`: folder for the recordings. Throws `UsageError` when the packages that only the demo needs are not
   * installed.
   */
  static async start(store: string, report: (text: string) => void): Promise<Demo> {
    checkPrograms();
    await mkdir(store, { recursive: true });
    const game = await startGame();
    const proxy = await GameProxy.listen({
      port: 0,
      host: HOST,
      server: { host: HOST, port: game.port },
      store,
      worlds: { store: directoryStore(store), id: worldIdOf("simtape-mc demo") },
      report: (event) => {
        if ("joined" in event) report(`${event.joined} plays`);
        else if ("began" in event) report(`recording ${event.began}`);
        else if ("ended" in event) report(`${event.ended.id}: ${event.ended.ticks} ticks`);
        else if ("error" in event) report(event.error);
      },
    });
    return new Demo(
      game.process,
      proxy,
      await ReplayServer.listen({ store, port: 0, host: HOST, isInsecure: true, report }),
    );
  }

  /** Address for clients of the game that play along and are recorded. */
  get game(): string {
    return `${HOST}:${this.#proxy.port}`;
  }

  /** Address for clients of the game that watch recordings. */
  get replays(): string {
    return `${HOST}:${this.#replays.port}`;
  }

  /** Disconnects all clients, and finishes the recordings. */
  async close(): Promise<void> {
    await Promise.all(this.#builders.map((builder) => builder.leave()));
    await this.#replays.close();
    await this.#proxy.close();
    const gone = once(this.#game, "exit");
    this.#game.disconnect();
    await gone;
  }
}

/** A flat world, in offline mode, in a process of its own. Rejects when the process ends before it accepts players. */
async function startGame(): Promise<{ readonly process: ChildProcess; readonly port: number }> {
  const script = fileURLToPath(new URL("./game-server.js", import.meta.url));
  // the demo handles Ctrl+C, and then ends the game server
  const game = fork(script, [], { stdio: ["ignore", "ignore", "ignore", "ipc"], detached: true });
  const port = await new Promise<number>((resolve, reject) => {
    game.once("message", (message) => resolve(Number(message)));
    game.once("exit", (code) => reject(new Error(`the game server has ended (${code})`)));
  });
  return { process: game, port };
}
