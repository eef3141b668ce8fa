import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { modeLike, OWN_FILE, OWN_FOLDER } from "../../io/node/access.ts";
import { isGone, MARK, newMark } from "../../io/node/owner.ts";
import type { ByteSink } from "../../io/sink/sink.ts";
import { SourceError } from "../../io/source/source.ts";
import { UsageError } from "../run/failure.ts";
import { UNFINISHED } from "../run/unfinished.ts";
import type { TakePiece } from "./remote.ts";

/** A folder that is being written, with the mark of its process. */
const PART = new RegExp(`^\\..*~(${MARK.source})\\.part$`, "s");

/** Where pieces go: one file, or a folder of pictures. */
export interface RenderOutput {
  readonly take: TakePiece;
  /** It is whole, and takes its name. Gives its bytes. */
  close(): Promise<number>;
  /** Nothing is left of it; where it is whole, nothing happens. */
  abort(): Promise<void>;
}

/** Pieces at their places in a file; what lies between them and is not written is zero until it is. */
export function fileOutput(sink: ByteSink): RenderOutput {
  return {
    take: async (bytes, position) => {
      const over = Math.max(0, Math.min(bytes.length, sink.position - position));
      if (over > 0) await sink.writeAt(position, bytes.subarray(0, over));
      if (position > sink.position) await sink.write(new Uint8Array(position - sink.position));
      if (over < bytes.length) await sink.write(bytes.subarray(over));
    },
    close: async () => {
      const bytes = sink.position;
      await sink.close();
      return bytes;
    },
    abort: () => sink.abort(),
  };
}

/** The one picture of a file. */
export function pictureOutput(sink: ByteSink): RenderOutput {
  return { ...fileOutput(sink), take: (bytes) => sink.write(bytes) };
}

/**
 * `0001.png` and on, in a folder that is new, or empty. Throws `UsageError` where something is in it, `SourceError` where
 * it cannot be made. Folders that processes left beside it which were killed go now.
 */
export async function folderOutput(path: string, digits: number, like: string): Promise<RenderOutput> {
  const there = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    if (error.code === "ENOTDIR") throw new UsageError(`not a folder: ${path}`);
    throw failure("cannot be read", path, error);
  });
  if (there !== null && there.length > 0) throw new UsageError(`a folder with something in it: ${path}`);
  const folder = path.replace(/(?<=.)\/+$/, "");
  await tidyFolders(dirname(folder));
  const beside = join(dirname(folder), `.${basename(folder).slice(0, 60)}~${newMark()}.part`);
  const mode = (await modeLike(like)) ?? OWN_FILE;
  UNFINISHED.add(beside);
  const remove = async (): Promise<void> => {
    await rm(beside, { recursive: true, force: true });
    UNFINISHED.delete(beside);
  };
  try {
    await mkdir(beside, { mode: OWN_FOLDER });
  } catch (error) {
    UNFINISHED.delete(beside);
    throw failure("cannot be created", folder, error);
  }
  let size = 0;
  return {
    take: async (bytes, frame) => {
      size += bytes.length;
      try {
        await writeFile(join(beside, `${String(frame + 1).padStart(digits, "0")}.png`), bytes, { mode });
      } catch (error) {
        throw failure("cannot be written, is the disk full?", folder, error);
      }
    },
    close: async () => {
      try {
        // over an empty folder, too
        await rename(beside, folder);
      } catch (error) {
        throw failure("cannot be finished", folder, error);
      }
      UNFINISHED.delete(beside);
      return size;
    },
    abort: remove,
  };
}

async function tidyFolders(parent: string): Promise<void> {
  for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
    const mark = entry.isDirectory() ? PART.exec(entry.name)?.[1] : undefined;
    if (mark === undefined) continue;
    const path = join(parent, entry.name);
    const found = await stat(path).catch(() => null);
    if (found !== null && isGone(mark, Date.now() - found.mtimeMs))
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

function failure(what: string, path: string, cause: unknown): SourceError {
  const { code } = cause as NodeJS.ErrnoException;
  return new SourceError("failed", `${what} (${code ?? String(cause)}): ${path}`, { cause });
}
