import type { Session } from "../session.ts";

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
  const files = await chosen;
  // What knows the formats is loaded when files are there.
  await (await import("./open-files.ts")).openFiles(session, files, as);
}
