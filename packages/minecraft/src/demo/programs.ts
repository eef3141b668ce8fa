import { createRequire } from "node:module";
import { UsageError } from "simtape/command";
import type { Bot } from "mineflayer";

const load = createRequire(import.meta.url);

/** The used part of flying-squid, which has no types. */
interface GameServer {
  readonly _server: { readonly socketServer: { address(): { port: number } } };
  once(event: string, listener: () => void): void;
}

/** Throws `UsageError` when the packages that only the demo needs are not installed. */
export function checkPrograms(): void {
  for (const name of ["flying-squid", "mineflayer"]) {
    try {
      load.resolve(name);
    } catch {
      throw new UsageError("the demo has a game server and players of its own: npm install flying-squid mineflayer");
    }
  }
}

export function flyingSquid(): { createMCServer(options: object): GameServer } {
  return load("flying-squid") as { createMCServer(options: object): GameServer };
}

export function mineflayer(): { createBot(options: object): Bot } {
  return load("mineflayer") as { createBot(options: object): Bot };
}
