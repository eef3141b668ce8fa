import type { Kept } from "./late.ts";
import type { Time } from "../values/time.ts";
import type { Touched } from "./touched.ts";

/** What the undo log puts cells back into. */
export interface CellTarget {
  /** Writes one cell, by its place in the column, without noting it. */
  putBack(at: number, value: number | string): void;
  /** The same for three from `at` on. */
  putBack3(at: number, x: number, y: number, z: number): void;
}

/** What the undo log takes rows back from. */
export interface RowTarget {
  /** Takes out the row added last. */
  takeBackRow(): void;
}

/** Where `time` and values are put back. */
export interface StateTarget {
  time: Time;
  putBackValue(path: string, before: Kept | undefined): void;
}

const SAVEPOINT = 0;
const NUMBER = 1;
const NUMBERS3 = 2;
const TEXT = 3;
const ROW = 4;
const VALUE = 5;
const OTHER = 6;

const CAPACITY = 1024;
/** Room for more entries than these is given back when they are forgotten. */
const KEPT = 16 * CAPACITY;

type Target = CellTarget | RowTarget | string | (() => void) | null;

/** What a change is of: a value by its path, cells of a column, or rows of a set. */
export type Changed = string | CellTarget | RowTarget;

/**
 * What changed, in order, with what was there before. Entries are columns and not closures: a frame of a recording
 * changes thousands of cells. What was there before lies on two stacks, from which each entry takes what it put there.
 */
export class UndoLog {
  /** False: nothing may be added. */
  isOn = false;
  /** Another number whenever sets or columns of the state have come or gone. */
  shape = 0;
  /** What was written to or came or went is noted here, whether it is on or not; null: it is not needed. */
  touched: Touched | null = null;
  readonly #state: StateTarget;
  #length = 0;
  #kinds = new Uint8Array(CAPACITY);
  /** Place of a cell in its column. */
  #places = new Uint32Array(CAPACITY);
  /** Column, set, path of a value, or function; null for a savepoint. */
  #targets: Target[] = [];
  /** Stack of numbers that were in cells, and of the times of savepoints. */
  #numbers = new Float64Array(CAPACITY);
  #numberCount = 0;
  /** Stack of texts that were in cells, and of values; undefined where there was none. */
  readonly #before: (Kept | undefined)[] = [];
  /** What entries of kind `OTHER` change all at once. */
  readonly #wholes = new Map<number, CellTarget>();

  constructor(state: StateTarget) {
    this.#state = state;
  }

  number(column: CellTarget, at: number, before: number): void {
    this.#add(NUMBER, column, at);
    this.#pushNumber(before);
  }

  /** Three cells from `at` on. */
  numbers3(column: CellTarget, at: number, a: number, b: number, c: number): void {
    this.#add(NUMBERS3, column, at);
    this.#pushNumber(a);
    this.#pushNumber(b);
    this.#pushNumber(c);
  }

  text(column: CellTarget, at: number, before: string): void {
    this.#add(TEXT, column, at);
    this.#before.push(before);
  }

  /** A row was added at the end of `set`. */
  row(set: RowTarget): void {
    this.#add(ROW, set, 0);
  }

  value(path: string, before: Kept | undefined): void {
    this.#add(VALUE, path, 0);
    this.#before.push(before);
  }

  /** A change that is rare enough for a function to undo it; `of` is what it changes all at once, when that can be said. */
  other(undo: () => void, of?: CellTarget): void {
    if (of !== undefined) this.#wholes.set(this.#length, of);
    this.#add(OTHER, undo, 0);
  }

  savepoint(): number {
    this.isOn = true;
    this.#add(SAVEPOINT, null, 0);
    this.#pushNumber(this.#state.time);
    return this.#length - 1;
  }

  /** The savepoint itself stays. Throws `RangeError` when there is none of that number. */
  undo(savepoint: number): void {
    if (!(savepoint >= 0 && savepoint < this.#length && this.#kinds[savepoint] === SAVEPOINT))
      throw new RangeError(`no such savepoint: ${savepoint}`);
    this.isOn = false;
    while (this.#length > savepoint + 1) this.#undoLast();
    this.#state.time = this.#numbers[this.#numberCount - 1]!;
    this.isOn = true;
  }

  forget(): void {
    this.isOn = false;
    this.#length = 0;
    if (this.#kinds.length > KEPT) this.#kinds = new Uint8Array(CAPACITY);
    if (this.#places.length > KEPT) this.#places = new Uint32Array(CAPACITY);
    if (this.#numbers.length > KEPT) this.#numbers = new Float64Array(CAPACITY);
    this.#targets.length = 0;
    this.#numberCount = 0;
    this.#before.length = 0;
    this.#wholes.clear();
  }

  /**
   * Goes over all that was changed: `change` gets what was changed, which place of it (-1: all of it), what was there
   * before, and how many savepoints were set by then.
   */
  changes(change: (of: Changed, place: number, before: unknown, savepoints: number) => void): void {
    let savepoints = 0;
    let number = 0;
    let text = 0;
    for (let i = 0; i < this.#length; i++) {
      const target = this.#targets[i]!;
      const place = this.#places[i]!;
      switch (this.#kinds[i]) {
        case SAVEPOINT:
          savepoints++;
          number++;
          break;
        case NUMBER:
          change(target as CellTarget, place, this.#numbers[number++], savepoints);
          break;
        case NUMBERS3:
          for (let k = 0; k < 3; k++) change(target as CellTarget, place + k, this.#numbers[number++], savepoints);
          break;
        case TEXT:
          change(target as CellTarget, place, this.#before[text++], savepoints);
          break;
        case VALUE:
          change(target as string, 0, this.#before[text++], savepoints);
          break;
        case OTHER:
          if (this.#wholes.has(i)) change(this.#wholes.get(i)!, -1, target, savepoints);
          break;
        default:
          break;
      }
    }
  }

  #undoLast(): void {
    const i = --this.#length;
    const target = this.#targets.pop()!;
    const place = this.#places[i]!;
    switch (this.#kinds[i]) {
      case NUMBER:
        (target as CellTarget).putBack(place, this.#popNumber());
        break;
      case NUMBERS3:
        this.#numberCount -= 3;
        (target as CellTarget).putBack3(
          place,
          this.#numbers[this.#numberCount]!,
          this.#numbers[this.#numberCount + 1]!,
          this.#numbers[this.#numberCount + 2]!,
        );
        break;
      case TEXT:
        (target as CellTarget).putBack(place, this.#before.pop() as string);
        break;
      case ROW:
        (target as RowTarget).takeBackRow();
        break;
      case VALUE:
        this.#state.putBackValue(target as string, this.#before.pop());
        break;
      case OTHER:
        this.shape++;
        this.#wholes.delete(i);
        (target as () => void)();
        break;
      default:
        // A later savepoint: there is nothing to undo.
        this.#popNumber();
        break;
    }
  }

  #add(kind: number, target: Target, place: number): void {
    const i = this.#length++;
    if (i === this.#kinds.length) {
      this.#kinds = grown(this.#kinds, new Uint8Array(i * 2));
      this.#places = grown(this.#places, new Uint32Array(i * 2));
    }
    this.#kinds[i] = kind;
    this.#places[i] = place;
    this.#targets.push(target);
  }

  #pushNumber(number: number): void {
    const i = this.#numberCount++;
    if (i === this.#numbers.length) this.#numbers = grown(this.#numbers, new Float64Array(i * 2));
    this.#numbers[i] = number;
  }

  #popNumber(): number {
    return this.#numbers[--this.#numberCount]!;
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
