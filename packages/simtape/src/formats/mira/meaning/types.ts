/** Numbers as C++ types of fixed width, semantics §5. */
export type Scalar =
  | "bool"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float"
  | "double";

/** How the values of a C++ type are laid out in a payload. */
export type TypeLayout =
  | { readonly kind: "scalar"; readonly scalar: Scalar }
  | { readonly kind: "string" }
  | { readonly kind: "vector"; readonly item: TypeLayout }
  | { readonly kind: "array"; readonly item: TypeLayout; readonly length: number }
  | { readonly kind: "map"; readonly key: TypeLayout; readonly value: TypeLayout }
  | { readonly kind: "buffer" }
  | { readonly kind: "raw"; readonly length: number }
  | ObjectLayout;

export interface ObjectLayout {
  readonly kind: "object";
  readonly name: string;
  readonly fields: readonly FieldLayout[];
  /** A slot for its class version precedes it where the format has such slots, semantics §5. */
  readonly isVersioned: boolean;
}

export interface FieldLayout {
  readonly name: string;
  readonly type: TypeLayout;
  /** Class version it came with; absent: always there. */
  readonly since?: number | undefined;
  /** Of its numbers, semantics §5; absent: it is not known. */
  readonly unit?: string | undefined;
}

/** A type given by the user: its members in the order in which they are serialized. */
export interface PayloadSchema {
  /** Type name as the tape spells it; spaces do not matter. */
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    /**
     * A primitive, `std::string`, `vector<T>`, `array<T, n>`, `T[n]`, `map<K, V>`, `raw(n)`, or another type's name.
     */
    readonly type: string;
  }[];
}

/** Depth of types inside types. */
const MAX_DEPTH = 16;

const SCALARS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ["bool", "bool"],
  ["char", "int8"],
  ["signedchar", "int8"],
  ["int8", "int8"],
  ["int8_t", "int8"],
  ["unsignedchar", "uint8"],
  ["uint8", "uint8"],
  ["uint8_t", "uint8"],
  ["short", "int16"],
  ["int16", "int16"],
  ["int16_t", "int16"],
  ["unsignedshort", "uint16"],
  ["uint16", "uint16"],
  ["uint16_t", "uint16"],
  ["int", "int32"],
  ["int32", "int32"],
  ["int32_t", "int32"],
  ["unsigned", "uint32"],
  ["unsignedint", "uint32"],
  ["uint32", "uint32"],
  ["uint32_t", "uint32"],
  ["long", "int64"],
  ["longlong", "int64"],
  ["int64", "int64"],
  ["int64_t", "int64"],
  ["unsignedlong", "uint64"],
  ["unsignedlonglong", "uint64"],
  ["uint64", "uint64"],
  ["uint64_t", "uint64"],
  ["size_t", "uint64"],
  ["float", "float"],
  ["double", "double"],
  // Eight bytes each, unit unverified, semantics §5.
  ["Time", "int64"],
  ["Duration", "int64"],
]);

const VECTORS: ReadonlySet<string> = new Set(["vector", "list", "set", "deque", "multiset"]);
const MAPS: ReadonlySet<string> = new Set(["map", "multimap"]);

/** One T in its own unit; angles are serialized in degrees, semantics §5. */
const ANGLES: ReadonlySet<string> = new Set([
  "Degree",
  "SignedDegree",
  "Radian",
  "SignedRadian",
  "Angle",
  "SignedAngle",
]);

interface CatalogueEntry {
  readonly versioned?: boolean;
  readonly fields: readonly [string, string, number?][];
}

/** Members of catalogue types in the order of semantics §5; `T` stands for the template argument. */
const CATALOGUE: ReadonlyMap<string, CatalogueEntry> = new Map<string, CatalogueEntry>(
  Object.entries({
    "robot::RangeScanInfo": {
      versioned: true,
      fields: [
        ["startAngle", "SignedAngle<float>"],
        ["deltaAngle", "SignedAngle<float>"],
        ["coneAngle", "Angle<float>"],
        ["aperture", "float"],
        ["stdError", "float"],
        ["minimumRange", "float"],
        ["maximumRange", "float"],
        ["scanTime", "Duration", 2],
      ],
    },
    // Its info is reflected in place, so that its members, and the info's class version, stand before its own.
    "robot::RangeScan": {
      versioned: true,
      fields: [
        ["startAngle", "SignedAngle<float>"],
        ["deltaAngle", "SignedAngle<float>"],
        ["coneAngle", "Angle<float>"],
        ["aperture", "float"],
        ["stdError", "float"],
        ["minimumRange", "float"],
        ["maximumRange", "float"],
        ["scanTime", "Duration", 2],
        ["range", "vector<float>"],
        ["valid", "vector<uint16>"],
        ["certainty", "vector<float>"],
        ["reflectance", "vector<float>"],
      ],
    },
    // Pose, then velocity: order unverified; there may be more members, and then it does not fit.
    "robot::Odometry2": {
      fields: [
        ["pose", "RigidTransform<float,2>"],
        ["velocity", "Velocity2"],
      ],
    },
  }),
);

