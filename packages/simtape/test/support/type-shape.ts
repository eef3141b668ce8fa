import { fileURLToPath } from "node:url";
import { API, type Checker, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";

/** What a TypeScript type says of a value. */
export type Shape =
  | { readonly kind: "any" }
  | { readonly kind: "primitive"; readonly name: string }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "typed-array"; readonly name: string }
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "tuple"; readonly items: readonly Shape[] }
  | Members
  | { readonly kind: "union"; readonly of: readonly Shape[] };

export interface Members {
  readonly kind: "members";
  readonly members: ReadonlyMap<string, { readonly shape: Shape; readonly isOptional: boolean }>;
  readonly index: readonly { readonly keys: RegExp; readonly shape: Shape }[];
}

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Shapes of exported types, as the compiler has them: `shapesOf({ CarlaChannels: "packages/…/format.ts" })`. */
export function shapesOf<Name extends string>(exports: Readonly<Record<Name, string>>): Record<Name, Shape> {
  const api = new API({ cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProject: `${ROOT}tsconfig.json` }).getProjects()[0]!;
    const { checker, program } = project;
    const reader = new ShapeReader(checker);
    const shapes: Partial<Record<Name, Shape>> = {};
    for (const [name, file] of Object.entries(exports) as [Name, string][]) {
      const source = program.getSourceFile(ROOT + file);
      if (source === undefined) throw new Error(`the project has no ${file}`);
      const module = checker.getSymbolAtLocation(source)!;
      const found = checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
      if (found === undefined) throw new Error(`${file} does not export ${name}`);
      const isAlias = (found.flags & SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(found) : found;
      shapes[name] = reader.shape(checker.getDeclaredTypeOfSymbol(symbol));
    }
    return shapes as Record<Name, Shape>;
  } finally {
    api.close();
  }
}

const PRIMITIVES: readonly (readonly [TypeFlags, string])[] = [
  [TypeFlags.String, "string"],
  [TypeFlags.Number, "number"],
  [TypeFlags.BigInt, "bigint"],
  [TypeFlags.Boolean, "boolean"],
  [TypeFlags.Null, "null"],
];

const TYPED_ARRAY = /^(Uint8|Uint16|Uint32|Int8|Int16|Int32|Float32|Float64)Array$/;

class ShapeReader {
  readonly #checker: Checker;
  readonly #known = new Map<number, { -readonly [K in keyof Shape]: Shape[K] }>();

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /** The same object for the same type, which may be within itself. */
  shape(type: Type): Shape {
    const known = this.#known.get(type.id);
    if (known !== undefined) return known as Shape;
    const shape = {} as Shape;
    this.#known.set(type.id, shape);
    return Object.assign(shape, this.#read(type));
  }

  #read(type: Type): Shape {
    const checker = this.#checker;
    if ((type.flags & TypeFlags.AnyOrUnknown) !== 0) return { kind: "any" };
    const primitive = PRIMITIVES.find(([flag]) => (type.flags & flag) !== 0);
    if (primitive !== undefined) return { kind: "primitive", name: primitive[1] };
    if (type.isLiteralType()) return { kind: "literal", value: type.value };
    if (type.isUnionType()) {
      // what an optional member has beside its own type: no value is undefined
      const of = type.getTypes().filter(({ flags }) => (flags & TypeFlags.Undefined) === 0);
      return of.length === 1 ? this.#read(of[0]!) : { kind: "union", of: of.map((each) => this.shape(each)) };
    }
    const name = type.getSymbol()?.name ?? "";
    if (TYPED_ARRAY.test(name)) return { kind: "typed-array", name };
    if (type.isTypeReference() && checker.isTupleType(type)) {
      return { kind: "tuple", items: checker.getTypeArguments(type).map((each) => this.shape(each)) };
    }
    if (type.isTypeReference() && checker.isArrayType(type)) {
      return { kind: "list", item: this.shape(checker.getTypeArguments(type)[0]!) };
    }
    if (!type.isObjectType() && !type.isIntersectionType()) {
      throw new Error(`a type that no shape is for: ${checker.typeToString(type)}`);
    }
    const members = new Map<string, { shape: Shape; isOptional: boolean }>();
    for (const symbol of checker.getPropertiesOfType(type)) {
      const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0;
      members.set(symbol.name, { shape: this.shape(checker.getTypeOfSymbol(symbol)!), isOptional });
    }
    const index = checker
      .getIndexInfosOfType(type)
      .map(({ keyType, valueType }) => ({ keys: keysOf(keyType), shape: this.shape(valueType) }));
    return { kind: "members", members, index };
  }
}

