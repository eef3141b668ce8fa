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

/** The players, and what they pave their ways with. */
const PLAYERS = [
  ["Amaya", "gold_block"],
  ["Bo_Builds", "lapis_block"],
  ["cedar", "redstone_block"],
  ["Dov", "emerald_block"],
] as const;

/** A game with players, which is recorded by a proxy and shown by a replay server: all on this machine. */
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

  /** `store`: folder for the recordings. Throws `UsageError` where what only the demo needs is not installed. */
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

  /** Where a client of the game plays along, and is recorded. */
  get game(): string {
    return `${HOST}:${this.#proxy.port}`;
  }

  /** Where a client of the game looks at recordings. */
  get replays(): string {
    return `${HOST}:${this.#replays.port}`;
  }

  /** Sends all away, and finishes the recordings. */
  async close(): Promise<void> {
    await Promise.all(this.#builders.map((builder) => builder.leave()));
    await this.#replays.close();
    await this.#proxy.close();
    const gone = once(this.#game, "exit");
    this.#game.disconnect();
    await gone;
  }
}

/** A flat world, offline, in a process of its own. Rejects when it ends before it can be played on. */
async function startGame(): Promise<{ readonly process: ChildProcess; readonly port: number }> {
  const script = fileURLToPath(new URL("./game-server.js", import.meta.url));
  // Ctrl+C is for the demo, which then lets go of it
  const game = fork(script, [], { stdio: ["ignore", "ignore", "ignore", "ipc"], detached: true });
  const port = await new Promise<number>((resolve, reject) => {
    game.once("message", (message) => resolve(Number(message)));
    game.once("exit", (code) => reject(new Error(`the game server has ended (${code})`)));
  });
  return { process: game, port };
}
