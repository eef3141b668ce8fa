/** What of a state was written to, came or went since it was looked at last: by name, and whatever became of it. */
export class Touched {
  readonly values: Set<string> = new Set();
  /** Ids by set. */
  readonly byOwner: Map<object, Set<number | string>> = new Map();

  thing(owner: object, id: number | string): void {
    this.#of(owner).add(id);
  }

  things(owner: object, ids: readonly (number | string)[]): void {
    const all = this.#of(owner);
    for (const id of ids) all.add(id);
  }

  forget(): void {
    this.values.clear();
    this.byOwner.clear();
  }

  #of(owner: object): Set<number | string> {
    const known = this.byOwner.get(owner);
    if (known !== undefined) return known;
    const made = new Set<number | string>();
    this.byOwner.set(owner, made);
    return made;
  }
}