/** Other names of catalogue types. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Pose2: "RigidTransform<float,2>",
    Pose2f: "RigidTransform<float,2>",
    Pose2d: "RigidTransform<double,2>",
    Velocity2: "RigidTransform<float,2>",
    "robot::Velocity2": "RigidTransform<float,2>",
    RigidTransform2f: "RigidTransform<float,2>",
    RigidTransform2d: "RigidTransform<double,2>",
    Pose3: "RigidTransform<float,3>",
    Pose3f: "RigidTransform<float,3>",
    Pose3d: "RigidTransform<double,3>",
    Velocity3: "RigidTransform<float,3>",
    "robot::Velocity3": "RigidTransform<float,3>",
    RigidTransform3f: "RigidTransform<float,3>",
    RigidTransform3d: "RigidTransform<double,3>",
    Point2i: "Point<int,2>",
    Point2f: "Point<float,2>",
    Point2d: "Point<double,2>",
    Point3i: "Point<int,3>",
    Point3f: "Point<float,3>",
    Point3d: "Point<double,3>",
  }),
);

/** Names of the types that are known and have no argument: `MiraTypes` has the same. */
export const KNOWN_TYPES: readonly string[] = [...SCALARS.keys(), "string", ...CATALOGUE.keys(), ...ALIASES.keys()];

/** Finds layouts by type name: the user's schemas first, then primitives, containers and the built-in catalogue. */
export class TypeRegistry {
  readonly #schemas: ReadonlyMap<string, PayloadSchema>;

  constructor(schemas: readonly PayloadSchema[] = []) {
    this.#schemas = new Map(schemas.map((schema) => [normal(schema.name), schema]));
  }

  /** Every layout that a value of this type may have; none when the type is not known. */
  layouts(name: string): TypeLayout[] {
    const found: TypeLayout[] = [];
    for (const form of POSE_FORMS) {
      const layout = this.#layout(normal(name), form, 0);
      if (layout !== null && !found.some((other) => JSON.stringify(other) === JSON.stringify(layout)))
        found.push(layout);
    }
    return found;
  }

  #layout(name: string, form: PoseForm, depth: number): TypeLayout | null {
    if (depth > MAX_DEPTH) return null;
    const schema = this.#schemas.get(name);
    if (schema !== undefined)
      return this.#object(
        name,
        schema.fields.map((f) => [f.name, f.type]),
        false,
        form,
        depth,
      );
    const scalar = SCALARS.get(name);
    if (scalar !== undefined) return { kind: "scalar", scalar };
    if (name === "string" || name.startsWith("basic_string<char")) return { kind: "string" };
    const raw = /^raw\((\d{1,9})\)$/.exec(name);
    if (raw !== null) return { kind: "raw", length: Number(raw[1]) };
    const fixed = /^(.+)\[(\d{1,9})\]$/.exec(name);
    if (fixed !== null) return this.#array(fixed[1]!, Number(fixed[2]), form, depth);
    const alias = ALIASES.get(name);
    if (alias !== undefined) {
      const layout = this.#layout(alias, form, depth + 1);
      return /(?:^|:)Velocity\d$/.test(name) ? perSecond(layout) : layout;
    }
    const known = CATALOGUE.get(name);
    if (known !== undefined) return this.#object(name, known.fields, known.versioned === true, form, depth);
    const template = splitTemplate(name);
    return template === null ? null : this.#template(template.name, template.args, form, depth);
  }

  #template(name: string, args: readonly string[], form: PoseForm, depth: number): TypeLayout | null {
    const first = args[0];
    if (first === undefined) return null;
    if (VECTORS.has(name)) {
      const item = this.#layout(first, form, depth + 1);
      return item === null || leastBytes(item) === 0 ? null : { kind: "vector", item };
    }
    if (MAPS.has(name)) {
      const key = this.#layout(first, form, depth + 1);
      const value = args[1] === undefined ? null : this.#layout(args[1], form, depth + 1);
      if (key === null || value === null || leastBytes(key) === 0) return null;
      return { kind: "map", key, value };
    }
    if (name === "pair" && args[1] !== undefined) {
      return this.#object(
        "pair",
        [
          ["first", first],
          ["second", args[1]],
        ],
        false,
        form,
        depth,
      );
    }
    if (name === "array" && args[1] !== undefined && /^\d{1,9}$/.test(args[1])) {
      return this.#array(first, Number(args[1]), form, depth);
    }
    if (name === "Buffer") return { kind: "buffer" };
    if (ANGLES.has(name)) return this.#layout(first, form, depth + 1);
    if (name === "Point" && (args[1] === "2" || args[1] === "3")) {
      const axes = args[1] === "2" ? ["x", "y"] : ["x", "y", "z"];
      return this.#object(
        `Point<${first},${args[1]}>`,
        axes.map((axis) => [axis, first]),
        false,
        form,
        depth,
      );
    }
    if (name === "RigidTransform" && (args[1] === "2" || args[1] === "3")) {
      const fields = args[1] === "2" ? POSE_2 : POSE_3[form];
      return this.#object(
        `RigidTransform<${first},${args[1]}>`,
        fields.map(([field, type]) => [field, type.replace("T", () => first)]),
        false,
        form,
        depth,
      );
    }
    return null;
  }

  #array(item: string, length: number, form: PoseForm, depth: number): TypeLayout | null {
    const layout = this.#layout(item, form, depth + 1);
    return layout === null || leastBytes(layout) === 0 ? null : { kind: "array", item: layout, length };
  }

  #object(
    name: string,
    fields: readonly (readonly [string, string, number?])[],
    isVersioned: boolean,
    form: PoseForm,
    depth: number,
  ): TypeLayout | null {
    const laid: FieldLayout[] = [];
    for (const [field, type, since] of fields) {
      const layout = this.#layout(normal(type), form, depth + 1);
      if (layout === null) return null;
      const unit = unitOfMember(name, field, type);
      laid.push({
        ...{ name: field, type: layout },
        ...(since === undefined ? {} : { since }),
        ...(unit === undefined ? {} : { unit }),
      });
    }
    return { kind: "object", name, fields: laid, isVersioned };
  }
}

