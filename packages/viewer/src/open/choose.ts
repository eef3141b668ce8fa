/** Lets the user choose files, or all those of a folder; none where they choose none. */
export function chosenFiles(what: "files" | "folder" = "files"): Promise<readonly File[]> {
  const input = document.createElement("input");
  input.type = "file";
  if (what === "folder") input.webkitdirectory = true;
  else input.multiple = true;
  const chosen = new Promise<readonly File[]>((resolve) => {
    input.addEventListener("change", () => resolve([...(input.files ?? [])]), { once: true });
    input.addEventListener("cancel", () => resolve([]), { once: true });
  });
  input.click();
  return chosen;
}
