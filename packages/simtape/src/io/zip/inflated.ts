import { Budget } from "../../bytes/budget.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { GZIP_TRAILER_BYTES, GzipHeader } from "../../bytes/gzip.ts";
import { Inflater } from "../../bytes/inflate.ts";
import { ForwardSource, type Meter, type Producer } from "../source/forward.ts";
import type { ByteSource } from "../source/source.ts";
import { memorySpool, type SpoolFactory } from "../source/spool.ts";

/** How the inflated bytes are held. */
export interface InflatedOptions {
  /** What inflating may cost; reading beyond rejects with `BudgetError`. */
  readonly budget?: Budget | undefined;
  /** Compressed bytes, by which what comes of them is judged. */
  readonly size?: number | undefined;
  /** Holds the inflated bytes instead of memory. */
  readonly spool?: SpoolFactory | undefined;
}

/** Where gzip data stop being sound. */
export interface GzipDamage {
  /** Place in the compressed file. */
  readonly offset: number;
  readonly message: string;
}

/** What a gzip source holds. */
export interface InflatedSource extends ByteSource {
  /**
   * The first damage met so far, null when there is none; known for the whole file once `size()` has resolved.
   * Damaged or cut data are no error: reads give what could be inflated.
   */
  readonly damage: GzipDamage | null;
}

/**
 * Ranged reads over what `source` holds, inflated from the front once, as far as reads ask; `size()` goes to the end.
 * Several members follow each other; a last member without its trailer is sound. Closing it closes `source`.
 */
export function inflated(source: ByteSource, options: InflatedOptions = {}): InflatedSource {
  const producer = new GzipProducer(source);
  const { spool, budget = new Budget(), size = 0 } = options;
  return new Inflated(
    source.name,
    producer,
    spool ?? memorySpool(budget.limit, source.name),
    inflating(budget, size, spool),
  );
}

/** Asks the budget for what inflates from `size` bytes: where it goes to memory it is held. */
export function inflating(budget: Budget, size: number, spool: SpoolFactory | undefined): Meter {
  return (more, total) => {
    budget.expand("its inflated content", total, size);
    if (spool === undefined) budget.hold("its inflated content", more);
  };
}

class Inflated extends ForwardSource implements InflatedSource {
  readonly #producer: GzipProducer;

  constructor(name: string, producer: GzipProducer, spool: SpoolFactory, meter: Meter) {
    super(name, producer, spool, meter);
    this.#producer = producer;
  }

  get damage(): GzipDamage | null {
    return this.#producer.damage;
  }
}

/** Bytes read from the source at once. */
const READ = 256 * 1024;
/** A step gives no more pieces once they hold this much. */
const STEP = 32 * 1024;

class GzipProducer implements Producer {
  damage: GzipDamage | null = null;
  readonly #source: ByteSource;
  readonly #inflater = new Inflater();
  /** What comes next; after "padding" nothing but zeros is expected. */
  #next: "header" | "content" | "trailer" | "padding" | "nothing" = "header";
  #block: Uint8Array = new Uint8Array(0);
  /** Place of the block in the file, and of the next byte in the block. */
  #blockStart = 0;
  #at = 0;
  #header = new GzipHeader();
  /** Where the member, or what follows the last one, begins. */
  #memberStart = 0;
  #contentStart = 0;
  #contentLength = 0;
  #contentCrc = 0;
  readonly #trailer = new Uint8Array(GZIP_TRAILER_BYTES);
  #trailerLength = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async next(): Promise<readonly Uint8Array[] | null> {
    if (this.#next === "nothing") return null;
    if (this.#at === this.#block.length) {
      const start = this.#position;
      const block = await this.#source.read(start, READ);
      if (block.length === 0) {
        this.#end();
        return null;
      }
      this.#block = block;
      this.#blockStart = start;
      this.#at = 0;
    }
    return this.#step();
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  get #position(): number {
    return this.#blockStart + this.#at;
  }

  #step(): readonly Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let length = 0; length < STEP && this.#at < this.#block.length; ) {
      switch (this.#next) {
        case "header":
          this.#readHeader();
          break;
        case "content": {
          const piece = this.#inflate();
          if (piece.length > 0) pieces.push(piece);
          length += piece.length;
          break;
        }
        case "trailer":
          this.#readTrailer();
          break;
        case "padding":
          this.#passPadding();
          break;
        case "nothing":
          return pieces;
        default:
          this.#next satisfies never;
      }
    }
    return pieces;
  }

  #readHeader(): void {
    const header = this.#header;
    this.#at = header.push(this.#block, this.#at);
    if (header.state === "whole") {
      if (header.unknownFlags !== 0) {
        this.#report(this.#memberStart + 3, "header of a gzip member has flags without a meaning");
      }
      this.#next = "content";
      this.#contentStart = this.#position;
      this.#contentLength = 0;
      this.#contentCrc = 0;
      this.#inflater.reset();
    } else if (header.state === "none") {
      if (this.#memberStart === 0) {
        this.#report(0, "not gzip data");
        this.#next = "nothing";
      } else if (header.length === 0) this.#next = "padding";
      else this.#endAtGarbage();
    }
  }

  #inflate(): Uint8Array {
    const inflater = this.#inflater;
    const pause = inflater.run(this.#block, this.#at);
    this.#at = this.#contentStart + inflater.position - this.#blockStart;
    const piece = inflater.take();
    this.#contentLength += piece.length;
    this.#contentCrc = crc32(piece, this.#contentCrc);
    if (pause === "end") {
      this.#next = "trailer";
      this.#trailerLength = 0;
    } else if (pause === "fault" && inflater.fault !== null) {
      const { offset, message } = inflater.fault;
      this.#report(this.#contentStart + offset, `gzip data are damaged: ${message}`);
      this.#next = "nothing";
    }
    return piece;
  }

  #readTrailer(): void {
    const part = this.#block.subarray(this.#at, this.#at + GZIP_TRAILER_BYTES - this.#trailerLength);
    this.#trailer.set(part, this.#trailerLength);
    this.#trailerLength += part.length;
    this.#at += part.length;
    if (this.#trailerLength < GZIP_TRAILER_BYTES) return;
    const start = this.#position - GZIP_TRAILER_BYTES;
    const view = new DataView(this.#trailer.buffer);
    if (view.getUint32(0, true) !== this.#contentCrc) {
      this.#report(start, "checksum of a gzip member does not match its content");
    } else if (view.getUint32(4, true) !== this.#contentLength % 0x1_0000_0000) {
      this.#report(start + 4, "length of a gzip member does not match its content");
    }
    this.#next = "header";
    this.#header = new GzipHeader();
    this.#memberStart = this.#position;
  }

  /** Zeros follow the last member on tapes and in blocks of fixed length. */
  #passPadding(): void {
    const rest = this.#block.subarray(this.#at);
    this.#at = this.#block.length;
    if (rest.some((byte) => byte !== 0)) this.#endAtGarbage();
  }

  #endAtGarbage(): void {
    this.#report(this.#memberStart, "bytes that are not gzip follow the last member");
    this.#next = "nothing";
  }

  /** At the end of the source: it may end after a member, and before or inside its trailer. */
  #end(): void {
    const isInHeader = this.#next === "header" && (this.#memberStart === 0 || this.#header.length > 0);
    if (isInHeader || this.#next === "content") this.#report(this.#position, "gzip data end inside a member");
    this.#next = "nothing";
  }

  #report(offset: number, message: string): void {
    this.damage ??= { offset, message };
  }
}
