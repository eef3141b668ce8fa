import { mkdir } from "node:fs/promises";
import type { Settings } from "../settings.ts";
import { folderLibrary } from "./folder.ts";
import type { Library } from "./library.ts";
import { s3Library } from "./s3.ts";

/**
 * Files that the server makes, where all its nodes reach them: the data folder, or a part of the bucket that is not
 * scanned for recordings.
 */
export async function openData(settings: Settings): Promise<Library> {
  if (settings.store.startsWith("s3://"))
    return s3Library({ ...settings, store: `${settings.store.replace(/\/$/, "")}/.simtape` });
  await mkdir(settings.data, { recursive: true, mode: 0o700 });
  return folderLibrary(settings.data);
}
