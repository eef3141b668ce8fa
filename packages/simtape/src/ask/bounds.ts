import type { Extent } from "../model/query/extents.ts";
import type { PathInfo } from "../model/query/listing.ts";
import type { ColumnExtent } from "../model/query/name-facts.ts";
import { pathText } from "../model/state/path.ts";
import type { Crowd, Node } from "./node.ts";

/** Numbers that something has at most: from the least to the greatest. Null: nothing is known. */
type Range = readonly [least: number, greatest: number];

/** Whether something can be true at a time, and whether it can be false; both where nothing is known. */
interface Chance {
  readonly yes: boolean;
  readonly no: boolean;
}

/** What is known of a whole recording. */
export interface Known {
  /** For a part that is read, the extents of all paths that it can stand for; null: not known. */
  readonly extentsOf: (node: Node) => readonly Extent[] | null;
  /** Those of its events; null: not known. */
  readonly kinds: ReadonlySet<string> | null;
  /** Sets that never had a thing. */
  readonly empty: ReadonlySet<string>;
}

/** Whether an expression can be true anywhere in a recording. An answer of false is certain. */
export function canBeTrue(node: Node, known: Known): boolean {
  return new Bounds(known).chance(node).yes;
}

/**
 * Finds the extents of all paths that a part of an expression can stand for among those of columns, and of paths where
 * these are listed.
 */
export function extentsIn(
  paths: readonly Pick<PathInfo, "text" | "extent">[],
  columns: () => readonly ColumnExtent[],
): (node: Node) => readonly Extent[] | null {
  // made when one is looked for
  let byText: ReadonlyMap<string, Extent | null> | null = null;
  let byColumn: ReadonlyMap<string, Extent> | null = null;
  const ofPath = (text: string): Extent | null | undefined => {
    byText ??= new Map(paths.map((one) => [one.text, one.extent]));
    return byText.get(text);
  };
  const ofColumn = (key: string): Extent | undefined => {
    byColumn ??= new Map(columns().map((one) => [columnKey(one.set, one.column, one.item), one]));
    return byColumn.get(key);
  };
  const listOf = (extent: Extent | null | undefined): readonly Extent[] | null =>
    extent === undefined || extent === null ? null : [extent];
  return (node) => {
    if (node.op === "read" && !("variable" in node.path)) return listOf(ofPath(pathText(node.path)));
    if (node.op !== "cell" || node.item === "speed") return null;
    const { of, column, item } = node;
    const whole = listOf(ofColumn(columnKey(of.set, column, item)));
    if (typeof of.id === "object") return whole;
    return listOf(ofPath(pathText({ set: of.set, id: of.id, column, item }))) ?? whole;
  };
}

function columnKey(set: string, column: string, item: number | string | null): string {
  return `${set}/${column}/${item ?? ""}`;
}

class Bounds {
  readonly #extentsOf: (node: Node) => readonly Extent[] | null;

  /** Parts can be shared: each is looked into once. */
  readonly #ranges = new Map<Node, Range | null>();

  readonly #kinds: ReadonlySet<string> | null;
  readonly #empty: ReadonlySet<string>;

  constructor({ extentsOf, kinds, empty }: Known) {
    this.#extentsOf = extentsOf;
    this.#kinds = kinds;
    this.#empty = empty;
  }

  chance(node: Node): Chance {
    switch (node.op) {
      case "constant":
        return { yes: node.value !== 0, no: node.value !== 1 };
      case "apply":
        return this.#chanceOfApply(node);
      case "event":
        return { yes: this.#kinds === null || this.#has(node.kind), no: true };
      case "over":
        if (node.how !== "any" && node.how !== "all") return BOTH;
        // "all" of none is unknown
        return { yes: !this.#isEmpty(node.crowd) && this.chance(node.body).yes, no: true };
      case "for":
      case "near":
        return { yes: this.chance(node.input).yes, no: true };
      default:
        return BOTH;
    }
  }

  #isEmpty(crowd: Crowd): boolean {
    return "set" in crowd && this.#empty.has(crowd.set);
  }

  #has(kind: string | null): boolean {
    return kind === null ? this.#kinds!.size > 0 : this.#kinds!.has(kind);
  }

