import type { ByteSource, SourceBundle } from "../io/source/source.ts";
import type { Finding, Reporter } from "./error.ts";

/** The files of a bundle, some of which are opened before its format does: it is given those then. */
export class EarlyFiles {
  readonly #bundle: SourceBundle;
  readonly #open = new Map<string, ByteSource>();

  constructor(bundle: SourceBundle) {
    this.#bundle = bundle;
  }

  /** A file beside the main one, which is not the caller's to close. */
  async look(name: string): Promise<ByteSource | null> {
    const found = this.#open.get(name) ?? (await this.#bundle.open(name));
    if (found !== null) this.#open.set(name, found);
    return found;
  }

  /** The bundle, with its main source already open: what was read to recognise it is not asked for again. */
  withMain(source: ByteSource): SourceBundle {
    const { name: main } = this.#bundle;
    return {
      name: main,
      open: (name) => {
        if (name === undefined || name === main) return Promise.resolve(source);
        const early = this.#open.get(name);
        this.#open.delete(name);
        return early === undefined ? this.#bundle.open(name) : Promise.resolve(early);
      },
    };
  }

  /** Closes what no format has taken. */
  async close(): Promise<void> {
    const left = [...this.#open.values()];
    this.#open.clear();
    for (const source of left) await source.close().catch(() => undefined);
  }
}

/** A source for a reader that may not be kept: it is closed with the reader only once it was given. */
export class LentSource implements ByteSource {
  readonly #source: ByteSource;
  #isGiven = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get name(): string {
    return this.#source.name;
  }

  give(): void {
    this.#isGiven = true;
  }

  size(): Promise<number | null> {
    return this.#source.size();
  }

  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#source.read(offset, length, signal);
  }

  async close(): Promise<void> {
    if (this.#isGiven) await this.#source.close();
  }
}

/** Keeps findings until it is known whether they count. */
export class HeldReporter implements Reporter {
  readonly #held: Finding[] = [];
  #to: Reporter | null = null;

  report(finding: Finding): void {
    if (this.#to === null) this.#held.push(finding);
    else this.#to.report(finding);
  }

  release(to: Reporter): void {
    for (const finding of this.#held.splice(0)) to.report(finding);
    this.#to = to;
  }
}
