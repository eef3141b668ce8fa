import type { ItemKind, TableList } from "../model/query/table-cells.ts";
import type { Value } from "../model/values/value.ts";
import { int64Of, itemOf } from "./row-cells.ts";
import { isWhole, type RowCells, type RowColumn } from "./rows.ts";

/** An array of a column in a file of arrays. */
export interface NpyArray {
  readonly name: string;
  /** What stands before the numbers: type and shape. */
  readonly head: Uint8Array;
  /** Bytes of all its numbers. */
  readonly size: number;
  /** The bytes of a batch, in pieces. */
  readonly piecesOf: (cells: RowCells) => Iterable<Uint8Array>;
}

/** Bytes of a column of texts at most: each takes as much room as the longest. */
const MOST_TEXT = 2 ** 30;
/** Bytes of a letter: a code point of 32 bits. */
const LETTER = 4;
/** Letters of texts that are one piece, about. */
const PIECE_LETTERS = 1 << 18;

/** What is in an array: how NumPy calls it, and the bytes of one. */
interface Scalar {
  readonly type: string;
  readonly bytes: number;
}

const SCALARS: Readonly<Record<Exclude<ItemKind, "string">, Scalar>> = {
  f64: { type: "<f8", bytes: 8 },
  f32: { type: "<f4", bytes: 4 },
  i32: { type: "<i4", bytes: 4 },
  u32: { type: "<u4", bytes: 4 },
  u8: { type: "|u1", bytes: 1 },
  bool: { type: "|b1", bytes: 1 },
  bigint: { type: "<i8", bytes: 8 },
};
const INT64 = SCALARS.bigint;
const UTC: Scalar = { type: "<M8[us]", bytes: 8 };

/**
 * The arrays of one column: first every cell is met, then the shapes are known.
 *
 * Numbers, times and booleans are one array. Texts are of fixed width, that of the longest. Lists that are all of one
 * length are an array of two dimensions; others are all items one behind the other, with `NAME.lengths`. Where cells are
 * missing and no NaN says so, `NAME.valid` is false for them.
 */
export class ColumnArrays {
  readonly #column: RowColumn;
  #missing = 0;
  #items = 0;
  /** Length of every list so far; null: none came; -1: they differ. */
  #length: number | null = null;
  /** Letters of the longest text. */
  #letters = 0;

  constructor(column: RowColumn) {
    this.#column = column;
  }

  meet(cells: RowCells): void {
    const { kind, data, valid } = cells;
    const isListed = kind === "list";
    const isText = this.#itemKind === "string";
    for (let row = 0; row < valid.length; row++) {
      if (valid[row] === 0) this.#missing++;
      if (isListed) this.#meetList(data[row] as TableList);
      else if (isText) this.#letters = Math.max(this.#letters, lettersIn(data[row] as string));
    }
  }

