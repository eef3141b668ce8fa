/** A document of JSON Schema, as a program holds it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What a document of JSON looks like: the same as JSON Schema, and as a check. `T` is what fits, as it is. The schemas in
 * `docs` are made of these (`scripts/json-schemas.ts`).
 *
 * Pages forbid `eval`, so the checks are closures: a line is checked in a fraction of the time that a library takes that
 * interprets a schema.
 */
export interface Shape<out T> {
  readonly schema: JsonSchema;
  /** What fits, as a noun phrase for messages. */
  readonly expected: string;
  /** The first thing in `value` that does not fit; null: `value` is a `T`. */
  readonly problemIn: (value: unknown) => Problem | null;
  /** For the compiler alone. */
  readonly type?: T;
}

/** A field that may be left out. */
export interface MaybeShape<out T> extends Shape<T> {
  readonly isOptional: true;
}

/** The first thing in a document that does not fit, and where it is. */
export interface Problem {
  /** As `at` or `classes[3].days`; empty: the document itself. */
  readonly path: string;
  readonly expected: string;
  readonly found: unknown;
  /** It is a field that this object has and its shape has not. */
  readonly extra?: { readonly object: object; readonly key: string };
}

/** Null: `value` is a `T`. */
export function problemIn(shape: Shape<unknown>, value: unknown): Problem | null {
  return shape.problemIn(value);
}

/** Fields too many that are taken out of one document at most. */
const MOST_UNKNOWN = 64;

/**
 * A copy of `value` without the fields that `shape` has not, and how many those were; null: it does not fit without
 * them either.
 */
export function withKnownFields(shape: Shape<unknown>, value: unknown): { value: unknown; left: number } | null {
  const copy: unknown = structuredClone(value);
  for (let left = 0; left <= MOST_UNKNOWN; left++) {
    const problem = shape.problemIn(copy);
    if (problem === null) return { value: copy, left };
    if (problem.extra === undefined) return null;
    delete (problem.extra.object as Record<string, unknown>)[problem.extra.key];
  }
  return null;
}

/** What was expected, and the beginning of what was found. */
export function tell({ expected, found }: Problem): string {
  const all = typeof found === "number" ? String(found) : (JSON.stringify(found) ?? "nothing");
  return `expected ${expected}, found ${all.length > 60 ? `${all.slice(0, 57)}…` : all}`;
}

/** A place in what is at another place. */
export function joined(place: string, rest: string): string {
  return place === "" || rest === "" || rest.startsWith("[") ? place + rest : `${place}.${rest}`;
}

/** A shape of its own: what `fits` decides, and the schema can say of it. */
export function shape<T>(schema: JsonSchema, expected: string, fits: (value: unknown) => boolean): Shape<T> {
  return { schema, expected, problemIn: (found) => (fits(found) ? null : { path: "", expected, found }) };
}

/** Where more must hold than a schema can say. */
export function checked<T>(of: Shape<T>, expected: string, fits: (value: T) => boolean): Shape<T> {
  const problem = (found: unknown): Problem | null => (fits(found as T) ? null : { path: "", expected, found });
  return { ...of, problemIn: (value) => of.problemIn(value) ?? problem(value) };
}

/** With words for people, in an editor that knows JSON Schema. */
export function described<T>(of: Shape<T>, description: string): Shape<T> {
  return { ...of, schema: { ...of.schema, description } };
}

export const text: Shape<string> = shape({ type: "string" }, "text", (value) => typeof value === "string");
export const boolean: Shape<boolean> = shape(
  { type: "boolean" },
  "true or false",
  (v: unknown) => typeof v === "boolean",
);
export const number: Shape<number> = shape({ type: "number" }, "a number", (value: unknown) => Number.isFinite(value));
export const none: Shape<null> = shape({ type: "null" }, "null", (value: unknown) => value === null);
export const anything: Shape<unknown> = shape({}, "anything", () => true);

