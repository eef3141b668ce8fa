import { HOST, VERSION } from "./place.ts";
import { flyingSquid } from "./programs.ts";

/*
 * The game server of the demo, a process of its own, because it reads the terminal, writes to it and handles Ctrl+C by
 * itself. It sends its port when it listens, and ends when the demo does.
 */
const game = flyingSquid().createMCServer({
  motd: "simtape-mc demo",
  host: HOST,
  port: 0,
  "max-players": 20,
  "online-mode": false,
  logging: false,
  gameMode: 1,
  difficulty: 0,
  generation: { name: "superflat", options: {} },
  kickTimeout: 60_000,
  plugins: {},
  modpe: false,
  "view-distance": 3,
  "player-list-text": { header: { text: "" }, footer: { text: "" } },
  "everybody-op": true,
  "max-entities": 100,
  version: VERSION,
});
game.once("listening", () => process.send?.(game._server.socketServer.address().port));
process.once("disconnect", () => process.exit());
