import type { ColumnKind, ColumnSpec } from "../column.ts";
import type { Fold } from "../fold.ts";
import { Growth } from "../growth.ts";
import type { Reader } from "../reader.ts";
import type { EntitySet, MutableState } from "../state.ts";
import { after, type Time, type TimeRange } from "../time.ts";
import { joinedKind, RowBuilder, type TableBatch, type TableColumn, type TableKind } from "./table-cells.ts";
import { isAtOrBelow } from "./table-fields.ts";
import type { RowSource } from "./table.ts";

const AXES = "xyzw";
const OWN = ["time", "id"];

/** What is asked of a set. */
export interface SetRows extends TimeRange {
  readonly columns: readonly string[] | null;
  readonly ids: readonly (number | string)[] | null;
  readonly every: Time | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Where states come from. */
export interface StateSource {
  readonly reader: Reader;
  readonly fold: Fold;
}

/** Cell `item` of a column of the set, and which column of the table it is. */
interface Cell {
  readonly column: string;
  readonly item: number;
  readonly place: number;
}

/**
 * Goes through the states once for the columns of a set; gives them and what makes rows. Throws `RangeError` for a set or
 * a column that is not there.
 */
export async function setRows(source: StateSource, name: string, asked: SetRows): Promise<RowSource> {
  const found = new SetColumns(asked.columns);
  const sets = new Set<string>();
  let shape = -1;
  for await (const state of statesOf(source, asked)) {
    const set = state.sets.get(name);
    if (set !== undefined) found.meetIds(set.ids);
    if (state.shape === shape) continue;
    shape = state.shape;
    for (const one of state.sets.keys()) if (!one.startsWith(".")) sets.add(one);
    for (const [column, { spec }] of set?.columns ?? []) if (!column.startsWith(".")) found.meet(column, spec);
    if (asked.columns !== null && found.lacking === undefined) break;
  }
  if (!sets.has(name)) {
    throw new RangeError(`no set ${JSON.stringify(name)}; there are: ${[...sets].join(", ") || "none"}`);
  }
  const { lacking } = found;
  if (lacking !== undefined) {
    const there = [...OWN, ...found.all.map((column) => column.name)].join(", ");
    throw new RangeError(`no column ${JSON.stringify(lacking)}; there are: ${there}`);
  }
  const { columns, cells } = found.settle();
  return { columns, batches: () => rowsOf(source, name, asked, columns, cells) };
}

async function* rowsOf(
  source: StateSource,
  name: string,
  asked: SetRows,
  columns: readonly TableColumn[],
  cells: readonly Cell[],
): AsyncGenerator<TableBatch> {
  const rows = new RowBuilder(columns);
  const wanted = asked.ids === null ? null : new Set(asked.ids);
  for await (const state of statesOf(source, asked)) {
    const set = state.sets.get(name)?.freeze();
    if (set === undefined) continue;
    const picked = pickedOf(set.ids, wanted);
    for (let from = 0; from < picked.length; ) {
      const some = picked.subarray(from, from + rows.room);
      putRows(rows, state.time, set, some, cells);
      from += some.length;
      if (rows.isFull) yield rows.take();
    }
  }
  if (!rows.isEmpty) yield rows.take();
}

/** Rows of the set that are wanted. */
function pickedOf(ids: EntitySet["ids"], wanted: ReadonlySet<number | string> | null): Uint32Array {
  const rows = Uint32Array.from(ids.keys());
  return wanted === null ? rows : rows.filter((row) => wanted.has(ids[row]!));
}

function putRows(
  rows: RowBuilder,
  time: Time,
  { ids, columns }: EntitySet,
  picked: Uint32Array,
  cells: readonly Cell[],
): void {
  const at = rows.begin(picked.length);
  const isText = rows.cells[1]!.column.kind === "string";
  for (let n = 0; n < picked.length; n++) {
    const id = ids[picked[n]!]!;
    rows.put(0, at + n, time);
    rows.put(1, at + n, isText ? String(id) : id);
  }
  for (const { column, item, place } of cells) {
    const found = columns.get(column);
    if (found !== undefined) rows.copy(place, at, found, item, picked);
  }
}

/** The columns that a set has at any time, and what becomes of them in a table. */
class SetColumns {
  readonly #asked: readonly string[] | null;
  readonly #met = new Map<string, { kind: TableKind; width: number; unit: string | null }>();
  #hasTextIds = false;