/** A number from `minimum` to `maximum`. */
export function between(minimum: number, maximum: number, expected: string): Shape<number> {
  const schema = {
    type: "number",
    ...(minimum === -Infinity ? {} : { minimum }),
    ...(maximum === Infinity ? {} : { maximum }),
  };
  return shape(schema, expected, (value) => typeof value === "number" && value >= minimum && value <= maximum);
}

/** A whole number; both bounds belong to it. */
export function whole(minimum: number, maximum: number): Shape<number> {
  const fits = (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  return shape({ type: "integer", minimum, maximum }, `a whole number from ${minimum} to ${maximum}`, fits);
}

/** A text of so many letters. */
export function sized(minLength: number, maxLength: number, expected: string): Shape<string> {
  const schema = {
    type: "string",
    ...(minLength === 0 ? {} : { minLength }),
    ...(maxLength === Infinity ? {} : { maxLength }),
  };
  const fits = (value: unknown): boolean =>
    typeof value === "string" && value.length >= minLength && value.length <= maxLength;
  return shape(schema, expected, fits);
}

/** A text that matches; without flags, as JSON Schema has none. */
export function matching(pattern: RegExp, expected: string, maxLength: number = Infinity): Shape<string> {
  const schema = { type: "string", pattern: pattern.source, ...(maxLength === Infinity ? {} : { maxLength }) };
  const fits = (value: unknown): boolean =>
    typeof value === "string" && value.length <= maxLength && pattern.test(value);
  return shape(schema, expected, fits);
}

export function literal<const T extends string | number | boolean>(value: T): Shape<T> {
  return shape({ const: value }, JSON.stringify(value), (found) => found === value);
}

export function oneOf<const T extends string | number>(...values: readonly T[]): Shape<T> {
  const all = values.map((value) => JSON.stringify(value)).join(", ");
  const expected = values.length === 1 ? all : `one of ${all}`;
  return shape({ enum: values, type: typeof values[0] }, expected, (value) =>
    (values as readonly unknown[]).includes(value),
  );
}

/** A list of `least` items or more, and of `most` at most; `expected` says so. */
export function list<T>(
  item: Shape<T>,
  least: number = 0,
  most: number = Infinity,
  expected: string = "a list",
): Shape<readonly T[]> {
  const bounds = { ...(least === 0 ? {} : { minItems: least }), ...(most === Infinity ? {} : { maxItems: most }) };
  return {
    schema: { type: "array", items: item.schema, ...bounds },
    expected,
    problemIn: (value) => {
      if (!Array.isArray(value)) return { path: "", expected: "a list", found: value };
      for (let i = 0; i < value.length; i++) {
        const problem = item.problemIn(value[i]);
        if (problem !== null) return at(`[${i}]`, problem);
      }
      return value.length < least || value.length > most ? { path: "", expected, found: value } : null;
    },
  };
}

/** A list of one or more. */
export function filled<T>(item: Shape<T>): Shape<readonly T[]> {
  return list(item, 1, Infinity, "a list of one or more");
}

/** A list of just these; `many` says how many, as `3 numbers`. */
export function tuple<const S extends readonly Shape<unknown>[]>(
  items: S,
  many: string,
): Shape<{ readonly [Key in keyof S]: TypeOf<S[Key]> }> {
  return {
    schema: { type: "array", prefixItems: items.map(({ schema }) => schema), minItems: items.length, items: false },
    expected: many,
    problemIn: (value) => {
      if (!Array.isArray(value)) return { path: "", expected: many, found: value };
      for (let i = 0; i < items.length; i++) {
        const problem = items[i]!.problemIn(value[i]);
        if (problem !== null) return at(`[${i}]`, problem);
      }
      if (value.length === items.length) return null;
      return { path: `[${items.length}]`, expected: `only ${many}`, found: value[items.length] };
    },
  };
}

export function orNull<T>(of: Shape<T>): Shape<T | null> {
  return union(of, none);
}

/** One of several shapes. */
export function union<const S extends readonly Shape<unknown>[]>(...shapes: S): Shape<TypeOf<S[number]>> {
  return {
    schema: { anyOf: shapes.map(({ schema }) => schema) },
    expected: expectedOf(shapes),
    problemIn: (found) => {
      let inside: Problem | null = null;
      for (const each of shapes) {
        const problem = each.problemIn(found);
        if (problem === null) return null;
        if (problem.path !== "" || problem.found !== found) inside ??= problem;
      }
      // the one was meant that fits as far as to something inside, or else those of the type of what is there
      if (inside !== null) return { path: inside.path, expected: inside.expected, found: inside.found };
      const meant = shapes.filter(({ schema }) => schema["type"] === typeof found);
      return { path: "", expected: expectedOf(meant.length === 0 ? shapes : meant), found };
    },
  };
}

function expectedOf(shapes: readonly Shape<unknown>[]): string {
  return [...new Set(shapes.map(({ expected }) => expected))].join(" or ");
}

/** One of several objects, as the field `key` of each says. */
export function variant<S extends Shape<object>>(key: string, shapes: Readonly<Record<string, S>>): Shape<TypeOf<S>> {
  const all = new Map(Object.entries(shapes));
  const expected = `one of ${[...all.keys()].join(", ")}`;
  return {
    schema: { oneOf: [...all.values()].map(({ schema }) => schema) },
    expected,
    problemIn: (value) => {
      if (!isObject(value)) return { path: "", expected: OBJECT, found: value };
      const found = value[key];
      return (
        all.get(found as string)?.problemIn(value) ?? (all.has(found as string) ? null : { path: key, expected, found })
      );
    },
  };
}

type TypeOf<S> = S extends Shape<infer T> ? T : never;
type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalKey<E extends Fields> = { [K in keyof E]: E[K] extends MaybeShape<unknown> ? K : never }[keyof E];
/** What an object with these fields is. */
export type ObjectOf<E extends Fields> = {
  readonly [K in Exclude<keyof E, OptionalKey<E>>]: TypeOf<E[K]>;
} & { readonly [K in OptionalKey<E>]?: TypeOf<E[K]> };

/** A field that may be left out. */
export function maybe<T>(of: Shape<T>): MaybeShape<T> {
  return { ...of, isOptional: true };
}

/** An object with these fields, and none else. */
export function object<const E extends Fields>(fields: E): Shape<ObjectOf<E>> {
  const keys = Object.keys(fields);
  const shapes = Object.values(fields);
  const isOptional = shapes.map((each) => "isOptional" in each);
  const known = new Set(keys);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(keys.map((key, i) => [key, shapes[i]!.schema])),
      required: keys.filter((_, i) => isOptional[i] !== true),
      additionalProperties: false,
    },
    expected: OBJECT,
    problemIn: (value) => {
      if (!isObject(value)) return { path: "", expected: OBJECT, found: value };
      for (let i = 0; i < keys.length; i++) {
        const item = value[keys[i]!];
        if (item === undefined && isOptional[i] === true) continue;
        const problem = shapes[i]!.problemIn(item);
        if (problem !== null) return at(keys[i]!, problem);
      }
      for (const key in value) {
        if (!known.has(key))
          return { path: "", expected: `only ${keys.join(", ")}`, found: key, extra: { object: value, key } };
      }
      return null;
    },
  };
}

/** An object whose keys are the writer's own; `least` of them at least. */
export function dictionary<T>(
  item: Shape<T>,
  key: Shape<string> = text,
  least = 0,
): Shape<Readonly<Record<string, T>>> {
  const bounds = least === 0 ? {} : { minProperties: least };
  return {
    schema: { type: "object", propertyNames: key.schema, additionalProperties: item.schema, ...bounds },
    expected: OBJECT,
    problemIn: (value) => {
      if (!isObject(value)) return { path: "", expected: OBJECT, found: value };
      let count = 0;
      for (const own in value) {
        count++;
        const problem = key.problemIn(own) ?? item.problemIn(value[own]);
        if (problem !== null) return at(own, problem);
      }
      return count < least ? { path: "", expected: "an object with one field or more", found: value } : null;
    },
  };
}

const OBJECT = "an object";

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Of something inside. */
function at(place: string, { path, ...problem }: Problem): Problem {
  return { path: joined(place, path), ...problem };
}
