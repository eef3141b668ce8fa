import { pathText, type SeriesPath } from "../model/state/path.ts";
import type { Catalog } from "./catalog.ts";
import type { Checked } from "./check.ts";
import { AskError } from "./error.ts";
import type { Crowd, Measure, Node, Thing, Variable } from "./node.ts";
import type { Clock, Instruction, Load, Program, Root, SpanSource } from "./program.ts";
import { fits, isPattern } from "./wildcard.ts";

/** Instructions and registers of an expression: things times what is asked of each. */
const MOST = 200_000;

const NO_CLOCK: Clock = { paths: [], others: [] };

/** What variables stand for. */
type Bound = ReadonlyMap<number, Element>;

type Element = { readonly set: string; readonly id: number | string } | { readonly path: SeriesPath };

/**
 * Programs that answer an expression, in the order in which they run: each goes through the recording once. What is within
 * `for` and `within` runs before what uses it; most expressions are one program. `isValue`: its values are wanted, moment
 * by moment, and not its answers. Throws `AskError`, code `limit`.
 */
export function compile(checked: Checked, catalog: Catalog, isValue = false): readonly Program[] {
  const compiler = new Compiler(catalog, isValue);
  const { each, node, measure } = checked;
  if (each === null) compiler.answer(node, measure, new Map(), null);
  else {
    for (const element of compiler.elements(each.crowd)) {
      compiler.answer(node, measure, new Map([[each.variable, element]]), labelOf(element));
    }
  }
  return compiler.programs();
}

class Compiler {
  readonly #catalog: Catalog;
  readonly #isValue: boolean;
  /** The first runs first. */
  readonly #builders: Builder[] = [];
  readonly #levels = new Map<Node, number>();
  #count = 0;

  constructor(catalog: Catalog, isValue: boolean) {
    this.#catalog = catalog;
    this.#isValue = isValue;
  }

  programs(): readonly Program[] {
    return this.#builders.map((builder) => builder.program());
  }

  /** What is true is an answer. A `for` about all of it only leaves answers out: it needs no program of its own. */
  answer(node: Node, measure: Measure | null, bound: Bound, label: string | null): void {
    const isFor = node.op === "for" && !this.#isValue;
    const asked = isFor ? node.input : node;
    const level = Math.max(this.#levelOf(asked), measure === null ? 0 : this.#levelOf(measure.node));
    const builder = this.#builder(level);
    const register = this.#node(asked, level, bound);
    const measured = measure === null ? null : this.#measure(measure, level, bound);
    builder.roots.push({
      ...{ register, isInstant: asked.type === "instant", least: isFor ? node.time : 0, label },
      measure: measured?.register ?? -1,
      who: measured?.who ?? -1,
      isLeast: measure?.how === "min",
      scale: measure === null ? 1 : measure.node.unit.factor / measure.unit.factor,
      things: measured?.things ?? [],
    });
  }

  *elements(crowd: Crowd): Generator<Element> {
    if ("paths" in crowd) {
      for (const path of crowd.paths) yield { path };
      return;
    }
    const { set, picks } = crowd;
    for (const id of this.#catalog.idsOf(set)) {
      const text = String(id);
      const isPicked =
        picks === null ||
        picks.some((pick) => (isPattern(String(pick)) ? fits(text, String(pick)) : String(pick) === text));
      if (isPicked) yield { set, id };
    }
  }

  #builder(level: number): Builder {
    while (this.#builders.length <= level) this.#builders.push(new Builder());
    return this.#builders[level]!;
  }

  /** How many programs have to run before. */
  #levelOf(node: Node): number {
    const known = this.#levels.get(node);
    if (known !== undefined) return known;
    const level = this.#levelIn(node);
    this.#levels.set(node, level);
    return level;
  }

