import { stat } from "node:fs/promises";
import { basename, relative, resolve } from "node:path";
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

interface Named {
  readonly name: string;
  readonly path: string;
}

/**
 * The recordings of a question, each once: those that were named, a folder for all that are in it. A recording is called by
 * its path in the folder, or by its file name; where another one is called so, by its path.
 */
export async function sqlSources(named: readonly string[], options: ReadOptions): Promise<readonly SqlSource[]> {
  const found = new Map<string, Named>();
  for (const one of named) {
    for (const path of await pathsAt(one)) {
      const name = path === one ? basename(one.replace(/[?#].*$/, "")) || one : insideOf(one, path);
      const place = placeOf(path);
      if (!found.has(place)) found.set(place, { name, path });
    }
  }
  return withOwnNames([...found.values()]).map(({ name, path }) => sourceCalled(name, path, options));
}

/** The same for all ways to write a path on this machine. */
function placeOf(path: string): string {
  return path === "-" || isUrl(path) || isInS3(path) ? path : resolve(path);
}

/** By its path where a name is another one's, too; that path may be the name of a third one. */
function withOwnNames(given: readonly Named[]): readonly Named[] {
  const count = new Map<string, number>();
  for (const { name } of given) count.set(name, (count.get(name) ?? 0) + 1);
  const isShared = ({ name, path }: Named): boolean => name !== path && count.get(name)! > 1;
  return given.some(isShared)
    ? withOwnNames(given.map((one) => (isShared(one) ? { ...one, name: one.path } : one)))
    : given;
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
