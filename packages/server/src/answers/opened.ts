import { open, type Recording } from "simtape";
import { fileSpool } from "simtape/node";
import { SeekIndexes } from "../catalog/index/seek-indexes.ts";
import type { Library } from "../library/library.ts";
import type { Settings } from "../settings.ts";
import type { Asked } from "./question.ts";

/** Most recordings that stay open; the last one of the list was used most recently. */
const MOST = 8;

/** Open recordings, for repeated questions: opening one may take longer than answering. */
export class OpenedRecordings {
  readonly #library: Library;
  readonly #indexes: SeekIndexes;
  readonly #open = new Map<string, { readonly stamp: string; readonly recording: Recording }>();

  constructor(library: Library, settings: Settings) {
    this.#library = library;
    this.#indexes = new SeekIndexes(settings);
  }

  /** Calls `use` with the recording, which stays open until `use` has settled. */
  async with<T>(asked: Asked, signal: AbortSignal, use: (recording: Recording) => Promise<T>): Promise<T> {
    const { id, stamp } = asked;
    const known = this.#open.get(id);
    this.#open.delete(id);
    const isSame = known !== undefined && known.stamp === stamp;
    if (known !== undefined && !isSame) await known.recording.close();
    const recording = isSame ? known.recording : await this.#opened(asked, signal);
    let isSound = false;
    try {
      const result = await use(recording);
      isSound = true;
      return result;
    } finally {
      if (isSound && stamp !== null) {
        this.#open.set(id, { stamp, recording });
        if (this.#open.size > MOST) await this.#drop();
      } else await recording.close();
    }
  }

  async #opened({ id, key, stamp }: Asked, signal: AbortSignal): Promise<Recording> {
    // an older index would hide the new part of a growing recording
    const seekIndex = stamp === null ? undefined : ((await this.#indexes.source(id)) ?? undefined);
    return open(this.#library.bundle(key), { spool: fileSpool(), signal, seekIndex });
  }

  async #drop(): Promise<void> {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    this.#open.delete(oldest[0]);
    await oldest[1].recording.close();
  }
}
