import type { MutableColumn } from "../../../model/state/column.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { ACTORS, AXES, type ColumnName, column, SETS } from "./columns.ts";

interface Destination {
  readonly set: MutableEntitySet;
  readonly columns: readonly MutableColumn[];
}

/**
 * Where the records of a packet go: each to the set of its actor's type, whose columns are looked up once for all of
 * them. Packets of motion and animation are most of a file.
 */
export class Destinations {
  readonly names: readonly ColumnName[];
  /** The type taken for an actor that was never added. */
  readonly unknown: number;
  #state: MutableState | null = null;
  #actors: MutableEntitySet | null = null;
  #types: MutableColumn | null = null;
  readonly #found: (Destination | undefined)[] = [];
  /** Where the records of the packet before went, by their place in it: one packet is mostly like another. */
  readonly #before: { readonly types: number[]; readonly rows: number[] } = { types: [], rows: [] };
  /** Those of the row that was asked for last, in the order of the names. */
  columns: readonly MutableColumn[] = [];

  constructor(names: readonly ColumnName[], unknown: number) {
    this.names = names;
    this.unknown = unknown;
  }

  /** Starts with the next packet. Destinations that belong to another state are forgotten. */
  begin(state: MutableState): void {
    if (state !== this.#state) this.forget();
    this.#state = state;
    this.#actors = state.set(ACTORS);
    this.#types = column(this.#actors, "type");
    this.#found.length = 0;
  }

  /** To be called when an actor that is there may be of another type from now on. */
  forget(): void {
    this.#before.types.length = this.#before.rows.length = 0;
  }

  /** The row of an actor, made when there is none; `place` is that of its record in the packet. */
  row(id: number, place: number): number {
    const { types, rows } = this.#before;
    if (place < types.length) {
      const found = this.#found[types[place]!];
      const row = rows[place]!;
      if (found?.set.ids[row] === id) {
        this.columns = found.columns;
        return row;
      }
    }
    const type = this.#typeOf(id);
    const found = this.#of(type);
    this.columns = found.columns;
    const row = found.set.row(id);
    if (place <= types.length) {
      types[place] = type;
      rows[place] = row;
    }
    return row;
  }

  /** The row of an actor; -1 when there is none. */
  find(id: number): number {
    const found = this.#of(this.#typeOf(id));
    this.columns = found.columns;
    return found.set.find(id);
  }

  #typeOf(id: number): number {
    const actor = this.#actors!.find(id);
    return actor < 0 ? this.unknown : this.#types!.number(actor);
  }

  #of(type: number): Destination {
    this.#found[type] ??= this.#look(type);
    return this.#found[type];
  }

  #look(type: number): Destination {
    const set = this.#state!.set(SETS[type] ?? "other", AXES);
    return { set, columns: this.names.map((name) => column(set, name)) };
  }
}
