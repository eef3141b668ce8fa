import type { Tool } from "../tool.ts";
import { events } from "./events.ts";
import { info } from "./info.ts";
import { list } from "./list.ts";
import { paths } from "./paths.ts";
import { picture } from "./picture.ts";
import { series } from "./series.ts";
import { sql } from "./sql.ts";
import { state } from "./state.ts";

/** Every tool; one line and one file each. */
export const TOOLS: readonly Tool[] = [list, info, paths, state, series, events, sql, picture];
