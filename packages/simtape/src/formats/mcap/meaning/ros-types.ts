/** A member of a ROS message. */
export interface RosField {
  readonly name: string;
  /** One of `SCALARS`, or the name of a message: `package/Name`. */
  readonly type: string;
  /** Not a list; a list that states its length; or so many. */
  readonly count: "one" | "many" | number;
}

export type RosTypes = ReadonlyMap<string, readonly RosField[]>;

/** Types that are no messages. */
export const SCALARS: ReadonlySet<string> = new Set([
  ...["bool", "byte", "char", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"],
  ...["float32", "float64", "string", "time", "duration"],
]);

/** What ROS 2 definitions mention and often do not repeat. */
const KNOWN: readonly (readonly [string, string])[] = [
  ["builtin_interfaces/Time", "int32 sec\nuint32 nanosec"],
  ["builtin_interfaces/Duration", "int32 sec\nuint32 nanosec"],
];

/** Most members of all types together. */
const MOST = 20_000;

/**
 * The types of a message definition: the message itself, then those that it uses, each behind a line of `=` and a line
 * `MSG: package/Name` (spec §6). Null where it is no definition, or has members that are not read here, as `wstring`.
 */
export function rosTypes(text: string, root: string): RosTypes | null {
  const sections = text.split(/^={3,}[ \t]*\r?$/m);
  const named: (readonly [string, string])[] = [...KNOWN];
  for (const [i, section] of sections.entries()) {
    const trimmed = section.replace(/^\s+/, "");
    if (i === 0) named.push([plain(root), trimmed]);
    else {
      const found = /^MSG:[ \t]*(\S+)[^\n]*(?:\n|$)/.exec(trimmed);
      if (found === null) return null;
      named.push([plain(found[1]!), trimmed.slice(found[0].length)]);
    }
  }
  const names = new Set(named.map(([name]) => name));
  const types = new Map<string, readonly RosField[]>();
  let count = 0;
  for (const [name, body] of named) {
    const fields = fieldsIn(body, name, names);
    count += fields?.length ?? 0;
    if (fields === null || count > MOST) return null;
    types.set(name, fields);
  }
  return goesInCircles(types, plain(root)) ? null : types;
}

function plain(name: string): string {
  return name.replace("/msg/", "/");
}

const FIELD = /^([A-Za-z][\w/]*)(?:<=\d+)?(\[(?:<=)?(\d*)\])?[ \t]+([A-Za-z]\w*)[ \t]*(.*)$/;

function fieldsIn(body: string, owner: string, names: ReadonlySet<string>): RosField[] | null {
  const fields: RosField[] = [];
  for (const line of body.split("\n")) {
    const bare = line.replace(/#.*$/, "").trim();
    if (bare === "") continue;
    const found = FIELD.exec(bare);
    if (found === null) return null;
    const [, base, list, length, name, rest] = found;
    // a constant; `name value` states a default, which messages do not hold
    if (rest!.startsWith("=")) continue;
    const type = SCALARS.has(base!) ? base! : typeNamed(base!, owner, names);
    if (type === null) return null;
    const isFixed = list !== undefined && length !== "" && !list.includes("<=");
    fields.push({ name: name!, type, count: list === undefined ? "one" : isFixed ? Number(length) : "many" });
  }
  return fields;
}

/** A type by its name in a definition: with its package, or of the package of the owner. */
function typeNamed(base: string, owner: string, names: ReadonlySet<string>): string | null {
  if (base === "Header" && names.has("std_msgs/Header")) return "std_msgs/Header";
  const candidates = [plain(base), `${owner.slice(0, owner.lastIndexOf("/"))}/${base}`];
  const found = candidates.find((name) => names.has(name)) ?? [...names].find((name) => name.endsWith(`/${base}`));
  return found ?? null;
}

/** Whether a type is a part of itself: no message can be that. */
function goesInCircles(types: RosTypes, root: string): boolean {
  const open = new Set<string>();
  const done = new Set<string>();
  const visit = (name: string): boolean => {
    if (open.has(name)) return true;
    if (done.has(name)) return false;
    open.add(name);
    const isIn = (types.get(name) ?? []).some(({ type }) => !SCALARS.has(type) && visit(type));
    open.delete(name);
    done.add(name);
    return isIn;
  };
  return visit(root);
}
