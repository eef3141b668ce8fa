import type { Ast, AstCall } from "./ast.ts";
import { AskError } from "./error.ts";
import type { FunctionName, Node, Thing } from "./node.ts";
import { apply, type Checks, type Columns, type Operand, scalar, scaled } from "./operand.ts";
import { isSameKind, multiplied, ONE, perSecond, RADIAN, type Unit, unitText } from "./units.ts";

/** Functions of the language: how many inputs each takes, and what it gives. */
export const FUNCTIONS: readonly {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly text: string;
}[] = [
  { name: "abs", least: 1, most: 1, text: "a number without its sign" },
  { name: "min", least: 1, most: Number.POSITIVE_INFINITY, text: "the least of numbers" },
  { name: "max", least: 1, most: Number.POSITIVE_INFINITY, text: "the greatest of numbers" },
  { name: "length", least: 1, most: 1, text: "length of a vector" },
  { name: "distance", least: 2, most: 2, text: "between two things, or two places" },
  { name: "angle", least: 2, most: 2, text: "between two vectors, or the ways in which two things move" },
  { name: "speed", least: 1, most: 1, text: "how fast a thing moves" },
  { name: "acceleration", least: 1, most: 1, text: "how its speed changes; below 0 it brakes" },
  { name: "derivative", least: 1, most: 1, text: "how a number changes, per second" },
  { name: "rising", least: 1, most: 1, text: "the instants at which it becomes true" },
  { name: "falling", least: 1, most: 1, text: "the instants at which it becomes false" },
  { name: "changed", least: 1, most: 1, text: "the instants at which a number or a text becomes another" },
  { name: "known", least: 1, most: 1, text: "whether it is recorded at the time" },
  { name: "present", least: 1, most: 1, text: "whether a thing is there" },
  { name: "still", least: 2, most: 2, text: "a thing stays nearer than a length to where it stopped" },
];

/** What a call gives; the number of its inputs is right. Throws `AskError`. */
export function called(name: string, ast: AstCall, checker: Checks): Operand {
  const [a, b] = ast.inputs as [Ast, Ast];
  switch (name) {
    case "abs": {
      const input = checker.number(a);
      return scalar(apply("abs", [input], "number", input.unit));
    }
    case "min":
    case "max": {
      const first = checker.number(a);
      const rest = ast.inputs.slice(1).map((input) => checker.fitted(checker.number(input), first.unit, input, a));
      return scalar(rest.reduce((so, next) => apply(name, [so, next], "number", first.unit), first));
    }
    case "length":
      return scalar(lengthOf(checker.vector(a), a));
    case "distance": {
      const [from, to] = [checker.vector(a), checker.vector(b)];
      if (from.length !== to.length) throw new AskError("type", "two vectors that are not as long as each other", ast);
      const parts = from.map((item, i) => {
        const other = checker.fitted(to[i]!, item.unit, b, a);
        return apply("minus", [item, other], "number", item.unit);
      });
      return scalar(lengthOf(parts, ast));
    }
    case "angle":
      return scalar(angleBetween(checker.vector(a, "velocity"), checker.vector(b, "velocity"), ast));
    case "speed":
      return scalar(speedOf(a, checker));
    case "acceleration":
      return scalar(derivativeOf(speedOf(a, checker)));
    case "derivative":
      return derivative(a, checker);
    case "rising":
    case "falling":
      return scalar(apply(name, [checker.state(a)], "instant"));
    case "changed": {
      const input = checker.scalar(a);
      if (input.type === "instant") throw new AskError("type", "an instant does not change", a);
      return scalar(apply("changed", [input], "instant"));
    }
    case "known": {
      const input = checker.scalar(a);
      if (input.type === "instant") throw new AskError("type", "an instant is always known", a);
      return scalar(apply("known", [input], "boolean"));
    }
    case "present": {
      const of = checker.thing(a);
      return scalar({ op: "present", of, column: checker.names.presence(of.set), type: "boolean", unit: ONE });
    }
    case "still": {
      const place = checker.vector(a);
      const within = checker.number(b);
      if (within.op !== "constant") throw new AskError("type", "the second is a length: 10 cm", b);
      const unit = place[0]!.unit;
      const { value } = checker.fitted(within, unit, b, a) as Node & { op: "constant" };
      return scalar(
        apply(
          "still",
          place.map((item) => item),
          "boolean",
          ONE,
          value,
        ),
      );
    }
    default:
      throw new AskError("type", `no function is called ${JSON.stringify(name)}`, ast);
  }
}