/**
 * Bytes that the least value of a type takes, without version slots and prefixes. Items of containers take at least
 * one.
 */
export function leastBytes(layout: TypeLayout): number {
  switch (layout.kind) {
    case "scalar":
      return SCALAR_BYTES[layout.scalar];
    case "string":
    case "vector":
    case "map":
      return 4;
    case "buffer":
      return 8;
    case "raw":
      return layout.length;
    case "array":
      return layout.length * leastBytes(layout.item);
    case "object":
      return layout.fields.reduce((sum, f) => sum + (f.since === undefined ? leastBytes(f.type) : 0), 0);
    default:
      return layout satisfies never;
  }
}

export const SCALAR_BYTES: Readonly<Record<Scalar, number>> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float: 4,
  double: 8,
};

/** A rotation in space is a quaternion or three angles; which is not established, but their lengths differ. */
type PoseForm = "quaternion" | "angles";
const POSE_FORMS: readonly PoseForm[] = ["quaternion", "angles"];
/** Components established, bytes unverified, semantics §5. */
const POSE_2: readonly [string, string][] = [
  ["x", "T"],
  ["y", "T"],
  ["phi", "T"],
];
const POSE_3: Readonly<Record<PoseForm, readonly [string, string][]>> = {
  // The order of the four is unverified: they are handed out as stored.
  quaternion: [
    ["x", "T"],
    ["y", "T"],
    ["z", "T"],
    ["quaternion", "T[4]"],
  ],
  angles: [
    ["x", "T"],
    ["y", "T"],
    ["z", "T"],
    ["yaw", "T"],
    ["pitch", "T"],
    ["roll", "T"],
  ],
};

/** Angles are in degrees unless their type is of radians; distances of a scan are as its errors are (semantics §5). */
function unitOfMember(owner: string, member: string, type: string): string | undefined {
  if (/^(?:Signed)?(?:Angle|Degree)</.test(type)) return "deg";
  if (/^(?:Signed)?Radian</.test(type)) return "rad";
  if (owner.startsWith("robot::RangeScan")) return SCAN_LENGTHS.has(member) ? "m" : undefined;
  if (!owner.startsWith("RigidTransform<")) return undefined;
  // as the state has them; that of the angles is unverified, semantics §5
  return "xyz".includes(member) ? "m" : member === "quaternion" ? undefined : "rad";
}

const SCAN_LENGTHS: ReadonlySet<string> = new Set(["aperture", "stdError", "minimumRange", "maximumRange", "range"]);

/** The layout of a velocity, which is that of a pose. */
function perSecond(layout: TypeLayout | null): TypeLayout | null {
  if (layout?.kind !== "object") return layout;
  const fields = layout.fields.map((field) => ({
    ...field,
    unit: field.unit === undefined ? undefined : `${field.unit}/s`,
  }));
  return { ...layout, fields };
}

/** Without spaces and the namespaces that say nothing: spelling of type names in tapes is unverified, spec §2.7. */
function normal(name: string): string {
  return name.replaceAll(/\s+/g, "").replaceAll(/(?<![\w:])(?:std::__cxx11|std|mira)::/g, "");
}

function splitTemplate(name: string): { name: string; args: string[] } | null {
  const open = name.indexOf("<");
  if (open <= 0 || !name.endsWith(">")) return null;
  const args: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let i = open + 1; i < name.length; i++) {
    const character = name[i];
    if (character === "<") depth++;
    else if (character === ">" && i < name.length - 1) depth--;
    else if ((character === "," && depth === 0) || i === name.length - 1) {
      args.push(name.slice(start, i));
      start = i + 1;
    }
  }
  return { name: name.slice(0, open), args };
}
