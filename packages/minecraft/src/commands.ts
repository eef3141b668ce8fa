import type { Command } from "commander";

/** Adds every command. What one needs is loaded when it runs, for the game's data takes a moment. */
export const addCommands: (program: Command) => void = () => undefined;
