import type { Budget } from "../../bytes/budget.ts";

/** Bytes of a payload below which others are equal by chance. */
const LEAST = 8;
/** Bytes of memory that one payload takes, about. */
const EACH = 48;
/** Payloads that room is asked for at once. */
const MANY = 4096;

/** Payloads by their length and a hash of 53 bits: few bytes of memory for each, however long it is. */
export class PayloadSet {
  readonly #byLength = new Map<number, Set<number>>();
  readonly #budget: Budget | undefined;
  #size = 0;

  constructor(budget?: Budget) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#size;
  }

  /** Payloads of fewer than 8 bytes are not taken in. Throws `BudgetError`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (end - start >= LEAST) this.#put(end - start, hashOf(bytes, start, end));
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    const known = this.#byLength.get(end - start);
    return known !== undefined && known.size > 0 && known.has(hashOf(bytes, start, end));
  }

  delete(bytes: Uint8Array, start: number, end: number): void {
    const known = this.#byLength.get(end - start);
    if (known === undefined || known.size === 0) return;
    if (known.delete(hashOf(bytes, start, end))) this.#size--;
  }

  /** What is in either. */
  with(other: PayloadSet): PayloadSet {
    const both = new PayloadSet(this.#budget);
    for (const of of [this, other])
      for (const [length, hashes] of of.#byLength) for (const hash of hashes) both.#put(length, hash);
    return both;
  }

  #put(length: number, hash: number): void {
    const known = this.#byLength.get(length) ?? new Set();
    if (known.has(hash)) return;
    this.#byLength.set(length, known);
    if (this.#size % MANY === 0) this.#budget?.fit("the redacted content", EACH * (this.#size + MANY));
    known.add(hash);
    this.#size++;
  }
}

/** Two FNV-1a hashes of 32 bits from different beginnings, as one number of 53. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = start; i < end; i++) {
    a = Math.imul(a ^ bytes[i]!, 0x01000193);
    b = Math.imul(b ^ bytes[i]!, 0x5bd1e995) ^ (b >>> 15);
  }
  return (a >>> 0) * 0x20_0000 + ((b ^ (b >>> 13)) >>> 11);
}