/**
 * Speed of a thing: the length of its recorded velocity where it has one, else that of its place from moment to moment.
 * The place is left out only where it is known that there is a velocity everywhere.
 */
export function thingSpeed(thing: Thing, ast: Ast, names: Columns): Node {
  const facts = names.facts(thing.set);
  const velocity = facts.columns.get("velocity");
  const moved =
    facts.columns.get("position")?.width === 3
      ? movedSpeed(thing, names.column(thing, "position", ast)[0]!.unit)
      : null;
  if (velocity?.width === 3) {
    const recorded = lengthOf(names.column(thing, "velocity", ast), ast);
    if (moved === null || velocity.isComplete || !isSameKind(moved.unit, recorded.unit)) return recorded;
    return apply("else", [recorded, scaled(moved, recorded.unit)], "number", recorded.unit);
  }
  if (moved !== null) return moved;
  const own = facts.columns.get("speed") ?? facts.columns.get("forward-speed");
  if (own === undefined)
    throw new AskError("path", `things of ${JSON.stringify(thing.set)} have no velocity and no position`, ast);
  return names.column(thing, facts.columns.has("speed") ? "speed" : "forward-speed", ast)[0]!;
}

/** How fast a place moves from one moment of motion to the next. */
export function movedSpeed(of: Thing, unit: Unit): Node {
  const speed = perSecond(unit);
  return { op: "cell", of, column: "position", item: "speed", isWhole: false, type: "number", unit: speed };
}

export function lengthOf(items: readonly Node[], ast: Ast): Node {
  const [first] = items as readonly [Node];
  for (const item of items) {
    if (item.type !== "number") throw new AskError("type", "a vector of texts has no length", ast);
    if (!isSameKind(item.unit, first.unit) || item.unit.factor !== first.unit.factor)
      throw new AskError("unit", `its numbers are ${unitText(first.unit)}, and ${unitText(item.unit)}`, ast);
  }
  return apply("hypot", items, "number", first.unit);
}

export function derivativeOf(input: Node): Node {
  return apply("derivative", [input], "number", perSecond(input.unit));
}

function speedOf(ast: Ast, checker: Checks): Node {
  const operand = checker.operand(ast);
  if (operand.kind === "thing") return thingSpeed(operand.thing, ast, checker.names);
  if (operand.kind !== "vector") throw new AskError("type", "the speed is that of a thing, or of a place", ast);
  if (operand.column === "position" && operand.thing !== null && operand.items.length === 3)
    return movedSpeed(operand.thing, operand.items[0]!.unit);
  return lengthOf(operand.items.map(derivativeOf), ast);
}

function derivative(ast: Ast, checker: Checks): Operand {
  const operand = checker.operand(ast);
  if (operand.kind === "vector")
    return { kind: "vector", items: operand.items.map(derivativeOf), thing: null, column: "" };
  return scalar(derivativeOf(checker.number(ast)));
}

/** Between 0 and a half turn. */
function angleBetween(a: readonly Node[], b: readonly Node[], ast: Ast): Node {
  if (a.length !== b.length) throw new AskError("type", "two vectors that are not as long as each other", ast);
  const products = a.map((item, i) => apply("*", [item, b[i]!], "number", multiplied(item.unit, b[i]!.unit)));
  const dot = products.reduce((sum: Node, next) => apply("+", [sum, next], "number", next.unit));
  const lengths = apply("*", [lengthOf(a, ast), lengthOf(b, ast)], "number", dot.unit);
  return apply("acos" satisfies FunctionName, [apply("/", [dot, lengths], "number")], "number", RADIAN);
}
