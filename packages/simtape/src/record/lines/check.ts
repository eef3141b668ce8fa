/** What is wrong with a value, and where in it. */
export interface Problem {
  /** As `.at` or `.items.3`, from the value on. */
  readonly path: string;
  readonly expected: string;
  readonly found: unknown;
}

/** Looks whether a value of JSON is a `T`; null: it is. Makes nothing when it is. */
export interface Check<T> {
  (value: unknown): Problem | null;
  /** For the compiler only: never there. */
  readonly type?: T;
}

export type Checked<C> = C extends Check<infer T> ? T : never;

/** One thing that a line may say: the value behind its key, and what is done with it. */
export interface Command<C> {
  readonly check: Check<unknown>;
  readonly act: (context: C, value: unknown) => void;
}

export function command<C, T>(check: Check<T>, act: (context: C, value: T) => void): Command<C> {
  return { check, act: act as (context: C, value: unknown) => void };
}

/** A check by a predicate, told as `expected`. */
export function is<T>(expected: string, test: (value: unknown) => boolean): Check<T> {
  return (value) => (test(value) ? null : { path: "", expected, found: value });
}

export const text: Check<string> = is("text", (value) => typeof value === "string");
export const name: Check<string> = is(
  "a name",
  (value) => typeof value === "string" && value.length > 0 && value.length <= 256,
);
export const boolean: Check<boolean> = is("true or false", (value) => typeof value === "boolean");
export const number: Check<number> = is("a number", Number.isFinite);
export const yes: Check<true> = is("true", (value) => value === true);
export const uuid: Check<string> = is(
  "a UUID",
  (value) => typeof value === "string" && /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(value),
);
export const base64: Check<string> = is(
  "bytes in base64",
  (value) => typeof value === "string" && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
);
/** The sender's own name for a thing. */
export const id: Check<string | number> = is(
  "an id: text or a whole number",
  (value) => typeof value === "string" || Number.isSafeInteger(value),
);

export function whole(least: number, most: number): Check<number> {
  const isWhole = (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  return is(`a whole number from ${least} to ${most}`, isWhole);
}

export function oneOf<const T extends string | number>(...values: readonly T[]): Check<T> {
  return is(`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`, (value) =>
    (values as readonly unknown[]).includes(value),
  );
}

export function either<A, B>(a: Check<A>, b: Check<B>): Check<A | B> {
  return (value) => {
    const problem = a(value);
    if (problem === null) return null;
    const other = b(value);
    return other === null || other.path !== ""
      ? other
      : { ...problem, expected: `${problem.expected}, or ${other.expected}` };
  };
}

export function orNull<T>(check: Check<T>): Check<T | null> {
  return either(
    check,
    is<null>("null", (value) => value === null),
  );
}

/** Numbers no farther than `most` from 0. */
export function numbers<T extends readonly number[]>(count: T["length"], most: number = Number.MAX_VALUE): Check<T> {
  const what = most === Number.MAX_VALUE ? "numbers" : `numbers up to ${most}`;
  return is(`${count} ${what}`, (value) => {
    if (!Array.isArray(value) || value.length !== count) return false;
    for (let i = 0; i < count; i++) {
      const item: unknown = value[i];
      if (typeof item !== "number" || !(item <= most && item >= -most)) return false;
    }
    return true;
  });
}

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", expected: "a list", found: value };
    for (let i = 0; i < value.length; i++) {
      const problem = check(value[i]);
      if (problem !== null) return within(String(i), problem);
    }
    return null;
  };
}

/** An object whose keys are the sender's. */
export function record<T>(check: Check<T>, key: Check<string> = text): Check<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isObject(value)) return { path: "", expected: "an object", found: value };
    for (const [own, item] of Object.entries(value)) {
      const problem = key(own) ?? check(item);
      if (problem !== null) return within(own, problem);
    }
    return null;
  };
}

type Shape = Readonly<Record<string, Check<unknown>>>;
type Fields<S extends Shape> = { readonly [K in keyof S]: Checked<S[K]> };
type Nothing = Readonly<Record<never, Check<unknown>>>;

/** An object with these fields, and none else. */
export function object<R extends Shape, O extends Shape = Nothing>(
  required: R,
  optional?: O,
): Check<Fields<R> & Partial<Fields<O>>> {
  const needed = Object.entries(required);
  const allowed = Object.entries(optional ?? {});
  const names = new Set([...needed, ...allowed].map(([field]) => field));
  return (value) => {
    if (!isObject(value)) return { path: "", expected: "an object", found: value };
    for (let i = 0; i < needed.length; i++) {
      const [field, check] = needed[i]!;
      const problem = check(value[field]);
      if (problem !== null) return within(field, problem);
    }
    for (let i = 0; i < allowed.length; i++) {
      const [field, check] = allowed[i]!;
      const item = value[field];
      const problem = item === undefined ? null : check(item);
      if (problem !== null) return within(field, problem);
    }
    for (const field in value) {
      if (!names.has(field)) return { path: "", expected: `only ${[...names].join(", ")}`, found: field };
    }
    return null;
  };
}

/** As an error says it: the path, what was expected, and the beginning of what was found. */
export function tell({ path, expected, found }: Problem, key: string): string {
  const all = found === undefined ? "nothing" : JSON.stringify(found);
  return `${key}${path}: expected ${expected}, found ${all.length > 60 ? `${all.slice(0, 57)}…` : all}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function within(field: string, { path, expected, found }: Problem): Problem {
  return { path: `.${field}${path}`, expected, found };
}
