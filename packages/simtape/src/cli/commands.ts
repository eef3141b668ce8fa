import type { Command } from "commander";
import { SERVER_COMMANDS, serverCommands } from "./server.ts";

type Add = (program: Command) => void;

/**
 * Modules of commands, in the order of the help; each is loaded when one of its commands is asked for. Commands for one
 * format alone are in the folder of its id.
 */
const MODULES: readonly (readonly [names: readonly string[], load: () => Promise<Add>])[] = [
  [["info"], async () => (await import("./info.ts")).addInfo],
  [["view"], async () => (await import("./view.ts")).addView],
  [SERVER_COMMANDS, serverCommands],
  [["cat"], async () => (await import("./cat.ts")).addCat],
  [["events"], async () => (await import("./events.ts")).addEvents],
  [["state"], async () => (await import("./state.ts")).addState],
  [["table"], async () => (await import("./table.ts")).addTable],
  [["records"], async () => (await import("./records.ts")).addRecords],
  [["index"], async () => (await import("./seek-index.ts")).addIndex],
  [["check"], async () => (await import("./check.ts")).addCheck],
  [["verify"], async () => (await import("./hcrp/verify.ts")).addVerify],
  [["record"], async () => (await import("./hcrp/record.ts")).addRecord],
  [["tail"], async () => (await import("./hcrp/tail.ts")).addTail],
  [["copy"], async () => (await import("./copy.ts")).addCopy],
  [["convert"], async () => (await import("./convert.ts")).addConvert],
  [["compact"], async () => (await import("./hcrp/compact.ts")).addCompact],
  [["dictionary"], async () => (await import("./hcrp/dictionary.ts")).addDictionary],
  [["meta"], async () => (await import("./hcrp/meta.ts")).addMeta],
  [["recover"], async () => (await import("./hcrp/recover.ts")).addRecover],
  [["repair"], async () => (await import("./repair.ts")).addRepair],
  [["retain"], async () => (await import("./hcrp/retain.ts")).addRetain],
  [
    ["trim", "shift", "filter", "rename", "redact", "annotate", "join", "edit"],
    async () => (await import("./edit.ts")).addEdits,
  ],
  [["corrupt"], async () => (await import("./corrupt.ts")).addCorrupt],
  [["demo"], async () => (await import("./demo.ts")).addDemo],
  [["carla"], async () => (await import("./carla/queries.ts")).addCarla],
];

/** Adds the command of that name; all of them when there is none: for help, completion, and words that are wrong. */
export async function addCommands(program: Command, name: string | undefined): Promise<void> {
  const asked = MODULES.filter(([names]) => name !== undefined && names.includes(name));
  for (const [, load] of asked.length > 0 ? asked : MODULES) (await load())(program);
}
