import { stat } from "node:fs/promises";
import { basename, relative } from "node:path";
import { failure } from "../../io/node/file-source.ts";
import { shownUrl } from "../../io/source/shown-url.ts";
import type { Recording } from "../../model/recording.ts";
import type { SqlSource } from "../../sql/source.ts";
import { heed } from "../run/ending.ts";
import { commandPath, isInS3, storeAt, under } from "./command-path.ts";
import { recordingsAt } from "./folders.ts";
import { allFormats } from "./formats.ts";
import { isUrl, type ReadOptions } from "./recordings.ts";
import { recordingsInStore } from "./store-recordings.ts";
import { openedNamed } from "./with-recording.ts";

/**
 * The recordings of a question: those that were named, a folder for all that are in it. A recording is called by its path in
 * the folder, or by its file name; where two have the same one, by its path.
 */
export async function sqlSources(named: readonly string[], options: ReadOptions): Promise<readonly SqlSource[]> {
  const found: { name: string; path: string }[] = [];
  for (const one of named) {
    for (const path of await pathsAt(one)) {
      const name = path === one ? basename(one.replace(/[?#].*$/, "")) || one : insideOf(one, path);
      if (!found.some((other) => other.path === path)) found.push({ name, path });
    }
  }
  const count = new Map<string, number>();
  for (const { name } of found) count.set(name, (count.get(name) ?? 0) + 1);
  return found.map(({ name, path }) => sourceCalled(count.get(name) === 1 ? name : path, path, options));
}

/** A recording, under a name that it is given. */
export function sourceCalled(name: string, path: string, options: ReadOptions): SqlSource {
  // without the secrets of a URL
  return { name, file: isUrl(path) ? shownUrl(path) : path, open: () => opened(path, options) };
}

function insideOf(folder: string, path: string): string {
  return isInS3(folder) ? path.slice(under(folder, "").length) : relative(folder, path);
}

/** Paths of the recordings in a folder, on disk or in a bucket; of any other name itself. */
async function pathsAt(named: string): Promise<readonly string[]> {
  if (!isInS3(named) && !isUrl(named) && named !== "-") await mustBeThere(named);
  if (!isInS3(named) || (await commandPath(named).kind()) !== "folder") return recordingsAt(named);
  const keys = await recordingsInStore(storeAt(named), allFormats());
  return keys.map((key) => (key === "" ? named : under(named, key)));
}

/** A name that leads nowhere is an error of the command line, and no recording that could not be read. */
async function mustBeThere(path: string): Promise<void> {
  await stat(path).catch((error: unknown) => {
    throw failure(error, path);
  });
}

/** As `withRecording` opens it; its findings are said when the command ends, and it is not kept for that. */
async function opened(path: string, options: ReadOptions): Promise<Recording> {
  const recording = await openedNamed(path, options);
  const close = recording.close.bind(recording);
  return Object.assign(recording, {
    close: async () => {
      await close();
      heed(path, { findings: recording.findings });
    },
  });
}
