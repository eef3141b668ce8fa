import type { ByteSink, SinkBundle } from "../../io/sink/sink.ts";
import type { Frame } from "./frames.ts";

/**
 * The files of an export, one after the other: the main one, and `name-2.dcd`, `name-3.dcd` ... beside it for particles
 * that a file cannot hold together with those before. Files beside them have the same name and another ending.
 */
export class Parts {
  readonly #to: SinkBundle;
  readonly #ending: string;
  readonly #open = new Set<ByteSink>();
  #count = 0;

  /** `ending`: of a part whose main file has no name or no ending. */
  constructor(to: SinkBundle, ending: string) {
    this.#to = to;
    this.#ending = ending;
  }

  /** How many were begun. */
  get count(): number {
    return this.#count;
  }

  /** Begins the next part. */
  async next(): Promise<ByteSink> {
    this.#count++;
    return this.#opened(await this.#to.open(this.#count === 1 ? undefined : this.nameOf(this.#count)));
  }

  /** A file beside the part that was begun last. */
  async beside(ending: string): Promise<ByteSink> {
    return this.#opened(await this.#to.open(this.nameOf(this.#count, ending)));
  }

  /** Name of a part, from 1 on, or of a file beside it. Throws `RangeError` when the main file has no name. */
  nameOf(part: number, ending?: string): string {
    const { name } = this.#to;
    if (name === null) throw new RangeError("this export needs more than one file, and so a name for them");
    const dot = name.lastIndexOf(".");
    const [stem, own] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, this.#ending];
    return `${stem}${part === 1 ? "" : `-${part}`}.${ending ?? own}`;
  }

  /** The file is whole. */
  async close(sink: ByteSink): Promise<void> {
    await sink.close();
    this.#open.delete(sink);
  }

  /** Nothing is left of files that are not whole. */
  async abort(): Promise<void> {
    for (const sink of this.#open) await sink.abort();
    this.#open.clear();
  }

  #opened(sink: ByteSink): ByteSink {
    this.#open.add(sink);
    return sink;
  }
}

/** Gives what `work` gives; when it rejects, nothing is left of files that are not whole. */
export async function withParts<T>(parts: Parts, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await parts.abort();
    throw error;
  }
}

/** Says why a file is begun. */
export function changedNote(name: string, { time, topology }: Frame): string {
  const { count } = topology;
  return `${name} begins at ${time / 1e9} s, where the particles change: ${count} of them`;
}
