import type { Time } from "../values/time.ts";
import type { Value } from "../values/value.ts";
import { hasMoreParts, kindOfValue, MAX_DEPTH, partsOf, type SeriesKind } from "./listing.ts";
import { isLeaf } from "../state/path.ts";
import type { Notes } from "./notes.ts";

/** From when until when something was there, as often as it was: moments, both included, two for each time. */
export class Presence {
  /** While it is there the number of moments is odd. */
  readonly moments: Time[] = [];

  get isThere(): boolean {
    return this.moments.length % 2 === 1;
  }

  /** At a moment it is there, or not; `before` is the moment before that one. */
  note(isThere: boolean, now: Time, before: Time): void {
    if (isThere !== this.isThere) this.moments.push(isThere ? now : before);
  }

  /** The last moment of all. */
  end(last: Time): void {
    if (this.isThere) this.moments.push(last);
  }
}

/** The first and the last moment at which both were there; null: they never were at once. Both must have ended. */
export function together(
  { moments: a }: Presence,
  { moments: b }: Presence,
): { readonly first: Time; readonly last: Time } | null {
  let first: Time | null = null;
  let last: Time | null = null;
  for (let i = 0, k = 0; i < a.length && k < b.length; ) {
    const from = Math.max(a[i]!, b[k]!);
    const to = Math.min(a[i + 1]!, b[k + 1]!);
    if (from <= to) {
      first ??= from;
      last = to;
    }
    if (a[i + 1]! < b[k + 1]!) i += 2;
    else k += 2;
  }
  return first === null || last === null ? null : { first, last };
}

/** A number, boolean or text in a value. */
export interface Leaf {
  kind: SeriesKind;
  readonly first: Time;
  last: Time;
  /** Of its finite numbers; the other way round: it had none. */
  least: number;
  most: number;
  /** Look at the value in which it was met last. */
  seen: number;
}

interface Node {
  /** Null: none was met. An empty map would be larger than the rest of a node. */
  parts: Map<string | number, Node> | null;
  leaf: Leaf | null;
}

/** The numbers, booleans and texts that one value had, in all its looks. */
export class ValueTree {
  readonly #root: Node = { parts: null, leaf: null };
  readonly #notes: Notes;
  #look = 0;
  /** Leaves met in this look, those of them that were met in the one before, and how many these were. */
  #met = 0;
  #kept = 0;
  #before = 0;
  #isCut = false;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** The value is another from a moment on; undefined: it is gone. `before` is the moment before that one. */
  note(value: Value | undefined, now: Time, before: Time): void {
    this.#look++;
    this.#met = this.#kept = 0;
    if (value !== undefined) this.#visit(this.#root, value, now, 0);
    if (this.#kept < this.#before) {
      for (const { leaf } of leavesIn(this.#root, [])) if (leaf.seen === this.#look - 1) leaf.last = before;
    }
    this.#before = this.#met;
  }

  /** Whether a part was not looked into: it lies too deep, or behind too many cells. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** All it ever had, when `last` was the last moment. */
  *leaves(last: Time): Generator<{ readonly keys: readonly (string | number)[]; readonly leaf: Leaf }> {
    for (const { keys, leaf } of leavesIn(this.#root, [])) {
      if (leaf.seen === this.#look) leaf.last = last;
      yield { keys, leaf };
    }
  }

  #visit(node: Node, value: Value, now: Time, depth: number): void {
    if (isLeaf(value)) meet(this.#meet(node, kindOfValue(value), now), value);
    else if (depth >= MAX_DEPTH) this.#isCut = true;
    else {
      if (hasMoreParts(value)) this.#isCut = true;
      node.parts ??= new Map();
      for (const [key, part] of partsOf(value)) {
        let inner = node.parts.get(key);
        if (inner === undefined) {
          this.#notes.add();
          inner = { parts: null, leaf: null };
          node.parts.set(key, inner);
        }
        this.#visit(inner, part, now, depth + 1);
      }
    }
  }

  #meet(node: Node, kind: SeriesKind, now: Time): Leaf {
    this.#met++;
    const { leaf } = node;
    if (leaf === null) {
      const none = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };
      node.leaf = { kind, first: now, last: now, ...none, seen: this.#look };
      return node.leaf;
    }
    if (leaf.seen === this.#look - 1) this.#kept++;
    leaf.seen = this.#look;
    if (leaf.kind !== kind) leaf.kind = isNumber(leaf.kind) && isNumber(kind) ? "number" : "text";
    return leaf;
  }
}

function meet(leaf: Leaf, value: number | bigint | boolean | string): void {
  if (typeof value === "string") return;
  const number = Number(value);
  if (!Number.isFinite(number)) return;
  if (number < leaf.least) leaf.least = number;
  if (number > leaf.most) leaf.most = number;
}

function isNumber(kind: SeriesKind): boolean {
  return kind === "number" || kind === "integer";
}

function* leavesIn(
  { parts, leaf }: Node,
  keys: readonly (string | number)[],
): Generator<{ readonly keys: readonly (string | number)[]; readonly leaf: Leaf }> {
  if (leaf !== null) yield { keys, leaf };
  for (const [key, part] of parts ?? []) yield* leavesIn(part, [...keys, key]);
}
