import type { Measure, Node } from "./node.ts";

/**
 * The number whose extreme inside an answer is of interest: that of the first comparison with < or >. Within `any` and
 * `all` it is the extreme over the things for which the condition holds.
 */
export function measureOf(node: Node): Measure | null {
  switch (node.op) {
    case "apply":
      return measureOfApply(node);
    case "for":
      return measureOf(node.input);
    case "over": {
      if (node.how !== "any" && node.how !== "all") return null;
      const inner = measureOf(node.body);
      if (inner === null) return null;
      const { crowd, column, variable } = node;
      const { unit } = inner.node;
      const where: Node = {
        op: "apply",
        name: "where",
        inputs: [node.body, inner.node],
        k: 0,
        text: "",
        type: "number",
        unit,
      };
      return {
        ...inner,
        node: { op: "over", how: inner.how, crowd, column, variable, body: where, type: "number", unit },
      };
    }
    default:
      return null;
  }
}

function measureOfApply(node: Node & { op: "apply" }): Measure | null {
  const [a, b] = node.inputs;
  switch (node.name) {
    case "and":
    case "or":
    case "not":
    case "rising":
    case "falling":
      for (const input of node.inputs) {
        const found = measureOf(input);
        if (found !== null) return found;
      }
      return null;
    case "<":
    case "<=":
    case ">":
    case ">=": {
      if (a!.type !== "number" || (a!.op === "constant" && b!.op === "constant")) return null;
      const isLeft = a!.op !== "constant";
      const of = isLeft ? a! : b!;
      const isGreater = node.name.startsWith(">") === isLeft;
      const other = isLeft ? b! : a!;
      const unit = (other.op === "constant" ? other.written : undefined) ?? of.unit;
      return { node: of, how: isGreater ? "max" : "min", unit };
    }
    default:
      return null;
  }
}
