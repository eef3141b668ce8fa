import { type ByteSource, memory, type SourceBundle } from "simtape";

/** Bytes of a recording that make its head. */
const HEAD_BYTES = 4 << 20;
/** Shorter recordings are read as a whole before a head would be of use. */
const LARGE_BYTES = 64 << 20;

/** Whether a scan of so many bytes takes long enough for a look at the head. */
export function isWorthHead(bytes: number): boolean {
  return bytes >= LARGE_BYTES;
}

/** The files of a recording that is being opened, and their first bytes as a recording of its own. */
export class Heads {
  readonly bundle: SourceBundle;
  /** By the name that was asked for. */
  readonly #open = new Map<string | undefined, ByteSource>();

  constructor(bundle: SourceBundle) {
    this.bundle = bundle;
  }

  /** All of the files. */
  get whole(): SourceBundle {
    return {
      ...this.bundle,
      open: async (name) => {
        const source = await this.bundle.open(name);
        if (source !== null) this.#open.set(name, source);
        return source;
      },
    };
  }

  /** The first bytes of each file, as if there were no more. Files that are open are not asked for again. */
  head(signal: AbortSignal): SourceBundle {
    return {
      ...this.bundle,
      open: async (name) => {
        const known = this.#open.get(name);
        const source = known ?? (await this.bundle.open(name));
        if (source === null) return null;
        try {
          return memory(await source.read(0, HEAD_BYTES, signal), source.name);
        } finally {
          if (known === undefined) await source.close();
        }
      },
    };
  }
}
