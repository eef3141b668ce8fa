import type { Command } from "commander";
import { addDemo } from "./demo/command.ts";
import { addMcpr } from "./mcpr/command.ts";
import { addProxy } from "./proxy/command.ts";
import { addServe } from "./serve/command.ts";
import { addTicket } from "./tickets/command.ts";
import { addWorld } from "./world/command.ts";

/**
 * Adds all commands. The modules of a command are loaded when it runs, because loading the game's data takes a moment.
 */
export function addCommands(program: Command): void {
  addServe(program);
  addTicket(program);
  addProxy(program);
  addMcpr(program);
  addWorld(program);
  addDemo(program);
}
