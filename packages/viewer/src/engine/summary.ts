import type { Value } from "simtape";
import { preview } from "./preview.ts";

/** Things of a list that are shown. */
const LISTED = 8;
/** Names of fields that say where in the recording or in memory, not what. */
const PLUMBING =
  /(^|[._-])(id|uid|uuid|guid|hash|index|counter|sequence|mask|flags|version|kind|type)$|Id$|^(text|q)$/i;
const IDENTIFIER = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** A message in one line of at most `limit` characters: what tells it from others comes first. */
export function summary(value: Value, limit: number): string {
  const text = summed(value, limit);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

function summed(value: Value, limit: number): string {
  if (Array.isArray(value) && value.every((item) => isFields(item) || Array.isArray(item))) {
    if (value.length === 0) return "none";
    const items = value.slice(0, LISTED).map((item) => summed(item as Value, limit / 2));
    return value.length === 1 ? items[0]! : `${value.length} × ${items.join(" · ")}`;
  }
  if (!isFields(value)) return preview(value, limit);
  const fields = Object.entries(value);
  if (fields.length === 1) return summed(fields[0]![1], limit);
  const names = new Set(fields.map(([name]) => name));
  const ranked = fields
    .map(([name, part]) => ({ name, part, rank: rankOf(name, part, names) }))
    .sort((a, b) => a.rank - b.rank);
  let line = "";
  for (const { name, part } of ranked) {
    if (line.length > limit) break;
    const text = typeof part === "object" ? preview(part, limit / 2) : preview(part, limit);
    line += `${line === "" ? "" : ", "}${name} ${text}`;
  }
  return line;
}

/** Words first, then numbers and booleans, then lists; last what is empty, and what is for programs. */
function rankOf(name: string, part: Value, names: ReadonlySet<string>): number {
  // a number whose name is in another field
  if (PLUMBING.test(name) && typeof part !== "string") return names.has(`${name}Name`) ? 5 : name === "id" ? 1 : 4;
  if (part === null || part === "" || isEmpty(part)) return 5;
  if (typeof part === "string") return IDENTIFIER.test(part) ? 4 : 0;
  return typeof part === "object" ? 3 : 2;
}

function isEmpty(part: Value): boolean {
  return typeof part === "object" && part !== null && (part as { readonly length?: number }).length === 0;
}

function isFields(value: unknown): value is { readonly [name: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
