/** All files among entries, those inside folders too, which have their path below what was given. */
export async function filesOf(entries: readonly (FileSystemEntry | null)[]): Promise<File[]> {
  const found: File[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    const path = entry.fullPath.replace(/^\//, "");
    Object.defineProperty(file, "webkitRelativePath", { value: path.includes("/") ? path : "" });
    found.push(file);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives its entries in parts, the last of which is empty.
  while (true) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return;
    for (const inside of part) await collect(inside, found);
  }
}
