import * as v from "valibot";

/**
 * What a document of JSON looks like; `T` is what fits, as it is. Messages of its parts are noun phrases: what was
 * expected there. The schemas in `docs` are made of these (`scripts/json-schemas.ts`).
 */
export type Shape<T> = v.GenericSchema<T>;

/** The first thing in a document that does not fit, and where it is. */
export interface Problem {
  /** As `at` or `classes[3].days`; empty: the document itself. */
  readonly path: string;
  readonly expected: string;
  readonly found: unknown;
}

/** Null: `value` is a `T`. */
export function problemIn(shape: v.GenericSchema, value: unknown): Problem | null {
  const { issues } = v.safeParse(shape, value, { abortEarly: true });
  return issues === undefined ? null : problemOf(issues[0]);
}

/** Fields too many that are taken out of one document at most. */
const MOST_UNKNOWN = 64;

/**
 * A copy of `value` without the fields that `shape` has not, and how many those were; null: it does not fit without
 * them either.
 */
export function withKnownFields(shape: v.GenericSchema, value: unknown): { value: unknown; left: number } | null {
  const copy: unknown = structuredClone(value);
  for (let left = 0; left <= MOST_UNKNOWN; left++) {
    const { issues } = v.safeParse(shape, copy, { abortEarly: true });
    if (issues === undefined) return { value: copy, left };
    const [{ type, expected, path }] = issues;
    const step = path?.at(-1);
    if (type !== "strict_object" || expected !== "never" || step === undefined) return null;
    delete (step.input as Record<string, unknown>)[String(step.key)];
  }
  return null;
}

/** What was expected, and the beginning of what was found. */
export function tell({ expected, found }: Problem): string {
  const all = typeof found === "number" ? String(found) : (JSON.stringify(found) ?? "nothing");
  return `expected ${expected}, found ${all.length > 60 ? `${all.slice(0, 57)}…` : all}`;
}

export const text: Shape<string> = v.string("text");
export const boolean: Shape<boolean> = v.boolean("true or false");
export const number: Shape<number> = v.pipe(v.number("a number"), v.finite("a number"));

/** A whole number; both bounds belong to it. */
export function whole(least: number, most: number): Shape<number> {
  const what = `a whole number from ${least} to ${most}`;
  return v.pipe(v.number(what), v.integer(what), v.minValue(least, what), v.maxValue(most, what));
}

/** A text that matches; without flags, as JSON Schema has none. */
export function matching(pattern: RegExp, expected: string): Shape<string> {
  return v.pipe(v.string(expected), v.regex(pattern, expected));
}

export function oneOf<const T extends string | number>(...values: readonly T[]): Shape<T> {
  const all = values.map((value) => JSON.stringify(value)).join(", ");
  return v.picklist(values, values.length === 1 ? all : `one of ${all}`);
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return v.array(item, "a list");
}

/** A list of one or more. */
export function filled<T>(item: Shape<T>): Shape<readonly T[]> {
  return v.pipe(v.array(item, "a list"), v.nonEmpty("a list of one or more"));
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return v.union([shape, v.null("null")]);
}

export type Exactly<E extends v.ObjectEntries> = v.StrictObjectSchema<E, v.ErrorMessage<v.StrictObjectIssue>>;

/** An object with these fields, and none else. */
export function object<const E extends v.ObjectEntries>(entries: E): Exactly<E> {
  const shape = v.strictObject(entries, ({ expected, path }) => {
    if (path === undefined) return OBJECT;
    if (expected === "never") return `only ${Object.keys(entries).join(", ")}`;
    const missing = entries[String(path[0].key)] as v.GenericSchema;
    return problemIn(missing, undefined)!.expected;
  });
  // valibot takes a list for an object
  return { ...shape, "~run": (set, config) => (Array.isArray(set.value) ? NO_OBJECT : shape)["~run"](set, config) };
}

/** An object whose keys are the writer's own. */
export function dictionary<T>(value: Shape<T>, key: Shape<string> = text): Shape<Readonly<Record<string, T>>> {
  return {
    ...v.record(key, value, OBJECT),
    // that of valibot takes a list, too, and passes over keys such as "constructor"
    "~run": (set, config) => {
      const input = set.value;
      if (typeof input !== "object" || input === null || Array.isArray(input)) return NO_OBJECT["~run"](set, config);
      const entries = input as Readonly<Record<string, T>>;
      for (const [own, item] of Object.entries(entries)) {
        const issues = key["~run"]({ value: own }, config).issues ?? value["~run"]({ value: item }, config).issues;
        if (issues === undefined) continue;
        const step: v.ObjectPathItem = { type: "object", origin: "value", input: entries, key: own, value: item };
        return { typed: false, value: input, issues: [{ ...issues[0], path: [step, ...(issues[0].path ?? [])] }] };
      }
      return { typed: true, value: entries };
    },
  };
}

const OBJECT = "an object";
const NO_OBJECT = v.never(OBJECT);

function problemOf({ path, type, message, expected, input, issues }: v.BaseIssue<unknown>): Problem {
  // a field too many is found in the object
  const steps = type === "strict_object" && expected === "never" ? path!.slice(0, -1) : (path ?? []);
  const at = steps.reduce((place, { key }) => joined(place, typeof key === "number" ? `[${key}]` : String(key)), "");
  // of several shapes none fits: the one was meant that fits as far as to something inside
  const inner = (issues ?? []).map(problemOf);
  const meant = inner.find((problem) => problem.path !== "" || problem.found !== input);
  if (meant !== undefined) return { ...meant, path: joined(at, meant.path) };
  const all = new Set(inner.map((problem) => problem.expected));
  return { path: at, expected: all.size === 0 ? message : [...all].join(" or "), found: input };
}

/** A place in what is at another place. */
export function joined(place: string, rest: string): string {
  return place === "" || rest === "" || rest.startsWith("[") ? place + rest : `${place}.${rest}`;
}
