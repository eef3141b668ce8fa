import type { ColumnKind, ColumnSpec } from "../state/column.ts";
import type { Axes } from "../axes/axes.ts";
import { type Origin, unsetOrigin } from "../axes/geodesy.ts";
import { scopeOfSet } from "../scope.ts";
import type { EntitySet, MutableEntitySet, MutableState } from "../state/state.ts";
import type { Time, TimeRange } from "../values/time.ts";
import { Turning, turnedSpecs } from "../poses/turned.ts";
import { statesAlong } from "./along.ts";
import { boundsOf, type QuerySource } from "./source.ts";
import {
  joinedKind,
  RowBuilder,
  type TableBatch,
  type TableColumn,
  type ItemKind,
  type RowSource,
} from "./table-cells.ts";
import { LateColumnError } from "./late-column.ts";
import { isAtOrBelow } from "./table-fields.ts";
import type { ThingIds } from "./thing-ids.ts";

const AXES = "xyzw";
const OWN = ["time", "id"];
/** Ids that a refusal names, and one more. */
const SOME = 21;

/** What is asked of a set. */
export interface SetRows extends TimeRange {
  readonly columns: readonly string[] | null;
  readonly ids: readonly (number | string)[] | null;
  readonly every: Time | undefined;
  /** Turned to these; absent: as recorded. */
  readonly axes: Axes | undefined;
  /** Where geodetic things are laid on a plane; absent: at the first place. */
  readonly origin: Origin | undefined;
  /** Columns are those of the first moment with the set; rows that do not fit them fail. */
  readonly isEarly: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Cell `item` of a column of the set, and which column of the table it is. */
interface Cell {
  readonly column: string;
  readonly item: number;
  readonly place: number;
}

/**
 * Goes through the states once for the columns of a set; gives them and what makes rows. Throws `RangeError` for a set, a
 * column or a thing that is not there.
 */
export async function setRows(given: QuerySource, name: string, asked: SetRows): Promise<RowSource> {
  const scope = scopeOfSet(given.reader, name);
  const found =
    scope === null ? null : await rowsIn({ ...given, fold: given.fold.narrowed(scope) }, name, asked, false);
  // null: the error names all sets
  return found ?? (await rowsIn(given, name, asked, true))!;
}

/** Null, unless `mustExist`: there is no such set. */
async function rowsIn(
  source: QuerySource,
  name: string,
  asked: SetRows,
  mustExist: boolean,
): Promise<RowSource | null> {
  const found = new SetColumns(asked.columns, asked.ids);
  const sets = new Set<string>();
  let axes: Axes | null = null;
  let shape = -1;
  for await (const state of statesOf(source, asked)) {
    const set = state.sets.get(name);
    if (set !== undefined) found.meetIds(set.ids);
    if (state.shape !== shape) {
      shape = state.shape;
      for (const one of state.sets.keys()) if (!one.startsWith(".")) sets.add(one);
      axes ??= set?.axes ?? null;
      if (set !== undefined) for (const [column, spec] of specsOf(set, asked)) found.meet(column, spec);
    }
    if (asked.isEarly && sets.has(name)) break;
    if (asked.columns !== null && sets.has(name) && found.lacking === undefined && found.lackingIds.size === 0) break;
  }
  if (!sets.has(name)) {
    if (!mustExist) return null;
    throw new RangeError(`no set ${JSON.stringify(name)}; there are: ${[...sets].join(", ") || "none"}`);
  }
  const { lacking, lackingIds } = found;
  if (lacking !== undefined) {
    const there = [...OWN, ...found.all.map((column) => column.name)].join(", ");
    throw new RangeError(`no column ${JSON.stringify(lacking)}; there are: ${there}`);
  }
  if (lackingIds.size > 0) throw noThing(name, [...lackingIds], found.someIds);
  const { columns, cells } = found.settle();
  return { columns, axes: asked.axes ?? axes, batches: () => rowsOf(source, name, asked, columns, cells, found) };
}

type Specs = readonly (readonly [name: string, spec: ColumnSpec])[];

/** The columns of a set as they are asked for. */
function specsOf({ columns }: MutableEntitySet, { axes }: SetRows): Specs {
  const specs = Array.from(columns, ([column, { spec }]) => [column, spec] as const);
  return [...(axes === undefined ? specs : turnedSpecs(specs))].filter(([name]) => !name.startsWith("."));
}

/** Throws `RangeError`, as `setRows` does when it has read the range, for things that a set has at no time. */
export function mustHaveThings(known: ThingIds, name: string, ids: readonly (number | string)[]): void {
  const there = known.get(name);
  if (there === undefined) return;
  const texts = new Set(Array.from(there, String));
  const lacking = ids.map(String).filter((id) => !texts.has(id));
  if (lacking.length > 0) throw noThing(name, lacking, there);
}

/** `there`: ids that there are, for people: not all need to be named. */
function noThing(name: string, lacking: readonly string[], there: ReadonlySet<number | string>): RangeError {
  const some = [...there].slice(0, SOME - 1).join(", ");
  const text = `${some}${there.size >= SOME ? " …" : ""}` || "none";
  return new RangeError(`nothing in ${name} has the id ${lacking.join(", ")}; there are: ${text}`);
}

async function* rowsOf(
  source: QuerySource,
  name: string,
  asked: SetRows,
  columns: readonly TableColumn[],
  cells: readonly Cell[],
  found: SetColumns,
): AsyncGenerator<TableBatch> {
  const rows = new RowBuilder(columns);
  const wanted = asked.ids === null ? null : wantedBy(asked.ids);
  let shape = -1;
  const turning = asked.axes === undefined ? null : new Turning(asked.axes, { ...(asked.origin ?? unsetOrigin()) });
  for await (const state of statesOf(source, asked)) {
    const current = state.sets.get(name);
    if (current === undefined) continue;
    if (asked.isEarly) {
      const late = found.lateIn(current.ids, state.shape === shape ? [] : specsOf(current, asked));
      shape = state.shape;
      if (late !== null) throw new LateColumnError(late, state.time);
    }
    const recorded = current.freeze();
    const picked = pickedOf(recorded.ids, wanted);
    const set = turning === null ? recorded : turning.turn(recorded, picked);
    for (let from = 0; from < picked.length; ) {
      const some = picked.subarray(from, from + rows.room);
      putRows(rows, state.time, set, some, cells);
      from += some.length;
      if (rows.isFull) yield rows.take();
    }
  }
  if (!rows.isEmpty) yield rows.take();
}

/** Ids as they were given, and as numbers where they are: `"24"` and 24 are the same thing. */
function wantedBy(ids: readonly (number | string)[]): ReadonlySet<number | string> {
  const wanted = new Set(ids);
  for (const id of ids) {
    wanted.add(String(id));
    if (String(Number(id)) === String(id)) wanted.add(Number(id));
  }
  return wanted;
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
  readonly #met = new Map<string, { kind: ItemKind; width: number; unit: string | null }>();
  #hasTextIds = false;
  /** Those asked for that were not met, as texts. */
  readonly lackingIds: Set<string>;
  /** The first of those that were met. */
  readonly someIds: Set<number | string> = new Set();

  constructor(asked: readonly string[] | null, ids: readonly (number | string)[] | null) {
    this.#asked = asked?.filter((name) => !OWN.includes(name)) ?? null;
    this.lackingIds = new Set(ids?.map(String));
  }

  meetIds(ids: readonly (number | string)[]): void {
    for (let i = 0; i < ids.length && !this.#hasTextIds; i++) this.#hasTextIds = typeof ids[i] === "string";
    if (this.lackingIds.size === 0) return;
    for (const id of ids) {
      this.lackingIds.delete(String(id));
      if (this.someIds.size < SOME) this.someIds.add(id);
    }
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

  /** A column that is another than those that were met, or one more that is asked for; null: there is none. */
  lateIn(ids: readonly (number | string)[], specs: Specs): string | null {
    if (!this.#hasTextIds && ids.some((id) => typeof id === "string")) return "id";
    const isAsked = (name: string): boolean =>
      this.#asked?.some((one) => isAtOrBelow(one, name) || isAtOrBelow(name, one)) ?? true;
    const isMet = (name: string, { kind, width }: ColumnSpec): boolean => {
      const met = this.#met.get(name);
      return met?.kind === TABLE_KINDS[kind] && met.width === width;
    };
    return specs.find(([name, spec]) => !isMet(name, spec) && isAsked(name))?.[0] ?? null;
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

const TABLE_KINDS: Readonly<Record<ColumnKind, ItemKind>> = {
  f64: "f64",
  f32: "f32",
  i32: "i32",
  u32: "u32",
  u8: "u8",
  string: "string",
};

/** The state at each time of the range with a message of motion, or of what holds where there is no motion; or at steps. */
export async function* statesOf(
  source: QuerySource,
  asked: TimeRange & Pick<SetRows, "every" | "signal">,
): AsyncGenerator<MutableState> {
  const { every, signal } = asked;
  const bounds = await boundsOf(source, asked);
  if (bounds.start >= bounds.end) return;
  const { motion, holds } = source.reader.state;
  const counts = (channel: number): boolean =>
    motion === null ? holds?.call(source.reader.state, channel) !== false : channel === motion;
  yield* statesAlong(source, { bounds, every, counts, signal });
}
