import { emitKeypressEvents, type Key } from "node:readline";
import type { Deck } from "../../live/deck.ts";
import type { Player } from "../../play/player.ts";

/** How far an arrow goes, nanoseconds; with Shift ten times that. */
const JUMP = 5e9;
const FASTEST = 64;

/** Lets keys at the terminal drive what a deck plays, until it is closed; without a terminal it does nothing. */
export function keysFor(deck: Deck, end: () => void): { close(): void } {
  const { stdin } = process;
  if (stdin.isTTY !== true) return { close: () => undefined };
  emitKeypressEvents(stdin);
  const press = (_text: string | undefined, key: Key): void => {
    if ((key.ctrl === true && key.name === "c") || key.name === "q") end();
    else if (key.sequence === "n") void deck.load(((deck.loaded?.index ?? -1) + 1) % deck.entries.length);
    else if (deck.loaded !== null) drive(deck.loaded.player, key);
  };
  stdin.setRawMode(true);
  stdin.on("keypress", press);
  stdin.resume();
  return {
    close: () => {
      stdin.off("keypress", press);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}

/** What a key does to a player; other keys do nothing. */
export function drive(player: Player, { name, sequence, shift }: Key): void {
  const { phase, time, rate } = player.status;
  const far = shift === true ? 10 * JUMP : JUMP;
  const isPlaying = phase === "playing" || phase === "buffering";
  if (name === "space" && isPlaying) player.pause();
  else if (name === "space") player.play();
  else if (name === "left") void player.seek(time - far);
  else if (name === "right") void player.seek(time + far);
  else if (sequence === ".") void player.step(1);
  else if (sequence === ",") void player.step(-1);
  else if (sequence === "]") player.setRate(faster(rate, 2));
  else if (sequence === "[") player.setRate(faster(rate, 1 / 2));
  else if (sequence === "r") player.setRate(-rate);
}

function faster(rate: number, by: number): number {
  return Math.sign(rate) * Math.min(FASTEST, Math.max(1 / FASTEST, Math.abs(rate) * by));
}
