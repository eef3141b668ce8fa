import type { Readable } from "node:stream";
import type { Library, LibraryFile, OpenFile } from "./library.ts";

/** Milliseconds for which an open file is used again: it takes this long until a replaced file is noticed. */
const KEPT = 1000;
const MOST = 500;

/** An open file, shared by all reads within `KEPT`. */
interface Shared {
  readonly file: Promise<OpenFile | null>;
  readonly until: number;
  users: number;
  /** No further reads use it. */
  isLeft: boolean;
}

/**
 * The same library, which opens each file at most once a second: pages ask for hundreds of small ranges of one file.
 */
export function sharingOpenFiles(library: Library): Library {
  const shared = new Map<string, Shared>();

  function usable(key: string): Shared {
    const now = performance.now();
    const known = shared.get(key);
    if (known !== undefined && known.until > now) return known;
    if (known !== undefined) leave(key, known);
    const made: Shared = { file: library.open(key), until: now + KEPT, users: 0, isLeft: false };
    shared.set(key, made);
    const [oldest] = shared;
    if (shared.size > MOST) leave(...oldest!);
    const end = (): void => leave(key, made);
    made.file.then((opened) => (opened === null ? end() : setTimeout(end, KEPT).unref()), end);
    return made;
  }

  function leave(key: string, one: Shared): void {
    if (one.isLeft) return;
    one.isLeft = true;
    if (shared.get(key) === one) shared.delete(key);
    if (one.users === 0) void end(one);
  }

  return {
    ...library,
    // a file that was removed here is not opened again
    remove: async (key) => {
      await library.remove(key);
      const known = shared.get(key);
      if (known !== undefined) leave(key, known);
    },
    open: async (key) => {
      const one = usable(key);
      one.users++;
      const opened = await one.file.catch(async (error: unknown) => {
        await given(one);
        throw error;
      });
      if (opened !== null) return new Handed(one, opened);
      await given(one);
      return null;
    },
  };
}

/** For one reader, who is among the users of the file already. */
class Handed implements OpenFile {
  readonly file: LibraryFile;
  readonly #one: Shared;
  readonly #opened: OpenFile;
  #isClosed = false;

  constructor(one: Shared, opened: OpenFile) {
    this.#one = one;
    this.#opened = opened;
    this.file = opened.now();
  }

  now(): LibraryFile {
    return this.#opened.now();
  }

  read(start: number, end: number): Promise<Uint8Array> {
    return this.#opened.read(start, end);
  }

  stream(start: number, end: number): Readable {
    return this.#opened.stream(start, end);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await given(this.#one);
  }

  again(): OpenFile | null {
    const { isLeft, until } = this.#one;
    if (isLeft || until <= performance.now()) return null;
    this.#one.users++;
    return new Handed(this.#one, this.#opened);
  }
}

/** A reader has given it back. */
async function given(one: Shared): Promise<void> {
  one.users--;
  if (one.isLeft && one.users === 0) await end(one);
}

/** Never rejects: a file that was only read loses nothing when it cannot be closed, and nothing waits for some of these. */
async function end({ file }: Shared): Promise<void> {
  await file.then((opened) => opened?.close()).catch(() => undefined);
}
