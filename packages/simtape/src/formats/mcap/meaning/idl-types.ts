import type { IDLMessageDefinition, IDLMessageDefinitionField } from "@foxglove/omgidl-parser";
import { SIZES } from "./cdr.ts";

/** A member of a struct, or a case of a union. */
export interface IdlField {
  readonly name: string;
  /** A number, `bool`, `string`, or another type. */
  readonly type: string | IdlType;
  /** Not a list; a list that states its length; or the lengths of an array, the outermost first. */
  readonly count: "one" | "many" | readonly number[];
  readonly id: number;
  readonly isOptional: boolean;
}

export interface IdlType {
  /** Members in their order; of a union they are its cases. */
  fields: readonly IdlField[];
  /** `final`: members alone; `appendable`: their size may stand before them; `mutable`: each has its id before it. */
  readonly extensibility: "final" | "appendable" | "mutable";
  /** Null: a struct. */
  union: { readonly switchType: string; readonly caseOf: (value: number) => IdlField | null } | null;
}

/** The longest text of definitions that is parsed. */
const LONGEST = 1 << 20;

/**
 * The type `root` of definitions in OMG IDL, as DDS and ROS 2 write them (spec §6). Null where the text is no IDL, lacks
 * the type, or has members that are not read here, as `wstring`.
 */
export async function idlType(text: string, root: string): Promise<IdlType | null> {
  if (text.length > LONGEST) return null;
  const definitions = await parsed(bare(text));
  if (definitions === null) return null;
  const types = new Map<string, IdlType>();
  const sources = new Map<string, IDLMessageDefinition>();
  for (const definition of definitions) {
    if (definition.aggregatedKind === "module") continue;
    const name = definition.name ?? "";
    sources.set(name, definition);
    types.set(name, { fields: [], extensibility: extensibilityOf(definition), union: null });
  }
  for (const [name, definition] of sources) if (!fill(types.get(name)!, definition, types)) return null;
  const type = types.get(root.replaceAll("/", "::"));
  return type === undefined || isEndless(types) ? null : type;
}

/** ROS 2 puts a line of `=` and a line `IDL: package/msg/Name` before each file, and files include one another. */
function bare(text: string): string {
  return text.replaceAll(/^(={3,}|IDL:.*|[ \t]*#.*)[ \t]*\r?$/gm, "");
}

async function parsed(text: string): Promise<readonly IDLMessageDefinition[] | null> {
  const module = await import("@foxglove/omgidl-parser");
  // a CommonJS package: some loaders give its exports under `default` only
  const { parseIDL } = "parseIDL" in module ? module : (module as { default: typeof module }).default;
  try {
    return parseIDL(text);
  } catch {
    return null;
  }
}

function extensibilityOf({ annotations = {} }: IDLMessageDefinition): IdlType["extensibility"] {
  return "mutable" in annotations ? "mutable" : "appendable" in annotations ? "appendable" : "final";
}

/** Gives a type its members; false where one is not read here. */
function fill(type: IdlType, definition: IDLMessageDefinition, types: ReadonlyMap<string, IdlType>): boolean {
  if (definition.aggregatedKind === "module") return true;
  const isUnion = definition.aggregatedKind === "union";
  const sources = isUnion
    ? [...definition.cases.map((one) => one.type), ...(definition.defaultCase ? [definition.defaultCase] : [])]
    : definition.definitions.filter(({ isConstant }) => isConstant !== true);
  const fields: IdlField[] = [];
  for (const source of sources) {
    const field = fieldOf(source, isUnion ? fields.length : (fields.at(-1)?.id ?? -1) + 1, types);
    if (field === null) return false;
    fields.push(field);
  }
  type.fields = fields;
  if (!isUnion) return true;
  if (SIZES[definition.switchType] === undefined) return false;
  const cases = new Map<number, IdlField>();
  for (const [i, { predicates }] of definition.cases.entries()) {
    for (const predicate of predicates) cases.set(Number(predicate), fields[i]!);
  }
  const fallback = fields[definition.cases.length] ?? null;
  type.union = { switchType: definition.switchType, caseOf: (value) => cases.get(value) ?? fallback };
  return true;
}

function fieldOf(
  { name, type, isComplex, isArray, arrayLengths, annotations = {} }: IDLMessageDefinitionField,
  next: number,
  types: ReadonlyMap<string, IdlType>,
): IdlField | null {
  const found =
    isComplex === true ? types.get(type) : SIZES[type] !== undefined || type === "string" ? type : undefined;
  if (found === undefined) return null;
  const id = annotations["id"];
  return {
    name,
    type: found,
    count: isArray !== true ? "one" : (arrayLengths ?? "many"),
    id: id?.type === "const-param" && typeof id.value === "number" ? id.value : next,
    isOptional: "optional" in annotations,
  };
}

/** Whether a list may have any number of items that take no bytes, or a type is a part of itself. */
function isEndless(types: ReadonlyMap<string, IdlType>): boolean {
  const open = new Set<IdlType>();
  const done = new Set<IdlType>();
  const visit = (type: IdlType): boolean => {
    if (open.has(type)) return true;
    if (done.has(type)) return false;
    open.add(type);
    const isIn = type.fields.some(({ type: of, count }) => typeof of !== "string" && count !== "many" && visit(of));
    open.delete(type);
    done.add(type);
    return isIn;
  };
  return [...types.values()].some((type) => type.fields.length === 0 || visit(type));
}
