import type { Ast } from "./ast.ts";
import type { SetFacts } from "./catalog.ts";
import type { Crowd, FunctionName, Node, NodeType, Thing } from "./node.ts";
import { ONE, type Unit } from "./units.ts";

/** What a part of an expression is, before it is one number. */
export type Operand =
  | { readonly kind: "scalar"; readonly node: Node }
  /** `thing` and `column`: of a vector that is a cell of a thing; else null and "". */
  | { readonly kind: "vector"; readonly items: readonly Node[]; readonly thing: Thing | null; readonly column: string }
  | { readonly kind: "thing"; readonly thing: Thing }
  | { readonly kind: "crowd"; readonly crowd: Crowd };

/** What sets of the recording have. */
export interface Columns {
  facts(set: string): SetFacts;
  /** A column that things of a set have for certain. */
  presence(set: string): string;
  /** The numbers of a cell. Throws `AskError`, code `path`. */
  column(of: Thing, name: string, ast: Ast): readonly Node[];
}

/** Checks parts of an expression; each throws `AskError` for what is of another type than its name says. */
export interface Checks {
  readonly names: Columns;
  operand(ast: Ast): Operand;
  scalar(ast: Ast): Node;
  number(ast: Ast): Node;
  /** Something that is true for a time, and no instant. */
  state(ast: Ast): Node;
  /** A vector, or that column of a thing. */
  vector(ast: Ast, column?: string): readonly Node[];
  thing(ast: Ast): Thing;
  /** In that unit, which is the one of `of`. */
  fitted(node: Node, to: Unit, ast: Ast, of: Ast): Node;
}

export function scalar(node: Node): Operand {
  return { kind: "scalar", node };
}

export function apply(
  name: FunctionName,
  inputs: readonly Node[],
  type: NodeType,
  unit: Unit = ONE,
  k = 0,
): Node & { op: "apply" } {
  return { op: "apply", name, inputs, k, text: "", type, unit };
}

/** The same number in another unit that measures the same. */
export function scaled(node: Node, to: Unit): Node {
  const by = node.unit.factor / to.factor;
  if (node.op === "constant")
    return { ...node, value: by === 1 ? node.value : node.value * by, unit: to, written: node.written ?? node.unit };
  if (by === 1) return { ...node, unit: to };
  return apply("scale", [node], "number", to, by);
}