  /** The arrays of so many rows. Throws `RangeError` where texts would take too much room. */
  arrays(name: string, rows: number): readonly NpyArray[] {
    const isListed = this.#column.kind === "list";
    const isRagged = isListed && this.#length === -1;
    const count = isListed ? this.#items : rows;
    const scalar = this.#scalar(count);
    const shape = !isListed ? [rows] : isRagged ? [count] : [rows, this.#length ?? 0];
    const main: NpyArray = {
      name,
      head: npyHead(scalar.type, shape),
      size: count * scalar.bytes,
      piecesOf: (cells) => this.#piecesOf(cells),
    };
    const more: NpyArray[] = [];
    if (isRagged)
      more.push({ name: `${name}.lengths`, head: npyHead("<i8", [rows]), size: 8 * rows, piecesOf: lengthsOf });
    if (this.#missing > 0 && !this.#isFloat)
      more.push({ name: `${name}.valid`, head: npyHead("|b1", [rows]), size: rows, piecesOf: ({ valid }) => [valid] });
    return [main, ...more];
  }

  get #itemKind(): ItemKind {
    const { kind, items = "string" } = this.#column;
    return kind === "list" ? items : kind;
  }

  /** Whether a cell that is missing is NaN. */
  get #isFloat(): boolean {
    const { kind } = this.#column;
    return (kind === "f64" || kind === "f32") && !isWhole(this.#column) && this.#column.isUtc !== true;
  }

  #scalar(count: number): Scalar {
    if (this.#column.isUtc === true) return UTC;
    if (isWhole(this.#column)) return INT64;
    const kind = this.#itemKind;
    if (kind !== "string") return SCALARS[kind];
    const letters = Math.max(1, this.#letters);
    if (count * letters * LETTER > MOST_TEXT)
      throw new RangeError(
        `column ${this.#column.name} has texts of up to ${letters} letters, and npz gives all ${count} as much room: leave it out with --columns, or export to parquet`,
      );
    return { type: `<U${letters}`, bytes: letters * LETTER };
  }

  #meetList(list: TableList): void {
    this.#items += list.length;
    this.#length = this.#length === null || this.#length === list.length ? list.length : -1;
    if (this.#itemKind !== "string") return;
    for (const item of list as ArrayLike<Value> & Iterable<Value>)
      this.#letters = Math.max(this.#letters, lettersIn(textOf(item, this.#column.name)));
  }

  #piecesOf(cells: RowCells): Iterable<Uint8Array> {
    const { kind, data, name } = cells;
    const letters = Math.max(1, this.#letters);
    if (kind === "string") return textPieces(data as readonly Value[], letters, name);
    if (kind === "list" && this.#itemKind === "string") {
      return textPieces(itemsIn(data as readonly TableList[]), letters, name);
    }
    return [this.#bytesOf(cells)];
  }

  #bytesOf(cells: RowCells): Uint8Array {
    const { kind, data, name } = cells;
    if (cells.isUtc === true || isWhole(cells)) return bytesOf(int64Of(data as Float64Array));
    if (kind === "list") return this.#listBytes(data as readonly TableList[], name);
    if (kind === "bigint") return this.#itemBytes(data as readonly Value[], name);
    return bytesOf(data as Float64Array);
  }

  #listBytes(lists: readonly TableList[], name: string): Uint8Array {
    const kind = this.#itemKind;
    if (kind !== "f64" && kind !== "f32") return this.#itemBytes(itemsIn(lists), name);
    const length = lists.reduce((sum, list) => sum + list.length, 0);
    const numbers = kind === "f64" ? new Float64Array(length) : new Float32Array(length);
    let at = 0;
    for (const list of lists) {
      if (ArrayBuffer.isView(list)) numbers.set(list as Float64Array, at);
      else for (let k = 0; k < list.length; k++) numbers[at + k] = numberOf(list[k] as Value);
      at += list.length;
    }
    return bytesOf(numbers);
  }

  #itemBytes(items: readonly Value[], name: string): Uint8Array {
    // texts come in pieces
    const kind = this.#itemKind as Exclude<ItemKind, "string">;
    switch (kind) {
      case "bigint":
        return bytesOf(BigInt64Array.from(items, (item) => (itemOf(item, "bigint", name) ?? 0n) as bigint));
      case "f64":
        return bytesOf(Float64Array.from(items, numberOf));
      case "f32":
        return bytesOf(Float32Array.from(items, numberOf));
      case "i32":
        return bytesOf(Int32Array.from(items, numberOf));
      case "u32":
        return bytesOf(Uint32Array.from(items, numberOf));
      case "u8":
      case "bool":
        return Uint8Array.from(items, numberOf);
      default:
        return kind satisfies never;
    }
  }
}

/**
 * Magic, version 1.0, length, and a literal of Python that is padded with spaces up to a multiple of 64 bytes, the last of
 * them an end of line (NumPy, `numpy.lib.format`).
 */
function npyHead(type: string, shape: readonly number[]): Uint8Array {
  const dimensions = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const literal = `{'descr': '${type}', 'fortran_order': False, 'shape': (${dimensions}), }`;
  const length = Math.ceil((10 + literal.length + 1) / 64) * 64;
  const head = new TextEncoder().encode(`.NUMPY....${literal}`.padEnd(length - 1, " ").concat("\n"));
  head[0] = 0x93;
  head.set([1, 0, (length - 10) & 0xff, (length - 10) >> 8], 6);
  return head;
}

/** Letters as NumPy counts them: code points. */
function lettersIn(text: string): number {
  let letters = text.length;
  for (let k = 0; k < text.length; k++) if (text.codePointAt(k)! > 0xffff) letters--;
  return letters;
}

function itemsIn(lists: readonly TableList[]): Value[] {
  return lists.flatMap((list) => Array.from(list as ArrayLike<Value>));
}

/** Texts of fixed width, with zeros behind them. */
function* textPieces(items: readonly Value[], letters: number, name: string): Generator<Uint8Array> {
  const rows = Math.max(1, Math.floor(PIECE_LETTERS / letters));
  for (let from = 0; from < items.length; from += rows) {
    const some = items.slice(from, from + rows);
    const points = new Uint32Array(some.length * letters);
    some.forEach((item, k) => {
      let at = k * letters;
      for (const letter of textOf(item, name)) points[at++] = letter.codePointAt(0)!;
    });
    yield bytesOf(points);
  }
}

function textOf(item: Value, name: string): string {
  return (itemOf(item, "string", name) as string | null) ?? "";
}

/** NaN where an item is missing: 0 among whole numbers. */
function numberOf(item: Value): number {
  return item === null ? Number.NaN : Number(item);
}

function lengthsOf({ data }: RowCells): readonly Uint8Array[] {
  return [bytesOf(BigInt64Array.from(data as readonly TableList[], (list) => BigInt(list.length)))];
}

/** As they are in memory: NumPy is said that it is little-endian, and so is every machine. */
function bytesOf(numbers: ArrayBufferView): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
