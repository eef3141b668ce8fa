/** Paths of values of one group, by actor: the same text again where the packet before had the actor at that place. */
export class Paths {
  readonly #group: string;
  readonly #ids: number[] = [];
  readonly #paths: string[] = [];

  constructor(group: string) {
    this.#group = group;
  }

  of(id: number, place: number): string {
    if (this.#ids[place] === id) return this.#paths[place]!;
    const path = `${this.#group}/${id}`;
    this.#ids[place] = id;
    this.#paths[place] = path;
    return path;
  }
}
