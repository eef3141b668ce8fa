import type { Recording, State } from "../../src/index.ts";

/**
 * Expressions of the tests, each with its text, and an evaluator that goes by the words of docs/ask.md alone: at every time
 * it looks into whole states. It shares nothing with `src/ask`.
 */
export type Term =
  | { readonly op: "number"; readonly text: string; readonly value: number }
  | {
      readonly op: "cell";
      readonly text: string;
      readonly set: string;
      readonly id: number | string | null;
      readonly column: string;
      readonly item: number;
    }
  | { readonly op: "value"; readonly text: string; readonly path: string }
  | { readonly op: "derivative"; readonly text: string; readonly of: Term; readonly moments: readonly number[] }
  | { readonly op: "abs" | "negative"; readonly text: string; readonly of: Term }
  | { readonly op: "+" | "-" | "*" | "min" | "max"; readonly text: string; readonly a: Term; readonly b: Term }
  | { readonly op: "count"; readonly text: string; readonly set: string; readonly body: Claim };

export type Claim =
  | { readonly op: "<" | "<=" | ">" | ">=" | "=" | "!="; readonly text: string; readonly a: Term; readonly b: Term }
  | { readonly op: "and" | "or"; readonly text: string; readonly a: Claim; readonly b: Claim }
  | { readonly op: "not"; readonly text: string; readonly of: Claim }
  | { readonly op: "any" | "all"; readonly text: string; readonly set: string; readonly body: Claim }
  | { readonly op: "for"; readonly text: string; readonly of: Claim; readonly time: number }
  | {
      readonly op: "within";
      readonly text: string;
      readonly of: Claim;
      readonly edge: "rising" | "falling";
      readonly other: Claim;
      readonly time: number;
    };

type Interval = readonly [from: number, until: number];

export class Naive {
  readonly #times: readonly number[];
  readonly #states: readonly State[];
  readonly #end: number;
  readonly #kept = new Map<string, readonly Interval[]>();

  private constructor(times: readonly number[], states: readonly State[], end: number) {
    this.#times = times;
    this.#states = states;
    this.#end = end;
  }

  static async of(recording: Recording, start: number, end: number): Promise<Naive> {
    const states = [await recording.state(start)];
    const times = [start];
    for await (const state of recording.states({ start, end })) {
      if (state.time === times[0]) continue;
      times.push(state.time);
      states.push(state);
    }
    return new Naive(times, states, end);
  }

