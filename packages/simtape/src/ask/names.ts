import { pathText } from "../model/state/path.ts";
import type { Ast, AstEach } from "./ast.ts";
import type { SetFacts, Vocabulary } from "./catalog.ts";
import { AskError } from "./error.ts";
import { derivativeOf, lengthOf, movedSpeed, thingSpeed } from "./functions.ts";
import type { Crowd, Node, Thing } from "./node.ts";
import { type Columns, type Operand, scalar } from "./operand.ts";
import { ONE } from "./units.ts";
import { byNearness } from "./nearness.ts";
import { isPattern } from "./wildcard.ts";

/** What a word means within the parentheses of a quantifier. */
interface Bound {
  readonly name: string | null;
  readonly operand: Operand;
}

/** A step behind a name: `.x`, or `[ids]`. */
interface Step {
  readonly ast: Ast;
  readonly name: string | null;
  readonly ids: readonly (number | string)[];
}

const AXES = "xyzw";

/** Finds what names mean: what a quantifier binds, sets, things, columns and values of the recording. */
export class Names implements Columns {
  readonly #catalog: Vocabulary;
  readonly #bound: Bound[] = [];
  #variables = 0;

  constructor(catalog: Vocabulary) {
    this.#catalog = catalog;
  }

  /** What a quantifier goes through. */
  crowd(ast: AstEach): { readonly crowd: Crowd; readonly column: string; readonly variable: number } {
    const found = this.#crowdOf(ast.of);
    if (found === null)
      throw new AskError("type", `"${ast.quantifier}" goes through a set: ${ast.quantifier} vehicles (…)`, ast.of);
    const column = "set" in found ? this.presence(found.set) : "";
    return { crowd: found, column, variable: this.#variables++ };
  }

  /** Checks what is within the parentheses of a quantifier. */
  within(ast: AstEach, crowd: Crowd, variable: number, body: () => Node): Node {
    this.#bound.push({ name: ast.name, operand: this.#one(crowd, variable) });
    try {
      return body();
    } finally {
      this.#bound.pop();
    }
  }

  facts(set: string): SetFacts {
    return this.#catalog.sets.get(set)!;
  }

  /** A column that things of a set have for certain. */
  presence(set: string): string {
    const { columns } = this.facts(set);
    const [first] = columns.keys();
    return ["kind", "position", "label"].find((name) => columns.has(name)) ?? first ?? "";
  }

  /** The numbers of a cell. */
  column(of: Thing, name: string, ast: Ast): readonly Node[] {
    const { columns } = this.facts(of.set);
    const facts = columns.get(name);
    if (facts === undefined) throw this.#noColumn(of.set, name, ast);
    const { width, units, kind } = facts;
    return Array.from({ length: width }, (_, k) => {
      const item = width === 1 ? null : k;
      const type = kind === "text" ? "words" : "number";
      return {
        op: "cell",
        of,
        column: name,
        item,
        isWhole: kind === "integer" || kind === "boolean",
        type,
        unit: type === "words" ? ONE : units[k]!,
      };
    });
  }

  #noColumn(set: string, name: string, ast: Ast): AskError {
    const all = byNearness(name, [...this.facts(set).columns.keys()].sort()).join(", ");
    return new AskError(
      "path",
      `things of ${JSON.stringify(set)} have no ${JSON.stringify(name)}; they have: ${all}`,
      ast,
    );
  }

  /** What a name, with all that stands behind it, means. Throws `AskError`, code `path`. */
  resolve(ast: Ast, operandOf: (ast: Ast) => Operand): Operand {
    const steps: Step[] = [];
    let root = ast;
    while (root.kind === "member" || root.kind === "index") {
      steps.unshift(
        root.kind === "member" ? { ast: root, name: root.name, ids: [] } : { ast: root, name: null, ids: root.ids },
      );
      root = root.of;
    }
    if (root.kind !== "name") return this.#stepped(operandOf(root), steps);
    const { text, isQuoted } = root;
    if (!isQuoted) {
      const bound = this.#boundTo(text, root);
      if (bound !== null) return this.#stepped(bound, steps);
    }
    const inSet = this.#inSet(text, root, steps);
    if (inSet !== null) return this.#stepped(inSet.operand, steps.slice(inSet.used));
    const value = this.#value(text, steps);
    if (value !== null) return value;
    const inner = isQuoted ? undefined : this.#bound.at(-1)?.operand;
    if (inner?.kind === "thing" && !text.includes("/")) throw this.#noColumn(inner.thing.set, text, ast);
    const whole = steps.reduce((so, { name, ids }) => so + (name === null ? `[${ids.join(", ")}]` : `.${name}`), text);
    throw new AskError("path", `no path ${JSON.stringify(whole)}; ${this.#catalog.near(whole)}`, ast);
  }

