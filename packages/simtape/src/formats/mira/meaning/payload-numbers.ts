import { type Encoding, ROOM } from "./payload.ts";
import {
  type ByIndex,
  Fixed,
  type FixedLeaf,
  type Leaf,
  List,
  Numbers,
  placesOf,
  Run,
  type Step,
  Steps,
  Text,
  Versioned,
} from "./payload-steps.ts";
import { leastBytes, type ObjectLayout, type Scalar, SCALAR_BYTES, type TypeLayout } from "./types.ts";

/** Makes steps of layouts; what is of fixed width becomes one step. */
class Plan {
  readonly #encoding: Encoding;
  readonly #steps: Step[] = [];
  #size = 0;
  #booleans: number[] = [];
  #found: FixedLeaf[] = [];

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  static of(encoding: Encoding, layout: TypeLayout, leaves: readonly Leaf[]): Steps {
    const plan = new Plan(encoding);
    plan.#add(layout, leaves);
    return plan.#finish();
  }

  #finish(): Steps {
    this.#flush();
    return new Steps(this.#steps);
  }

  #flush(): void {
    if (this.#size > 0) this.#steps.push(new Fixed(this.#size, this.#booleans, this.#found));
    this.#size = 0;
    this.#booleans = [];
    this.#found = [];
  }

  #push(step: Step): void {
    this.#flush();
    this.#steps.push(step);
  }

  #add(layout: TypeLayout, leaves: readonly Leaf[]): void {
    switch (layout.kind) {
      case "scalar":
        if (layout.scalar === "bool") this.#booleans.push(this.#size);
        for (const place of placesOf(leaves)) this.#found.push({ at: this.#size, scalar: layout.scalar, place });
        this.#size += SCALAR_BYTES[layout.scalar];
        return;
      case "string":
        this.#push(new Text());
        return;
      case "buffer":
        this.#push(new Numbers(8, "uint8", byIndex(leaves)));
        return;
      case "raw":
        this.#run("uint8", layout.length, byIndex(leaves));
        return;
      case "vector":
      case "array": {
        const { item } = layout;
        const count = layout.kind === "array" ? layout.length : null;
        if (item.kind !== "scalar" || !isPacked(item.scalar)) this.#list(item, count, byIndex(leaves));
        else if (count === null) this.#push(new Numbers(this.#encoding.countBytes, item.scalar, byIndex(leaves)));
        else this.#run(item.scalar, count, byIndex(leaves));
        return;
      }
      case "map": {
        const [key, value] = [Plan.of(this.#encoding, layout.key, []), Plan.of(this.#encoding, layout.value, [])];
        const least = leastBytes(layout.key) + leastBytes(layout.value);
        this.#push(new List(null, least, new Steps([key, value]), new Map()));
        return;
      }
      case "object":
        this.#object(layout, leaves);
        return;
      default:
        layout satisfies never;
    }
  }

  #run(scalar: Scalar, count: number, wanted: ByIndex): void {
    const width = SCALAR_BYTES[scalar];
    for (const [index, leaves] of wanted) {
      if (index >= count) continue;
      for (const place of placesOf(leaves)) this.#found.push({ at: this.#size + index * width, scalar, place });
    }
    this.#size += count * width;
  }

  #list(item: TypeLayout, count: number | null, wanted: ByIndex): void {
    const special = new Map<number, Steps>();
    for (const [index, leaves] of wanted) special.set(index, Plan.of(this.#encoding, item, leaves));
    this.#push(new List(count, leastBytes(item), Plan.of(this.#encoding, item, []), special));
  }

  #object(layout: ObjectLayout, leaves: readonly Leaf[]): void {
    const { slotBytes, slots, isLatest } = this.#encoding;
    const { fields } = layout;
    const inner = (k: number): Leaf[] => {
      const { name } = fields[k]!;
      if (fields.findLastIndex((field) => field.name === name) !== k) return [];
      return leaves.filter(({ keys }) => String(keys[0]) === name).map(below);
    };
    const hasSlot = slotBytes !== 0 && (layout.isVersioned || slots === "all");
    if (hasSlot && fields.some(({ since }) => since !== undefined)) {
      const parts = fields.map(({ type, since = 0 }, k) => ({ since, steps: Plan.of(this.#encoding, type, inner(k)) }));
      this.#push(new Versioned(slotBytes, parts));
      return;
    }
    if (hasSlot) this.#size += slotBytes;
    for (const [k, { type, since }] of fields.entries())
      if (since === undefined || (isLatest && !hasSlot)) this.#add(type, inner(k));
  }
}

/** Reads numbers from payloads of one layout without making their values. */
export class PayloadNumbers {
  readonly #run: Run;
  readonly #steps: Steps;

  /** Leaves of whose keys `isReadable` says so; their places are 0 to `places` - 1. */
  constructor(layout: TypeLayout, encoding: Encoding, leaves: readonly Leaf[], places: number) {
    this.#run = new Run(encoding, places);
    this.#steps = Plan.of(encoding, layout, leaves);
  }

  /** By place, as read last. */
  get numbers(): Float64Array {
    return this.#run.numbers;
  }

  /**
   * Reads `bytes[start, end)`, of which `view` is one. False: the payload does not have the layout, or it is unusual; the
   * numbers mean nothing then.
   */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    const run = this.#run;
    run.index++;
    run.bytes = bytes;
    run.view = view;
    run.at = start + run.encoding.prefix;
    run.end = end;
    run.room = ROOM;
    return run.at <= end && this.#steps.run(run) && run.at === end;
  }

  /** Whether the payload read last has a number for a place. */
  has(place: number): boolean {
    return this.#run.met[place] === this.#run.index;
  }
}

/** Whether there is never a text at these keys, and no other way to read the number there than by a fixed place in a list. */
export function isReadable(layout: TypeLayout, keys: readonly (string | number)[]): boolean {
  if (keys.length === 0) return layout.kind !== "string";
  const [key, ...rest] = keys;
  switch (layout.kind) {
    case "scalar":
    case "string":
      return true;
    case "map":
      return false;
    case "buffer":
    case "raw":
      return indexOf(key!) >= 0;
    case "vector":
    case "array":
      return indexOf(key!) >= 0 && isReadable(layout.item, rest);
    case "object": {
      const field = layout.fields.findLast(({ name }) => name === String(key));
      return field === undefined || isReadable(field.type, rest);
    }
    default:
      return layout satisfies never;
  }
}

/** Leaves of a list's items by index, with the keys that are left. */
function byIndex(leaves: readonly Leaf[]): ByIndex {
  const found = new Map<number, Leaf[]>();
  for (const leaf of leaves) {
    const index = leaf.keys.length === 0 ? -1 : indexOf(leaf.keys[0]!);
    if (index < 0) continue;
    found.set(index, [...(found.get(index) ?? []), below(leaf)]);
  }
  return found;
}

function below({ keys, place }: Leaf): Leaf {
  return { keys: keys.slice(1), place };
}

/** A key as the index of a list; -1: it is none. */
export function indexOf(key: string | number): number {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && String(index) === String(key) ? index : -1;
}

/** Whether lists of it are arrays of numbers: nothing in them can be wrong. */
function isPacked(scalar: Scalar): boolean {
  return scalar !== "bool" && scalar !== "int64" && scalar !== "uint64";
}
