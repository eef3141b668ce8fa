import type { Ast, AstCall, AstEach, AstNumber, AstOne, AstTimed, AstTwo } from "./ast.ts";
import type { Vocabulary } from "./catalog.ts";
import { AskError, type Place } from "./error.ts";
import { called, FUNCTIONS } from "./functions.ts";
import type { Crowd, FunctionName, Measure, Node, NodeType, Thing } from "./node.ts";
import { Names } from "./names.ts";
import { apply, type Checks, type Operand, scalar, scaled } from "./operand.ts";
import { isPlain, isSameKind, multiplied, ONE, type Unit, unitCalled, unitText } from "./units.ts";
import { measureOf } from "./measure.ts";

/** A checked expression. */
export interface Checked {
  readonly node: Node;
  /** Of an expression that begins with `each`: the things that are answered for one by one. Then `node` is of one of them. */
  readonly each: { readonly crowd: Crowd; readonly column: string; readonly variable: number } | null;
  /** The number of which answers name the extreme; null: there is none. */
  readonly measure: Measure | null;
  readonly kinds: ReadonlySet<string>;
}

/** Checks an expression against what a recording has. Throws `AskError`. */
export function check(ast: Ast, text: string, catalog: Vocabulary): Checked {
  return new Checker(text, catalog).root(ast);
}

/** A boolean or an instant; a whole number without a unit stands for one: 0 is false. Null: it is none. */
export function conditionOf(node: Node): Node | null {
  if (node.type === "boolean" || node.type === "instant") return node;
  const isWhole = (node.op === "read" || node.op === "cell") && node.isWhole && node.type === "number";
  return isWhole && isPlain(node.unit) ? apply("boolean", [node], "boolean") : null;
}

/** Checks types and units, and resolves names; one for each expression. */
class Checker implements Checks {
  readonly names: Names;
  readonly #text: string;
  readonly #kinds = new Set<string>();

  constructor(text: string, catalog: Vocabulary) {
    this.#text = text;
    this.names = new Names(catalog);
  }

