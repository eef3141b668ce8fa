import { mkdir, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Used tickets: an empty file for each, so that all servers of a folder know them, also later ones. */
export class UsedTickets {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Forgets tickets that are no longer valid. `now`: seconds since 1970. Rejects when the folder cannot be used. */
  static async in(folder: string, now: number): Promise<UsedTickets> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      const [, until] = /^[0-9a-f]{16}-(\d+)$/.exec(name) ?? [];
      if (until !== undefined && Number(until) < now) await unlink(join(folder, name)).catch(() => undefined);
    }
    return new UsedTickets(folder);
  }

  /** Uses a ticket; false: it was used before. Rejects when this cannot be stored. */
  async use(id: string, until: number): Promise<boolean> {
    try {
      const handle = await open(join(this.#folder, `${id}-${until}`), "wx", 0o600);
      await handle.sync();
      await handle.close();
      const folder = await open(this.#folder, "r");
      await folder.sync();
      await folder.close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  }
}
