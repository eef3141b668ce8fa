import { statfs } from "node:fs/promises";
import { Remembered } from "./remembered.ts";
import type { Settings } from "./settings.ts";

/** Bytes that stay free for writes that must always succeed: the log of who read what, and the database's own files. */
const RESERVE = 64 << 20;
/** Part of a small disk. */
const PART = 0.1;

/** Checks whether the disks of this machine have room, so that a full disk is reported before a write is half done. */
export class Disk {
  readonly #folders: readonly string[];
  readonly #room: Remembered<boolean>;

  constructor({ data, store }: Settings) {
    this.#folders = [data, ...(store.startsWith("s3://") ? [] : [store])];
    this.#room = new Remembered(1000, 1, async () => (await Promise.all(this.#folders.map(hasRoomIn))).every(Boolean));
  }

  /** The result is used for a second. */
  hasRoom(): Promise<boolean> {
    return this.#room.get("");
  }
}

async function hasRoomIn(folder: string): Promise<boolean> {
  // the folder does not exist yet, or is not on a disk: its free space is not known
  const found = await statfs(folder).catch(() => null);
  if (found === null || found.blocks === 0) return true;
  const { bavail, blocks, bsize } = found;
  return bavail * bsize > Math.min(RESERVE, blocks * bsize * PART);
}
