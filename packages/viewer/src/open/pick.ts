import type { Session } from "../session.ts";
import { openFiles } from "./open-files.ts";

/** Lets the user choose files, or a folder; the first recording among them is opened, or all of them become ghosts. */
export async function pickFiles(
  session: Session,
  what: "files" | "folder",
  as: "main" | "ghosts" = "main",
): Promise<void> {
  const input = document.createElement("input");
  input.type = "file";
  if (what === "folder") input.webkitdirectory = true;
  else input.multiple = true;
  const chosen = new Promise<readonly File[]>((resolve) => {
    input.addEventListener("change", () => resolve([...(input.files ?? [])]), { once: true });
    input.addEventListener("cancel", () => resolve([]), { once: true });
  });
  input.click();
  await openFiles(session, await chosen, as);
}
