import { problemIn, tell } from "../../model/shape.ts";
import { RETENTION_POLICY, type RetentionPolicy, type RetentionMatch } from "./schema.ts";

/** A policy that cannot be followed: `path` says where in the JSON. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.path = path;
  }
}

/** Milliseconds. */
export const HOUR = 3_600_000;
export const DAY: number = 24 * HOUR;

/** Checks a parsed JSON document. Throws `PolicyError` with the place of what is wrong. */
export function parsePolicy(document: unknown): RetentionPolicy {
  const problem = problemIn(RETENTION_POLICY, document);
  if (problem !== null) throw new PolicyError(problem.path || "policy", tell(problem));
  const policy = document as RetentionPolicy;
  const names = new Set<string>();
  for (const [i, { name, match }] of policy.classes.entries()) {
    if (names.has(name))
      throw new PolicyError(`classes[${i}].name`, `there is a class ${JSON.stringify(name)} already`);
    names.add(name);
    for (const [j, world] of (match?.world ?? []).entries()) {
      if (!/^[0-9a-fA-F]{32}$/.test(world.replaceAll("-", "")))
        throw new PolicyError(`classes[${i}].match.world[${j}]`, `expected a UUID, found ${JSON.stringify(world)}`);
    }
  }
  return policy;
}

/** Milliseconds between the mark and the deletion. */
export function graceOf({ graceHours = 24 }: RetentionPolicy): number {
  return graceHours * HOUR;
}

/** Whether a recording is never to be touched. */
export function isHeld({ hold = [] }: RetentionPolicy, id: string, recordingId: string | null): boolean {
  return hold.some((one) => one === id || one.toLowerCase() === recordingId);
}

/** What of a recording classes match. */
export interface Traits {
  readonly id: string;
  /** Null: not known. */
  readonly world: string | null;
  readonly profile: string | null;
  /** Texts, and numbers as text, in the metadata; null: nothing there. */
  readonly metadata: (path: string) => string | null;
}

/** The index of the class that a recording is of; -1: of none. */
export function classOf({ classes }: RetentionPolicy, traits: Traits): number {
  return classes.findIndex(({ match }) => match === undefined || isMatch(match, traits));
}

function isMatch({ world, key, profile, metadata }: RetentionMatch, traits: Traits): boolean {
  const plain = (uuid: string): string => uuid.replaceAll("-", "").toLowerCase();
  if (world !== undefined && !world.some((one) => traits.world !== null && plain(one) === plain(traits.world)))
    return false;
  if (key !== undefined && !key.some((glob) => isGlob(glob, traits.id))) return false;
  if (profile !== undefined && !profile.some((one) => one === traits.profile)) return false;
  return Object.entries(metadata ?? {}).every(([path, values]) => {
    const found = traits.metadata(path);
    return found !== null && values.some((value) => isValue(value, found));
  });
}

/** True and false are bytes in the metadata. */
function isValue(value: string | number | boolean, found: string): boolean {
  if (typeof value === "string") return isGlob(value, found);
  return found === String(Number(value));
}

/** `*` is anything but `/`, `**` anything, `?` one character; all else is itself. */
function isGlob(glob: string, text: string): boolean {
  const pattern = glob.replace(/\*\*|[*?]|[\\^$.|+()[\]{}]/g, (found) => {
    if (found === "**") return ".*";
    if (found === "*") return "[^/]*";
    return found === "?" ? "[^/]" : `\\${found}`;
  });
  return new RegExp(`^${pattern}$`, "s").test(text);
}
