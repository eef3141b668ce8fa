import { readPath } from "../model/query/probe.ts";
import type { Series } from "../model/query/sinks.ts";
import type { State } from "../model/state/state.ts";
import { AskError } from "./error.ts";
import * as kernels from "./kernels.ts";
import type { Clock, Instruction, Load, Program } from "./program.ts";
import type { Rows } from "./rows.ts";
import { fillSpans, type Spans } from "./spans.ts";

/** Different texts that one question compares. */
const MOST_TEXTS = 1 << 20;

/** Runs the instructions of a program over one batch of rows after the other. */
export class Machine {
  readonly #program: Program;
  readonly #spans: readonly Spans[];
  readonly #registers: Float64Array[];
  /** Of registers that are the machine's own; a series takes the place of others. */
  readonly #own: (Float64Array | null)[];
  readonly #memories: kernels.Memory[];
  readonly #spanAt: number[];
  /** What each path was last: the number, the place of its text, and whether it was there. */
  readonly #lastNumber: Float64Array;
  readonly #lastWords: Float64Array;
  readonly #wasThere: Uint8Array;
  readonly #texts: string[] = [];
  readonly #placeOf = new Map<string, number>();
  readonly #fitting: number[][];

  /** `before` is the state that holds when the first row begins. */
  constructor(program: Program, spans: readonly Spans[], before: State) {
    this.#program = program;
    this.#spans = spans;
    const { loads, paths, instructions } = program;
    this.#registers = loads.map(() => NOTHING);
    this.#own = loads.map(() => null);
    this.#memories = instructions.map(() => kernels.memory());
    this.#fitting = instructions.map(() => []);
    this.#spanAt = program.spans.map(() => 0);
    this.#lastNumber = new Float64Array(paths.length).fill(Number.NaN);
    this.#lastWords = new Float64Array(paths.length).fill(Number.NaN);
    this.#wasThere = new Uint8Array(paths.length);
    for (const [i, path] of paths.entries()) {
      const found = readPath(before, path);
      if (found === undefined) continue;
      this.#wasThere[i] = 1;
      if (typeof found === "string") this.#lastWords[i] = this.#place(found);
      else this.#lastNumber[i] = finite(Number(found));
    }
  }

  register(index: number): Float64Array {
    return this.#registers[index]!;
  }

  text(place: number): string {
    return this.#texts[place]!;
  }

  run(rows: Rows, series: readonly Series[]): void {
    const { loads, instructions } = this.#program;
    for (let r = 0; r < loads.length; r++) {
      const load = loads[r]!;
      if (load !== null) this.#load(load, r, rows, series);
    }
    const clock = this.#clocks(rows);
    const { length } = rows;
    for (let at = 0; at < instructions.length; at++) this.#do(instructions[at]!, at, rows, clock, length);
    this.#keep(series);
  }

