import type { MutableColumn, MutableEntitySet, MutableState } from "../../model/state.ts";
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
  readonly #names: readonly ColumnName[];
  readonly #unknown: number;
  #state: MutableState | null = null;
  #actors: MutableEntitySet | null = null;
  #types: MutableColumn | null = null;
  readonly #found: (Destination | undefined)[] = [];
  /** Those of the row that was asked for last, in the order of the names. */
  columns: readonly MutableColumn[] = [];

  /** `unknown`: the type taken for an actor that was never added. */
  constructor(names: readonly ColumnName[], unknown: number) {
    this.#names = names;
    this.#unknown = unknown;
  }

  /** Of another packet, or of another state. */
  begin(state: MutableState): void {
    this.#state = state;
    this.#actors = state.set(ACTORS);
    this.#types = column(this.#actors, "type");
    this.#found.length = 0;
  }

  /** The row of an actor, made when there is none. */
  row(id: number): number {
    const actor = this.#actors!.find(id);
    const type = actor < 0 ? this.#unknown : this.#types!.number(actor);
    this.#found[type] ??= this.#look(type);
    const found = this.#found[type];
    this.columns = found.columns;
    return found.set.row(id);
  }

  #look(type: number): Destination {
    const set = this.#state!.set(SETS[type] ?? "other", AXES);
    return { set, columns: this.#names.map((name) => column(set, name)) };
  }
}
