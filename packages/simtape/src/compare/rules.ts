import { CompareError } from "./error.ts";
import { isUnit, metresPer, metresPerSecond } from "../model/values/units.ts";

/** How far numbers may be apart: by so much, or by so much of the greater one, whichever is more. */
export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
  /** It is not compared at all. */
  readonly isIgnored: boolean;
}

export const EXACT: Tolerance = { absolute: 0, relative: 0, isIgnored: false };

/** `vehicles/*.position: 0.01 m`, read. */
export interface Rule {
  readonly text: string;
  readonly pattern: string;
  readonly amount: number;
  /** Null: in the unit of what it is compared with; `%`: of the greater one. */
  readonly unit: string | null;
  readonly isIgnored: boolean;
}

/** Throws `CompareError` for what is no rule. */
export function parseRule(text: string): Rule {
  const at = text.lastIndexOf(":");
  const [pattern, bound] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 0 || pattern === "") throw new CompareError("rule", `${how(text)}, as 'vehicles/*.position: 0.01 m'`);
  if (bound === "ignore") return { text, pattern, amount: 0, unit: null, isIgnored: true };
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\S*)$/i.exec(bound) ?? [];
  if (number === undefined || !Number.isFinite(Number(number)))
    throw new CompareError("rule", `${how(text)}: ${JSON.stringify(bound)} is no number with a unit, and not ignore`);
  if (unit !== "" && unit !== "%" && !isUnit(unit))
    throw new CompareError("unit", `${how(text)}: ${JSON.stringify(unit)} is no unit`);
  return { text, pattern, amount: Number(number), unit: unit === "" ? null : unit, isIgnored: false };
}

function how(text: string): string {
  return `a rule is PATH: NUMBER UNIT or PATH: ignore, not ${JSON.stringify(text)}`;
}

/** What a rule is asked for. */
export interface RuleTarget {
  /** Of a column: set, thing and column; of a value its name. */
  readonly set: string | null;
  readonly id: number | string | null;
  readonly name: string;
  /** Keys behind the name of a value: `.pose.x`, with a point before each; else "". */
  readonly keys: string;
  readonly unit: string | null;
}

/** The rules of a comparison; the last that fits counts. */
export class Rules {
  readonly #rules: readonly { readonly rule: Rule; readonly test: RegExp }[];
  readonly #otherwise: Tolerance;
  /** Whether a rule is for some things of a set and not for all. */
  readonly isByThing: boolean;
  readonly #used: Set<Rule> = new Set();

  /** `otherwise` holds where no rule fits. Throws `CompareError` for a text that is none. */
  constructor(texts: readonly string[], otherwise: Tolerance) {
    this.#rules = texts.map((text) => {
      const rule = parseRule(text);
      return { rule, test: globOf(rule.pattern) };
    });
    this.#otherwise = otherwise;
    this.isByThing = this.#rules.some(({ rule }) => !/^(\*\*|[^/]*\/\*(?![^./])|[^/]*$)/.test(rule.pattern));
  }

  /** Null: no rule fits. Throws `CompareError` where the unit of the rule is of another kind. */
  ruled(target: RuleTarget): Tolerance | null {
    const names = namesOf(target);
    for (let i = this.#rules.length - 1; i >= 0; i--) {
      const { rule, test } = this.#rules[i]!;
      if (!names.some((name) => test.test(name))) continue;
      this.#used.add(rule);
      return toleranceOf(rule, target);
    }
    return null;
  }

  /** As `ruled`, or what holds otherwise. */
  of(target: RuleTarget): Tolerance {
    return this.ruled(target) ?? this.#otherwise;
  }

  /** Texts of the rules that nothing was asked for. */
  get unused(): readonly string[] {
    return this.#rules.filter(({ rule }) => !this.#used.has(rule)).map(({ rule }) => rule.text);
  }
}

function namesOf({ set, id, name, keys }: RuleTarget): readonly string[] {
  if (set === null) return keys === "" ? [name] : [name, `${name}${keys}`];
  return [`${set}/${id}/${name}`, `${set}/${id}.${name}`, `${set}/${name}`, `${set}.${name}`];
}

/** `*` stops at `/` and at `.`, `**` does not. */
function globOf(pattern: string): RegExp {
  const source = pattern.replace(/\*\*|\*|\?|[\\^$.+()[\]{}|]/g, (found) =>
    found === "**" ? ".*" : found === "*" ? "[^/]*" : found === "?" ? "[^/]" : `\\${found}`,
  );
  return new RegExp(`^${source}$`, "s");
}

function toleranceOf({ amount, unit, isIgnored, text }: Rule, target: RuleTarget): Tolerance {
  if (isIgnored) return { absolute: 0, relative: 0, isIgnored };
  if (unit === "%") return { absolute: 0, relative: amount / 100, isIgnored };
  const factor = unit === null ? 1 : factorBetween(unit, target.unit);
  if (factor === null) {
    const path = target.set === null ? `${target.name}${target.keys}` : `${target.set}/*/${target.name}`;
    throw new CompareError("unit", `${path} is in ${target.unit ?? "no unit"}, and not in ${unit}: rule '${text}'`);
  }
  return { absolute: amount * factor, relative: 0, isIgnored };
}

/** How many of `to` are in one of `from`; null: they are not of one kind. */
export function factorBetween(from: string, to: string | null): number | null {
  if (from === to) return 1;
  if (to === null) return null;
  for (const perUnit of [lengthOf, angleOf, timeOf, speedOf]) {
    const [one, other] = [perUnit(from), perUnit(to)];
    if (one !== null && other !== null) return one / other;
  }
  return null;
}

function lengthOf(unit: string): number | null {
  return metresPer(unit);
}

function angleOf(unit: string): number | null {
  return unit === "deg" ? Math.PI / 180 : unit === "rad" ? 1 : null;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, ps: 1e-12, min: 60, h: 3600 };

function timeOf(unit: string): number | null {
  return SECONDS[unit] ?? null;
}

function speedOf(unit: string): number | null {
  if (!unit.includes("/")) return null;
  const stroke = unit.lastIndexOf("/");
  const angle = angleOf(unit.slice(0, stroke));
  if (angle !== null) return unit.slice(stroke + 1) === "s" ? angle * 1e6 : null;
  return metresPerSecond(unit);
}
