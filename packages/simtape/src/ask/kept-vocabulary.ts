import type { SeriesKind } from "../model/query/listing.ts";
import type { ColumnFact, NameFacts, ValueFact } from "../model/query/name-facts.ts";
import { type ColumnFacts, nearTo, type SetFacts, unitNamed, type ValueFacts, type Vocabulary } from "./catalog.ts";
import type { Unit } from "./units.ts";
import { fits } from "./wildcard.ts";

/** A name of which the kept facts do not say what a reading of the recording would: it has to be read. */
export class NotKept extends Error {}

/** Units are made when they are asked for: an expression names few of all columns. */
class KeptColumn implements ColumnFacts {
  readonly #fact: ColumnFact;
  readonly #tickRate: number | null;
  #units: readonly Unit[] | null = null;

  constructor(fact: ColumnFact, tickRate: number | null) {
    this.#fact = fact;
    this.#tickRate = tickRate;
  }

  get width(): number {
    return this.#fact.units.length;
  }

  get units(): readonly Unit[] {
    this.#units ??= this.#fact.units.map((unit) => unitNamed(unit, this.#tickRate));
    return this.#units;
  }

  get kind(): SeriesKind {
    return this.#fact.kind;
  }

  get isComplete(): boolean {
    return this.#fact.isComplete;
  }
}

/**
 * What a side-car keeps of the names. It finds, or misses, what a `Catalog` of the whole recording does in the end, and
 * throws `NotKept` where it cannot know: things of sets one by one, values that were not looked into, and patterns, which
 * stand for paths of a moment.
 */
export class KeptVocabulary implements Vocabulary {
  readonly sets: ReadonlyMap<string, SetFacts>;
  readonly #names: NameFacts;
  readonly #values: ReadonlyMap<string, ValueFact>;
  readonly #unlisted: ReadonlySet<string>;
  readonly #empty: ReadonlySet<string>;

  constructor(names: NameFacts) {
    const sets = new Map(names.sets.map(({ set }) => [set, { columns: new Map<string, ColumnFacts>() }]));
    const rates = new Map(names.sets.map(({ set, tickRate }) => [set, tickRate]));
    for (const fact of names.columns)
      sets.get(fact.set)?.columns.set(fact.column, new KeptColumn(fact, rates.get(fact.set) ?? null));
    this.sets = sets;
    this.#names = names;
    this.#values = new Map(names.named?.values.map((value) => [value.text, value]));
    this.#unlisted = new Set(names.unlisted);
    this.#empty = new Set(names.sets.flatMap(({ set, hasThings }) => (hasThings ? [] : [set])));
  }

  value(text: string): ValueFacts | null {
    if (this.#names.named === null || this.#isUnlisted(text)) throw new NotKept();
    const found = this.#values.get(text);
    if (found === undefined) return null;
    const { path, unit, kind } = found;
    if (kind === null) throw new NotKept();
    return { path, unit: unitNamed(unit), kind };
  }

  fitting(pattern: string): readonly ValueFacts[] {
    const { named } = this.#names;
    if (named === null || this.#unlisted.size > 0 || named.values.some(({ text }) => fits(text, pattern)))
      throw new NotKept();
    return [];
  }

  thing(set: string): null {
    if (!this.#empty.has(set)) throw new NotKept();
    return null;
  }

  idsOf(set: string): Iterable<never> {
    if (!this.#empty.has(set)) throw new NotKept();
    return [];
  }

  near(text: string): string {
    const { named } = this.#names;
    if (named === null) throw new NotKept();
    const { values, ends, hints } = named;
    return nearTo(text, this.sets.keys(), [...hints, ...values.slice(0, ends).map((value) => value.text)]);
  }

  /** Whether it is the name of a value that was not looked into, or a path in one. */
  #isUnlisted(text: string): boolean {
    if (this.#unlisted.size === 0) return false;
    for (let end = text.length; end > 0; end = text.lastIndexOf(".", end - 1))
      if (this.#unlisted.has(text.slice(0, end))) return true;
    return false;
  }
}