  #levelIn(node: Node): number {
    switch (node.op) {
      case "apply":
        return node.inputs.reduce((most, input) => Math.max(most, this.#levelOf(input)), 0);
      case "over":
        return this.#levelOf(node.body);
      case "for":
      case "near":
        return this.#levelOf(node.input) + 1;
      default:
        return 0;
    }
  }

  #measure(
    { node }: Measure,
    level: number,
    bound: Bound,
  ): { readonly register: number; readonly who: number; readonly things: readonly string[] } {
    const register = this.#node(node, level, bound);
    if (node.op !== "over" || (node.how !== "min" && node.how !== "max")) return { register, who: -1, things: [] };
    const { inputs, present, things } = this.#crowd(node, level, bound);
    const name = node.how === "min" ? "who-least" : "who-greatest";
    const who = this.#builder(level).emit(name, inputs, { present });
    return { register, who, things };
  }

  #crowd(
    node: Node & { op: "over" },
    level: number,
    bound: Bound,
  ): { readonly inputs: number[]; readonly present: number[]; readonly things: string[] } {
    const inputs: number[] = [];
    const present: number[] = [];
    const things: string[] = [];
    const builder = this.#builder(level);
    for (const element of this.elements(node.crowd)) {
      const inner = new Map([...bound, [node.variable, element]]);
      inputs.push(this.#node(node.body, level, inner));
      const path = "path" in element ? element.path : this.#presence(element.set, element.id, node.column);
      present.push(builder.load({ kind: "there", path: builder.path(path) }));
      things.push(labelOf(element));
      this.#count += 2;
      if (this.#count > MOST)
        throw new AskError(
          "limit",
          "too many things for one expression: name those that matter, as in vehicles[1, 2]",
          { offset: 0, length: 1 },
        );
    }
    return { inputs, present, things };
  }

  #node(node: Node, level: number, bound: Bound): number {
    const builder = this.#builder(level);
    if (++this.#count > MOST)
      throw new AskError("limit", "too many things for one expression: name those that matter, as in vehicles[1, 2]", {
        offset: 0,
        length: 1,
      });
    switch (node.op) {
      case "constant":
        return builder.load({ kind: "constant", value: node.value });
      case "words":
        return builder.load({ kind: "text", text: node.text });
      case "read": {
        const path = "variable" in node.path ? pathIn(bound, node.path) : node.path;
        return builder.load({ kind: node.type === "words" ? "words" : "number", path: builder.path(path) });
      }
      case "cell": {
        const { set, id } = thingIn(bound, node.of);
        const path: SeriesPath = { set, id, column: node.column, item: node.item };
        return builder.load({ kind: node.type === "words" ? "words" : "number", path: builder.path(path) });
      }
      case "present": {
        const { set, id } = thingIn(bound, node.of);
        return builder.load({ kind: "there", path: builder.path(this.#presence(set, id, node.column)) });
      }
      case "apply": {
        const inputs = node.inputs.map((input) => this.#node(input, level, bound));
        return builder.emit(node.name, inputs, { k: node.k, text: node.text });
      }
      case "event": {
        const who = node.who !== null && typeof node.who === "object" ? thingIn(bound, node.who) : node.who;
        return builder.spansOf({ kind: "event", name: node.kind, who });
      }
      case "for":
      case "near": {
        const below = this.#levelOf(node.input);
        const root = this.#inner(node.input, below, bound);
        const [time, ahead, behind] = node.op === "for" ? [node.time, 0, 0] : [0, node.ahead, node.behind];
        return builder.spansOf({ kind: "root", program: below, root, how: node.op, time, ahead, behind });
      }
      case "over": {
        const { inputs, present } = this.#crowd(node, level, bound);
        const name = node.how === "min" ? "least" : node.how === "max" ? "greatest" : node.how;
        return builder.emit(name, inputs, { present });
      }
      default:
        return node satisfies never;
    }
  }

  /** The path that tells whether a thing is there: one that is read for its number, too. */
  #presence(set: string, id: number | string, column: string): SeriesPath {
    const width = this.#catalog.sets.get(set)?.columns.get(column)?.width ?? 1;
    return { set, id, column, item: width === 1 ? null : 0 };
  }

  #inner(node: Node, level: number, bound: Bound): number {
    const { roots } = this.#builder(level);
    const register = this.#node(node, level, bound);
    const isInstant = node.type === "instant";
    roots.push({
      register,
      isInstant,
      least: 0,
      measure: -1,
      who: -1,
      isLeast: false,
      scale: 1,
      things: [],
      label: null,
    });
    return roots.length - 1;
  }
}

/** Makes one program. Equal loads and equal instructions have one register. */
class Builder {
  readonly roots: Root[] = [];
  readonly #paths: SeriesPath[] = [];
  readonly #pathAt = new Map<string, number>();
  readonly #loads: (Load | null)[] = [];
  readonly #instructions: Instruction[] = [];
  readonly #spans: SpanSource[] = [];
  readonly #known = new Map<string, number>();
  /** By register. */
  readonly #clocks: Clock[] = [];

  path(path: SeriesPath): number {
    const key = JSON.stringify(path);
    const known = this.#pathAt.get(key);
    if (known !== undefined) return known;
    this.#pathAt.set(key, this.#paths.length);
    return this.#paths.push(path) - 1;
  }

  load(load: Load): number {
    const key =
      load.kind === "constant" ? `constant ${Object.is(load.value, -0) ? "-0" : load.value}` : JSON.stringify(load);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const register = this.#loads.push(load) - 1;
    this.#clocks[register] = { paths: "path" in load ? [load.path] : [], others: [] };
    this.#known.set(key, register);
    return register;
  }

  spansOf(source: SpanSource): number {
    const key = JSON.stringify(source);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const register = this.load({ kind: "spans", spans: this.#spans.push(source) - 1 });
    this.#known.set(key, register);
    return register;
  }

  emit(
    name: Instruction["name"],
    inputs: readonly number[],
    { k = 0, text = "", present = [] }: Partial<Pick<Instruction, "k" | "text" | "present">>,
  ): number {
    const key = inputs.length > 8 ? null : JSON.stringify([name, inputs, present, k, text]);
    const known = key === null ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const out = this.#loads.push(null) - 1;
    const clock = this.#clockOf(name, inputs);
    this.#clocks[out] = clock;
    this.#instructions.push({
      name,
      out,
      inputs,
      present,
      k,
      text,
      clock: name === "derivative" || name === "still" ? clock : NO_CLOCK,
    });
    if (key !== null) this.#known.set(key, out);
    return out;
  }

  /** What stands in for something has moments only while it does: else they would depend on whether it may have to. */
  #clockOf(name: Instruction["name"], inputs: readonly number[]): Clock {
    const [first, other] = inputs as readonly [number, number];
    const used = name === "else" ? [first] : inputs;
    const clocks = used.map((input) => this.#clocks[input]!);
    const others = clocks.flatMap((clock) => clock.others);
    if (name === "else") others.push({ instead: first, paths: this.#clocks[other]!.paths });
    return { paths: [...new Set(clocks.flatMap(({ paths }) => paths))], others };
  }

  program(): Program {
    return {
      paths: this.#paths,
      loads: this.#loads,
      instructions: this.#instructions,
      spans: this.#spans,
      roots: this.roots,
    };
  }
}

function thingIn(bound: Bound, { set, id }: Thing): { readonly set: string; readonly id: number | string } {
  if (typeof id !== "object") return { set, id };
  return bound.get(id.variable) as { readonly set: string; readonly id: number | string };
}

function pathIn(bound: Bound, { variable }: Variable): SeriesPath {
  return (bound.get(variable) as { readonly path: SeriesPath }).path;
}

function labelOf(element: Element): string {
  return "path" in element ? pathText(element.path) : `${element.set}/${element.id}`;
}