  #one(crowd: Crowd, variable: number): Operand {
    if ("set" in crowd) return { kind: "thing", thing: { set: crowd.set, id: { variable } } };
    const [first] = crowd.paths;
    const facts = first === undefined ? null : this.#catalog.value(pathText(first));
    const type = facts?.kind === "text" ? "words" : "number";
    const isWhole = facts?.kind === "integer" || facts?.kind === "boolean";
    return scalar({ op: "read", path: { variable }, isWhole, type, unit: facts?.unit ?? ONE });
  }

  #boundTo(text: string, ast: Ast): Operand | null {
    for (let i = this.#bound.length - 1; i >= 0; i--) {
      const { name, operand } = this.#bound[i]!;
      if (name === text || (text === "it" && i === this.#bound.length - 1)) return operand;
    }
    const inner = this.#bound.at(-1)?.operand;
    if (inner?.kind !== "thing") return null;
    const { columns } = this.facts(inner.thing.set);
    if (columns.has(text)) return this.#cell(inner.thing, text, ast);
    return text === "speed" || text === "acceleration" ? this.#virtual(inner.thing, text, ast) : null;
  }

  #cell(thing: Thing, column: string, ast: Ast): Operand {
    const items = this.column(thing, column, ast);
    return items.length === 1 ? scalar(items[0]!) : { kind: "vector", items, thing, column };
  }

  /** `speed` and `acceleration` of things that have no such column. */
  #virtual(thing: Thing, name: "speed" | "acceleration", ast: Ast): Operand {
    const speed = thingSpeed(thing, ast, this);
    return scalar(name === "speed" ? speed : derivativeOf(speed));
  }

  #inSet(text: string, ast: Ast, steps: readonly Step[]): { readonly operand: Operand; readonly used: number } | null {
    const { sets } = this.#catalog;
    if (sets.has(text)) {
      const [first] = steps;
      if (first === undefined) return { operand: { kind: "crowd", crowd: { set: text, picks: null } }, used: 0 };
      if (first.name !== null) return null;
      return { operand: this.#picked(text, first.ids, first.ast), used: 1 };
    }
    for (const [name, { columns }] of sets) {
      if (!text.startsWith(`${name}/`)) continue;
      const rest = text.slice(name.length + 1);
      for (const column of columns.keys()) {
        if (!rest.endsWith(`/${column}`)) continue;
        const found = this.#picked(name, [rest.slice(0, -column.length - 1)], ast);
        if (found.kind === "thing") return { operand: this.#cell(found.thing, column, ast), used: 0 };
        throw new AskError("type", `several things: write any ${name} (${column} …)`, ast);
      }
      return { operand: this.#picked(name, [rest], ast), used: 0 };
    }
    return null;
  }

  /** One thing, or those of a set that fit. */
  #picked(set: string, ids: readonly (number | string)[], ast: Ast): Operand {
    const [id] = ids;
    if (ids.length !== 1 || isPattern(String(id))) {
      const isAll = ids.length === 1 && id === "*";
      return { kind: "crowd", crowd: { set, picks: isAll ? null : ids } };
    }
    const found = this.#catalog.thing(set, String(id));
    if (found !== null) return { kind: "thing", thing: { set, id: found } };
    const some = [...this.#catalog.idsOf(set)];
    const listed = some.slice(0, 8).join(", ");
    const more = some.length > 8 ? `, and ${some.length - 8} more` : "";
    throw new AskError("path", `${JSON.stringify(set)} has no ${JSON.stringify(id)}; it has: ${listed}${more}`, ast);
  }

  #value(text: string, steps: readonly Step[]): Operand | null {
    if (isPattern(text)) {
      const whole = steps.reduce((so, { name, ids }) => so + (name === null ? `[${ids.join(",")}]` : `.${name}`), text);
      const crowd = this.#paths(whole);
      return crowd === null ? null : { kind: "crowd", crowd };
    }
    // the longest that is a value; what is behind it are parts of a vector
    for (let used = steps.length; used >= 0; used--) {
      for (const whole of spelled(text, steps.slice(0, used))) {
        const facts = this.#catalog.value(whole);
        const rest = steps.slice(used);
        if (facts !== null) {
          const type = facts.kind === "text" ? "words" : "number";
          const isWhole = facts.kind === "integer" || facts.kind === "boolean";
          const unit = type === "words" ? ONE : facts.unit;
          return this.#stepped(scalar({ op: "read", path: facts.path, isWhole, type, unit }), rest);
        }
        const items = this.#parts(whole);
        if (items !== null) return this.#stepped({ kind: "vector", items, thing: null, column: "" }, rest);
      }
    }
    return null;
  }

  /** The numbers of a value that is a place or a list: members x, y, z, or 0, 1, 2. */
  #parts(text: string): readonly Node[] | null {
    for (const names of [
      ["x", "y", "z"],
      ["x", "y"],
      ["0", "1", "2"],
      ["0", "1"],
    ]) {
      const found = names.map((name) => this.#catalog.value(`${text}.${name}`));
      if (found.every((facts) => facts !== null && facts.kind !== "text")) {
        return found.map((facts) => ({
          op: "read",
          path: facts!.path,
          isWhole: false,
          type: "number",
          unit: facts!.unit,
        }));
      }
    }
    return null;
  }

  #paths(pattern: string): Crowd | null {
    const found = this.#catalog.fitting(pattern);
    const [first] = found;
    if (first === undefined) return null;
    const isText = first.kind === "text";
    const same = found.filter(({ kind, unit }) => (kind === "text") === isText && unit.text === first.unit.text);
    return { paths: same.map(({ path }) => path) };
  }

  #crowdOf(ast: Ast): Crowd | null {
    if (ast.kind === "name" || ast.kind === "index" || ast.kind === "member") {
      let root = ast as Ast;
      while (root.kind === "member" || root.kind === "index") root = root.of;
      if (root.kind !== "name") return null;
      // one thing is a crowd, too
      const found = this.resolve(ast, noOperand);
      if (found.kind === "crowd") return found.crowd;
      if (found.kind === "thing" && typeof found.thing.id !== "object")
        return { set: found.thing.set, picks: [found.thing.id] };
    }
    return null;
  }

  #stepped(operand: Operand, steps: readonly Step[]): Operand {
    let so = operand;
    for (const step of steps) so = this.#step(so, step);
    return so;
  }

  #step(operand: Operand, { ast, name, ids }: Step): Operand {
    if (operand.kind === "thing" && name !== null) {
      const { thing } = operand;
      const { columns } = this.facts(thing.set);
      if (!columns.has(name) && (name === "speed" || name === "acceleration")) return this.#virtual(thing, name, ast);
      return this.#cell(thing, name, ast);
    }
    if (operand.kind === "vector") {
      const { items, thing, column } = operand;
      if (name === "length") return scalar(lengthOf(items, ast));
      if (name === "speed" && thing !== null && column === "position") return scalar(movedSpeed(thing, items[0]!.unit));
      const item =
        name !== null && name.length === 1
          ? AXES.indexOf(name)
          : typeof ids[0] === "number" && ids.length === 1
            ? ids[0]
            : -1;
      const found = Number.isInteger(item) && item >= 0 ? items[item] : undefined;
      if (found !== undefined) return scalar(found);
      throw new AskError(
        "path",
        `a vector of ${items.length} numbers has ${AXES.slice(0, items.length).split("").join(", ")} and length`,
        ast,
      );
    }
    if (operand.kind === "crowd")
      throw new AskError("type", "several things: any, all, count, min and max go through them", ast);
    if (operand.kind === "thing") throw new AskError("path", "a thing has columns: .position", ast);
    throw new AskError("path", `a single ${operand.node.type} has no parts`, ast);
  }
}

/** As the paths of values are written: keys behind a point, or as they stand. */
function spelled(text: string, steps: readonly Step[]): readonly string[] {
  const dotted = steps.reduce((so, { name, ids }) => `${so}.${name ?? ids.join(",")}`, text);
  const bare = steps.reduce((so, { name, ids }) => so + (name === null ? `[${ids.join(",")}]` : `.${name}`), text);
  return dotted === bare ? [dotted] : [dotted, bare];
}

function noOperand(ast: Ast): never {
  throw new AskError("type", "a quantifier goes through a set", ast);
}
