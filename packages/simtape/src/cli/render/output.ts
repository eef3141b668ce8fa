import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { modeLike, OWN_FILE, OWN_FOLDER } from "../../io/node/access.ts";
import { tidy } from "../../io/node/directory-files.ts";
import { newMark } from "../../io/node/owner.ts";
import type { ByteSink } from "../../io/sink.ts";
import { UsageError } from "../run/failure.ts";
import { UNFINISHED } from "../run/unfinished.ts";
import type { TakePiece } from "./remote.ts";

/** Where pieces go: one file, or a folder of pictures. */
export interface RenderOutput {
  readonly take: TakePiece;
  /** It is whole, and takes its name. Gives its bytes. */
  close(): Promise<number>;
  /** Nothing is left of it. */
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

/** `0001.png` and on, in a folder that is new, or empty. Throws `UsageError` where something is in it. */
export async function folderOutput(path: string, count: number, like: string): Promise<RenderOutput> {
  const there = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new UsageError(`not a folder: ${path}`);
  });
  if (there !== null && there.length > 0) throw new UsageError(`a folder with something in it: ${path}`);
  const folder = path.replace(/\/+$/, "");
  await tidy(dirname(folder));
  const beside = join(dirname(folder), `.${basename(folder).slice(0, 60)}~${newMark()}.part`);
  UNFINISHED.add(beside);
  await mkdir(beside, { mode: OWN_FOLDER });
  const mode = (await modeLike(like)) ?? OWN_FILE;
  const digits = Math.max(4, String(count).length);
  let size = 0;
  return {
    take: async (bytes, frame) => {
      size += bytes.length;
      await writeFile(join(beside, `${String(frame + 1).padStart(digits, "0")}.png`), bytes, { mode });
    },
    close: async () => {
      // over an empty folder, too
      await rename(beside, folder);
      UNFINISHED.delete(beside);
      return size;
    },
    abort: async () => {
      await rm(beside, { recursive: true, force: true });
      UNFINISHED.delete(beside);
    },
  };
}
