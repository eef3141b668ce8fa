import { identityOf } from "./accounts.ts";

/** Most players that a recording may have. */
const MOST = 10_000;
const DEEPEST = 8;

/**
 * Ids of the people whom a recording is of, from its metadata: every `uuid` in a list of `subjects`, as text or as four
 * integers. Each id is returned once.
 */
export function subjectsIn(metadata: unknown): readonly string[] {
  const found = new Set<string>();
  collect(metadata, false, 0, found);
  return [...found].slice(0, MOST);
}

function collect(value: unknown, isSubject: boolean, depth: number, found: Set<string>): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || depth > DEEPEST) return;
  if (Array.isArray(value)) {
    for (const one of value) collect(one, isSubject, depth + 1, found);
    return;
  }
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  for (const [key, inner] of entries) {
    const id = isSubject && key === "uuid" ? uuidOf(inner) : null;
    if (id !== null) found.add(id);
    else collect(inner, key === "subjects", depth + 1, found);
  }
}

function uuidOf(value: unknown): string | null {
  if (typeof value === "string") return value === "" || value.length > 100 ? null : identityOf(value);
  if (!Array.isArray(value) && !(value instanceof Int32Array)) return null;
  const parts = [...(value as ArrayLike<unknown> & Iterable<unknown>)];
  if (parts.length !== 4 || !parts.every((part) => Number.isInteger(part))) return null;
  return identityOf(parts.map((part) => ((part as number) >>> 0).toString(16).padStart(8, "0")).join(""));
}