  #out(register: number, length: number): Float64Array {
    let own = this.#own[register] ?? null;
    if (own === null || own.length < length) {
      own = new Float64Array(Math.max(length, MIN_ROWS));
      this.#own[register] = own;
    }
    this.#registers[register] = own;
    return own;
  }

  #load(load: Load, register: number, rows: Rows, series: readonly Series[]): void {
    const { length } = rows;
    switch (load.kind) {
      case "constant":
      case "text": {
        const before = this.#own[register];
        const out = this.#out(register, length);
        if (out !== before) out.fill(load.kind === "constant" ? load.value : this.#place(load.text));
        return;
      }
      case "spans": {
        const out = this.#out(register, length);
        const spans = this.#spans[load.spans]!;
        this.#spanAt[load.spans] = fillSpans(spans, rows.time, length, out, this.#spanAt[load.spans]!);
        return;
      }
      case "number":
        this.#numbers(load.path, register, rows, series[load.path]!);
        return;
      case "words":
        this.#words(load.path, this.#out(register, length), rows, series[load.path]!);
        return;
      case "there": {
        const out = this.#out(register, length);
        const { valid } = series[load.path]!;
        const { place, isWhole } = rows.groups[rows.groupOf[load.path]!]!;
        const before = this.#wasThere[load.path]!;
        if (isWhole) for (let i = 0; i < length; i++) out[i] = valid[i]!;
        else for (let i = 0; i < length; i++) out[i] = place[i]! < 0 ? before : valid[place[i]!]!;
        return;
      }
      default:
        load satisfies never;
    }
  }

  #numbers(path: number, register: number, rows: Rows, { value, texts }: Series): void {
    const { place, isWhole } = rows.groups[rows.groupOf[path]!]!;
    if (texts !== null) {
      this.#out(register, rows.length).fill(Number.NaN, 0, rows.length);
      return;
    }
    // the values are ours: see `Series`
    for (let i = 0; i < value.length; i++) value[i] = finite(value[i]!);
    if (isWhole) {
      this.#registers[register] = value;
      return;
    }
    const out = this.#out(register, rows.length);
    const before = this.#lastNumber[path]!;
    for (let i = 0; i < rows.length; i++) out[i] = place[i]! < 0 ? before : value[place[i]!]!;
  }

  #words(path: number, out: Float64Array, rows: Rows, { value, valid, texts }: Series): void {
    const { place, isWhole } = rows.groups[rows.groupOf[path]!]!;
    const places = texts?.map((text) => this.#place(text)) ?? [];
    const before = this.#lastWords[path]!;
    for (let i = 0; i < rows.length; i++) {
      const k = isWhole ? i : place[i]!;
      if (k < 0) out[i] = before;
      else out[i] = texts !== null && valid[k] === 1 ? (places[value[k]!] ?? Number.NaN) : Number.NaN;
    }
  }

  /** By what follows this batch what held last is needed. */
  #keep(series: readonly Series[]): void {
    for (let p = 0; p < series.length; p++) {
      const { value, valid, texts } = series[p]!;
      const k = value.length - 1;
      if (k < 0) continue;
      this.#wasThere[p] = valid[k]!;
      this.#lastNumber[p] = texts === null ? value[k]! : Number.NaN;
      this.#lastWords[p] = texts !== null && valid[k] === 1 ? this.#place(texts[value[k]!]!) : Number.NaN;
    }
  }

  /** Gives the rows that are moments of a clock. */
  #clocks(rows: Rows): (clock: Clock) => Uint8Array {
    const momentsOf = this.#momentsIn(rows);
    return ({ paths, others }) => {
      if (others.length === 0) return momentsOf(paths);
      const fresh = momentsOf(paths).slice();
      for (const { instead, paths: more } of others) {
        const known = this.#registers[instead]!;
        const of = momentsOf(more);
        for (let i = 0; i < rows.length; i++) if (of[i] === 1 && Number.isNaN(known[i]!)) fresh[i] = 1;
      }
      return fresh;
    };
  }

  /** Gives, for paths, the rows that are moments of one of them. */
  #momentsIn(rows: Rows): (paths: readonly number[]) => Uint8Array {
    const known = new Map<string, Uint8Array>();
    return (paths) => {
      const groups = [...new Set(paths.map((path) => rows.groupOf[path]!))].sort((a, b) => a - b);
      if (groups.length === 1) return rows.groups[groups[0]!]!.fresh;
      const key = groups.join(" ");
      const found = known.get(key);
      if (found !== undefined) return found;
      const fresh = new Uint8Array(rows.length);
      for (const group of groups) {
        const of = rows.groups[group]!.fresh;
        for (let i = 0; i < rows.length; i++) if (of[i] === 1) fresh[i] = 1;
      }
      known.set(key, fresh);
      return fresh;
    };
  }

  #do(
    { name, out: register, inputs, present, k, text, clock }: Instruction,
    at: number,
    rows: Rows,
    freshOf: (clock: Clock) => Uint8Array,
    n: number,
  ): void {
    const out = this.#out(register, n);
    const registers = this.#registers;
    const a = registers[inputs[0] ?? 0]!;
    const kept = this.#memories[at]!;
    switch (name) {
      case "scale":
        kernels.scale(a, k, out, n);
        break;
      case "-":
      case "abs":
      case "acos":
      case "not":
      case "boolean":
      case "known":
        kernels.one(name, a, out, n);
        break;
      case "hypot":
        kernels.hypot(this.#all(inputs), out, n);
        break;
      case "like":
        kernels.like(a, text, this.#texts, this.#fitting[at]!, out, n);
        break;
      case "rising":
        kernels.edges(a, 1, kept, out, n);
        break;
      case "falling":
        kernels.edges(a, 0, kept, out, n);
        break;
      case "changed":
        kernels.edges(a, Number.NaN, kept, out, n);
        break;
      case "derivative":
        kernels.derivative(a, rows.time, freshOf(clock), kept, out, n);
        break;
      case "still":
        kernels.still(this.#all(inputs), k, freshOf(clock), kept, out, n);
        break;
      case "any":
      case "all":
      case "count":
        kernels.overBooleans(name, this.#all(inputs), this.#all(present), out, n);
        break;
      case "least":
      case "greatest":
      case "sum":
        kernels.overNumbers(name, this.#all(inputs), this.#all(present), out, n);
        break;
      case "who-least":
      case "who-greatest":
        kernels.which(name === "who-least", this.#all(inputs), this.#all(present), out, n);
        break;
      default:
        kernels.two(name, a, registers[inputs[1]!]!, out, n);
    }
  }

  #all(registers: readonly number[]): readonly Float64Array[] {
    return registers.map((register) => this.#registers[register]!);
  }

  #place(text: string): number {
    const known = this.#placeOf.get(text);
    if (known !== undefined) return known;
    if (this.#texts.length === MOST_TEXTS)
      throw new AskError("limit", `more than ${MOST_TEXTS} different texts`, { offset: 0, length: 1 });
    this.#placeOf.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }
}

/** A number that is infinite is as unknown as NaN. */
function finite(number: number): number {
  return Number.isFinite(number) ? number : Number.NaN;
}

const MIN_ROWS = 64;
const NOTHING = new Float64Array(0);
