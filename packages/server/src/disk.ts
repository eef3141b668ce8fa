import { statfs } from "node:fs/promises";
import { Remembered } from "./remembered.ts";
import type { Settings } from "./settings.ts";

/** Bytes that are left free for what must go on: the log of who read what, and what the database writes of itself. */
const RESERVE = 64 << 20;
/** Of a small disk: a tenth. */
const PART = 0.1;

/** Whether there is room on this machine's disks for more: that a disk is full is said before a write is half done. */
export class Disk {
  readonly #folders: readonly string[];
  readonly #room: Remembered<boolean>;

  constructor({ data, store }: Settings) {
    this.#folders = [data, ...(store.startsWith("s3://") ? [] : [store])];
    this.#room = new Remembered(1000, 1, async () => (await Promise.all(this.#folders.map(hasRoomIn))).every(Boolean));
  }

  /** Looked at once a second. */
  hasRoom(): Promise<boolean> {
    return this.#room.get("");
  }
}

async function hasRoomIn(folder: string): Promise<boolean> {
  // of a folder that is made later, or that is no disk, nothing is known
  const found = await statfs(folder).catch(() => null);
  if (found === null || found.blocks === 0) return true;
  const { bavail, blocks, bsize } = found;
  return bavail * bsize > Math.min(RESERVE, blocks * bsize * PART);
}