  root(ast: Ast): Checked {
    if (ast.kind === "each" && ast.quantifier === "each") {
      const { crowd, column, variable } = this.names.crowd(ast);
      const node =
        ast.body === null
          ? this.#presence(crowd, column, variable)
          : this.names.within(ast, crowd, variable, () => this.scalar(ast.body!));
      const measure = measureOf(node);
      return { node, each: { crowd, column, variable }, measure, kinds: this.#kinds };
    }
    const operand = this.operand(ast);
    if (operand.kind !== "scalar")
      throw new AskError("type", `${this.#what(operand)}, of which this is no question`, ast);
    return { node: operand.node, each: null, measure: measureOf(operand.node), kinds: this.#kinds };
  }

  operand(ast: Ast): Operand {
    switch (ast.kind) {
      case "number":
        return scalar({ op: "constant", value: ast.value, type: "number", unit: this.#written(ast) });
      case "text":
        return scalar({ op: "words", text: ast.text, type: "words", unit: ONE });
      case "boolean":
        return scalar({ op: "constant", value: ast.value ? 1 : 0, type: "boolean", unit: ONE });
      case "name":
      case "member":
      case "index":
        return this.names.resolve(ast, (root) => this.operand(root));
      case "call":
        return this.#call(ast);
      case "event": {
        if (ast.name !== null) this.#kinds.add(ast.name);
        const who = ast.who === null ? null : this.#participant(ast.who);
        return scalar({ op: "event", kind: ast.name, who, type: "instant", unit: ONE });
      }
      case "each":
        return this.#each(ast);
      case "one":
        return this.#one(ast);
      case "two":
        return this.#two(ast);
      case "timed":
        return scalar(this.#timed(ast));
      case "in":
        return this.#converted(this.operand(ast.input), this.unit(ast.unit.text, ast.unit), ast);
      default:
        return ast satisfies never;
    }
  }

  scalar(ast: Ast): Node {
    return this.#scalarOf(this.operand(ast), ast);
  }

  number(ast: Ast): Node {
    return this.#numberOf(this.operand(ast), ast);
  }

  /** A boolean or an instant. A whole number stands for one: 0 is false. */
  condition(ast: Ast): Node {
    return this.#conditionOf(this.scalar(ast), ast);
  }

  #conditionOf(node: Node, ast: Ast): Node {
    const found = conditionOf(node);
    if (found !== null) return found;
    throw new AskError("type", `${TYPES[node.type]}, where something that is true or false belongs`, ast);
  }

  state(ast: Ast): Node {
    const node = this.condition(ast);
    if (node.type === "boolean") return node;
    throw new AskError("type", "an instant, where something belongs that is true for a time", ast);
  }

  /** Three numbers, or two: a vector, or the place of a thing. */
  vector(ast: Ast, column = "position"): readonly Node[] {
    const operand = this.operand(ast);
    if (operand.kind === "vector") return operand.items;
    if (operand.kind === "thing") return this.names.column(operand.thing, column, ast);
    throw new AskError("type", `${this.#what(operand)}, where a vector or a thing belongs`, ast);
  }

  thing(ast: Ast): Thing {
    const operand = this.operand(ast);
    if (operand.kind === "thing") return operand.thing;
    throw new AskError("type", `${this.#what(operand)}, where a thing belongs`, ast);
  }

  /** In the unit of the other: throws `AskError`, which names both, for what cannot be. */
  fitted(node: Node, to: Unit, ast: Ast, of: Ast): Node {
    if (isSameKind(node.unit, to)) return scaled(node, to);
    // nothing is nothing in every unit
    if (node.op === "constant" && node.value === 0 && isPlain(node.unit)) return { ...node, unit: to };
    const [here, there] = [this.#textOf(ast), this.#textOf(of)];
    const hint =
      node.op === "constant" && isPlain(node.unit) && to.text !== "" ? `: write ${node.value} ${to.text}` : "";
    throw new AskError("unit", `${here} is ${unitText(node.unit)}; ${there} is ${unitText(to)}${hint}`, ast);
  }

  unit(text: string, place: Place): Unit {
    const found = unitCalled(text);
    if (found !== null) return found;
    throw new AskError("unit", `no unit is called ${JSON.stringify(text)}`, place);
  }

  #scalarOf(operand: Operand, ast: Ast): Node {
    if (operand.kind === "scalar") return operand.node;
    throw new AskError("type", `${this.#what(operand)}, where a number, a boolean or a text belongs`, ast);
  }

  #numberOf(operand: Operand, ast: Ast): Node {
    const node = this.#scalarOf(operand, ast);
    if (node.type === "number") return node;
    throw new AskError("type", `${TYPES[node.type]}, where a number belongs`, ast);
  }

  #written({ unit }: AstNumber): Unit {
    return unit === null ? ONE : this.unit(unit.text, unit);
  }

  #participant(ast: Ast): Thing | string {
    if (ast.kind === "text") return ast.text;
    const operand = this.operand(ast);
    if (operand.kind === "thing") return operand.thing;
    throw new AskError("type", `${this.#what(operand)}, where a thing or a text belongs`, ast);
  }

  #call(ast: AstCall): Operand {
    const known = FUNCTIONS.find(({ name }) => name === ast.name);
    if (known === undefined) {
      const names = FUNCTIONS.map(({ name }) => name).join(", ");
      throw new AskError("type", `no function is called ${JSON.stringify(ast.name)}; there are: ${names}, event`, ast);
    }
    const { least, most } = known;
    if (ast.inputs.length < least || ast.inputs.length > most) {
      const count =
        least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} or ${most}`;
      throw new AskError("type", `${ast.name} takes ${count} in its parentheses, not ${ast.inputs.length}`, ast);
    }
    return called(known.name, ast, this);
  }

  #each(ast: AstEach): Operand {
    const { quantifier } = ast;
    if (quantifier === "each")
      throw new AskError("type", `"each" asks for every thing by itself, and stands before all else`, ast);
    const { crowd, column, variable } = this.names.crowd(ast);
    if (ast.body === null) {
      if (quantifier === "min" || quantifier === "max" || quantifier === "sum" || quantifier === "all")
        throw new AskError("type", `"${quantifier}" needs to know of what: ${quantifier} … (speed)`, ast);
      const body = this.#presence(crowd, column, variable);
      const type: NodeType = quantifier === "count" ? "number" : "boolean";
      return scalar({ op: "over", how: quantifier, crowd, column, variable, body, type, unit: ONE });
    }
    const inner = ast.body;
    if (quantifier === "any" || quantifier === "all" || quantifier === "count") {
      const body = this.names.within(ast, crowd, variable, () =>
        quantifier === "count" ? this.state(inner) : this.condition(inner),
      );
      const type = quantifier === "count" ? "number" : body.type;
      return scalar({ op: "over", how: quantifier, crowd, column, variable, body, type, unit: ONE });
    }
    const body = this.names.within(ast, crowd, variable, () => this.number(inner));
    return scalar({ op: "over", how: quantifier, crowd, column, variable, body, type: "number", unit: body.unit });
  }

  #presence(crowd: Crowd, column: string, variable: number): Node {
    if ("set" in crowd)
      return { op: "present", of: { set: crowd.set, id: { variable } }, column, type: "boolean", unit: ONE };
    const read: Node = { op: "read", path: { variable }, isWhole: false, type: "number", unit: ONE };
    return apply("known", [read], "boolean");
  }

  #one({ operator, input }: AstOne): Operand {
    if (operator === "not") return scalar(apply("not", [this.state(input)], "boolean"));
    const operand = this.operand(input);
    if (operand.kind === "vector")
      return { kind: "vector", items: operand.items.map(negative), thing: null, column: "" };
    return scalar(negative(this.#numberOf(operand, input)));
  }

  #two(ast: AstTwo): Operand {
    const { operator, left, right } = ast;
    switch (operator) {
      case "and":
      case "or":
        return scalar(this.#joined(operator, left, right));
      case "~":
        return scalar(this.#like(left, right));
      case "=":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
        return scalar(this.#compared(operator, ast));
      default:
        return this.#reckoned(operator, ast);
    }
  }

  #joined(operator: "and" | "or", left: Ast, right: Ast): Node {
    const [a, b] = [this.condition(left), this.condition(right)];
    const areBoth = a.type === b.type;
    if (operator === "or" && !areBoth)
      throw new AskError(
        "type",
        `an instant and something that is true for a time have no "or": ask for one of them`,
        left,
      );
    const type = a.type === "instant" || b.type === "instant" ? "instant" : "boolean";
    return apply(operator, [a, b], type);
  }

  #like(left: Ast, right: Ast): Node {
    const node = this.scalar(left);
    if (node.type !== "words") throw new AskError("type", `${TYPES[node.type]}, where a text belongs`, left);
    if (right.kind !== "text") throw new AskError("type", `behind ~ stands a pattern in quotes: "vehicle.*"`, right);
    return { ...apply("like", [node], "boolean"), text: right.text } as Node;
  }

  #compared(operator: "=" | "!=" | "<" | "<=" | ">" | ">=", ast: AstTwo): Node {
    const [a, b] = [this.scalar(ast.left), this.scalar(ast.right)];
    const isEquality = operator === "=" || operator === "!=";
    if (a.type === "instant" || b.type === "instant")
      throw new AskError("type", "an instant is not compared", a.type === "instant" ? ast.left : ast.right);
    if (a.type === "words" && b.type === "words") {
      if (isEquality) return apply(operator, [a, b], "boolean");
      throw new AskError("type", `texts are compared by = and !=, not by ${operator}`, ast);
    }
    if (a.type === "boolean" || b.type === "boolean") {
      if (!isEquality) throw new AskError("type", `booleans are compared by = and !=, not by ${operator}`, ast);
      return apply(operator, [this.#conditionOf(a, ast.left), this.#conditionOf(b, ast.right)], "boolean");
    }
    if (a.type !== b.type) {
      const [wrong, other] = a.type === "words" ? [ast.left, TYPES[b.type]] : [ast.right, TYPES[a.type]];
      throw new AskError("type", `a text is compared with ${other}`, wrong);
    }
    return apply(operator, this.#alike(a, b, ast), "boolean");
  }

  /** Both in one unit: a constant in that of the other. */
  #alike(a: Node, b: Node, { left, right }: AstTwo): [Node, Node] {
    if (a.op === "constant" && b.op !== "constant") return [this.fitted(a, b.unit, left, right), b];
    return [a, this.fitted(b, a.unit, right, left)];
  }

  #reckoned(operator: "+" | "-" | "*" | "/", ast: AstTwo): Operand {
    const [a, b] = [this.operand(ast.left), this.operand(ast.right)];
    if (a.kind === "vector" || b.kind === "vector") return this.#vectors(operator, a, b, ast);
    const [x, y] = [this.#numberOf(a, ast.left), this.#numberOf(b, ast.right)];
    if (operator === "+" || operator === "-") {
      const [p, q] = this.#alike(x, y, ast);
      return scalar(folded(apply(operator === "+" ? "+" : "minus", [p, q], "number", p.unit)));
    }
    return scalar(folded(apply(operator, [x, y], "number", multiplied(x.unit, y.unit, operator === "*" ? 1 : -1))));
  }

  #vectors(operator: "+" | "-" | "*" | "/", a: Operand, b: Operand, ast: AstTwo): Operand {
    const made = (items: readonly Node[]): Operand => ({ kind: "vector", items, thing: null, column: "" });
    if (operator === "+" || operator === "-") {
      if (a.kind !== "vector" || b.kind !== "vector" || a.items.length !== b.items.length)
        throw new AskError(
          "type",
          `${this.#what(a)} ${operator} ${this.#what(b)}: both are vectors, as long as each other`,
          ast,
        );
      return made(
        a.items.map((item, i) => {
          const [p, q] = this.#alike(item, b.items[i]!, ast);
          return apply(operator === "+" ? "+" : "minus", [p, q], "number", p.unit);
        }),
      );
    }
    const [vector, other, of] = a.kind === "vector" ? [a, b, ast.right] : [b, a, ast.left];
    if (vector.kind !== "vector" || (operator === "/" && a.kind !== "vector"))
      throw new AskError("type", "nothing is divided by a vector", ast.right);
    const by = this.#numberOf(other, of);
    const times = operator === "*" ? 1 : -1;
    return made(
      vector.items.map((item) => apply(operator, [item, by], "number", multiplied(item.unit, by.unit, times))),
    );
  }

  #timed({ how, input, time, other }: AstTimed): Node {
    const duration = this.number(time);
    if (duration.op !== "constant") throw new AskError("type", "a duration is a number with a unit: 200 ms", time);
    if (!isSameKind(duration.unit, { text: "s", factor: 1, dimensions: { time: 1 } }))
      throw new AskError(
        "unit",
        `${this.#textOf(time)} is ${unitText(duration.unit)}, where a time in s, ms or min belongs`,
        time,
      );
    const length = duration.value * duration.unit.factor * 1e9;
    if (!(length >= 0 && length < 1e18)) throw new AskError("type", "a duration is a time from 0 on", time);
    if (how === "for") return { op: "for", input: this.state(input), time: length, type: "boolean", unit: ONE };
    const near: Node = {
      op: "near",
      input: this.condition(other!),
      ahead: how === "after" ? 0 : length,
      behind: how === "before" ? 0 : length,
      type: "boolean",
      unit: ONE,
    };
    const holds = this.condition(input);
    return apply("and", [holds, near], holds.type);
  }

  #converted(operand: Operand, to: Unit, ast: Ast): Operand {
    const one = (node: Node): Node => {
      if (node.type !== "number") throw new AskError("type", `${TYPES[node.type]} has no unit`, ast);
      // a number without a unit takes it
      if (node.unit === ONE || (isPlain(node.unit) && node.unit.text === "")) return { ...node, unit: to };
      if (isSameKind(node.unit, to)) return scaled(node, to);
      throw new AskError("unit", `${unitText(node.unit)}, and ${unitText(to)}, measure different things`, ast);
    };
    if (operand.kind === "vector") return { ...operand, items: operand.items.map(one) };
    if (operand.kind === "scalar") return scalar(one(operand.node));
    throw new AskError("type", `${this.#what(operand)} has no unit`, ast);
  }

  #textOf({ offset, length }: Place): string {
    const text = this.#text.slice(offset, offset + length);
    return text.length > 40 ? `${text.slice(0, 39)}…` : text;
  }

  #what(operand: Operand): string {
    switch (operand.kind) {
      case "scalar":
        return TYPES[operand.node.type];
      case "vector":
        return `a vector of ${operand.items.length} numbers`;
      case "thing":
        return `a thing of ${JSON.stringify(operand.thing.set)}`;
      case "crowd":
        return "several things (any, all, count … go through them)";
      default:
        return operand satisfies never;
    }
  }
}

const TYPES: Readonly<Record<NodeType, string>> = {
  number: "a number",
  boolean: "something that is true or false",
  instant: "an instant",
  words: "a text",
};

function negative(node: Node): Node {
  return folded(apply("-", [node], "number", node.unit));
}

/** Constants are reckoned at once. */
function folded(node: Node & { op: "apply" }): Node {
  const [a, b] = node.inputs;
  if (a?.op !== "constant" || (b !== undefined && b.op !== "constant")) return node;
  const value = reckon(node.name, a.value, b?.value ?? 0);
  return { op: "constant", value, type: "number", unit: node.unit };
}

function reckon(name: FunctionName, a: number, b: number): number {
  switch (name) {
    case "+":
      return a + b;
    case "minus":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    default:
      return -a;
  }
}
