import { ByteBuilder } from "../../../bytes/builder.ts";
import type { Value } from "../../../model/values/value.ts";
import type { Account } from "../../../model/writer.ts";

/** Longest text of an extra property, bytes (spec §6). */
const MAX_TEXT = 0x7fff;
/** Longer lists are data, not properties. */
const MAX_LIST = 64;
const MAX_DEPTH = 16;
/** Steps of a path: each is counted. */
const MAX_STEPS = 64;
const UTF8 = new TextEncoder();

/** What a value of the source became. */
interface Carried {
  value: Value;
  /** Its properties. */
  paths: string[];
  /** Step in which it was last there. */
  step: number;
}

/** Values as extra properties below `/simtape`: what changed since the step before, and what is gone. */
export class PropertySet {
  readonly #account: Account;
  readonly #values = new Map<string, Carried>();
  /** Whose each property is, and its text. */
  readonly #properties = new Map<string, { readonly source: string; text: string }>();
  /** How many properties there are below each path. */
  readonly #below = new Map<string, number>();
  readonly #lost = new Set<string>();
  #item = new ByteBuilder();
  #step = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** What `source` holds now; its properties are below `baseOf(source)`, an absolute path. */
  put(source: string, baseOf: (source: string) => string, value: Value): void {
    const before = this.#values.get(source);
    if (before !== undefined) {
      before.step = this.#step;
      if (before.value === value) return;
    }
    const paths: string[] = [];
    this.#flatten(source, baseOf(source), value, paths, 0);
    if (before === undefined) this.#values.set(source, { value, paths, step: this.#step });
    else {
      const there = new Set(paths);
      for (const path of before.paths) if (!there.has(path)) this.#remove(path);
      before.value = value;
      before.paths = paths;
    }
    if (paths.length > 0) this.#account.carried(source);
  }

  /** The item of this step, null when nothing changed. What was not put since the last call is removed. */
  take(): Uint8Array | null {
    for (const [source, { paths, step }] of this.#values) {
      if (step === this.#step) continue;
      for (const path of paths) this.#remove(path);
      this.#values.delete(source);
    }
    this.#step++;
    return this.#item.length === 0 ? null : this.#item.take();
  }

  lose(source: string, reason: string): void {
    if (this.#lost.has(source)) return;
    this.#lost.add(source);
    this.#account.lost(source, reason);
  }

  #flatten(source: string, path: string, value: Value, paths: string[], depth: number): void {
    if (value === null) return;
    if (typeof value !== "object") {
      this.#set(source, path, textOf(value), paths);
      return;
    }
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const list = value as ArrayLike<Value>;
      if (list.length > MAX_LIST) {
        this.lose(source, `FlightGear's properties hold lists of at most ${MAX_LIST} items`);
        return;
      }
      for (let i = 0; i < list.length; i++) this.#flatten(source, indexed(path, i), list[i]!, paths, depth + 1);
      return;
    }
    if (depth > MAX_DEPTH) {
      this.lose(source, "it is nested too deep");
      return;
    }
    for (const [key, child] of Object.entries(value as { readonly [key: string]: Value })) {
      this.#flatten(source, `${path}/${propertyName(key)}`, child, paths, depth + 1);
    }
  }

  #set(source: string, path: string, text: string, paths: string[]): void {
    const there = this.#properties.get(path);
    if (there !== undefined && there.source !== source) {
      this.lose(source, `its property, ${path}, already holds ${there.source}`);
      return;
    }
    const bytes = UTF8.encode(text);
    const name = UTF8.encode(path);
    if (bytes.length > MAX_TEXT || name.length > MAX_TEXT) {
      this.lose(source, `a text of ${bytes.length} bytes, ${MAX_TEXT} fit into a property`);
      return;
    }
    if (there === undefined && path.split("/", MAX_STEPS + 2).length > MAX_STEPS + 1) {
      this.lose(source, "it is nested too deep");
      return;
    }
    paths.push(path);
    if (there === undefined) {
      this.#properties.set(path, { source, text });
      this.#countAbove(path, 1);
    } else if (there.text === text) return;
    else there.text = text;
    this.#item.i16le(name.length).raw(name).i16le(bytes.length).raw(bytes);
  }

  #remove(path: string): void {
    if (!this.#properties.delete(path)) return;
    this.#countAbove(path, -1);
    const name = UTF8.encode(path);
    // A removal takes out what lies below, too: a property with others below it becomes empty instead.
    if (this.#below.has(path)) this.#item.i16le(name.length).raw(name).i16le(0);
    else this.#item.i16le(0).i16le(name.length).raw(name);
  }

  #countAbove(path: string, change: 1 | -1): void {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const above = path.slice(0, at);
      const count = (this.#below.get(above) ?? 0) + change;
      if (count === 0) this.#below.delete(above);
      else this.#below.set(above, count);
    }
  }
}

/** A path below `/simtape` for any name, each step one that FlightGear can have: `/simtape/frame/box[2]`. */
export function simtapePath(...steps: readonly string[]): string {
  const names = steps.flatMap((step) => step.split("/")).filter((step) => step !== "");
  return `/simtape/${names.map(propertyName).join("/")}`;
}

/** Letters, digits, `_`, `-` and `.`, the first a letter or `_`; an index in brackets stays, 0 is left out. */
function propertyName(name: string): string {
  const [, stem = "", index = ""] = /^(.*?)(\[\d+\])?$/s.exec(name) ?? [];
  const clean = stem.replace(/[^\w.-]/g, "_");
  return `${/^[A-Za-z_]/.test(clean) ? "" : "_"}${clean}${index === "[0]" ? "" : index}`;
}

function indexed(path: string, index: number): string {
  return index === 0 ? path : `${path}[${index}]`;
}

/** As C++ reads it back: numbers in full, so that none is rounded. */
function textOf(value: boolean | number | bigint | string): string {
  if (typeof value !== "number" || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