  constructor(asked: readonly string[] | null) {
    this.#asked = asked?.filter((name) => !OWN.includes(name)) ?? null;
  }

  meetIds(ids: readonly (number | string)[]): void {
    for (let i = 0; i < ids.length && !this.#hasTextIds; i++) this.#hasTextIds = typeof ids[i] === "string";
  }

  meet(name: string, { kind, width, unit }: ColumnSpec): void {
    const known = this.#met.get(name);
    if (known === undefined) this.#met.set(name, { kind: TABLE_KINDS[kind], width, unit });
    else {
      known.kind = joinedKind(known.kind, TABLE_KINDS[kind]);
      known.width = Math.max(known.width, width);
      if (known.unit !== unit) known.unit = null;
    }
  }

  /** The first that was asked for and not met. */
  get lacking(): string | undefined {
    const { all } = this;
    return this.#asked?.find((name) => !all.some((column) => isAtOrBelow(column.name, name)));
  }

  /** All that were met, asked for or not. */
  get all(): TableColumn[] {
    return [...this.#cells()].map(({ column }) => column);
  }

  settle(): { columns: TableColumn[]; cells: Cell[] } {
    const columns: TableColumn[] = [
      { name: "time", unit: "ns", kind: "f64" },
      { name: "id", unit: null, kind: this.#hasTextIds ? "string" : "f64" },
    ];
    const cells: Cell[] = [];
    for (const { column, of, item } of this.#cells()) {
      if (this.#asked !== null && !this.#asked.some((name) => isAtOrBelow(column.name, name))) continue;
      cells.push({ column: of, item, place: columns.length });
      columns.push(column);
    }
    return { columns, cells };
  }

  *#cells(): Generator<{ column: TableColumn; of: string; item: number }> {
    for (const [of, { kind, width, unit }] of this.#met) {
      const units = unit?.split(" ") ?? [];
      for (let item = 0; item < width; item++) {
        const name = width === 1 ? of : `${of}.${AXES[item] ?? item}`;
        yield { column: { name, unit: units.length === width ? units[item]! : unit, kind }, of, item };
      }
    }
  }
}

const TABLE_KINDS: Readonly<Record<ColumnKind, TableKind>> = {
  f64: "f64",
  f32: "f32",
  i32: "i32",
  u32: "u32",
  u8: "u8",
  string: "string",
};

/**
 * The state at each time of the range with a message of motion, or of anything where the format has no motion; or at each
 * step of `every`. It is always the same one, and is not to be changed.
 */
async function* statesOf(
  { reader, fold }: StateSource,
  { start, end, every, signal }: SetRows,
): AsyncGenerator<MutableState> {
  const model = reader.state;
  const timeline = await reader.timeline();
  const from = start ?? timeline.start;
  const until = end ?? after(timeline.end);
  const state = from > timeline.start ? await fold.at(Math.ceil(from) - 1, signal) : fold.begin();
  const growth = new Growth(reader.budget);
  const holding = reader.channels.filter(({ id }) => model.holds?.(id) !== false);
  const channels = holding.length === reader.channels.length ? undefined : holding;
  let reached: Time | null = null;
  let isMoment = false;
  let step = 0;
  const stepAt = (n: number): Time => from + n * (every ?? 0);
  for await (const batch of reader.batches({ start: from, end: until, channels, signal })) {
    const { time, channel, length } = batch;
    for (let i = 0; i < length; ) {
      const next = time[i]!;
      if (every !== undefined) {
        for (; stepAt(step) < next; step++) {
          state.time = stepAt(step);
          yield state;
        }
      } else if (reached !== null && next > reached && isMoment) {
        state.time = reached;
        yield state;
        isMoment = false;
      }
      const last = every === undefined ? next : stepAt(step);
      let to = i;
      for (; to < length && time[to]! <= last; to++) {
        if (model.motion === null || channel[to] === model.motion) isMoment = true;
      }
      growth.apply(model, state, batch, i, to);
      reached = time[to - 1]!;
      i = to;
    }
  }
  if (every !== undefined) {
    for (; stepAt(step) < until; step++) {
      signal?.throwIfAborted();
      state.time = stepAt(step);
      yield state;
    }
  } else if (reached !== null && isMoment) {
    state.time = reached;
    yield state;
  }
}
