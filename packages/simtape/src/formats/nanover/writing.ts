import type { WritingFormat } from "../../model/writer.ts";
import { encoder } from "./encode.ts";
import { repair } from "./repair.ts";
import { restate } from "./restate.ts";
import { create } from "./writer.ts";

/** Writes `.nanover.zip`, and `.traj` and `.state` of both versions. */
export const writing: WritingFormat = { create, restate, repair, encoder };
