import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Settings } from "../settings.ts";
import { folderLibrary } from "./folder.ts";
import type { Library } from "./library.ts";
import { s3Library } from "./s3.ts";

/** Opens the library that the settings name; makes its folder when it does not exist. */
export async function openLibrary(settings: Settings): Promise<Library> {
  if (settings.store.startsWith("s3://")) return s3Library(settings);
  const folder = resolve(settings.store);
  await mkdir(folder, { recursive: true });
  return folderLibrary(folder);
}