  /** When it is true. */
  intervals(claim: Claim, thing: number | string | null = null): readonly Interval[] {
    const key = `${claim.text} ${thing}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const found: [number, number][] = [];
    let open: number | null = null;
    for (const time of this.#critical(claim, thing)) {
      const isTrue = this.truth(claim, time, thing) === true;
      if (isTrue && open === null) open = time;
      if (!isTrue && open !== null) {
        found.push([open, time]);
        open = null;
      }
    }
    if (open !== null) found.push([open, this.#end]);
    this.#kept.set(key, found);
    return found;
  }

  /** Null: unknown. */
  truth(claim: Claim, time: number, thing: number | string | null): boolean | null {
    switch (claim.op) {
      case "and": {
        const [a, b] = [this.truth(claim.a, time, thing), this.truth(claim.b, time, thing)];
        if (a === false || b === false) return false;
        return a === null || b === null ? null : true;
      }
      case "or": {
        const [a, b] = [this.truth(claim.a, time, thing), this.truth(claim.b, time, thing)];
        if (a === true || b === true) return true;
        return a === null || b === null ? null : false;
      }
      case "not": {
        const of = this.truth(claim.of, time, thing);
        return of === null ? null : !of;
      }
      case "any":
      case "all": {
        const all = this.#things(claim.set, time).map((id) => this.truth(claim.body, time, id));
        if (claim.op === "any") return all.includes(true) ? true : all.includes(null) ? null : false;
        if (all.includes(false)) return false;
        return all.length === 0 || all.includes(null) ? null : true;
      }
      case "for":
        return this.intervals(claim.of, thing).some(
          ([from, until]) => until - from >= claim.time && from <= time && time < until,
        );
      case "within": {
        const near = this.#edges(claim.other, claim.edge, thing).some(
          (at) => at - claim.time <= time && time < at + claim.time,
        );
        const of = this.truth(claim.of, time, thing);
        return of === true ? near : near ? of : false;
      }
      default: {
        const [a, b] = [this.number(claim.a, time, thing), this.number(claim.b, time, thing)];
        if (Number.isNaN(a) || Number.isNaN(b)) return null;
        switch (claim.op) {
          case "<":
            return a < b;
          case "<=":
            return a <= b;
          case ">":
            return a > b;
          case ">=":
            return a >= b;
          case "=":
            return a === b;
          default:
            return a !== b;
        }
      }
    }
  }

  number(term: Term, time: number, thing: number | string | null): number {
    switch (term.op) {
      case "number":
        return term.value;
      case "value": {
        let part: unknown = this.#at(time).values.get(term.path);
        if (typeof part === "boolean") part = Number(part);
        return typeof part === "number" && Number.isFinite(part) ? part : Number.NaN;
      }
      case "cell": {
        const set = this.#at(time).sets.get(term.set);
        const row = set?.ids.indexOf(term.id ?? thing!) ?? -1;
        const column = set?.columns.get(term.column);
        if (row < 0 || column === undefined) return Number.NaN;
        const found = Number(column.data[row * column.width + term.item]);
        return Number.isFinite(found) ? found : Number.NaN;
      }
      case "derivative": {
        const before = term.moments.filter((moment) => moment <= time);
        const [last, now] = before.slice(-2);
        if (now === undefined) return Number.NaN;
        return ((this.number(term.of, now, thing) - this.number(term.of, last!, thing)) / (now - last!)) * 1e9;
      }
      case "abs":
        return Math.abs(this.number(term.of, time, thing));
      case "negative":
        return -this.number(term.of, time, thing);
      case "count":
        return this.#things(term.set, time).filter((id) => this.truth(term.body, time, id) === true).length;
      default: {
        const [a, b] = [this.number(term.a, time, thing), this.number(term.b, time, thing)];
        if (term.op === "+") return a + b;
        if (term.op === "-") return a - b;
        if (term.op === "*") return a * b;
        return Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : term.op === "min" ? Math.min(a, b) : Math.max(a, b);
      }
    }
  }

  /** Times at which something may change. */
  #critical(claim: Claim, thing: number | string | null): readonly number[] {
    const times = new Set(this.#times);
    const visit = (part: Claim | Term, of: number | string | null): void => {
      if (part.op === "within") {
        for (const at of this.#edges(part.other, part.edge, of)) {
          for (const time of [at - part.time, at + part.time])
            if (time > this.#times[0]! && time < this.#end) times.add(time);
        }
      }
      if ("body" in part) for (const id of this.#all(part.set)) visit(part.body, id);
      for (const inner of ["a", "b", "of", "other"] as const) {
        if (inner in part) visit((part as unknown as Record<string, Claim>)[inner]!, of);
      }
    };
    visit(claim, thing);
    return [...times].sort((a, b) => a - b);
  }

  #edges(claim: Claim, edge: "rising" | "falling", thing: number | string | null): readonly number[] {
    const found: number[] = [];
    let before: boolean | null = null;
    for (const time of this.#critical(claim, thing)) {
      const now = this.truth(claim, time, thing);
      if (now !== null && before !== null && now !== before && now === (edge === "rising")) found.push(time);
      before = now;
    }
    return found;
  }

  #at(time: number): State {
    let low = 0;
    let high = this.#times.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! <= time) low = middle;
      else high = middle;
    }
    return this.#states[low]!;
  }

  #things(set: string, time: number): readonly (number | string)[] {
    return this.#at(time).sets.get(set)?.ids ?? [];
  }

  #all(set: string): readonly (number | string)[] {
    return [...new Set(this.#states.flatMap((state) => state.sets.get(set)?.ids ?? []))];
  }
}
