import type { Store } from "../../io/store/store.ts";
import { folderMains, isHidden, isNamedAsRecording, isSecondOfPair, isWorldFile } from "../../model/file-names.ts";
import type { Format } from "../../model/format.ts";
import { UsageError } from "../run/failure.ts";

/**
 * Keys of the recordings in a folder of a bucket, as their names tell: files with the ending of a format, and folders that are
 * one recording; `""`: the folder itself is one. Nothing that is hidden is one. Throws `UsageError` where there is none.
 */
export async function recordingsInStore(store: Store, formats: readonly Format[]): Promise<readonly string[]> {
  const byFolder = new Map<string, string[]>();
  for await (const { key } of store.list("")) {
    if (key.split("/").some(isHidden)) continue;
    const at = key.lastIndexOf("/");
    const folder = at < 0 ? "" : key.slice(0, at);
    const names = byFolder.get(folder) ?? [];
    names.push(key.slice(at + 1));
    byFolder.set(folder, names);
  }
  const mains = folderMains(formats);
  const found: string[] = [];
  for (const [folder, names] of byFolder) {
    if (mains.some((main) => names.includes(main))) found.push(folder);
    else
      for (const name of names) {
        if (isNamedAsRecording(name, formats) && !isWorldFile(name) && !isSecondOfPair(name, names, formats))
          found.push(folder === "" ? name : `${folder}/${name}`);
      }
  }
  if (found.length === 0) throw new UsageError(`a folder without recordings: ${store.name}`);
  return found;
}