/** Keys of an index signature: any text, or a template of texts and numbers. */
function keysOf(type: Type): RegExp {
  if (!type.isTemplateLiteralType()) return /^/s;
  const holes = type.getTypes().map(({ flags }) => ((flags & TypeFlags.Number) !== 0 ? "-?\\d+" : ".*"));
  const texts = type.texts.map((text) => text.replaceAll(/[^\w]/g, "\\$&"));
  return new RegExp(`^${texts.map((text, i) => text + (holes[i] ?? "")).join("")}$`, "s");
}

/** Where and how a value is not what its type says; null when it is. A member that the type does not have is wrong, too. */
export function misfit(value: unknown, shape: Shape, path = "value"): string | null {
  switch (shape.kind) {
    case "any":
      return value === undefined ? `${path} is undefined` : null;
    case "primitive":
      return kindOf(value) === shape.name ? null : expected(path, shape.name, value);
    case "literal":
      return value === shape.value ? null : expected(path, JSON.stringify(shape.value), value);
    case "typed-array":
      return kindOf(value) === shape.name ? null : expected(path, shape.name, value);
    case "list":
      return Array.isArray(value)
        ? first(value, (item, i) => misfit(item, shape.item, `${path}[${i}]`))
        : expected(path, "a list", value);
    case "tuple": {
      const length = shape.items.length;
      if (!Array.isArray(value) || value.length !== length) return expected(path, `a list of ${length}`, value);
      return first(shape.items, (item, i) => misfit(value[i], item, `${path}[${i}]`));
    }
    case "members":
      return kindOf(value) === "an object"
        ? memberMisfit(value as object, shape, path)
        : expected(path, "an object", value);
    case "union": {
      const found = shape.of.map((each) => misfit(value, each, path));
      if (found.includes(null)) return null;
      // what is wrong deepest inside comes from the type that is meant
      return found.reduce((a, b) => (depth(b!) > depth(a!) ? b : a))!;
    }
    default:
      return shape satisfies never;
  }
}

function memberMisfit(value: object, { members, index }: Members, path: string): string | null {
  const own = value as Readonly<Record<string, unknown>>;
  for (const [name, { isOptional }] of members) {
    if (!isOptional && !Object.hasOwn(own, name)) return `${path}.${name} is missing`;
  }
  return first(Object.keys(own), (name) => {
    const at = `${path}.${name}`;
    const known = members.get(name)?.shape;
    if (known !== undefined) return misfit(own[name], known, at);
    const signature = index.find(({ keys }) => keys.test(name));
    return signature === undefined ? `${at} is not in the type` : misfit(own[name], signature.shape, at);
  });
}

function first<T>(items: readonly T[], find: (item: T, i: number) => string | null): string | null {
  for (const [i, item] of items.entries()) {
    const found = find(item, i);
    if (found !== null) return found;
  }
  return null;
}

function expected(path: string, what: string, value: unknown): string {
  return `${path} is ${kindOf(value)}, not ${what}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return ArrayBuffer.isView(value) ? value.constructor.name : "an object";
}

function depth(misfit: string): number {
  return misfit.slice(0, misfit.indexOf(" ")).split(/[.[]/).length;
}
