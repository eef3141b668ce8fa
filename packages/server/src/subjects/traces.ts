import { createHash } from "node:crypto";
import type { Who } from "./who.ts";

/** Letters and digits of ASCII, which a database finds in all spellings: the longest run in a search text. */
const RUN = /[a-z0-9]+/g;
const SHORTEST_RUN = 2;

/** Finds where texts, values and bytes name a subject: by names as whole words, by UUIDs in every spelling. */
export class Traces {
  /** The text that replaces the names: it contains the id of the request, and nothing of the subject. */
  readonly token: string;
  /**
   * Texts in small letters: each text that names the subject contains one of them; null: every text must be searched.
   */
  readonly runs: readonly string[] | null;
  readonly #wanted: RegExp;
  readonly #binary: readonly Buffer[];
  readonly #written: readonly Buffer[];

  /** `others`: names of other people that contain one of the subject's names; `request`: the id of the request. */
  constructor({ names, uuids }: Pick<Who, "names" | "uuids">, others: readonly string[], request: string) {
    this.token = `erased-${createHash("sha256").update(request).digest("hex").slice(0, 8)}`;
    const called = names.filter((name) => name.trim() !== "").flatMap(spellingsOf);
    const wanted = [
      ...called.map((name) => `(?<![\\p{L}\\p{N}])${escaped(name)}(?![\\p{L}\\p{N}])`),
      ...uuids.map((uuid) => uuid.split("-").map(escaped).join("-?")),
      ...uuids.flatMap((uuid) => intsOf(uuid).map((ints) => `(?<![\\d-])${ints.join("\\s*,\\s*")}(?!\\d)`)),
    ];
    const isOne = new RegExp(`^(?:${wanted.join("|") || "(?!)"})$`, "iu");
    const spared = others.filter((other) => other !== "" && !isOne.test(other)).sort((a, b) => b.length - a.length);
    const known = spared.map((other) => `(?<![\\p{L}\\p{N}])${escaped(other)}(?![\\p{L}\\p{N}])`);
    // names of other people come first, so that they are skipped
    this.#wanted = new RegExp(`(${known.join("|") || "(?!)"})|${wanted.join("|") || "(?!)"}`, "giu");
    const runs = [...called.map(runOf), ...uuids.map((uuid) => uuid.slice(0, 8)), ...uuids.map((uuid) => intOf(uuid))];
    this.runs = runs.some((run) => run === null) ? null : (runs as string[]);
    this.#binary = uuids.map((uuid) => Buffer.from(uuid.replaceAll("-", ""), "hex"));
    this.#written = uuids.flatMap((uuid) => [uuid, uuid.replaceAll("-", "")].map((text) => Buffer.from(text)));
  }

  isIn(text: string): boolean {
    for (const { 1: other } of text.matchAll(this.#wanted)) if (other === undefined) return true;
    return false;
  }

  /** Returns the text with the token in place of each name. */
  masked(text: string): string {
    return text.replace(this.#wanted, (found, other: string | undefined) => (other === undefined ? this.token : found));
  }

  /** Searches a decoded value, however deep. */
  isInValue(value: unknown, depth = 0): boolean {
    if (typeof value === "string") return this.isIn(value);
    if (typeof value !== "object" || value === null || depth > 16) return false;
    if (value instanceof Uint8Array) return this.isInBytes(value) || this.isIn(Buffer.from(value).toString("latin1"));
    if (ArrayBuffer.isView(value)) return value instanceof Int32Array && this.isIn([...value].join(","));
    if (value instanceof Map)
      return [...(value as Map<unknown, unknown>)].some(
        ([key, inner]) => this.isInValue(key, depth + 1) || this.isInValue(inner, depth + 1),
      );
    if (Array.isArray(value)) {
      if (value.length === 4 && value.every(Number.isInteger)) return this.isIn(value.join(","));
      return value.some((inner) => this.isInValue(inner, depth + 1));
    }
    return Object.entries(value).some(([key, inner]) => this.isIn(key) || this.isInValue(inner, depth + 1));
  }

  /** Searches bytes only for UUIDs, which do not occur by chance. */
  isInBytes(bytes: Uint8Array): boolean {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return [...this.#binary, ...this.#written].some((wanted) => all.includes(wanted));
  }
}

/** A name as it is, and as JSON writes it. */
function spellingsOf(name: string): readonly string[] {
  const plain = name.normalize("NFC").trim();
  return [...new Set([plain, plain.normalize("NFD"), JSON.stringify(plain).slice(1, -1)])];
}

function runOf(name: string): string | null {
  const runs = [...name.toLowerCase().matchAll(RUN)].map(([run]) => run);
  const longest = runs.sort((a, b) => b.length - a.length)[0] ?? "";
  return longest.length < SHORTEST_RUN ? null : longest;
}

/** A UUID as four integers, signed and unsigned, as metadata write it. */
function intsOf(uuid: string): readonly (readonly string[])[] {
  const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex");
  if (bytes.length !== 16) return [];
  const at = [0, 4, 8, 12];
  return [at.map((i) => String(bytes.readInt32BE(i))), at.map((i) => String(bytes.readUInt32BE(i)))];
}

/** Digits of the signed first integer; the unsigned spelling is searched with all its digits. */
function intOf(uuid: string): string {
  const [signed] = intsOf(uuid);
  return signed === undefined ? uuid : signed[0]!.replace("-", "");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
