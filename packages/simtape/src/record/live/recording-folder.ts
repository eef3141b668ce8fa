import { segmentName } from "../../formats/hcrp/layout/framing.ts";
import { type Store, StoreError } from "../../io/store/store.ts";

/** Names of a recording's own files below its key (HCRP spec §2). */
export const META = "meta.hcrp";
export const PREVIOUS = "meta.hcrp.bak";
/** A recorder's own, in a folder. */
export const JOURNAL = "journal.hcj";

/**
 * Where one recording is committed: `<id>/meta.hcrp` and segments beside it, in any store. A committed segment is never
 * changed, and the metadata file only by who wrote it last (HCRP spec §8.3, §8.4).
 */
export class RecordingFolder {
  readonly #store: Store;
  readonly #id: string;
  readonly #keepsPrevious: boolean;
  #etag: string | null;
  #previous: Uint8Array | null = null;

  /**
   * `etag` is that of the metadata file that the recording goes on from; null: there is none yet. With `keepsPrevious`
   * the generation before stays as `meta.hcrp.bak`: for directories, on disks that may fail.
   */
  constructor(store: Store, id: string, etag: string | null, keepsPrevious: boolean) {
    this.#store = store;
    this.#id = id;
    this.#etag = etag;
    this.#keepsPrevious = keepsPrevious;
  }

  get name(): string {
    return `${this.#store.name}/${this.#id}`;
  }

  async putSegment(segment: number, bytes: Uint8Array, key: string): Promise<void> {
    const name = `${this.#id}/${segmentName(segment)}`;
    await this.#store.put(name, bytes, { condition: { absent: true }, idempotencyKey: key });
  }

  /** Whether no other recorder has written the metadata file since. */
  async isOurs(): Promise<boolean> {
    const found = await this.#store.head(`${this.#id}/${META}`);
    return (found?.etag ?? null) === this.#etag;
  }

  async putMetadata(bytes: Uint8Array, key: string): Promise<void> {
    if (this.#keepsPrevious && this.#previous !== null) {
      await this.#store.put(`${this.#id}/${PREVIOUS}`, this.#previous);
    }
    const condition = this.#etag === null ? { absent: true as const } : { etag: this.#etag };
    this.#etag = await this.#store.put(`${this.#id}/${META}`, bytes, { condition, idempotencyKey: key });
    if (this.#keepsPrevious) this.#previous = bytes;
  }
}

/**
 * Whether trying again may help: the store is away or full, and no other recorder has the recording. `isOurs`: it took
 * something from this recorder before, so that refusing access passes, too: a disk that went read-only, credentials
 * that have expired.
 */
export function isPassing(error: unknown, isOurs: boolean): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  return error.code === "unavailable" || error.code === "full" || (error.code === "denied" && isOurs);
}

/** Whether another recorder came first. */
export function isConflict(error: unknown): boolean {
  return error instanceof StoreError && error.code === "conflict";
}