  #chanceOfApply({ name, inputs }: Node & { op: "apply" }): Chance {
    const [a, b] = inputs as readonly [Node, Node];
    switch (name) {
      case "and": {
        const [x, y] = [this.chance(a), this.chance(b)];
        return { yes: x.yes && y.yes, no: x.no || y.no };
      }
      case "or": {
        const [x, y] = [this.chance(a), this.chance(b)];
        return { yes: x.yes || y.yes, no: x.no && y.no };
      }
      case "not": {
        const { yes, no } = this.chance(a);
        return { yes: no, no: yes };
      }
      case "rising":
      case "falling": {
        const { yes, no } = this.chance(a);
        return { yes: yes && no, no: true };
      }
      case "boolean": {
        const range = this.#range(a);
        return range === null ? BOTH : { yes: range[0] !== 0 || range[1] !== 0, no: range[0] <= 0 && range[1] >= 0 };
      }
      case "<":
      case "<=":
      case ">":
      case ">=":
      case "=":
        return this.#compared(name, a, b);
      default:
        return BOTH;
    }
  }

  #compared(name: "<" | "<=" | ">" | ">=" | "=", left: Node, right: Node): Chance {
    if (left.type !== "number" || right.type !== "number") return BOTH;
    const [x, y] = [this.#range(left), this.#range(right)];
    if (x === null || y === null) return BOTH;
    const [least, greatest] = x;
    switch (name) {
      case "<":
        return { yes: least < y[1], no: greatest >= y[0] };
      case "<=":
        return { yes: least <= y[1], no: greatest > y[0] };
      case ">":
        return { yes: greatest > y[0], no: least <= y[1] };
      case ">=":
        return { yes: greatest >= y[0], no: least < y[1] };
      default:
        return { yes: least <= y[1] && greatest >= y[0], no: true };
    }
  }

  #range(node: Node): Range | null {
    let range = this.#ranges.get(node);
    if (range === undefined) {
      range = this.#rangeIn(node);
      this.#ranges.set(node, range);
    }
    return range;
  }

  #rangeIn(node: Node): Range | null {
    switch (node.op) {
      case "constant":
        return [node.value, node.value];
      case "read":
      case "cell": {
        const extents = this.#extentsOf(node);
        if (extents === null) return null;
        let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        for (const extent of extents) {
          least = Math.min(least, extent.least);
          most = Math.max(most, extent.most);
        }
        return [least, most];
      }
      case "over":
        if (node.how === "count" && this.#isEmpty(node.crowd)) return [0, 0];
        return node.how === "min" || node.how === "max" ? this.#range(node.body) : null;
      case "apply":
        return this.#rangeOfApply(node);
      default:
        return null;
    }
  }

  #rangeOfApply({ name, inputs, k }: Node & { op: "apply" }): Range | null {
    const ranges: Range[] = [];
    for (const input of inputs) {
      const range = input.type === "number" ? this.#range(input) : null;
      if (range === null) return null;
      ranges.push(range);
    }
    const [a, b] = ranges as [Range, Range];
    switch (name) {
      case "scale":
        return sorted([a[0] * k, a[1] * k]);
      case "-":
        return [-a[1], -a[0]];
      case "abs":
        return a[0] <= 0 && a[1] >= 0 ? [0, Math.max(-a[0], a[1])] : sorted([Math.abs(a[0]), Math.abs(a[1])]);
      case "+":
        return [a[0] + b[0], a[1] + b[1]];
      case "minus":
        return [a[0] - b[1], a[1] - b[0]];
      case "*":
        return sorted([a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]]);
      case "min":
        return [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
      case "max":
        return [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
      case "hypot":
        return lengthsOf(ranges);
      default:
        return null;
    }
  }
}

const BOTH: Chance = { yes: true, no: true };
/** What rounding of squares and roots can add. */
const SLACK = 1e-12;

function sorted(numbers: readonly number[]): Range | null {
  if (numbers.some(Number.isNaN)) return null;
  return [Math.min(...numbers), Math.max(...numbers)];
}

function lengthsOf(ranges: readonly Range[]): Range {
  let [least, most] = [0, 0];
  for (const [low, high] of ranges) {
    if (low > 0 || high < 0) least += Math.min(low * low, high * high);
    most += Math.max(low * low, high * high);
  }
  return [Math.sqrt(least) * (1 - SLACK), Math.sqrt(most) * (1 + SLACK)];
}
