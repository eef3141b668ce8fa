import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ByteSource, FORMATS, SIDE_CAR_ENDING } from "simtape";
import { fileSpool } from "simtape/node";
import { makeSideCar } from "simtape/serving";
import { folderLibrary } from "../../library/folder.ts";
import type { Library, OpenFile } from "../../library/library.ts";
import { s3Library } from "../../library/s3.ts";
import type { Settings } from "../../settings.ts";
import { isUnreadable } from "../../library/unreadable.ts";

/** Seconds; a shorter recording opens at once without an index. */
export const WORTH_BYTES = 16 << 20;

/**
 * The seek indexes of large recordings, which are made when the recordings are indexed: in the data folder, or in the
 * bucket, where all nodes find them.
 */
export class SeekIndexes {
  readonly #settings: Settings;
  #kept: Promise<Library> | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The name beside the main file by which readers ask for the index. */
  static nameFor(key: string): string {
    return key.split("/").at(-1)! + SIDE_CAR_ENDING;
  }

  /** Null: the recording has no seek index. */
  async file(id: string): Promise<OpenFile | null> {
    return (await this.#library()).open(nameOf(id));
  }

  /** Opens the index for reading the recording; null: it has none. */
  async source(id: string): Promise<ByteSource | null> {
    const library = await this.#library();
    return library
      .bundle(nameOf(id))
      .open()
      .catch(() => null);
  }

  /** Builds the index by reading the whole recording. False: this recording cannot have one. */
  async make(id: string, library: Library, key: string, signal: AbortSignal): Promise<boolean> {
    try {
      const { bytes } = await makeSideCar(library.bundle(key), FORMATS, { spool: fileSpool(), signal });
      const kept = await this.#library();
      await kept.remove(nameOf(id));
      const sink = await kept.sink(nameOf(id)).open();
      await sink.write(bytes);
      await sink.close();
      return true;
    } catch (error) {
      // everything works without the index, too
      if (!isUnreadable(error) || signal.aborted) throw error;
      await this.remove(id);
      return false;
    }
  }

  async remove(id: string): Promise<void> {
    await (await this.#library()).remove(nameOf(id));
  }

  #library(): Promise<Library> {
    this.#kept ??= open(this.#settings);
    return this.#kept;
  }
}

async function open(settings: Settings): Promise<Library> {
  if (settings.store.startsWith("s3://"))
    return s3Library({ ...settings, store: `${settings.store.replace(/\/$/, "")}/.simtape/indexes` });
  const folder = join(settings.data, "indexes");
  await mkdir(folder, { recursive: true });
  return folderLibrary(folder);
}

function nameOf(id: string): string {
  return id + SIDE_CAR_ENDING;
}
