import type { Session } from "../session.ts";
import { chosenFiles } from "./choose.ts";

/** Lets the user choose files, or a folder; the first recording among them is opened, or all of them become ghosts. */
export async function pickFiles(
  session: Session,
  what: "files" | "folder",
  as: "main" | "ghosts" = "main",
): Promise<void> {
  const files = await chosenFiles(what);
  // What knows the formats is loaded when files are there.
  await (await import("./open-files.ts")).openFiles(session, files, as);
}
