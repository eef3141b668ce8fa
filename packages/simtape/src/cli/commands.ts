import type { Command } from "commander";
import { SERVER_COMMANDS, serverCommands } from "./commands/server.ts";

type Add = (program: Command) => void;

/**
 * Modules of commands, in the order of the help; each is loaded when one of its commands is asked for. Commands for one
 * format alone are in the folder of its id.
 */
const MODULES: readonly (readonly [names: readonly string[], load: () => Promise<Add>])[] = [
  [["info"], async () => (await import("./commands/info.ts")).addInfo],
  [["view"], async () => (await import("./commands/view.ts")).addView],
  [["render"], async () => (await import("./commands/render.ts")).addRender],
  [SERVER_COMMANDS, serverCommands],
  [["cat"], async () => (await import("./commands/cat.ts")).addCat],
  [["events"], async () => (await import("./commands/events.ts")).addEvents],
  [["state"], async () => (await import("./commands/state.ts")).addState],
  [["series"], async () => (await import("./commands/series.ts")).addSeries],
  [["when"], async () => (await import("./commands/when.ts")).addWhen],
  [["table"], async () => (await import("./commands/table.ts")).addTable],
  [["export"], async () => (await import("./commands/export.ts")).addExport],
  [["sql"], async () => (await import("./commands/sql.ts")).addSql],
  [["mcp"], async () => (await import("./commands/mcp.ts")).addMcp],
  [["lake"], async () => (await import("./commands/lake.ts")).addLake],
  [["records"], async () => (await import("./commands/records.ts")).addRecords],
  [["index"], async () => (await import("./commands/seek-index.ts")).addIndex],
  [["compare"], async () => (await import("./commands/compare.ts")).addCompare],
  [["stats"], async () => (await import("./commands/stats.ts")).addStats],
  [["race"], async () => (await import("./commands/race.ts")).addRace],
  [["check"], async () => (await import("./commands/check.ts")).addCheck],
  [["verify"], async () => (await import("./commands/hcrp/verify.ts")).addVerify],
  [["record"], async () => (await import("./commands/hcrp/record.ts")).addRecord],
  [["play"], async () => (await import("./commands/play.ts")).addPlay],
  [["tail"], async () => (await import("./commands/hcrp/tail.ts")).addTail],
  [["copy"], async () => (await import("./commands/copy.ts")).addCopy],
  [["convert"], async () => (await import("./commands/convert.ts")).addConvert],
  [["compact"], async () => (await import("./commands/hcrp/compact.ts")).addCompact],
  [["dictionary"], async () => (await import("./commands/hcrp/dictionary.ts")).addDictionary],
  [["meta"], async () => (await import("./commands/hcrp/meta.ts")).addMeta],
  [["recover"], async () => (await import("./commands/hcrp/recover.ts")).addRecover],
  [["repair"], async () => (await import("./commands/repair.ts")).addRepair],
  [["retain"], async () => (await import("./commands/hcrp/retain.ts")).addRetain],
  [
    ["trim", "shift", "filter", "rename", "redact", "annotate", "join", "edit"],
    async () => (await import("./commands/edit.ts")).addEdits,
  ],
  [["corrupt"], async () => (await import("./commands/corrupt.ts")).addCorrupt],
  [["demo"], async () => (await import("./commands/demo.ts")).addDemo],
  [["format"], async () => (await import("./commands/format-new.ts")).addFormat],
  [["mcap"], async () => (await import("./commands/mcap/from-bag.ts")).addMcap],
  [["carla"], async () => (await import("./commands/carla/queries.ts")).addCarla],
];

/** Adds the command of that name; all of them when there is none: for help, completion, and words that are wrong. */
export async function addCommands(program: Command, name: string | undefined): Promise<void> {
  const asked = MODULES.filter(([names]) => name !== undefined && names.includes(name));
  for (const [, load] of asked.length > 0 ? asked : MODULES) (await load())(program);
}
