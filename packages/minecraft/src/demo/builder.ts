import type { Bot } from "mineflayer";
import { mineflayer } from "./programs.ts";

/** Milliseconds between two blocks, and between two turns. */
const BLOCK_EVERY = 600;
const TURN_EVERY = 2500;

/** A player who runs about, jumps, and paves the path. */
export class Builder {
  readonly #bot: Bot;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #ended: Promise<void>;
  #hasEnded = false;

  /** `block`: name of the block that paves the path. */
  constructor(port: number, name: string, version: string, block: string) {
    const options = { host: "127.0.0.1", port, username: name, version, auth: "offline", hideErrors: true };
    this.#bot = mineflayer().createBot(options);
    // the reason is reported when the connection ends
    this.#bot.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      this.#bot.on("end", () => {
        this.#hasEnded = true;
        for (const timer of this.#timers) clearInterval(timer);
        resolve();
      });
    });
    this.#bot.once("spawn", () => this.#go(block));
  }

  async leave(): Promise<void> {
    if (!this.#hasEnded) this.#bot.quit();
    await this.#ended;
  }

  #go(block: string): void {
    const turn = (): void => void this.#bot.look(Math.random() * 2 * Math.PI, 0, true).catch(() => undefined);
    const pave = (): void => {
      const { x, y, z } = this.#bot.entity.position;
      this.#bot.chat(`/setblock ${Math.floor(x)} ${Math.floor(y) - 1} ${Math.floor(z)} ${block}`);
    };
    turn();
    this.#bot.setControlState("forward", true);
    this.#bot.setControlState("sprint", true);
    this.#bot.setControlState("jump", true);
    this.#timers.push(setInterval(turn, TURN_EVERY), setInterval(pave, BLOCK_EVERY));
  }
}
